# extrapolation: accuracy against the length of sequences
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 1000,482 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 2000,964 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Length extrapolation: 1 of 2 models above 99 % at length 64 (swaps), 0 of 2 (adjacent)' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set ylabel 'accuracy (%), 95 % interval'
unset key
set logscale x 2
set xrange [7.21:71.0124]
set xtics ('8' 8, '16' 16, '64' 64) font ',11'
set yrange [40:101.8]; set ytics 10
set lmargin at screen 0.0700; set rmargin at screen 0.4625
set tmargin at screen 0.8651; set bmargin at screen 0.1701
set label 1 'length' at screen 0.2662, screen 0.0871 center
set title 'swaps' offset 0,-0.5
unset object
set object rectangle from graph 0.0455, graph 0 to graph 0.3485, graph 1 fc '#000000' fs transparent solid 0.08 noborder behind
set label 2 'trained' at graph 0.1970, graph 0.035 center font ',10' textcolor '#444444'
set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead dt 2 lw 1 lc '#666666'
set label 3 'chance' at graph 1.01, first 50 left font ',10' textcolor '#444444'
plot 'figure.dat' index 0 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#0072B2', \
     'figure.dat' index 1 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#D55E00', \
     'figure.dat' index 0 using 1:2 with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#0072B2', \
     'figure.dat' index 1 using 1:2 with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#D55E00'
unset ylabel
set lmargin at screen 0.5475; set rmargin at screen 0.9400
set tmargin at screen 0.8651; set bmargin at screen 0.1701
set label 1 'length' at screen 0.7438, screen 0.0871 center
set title 'adjacent' offset 0,-0.5
unset object
set object rectangle from graph 0.0455, graph 0 to graph 0.3485, graph 1 fc '#000000' fs transparent solid 0.08 noborder behind
set label 2 'trained' at graph 0.1970, graph 0.035 center font ',10' textcolor '#444444'
set arrow 1 from graph 0, first 50 to graph 1, first 50 nohead dt 2 lw 1 lc '#666666'
set label 3 'chance' at graph 1.01, first 50 left font ',10' textcolor '#444444'
plot 'figure.dat' index 2 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#0072B2', \
     'figure.dat' index 3 using 1:3:4 with filledcurves fs transparent solid 0.2 noborder fc '#D55E00', \
     'figure.dat' index 2 using 1:2 with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#0072B2', \
     'figure.dat' index 3 using 1:2 with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#D55E00'
unset ylabel
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3662; set rmargin at screen 0.4926
set tmargin at screen 0.0622; set bmargin at screen 0.0124
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#0072B2' title 'alibi-mean'
set lmargin at screen 0.4926; set rmargin at screen 0.6338
set tmargin at screen 0.0622; set bmargin at screen 0.0124
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.6 lw 1.8 dt 1 lc '#D55E00' title 'learned-mean'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
