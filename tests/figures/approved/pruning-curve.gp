# pruning-curve: accuracy against the number of components removed together
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 760,470 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1520,940 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Heads that can go together (greedy): 1 within 1 point, 2 within 5 points' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set ylabel 'accuracy (%)'
unset key
set xrange [-0.3:3.3]
set yrange [0:103]
set lmargin at screen 0.0987; set rmargin at screen 0.9079
set tmargin at screen 0.9043; set bmargin at screen 0.1745
set label 1 'heads removed' at screen 0.5033, screen 0.0894 center
set title '' offset 0,-0.5
set arrow 1 from graph 0, first 98 to graph 1, first 98 nohead dt 3 lw 1 lc '#666666'
set label 2 '1 point' at graph 1.01, first 98 left font ',10' textcolor '#444444'
set arrow 2 from graph 0, first 94 to graph 1, first 94 nohead dt 3 lw 1 lc '#666666'
set label 3 '5 points' at graph 1.01, first 94 left font ',10' textcolor '#444444'
plot 'figure.dat' index 0 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#0072B2', \
     'figure.dat' index 1 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#D55E00', \
     'figure.dat' index 0 using 1:2 with linespoints pt 7 ps 0.6 lw 2 lc '#0072B2', \
     'figure.dat' index 1 using 1:2 with linespoints pt 5 ps 0.6 lw 2 lc '#D55E00'
unset ylabel
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3728; set rmargin at screen 0.5000
set tmargin at screen 0.0638; set bmargin at screen 0.0128
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.6 lw 2 lc '#0072B2' title 'greedy'
set lmargin at screen 0.5000; set rmargin at screen 0.6272
set tmargin at screen 0.0638; set bmargin at screen 0.0128
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 5 ps 0.6 lw 2 lc '#D55E00' title 'random'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
