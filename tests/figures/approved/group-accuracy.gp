# group-accuracy: accuracy by groups of problems
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 606,413 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1212,826 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Accuracy by groups: 99.95 % of 810 000 problems right' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set yrange [99.788:100.012]
unset key
set ylabel 'correct (%), axis cut'; set format y '%g'
set label 'count' at screen 0.1188, screen 0.1816 right font ',10' textcolor '#444444'
set lmargin at screen 0.1320; set rmargin at screen 0.3795
set tmargin at screen 0.8910; set bmargin at screen 0.2688
set label '136 125' at first 1, screen 0.1816 center font ',10' textcolor '#444444'
set label '673 875' at first 2, screen 0.1816 center font ',10' textcolor '#444444'
set xtics ('0' 1, '1' 2) font ',11'
set label 'carries' at graph 0.5, screen 0.1162 center
set xrange [0.4:2.6]
plot 99.95 with lines dt 3 lw 1 lc '#666666', \
     'figure.dat' index 0 using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2'
unset ylabel; unset label; set format y ''
set lmargin at screen 0.4208; set rmargin at screen 0.6789
set tmargin at screen 0.8910; set bmargin at screen 0.2688
set label '136 125' at first 1, screen 0.1816 center font ',10' textcolor '#444444'
set label '673 875' at first 2, screen 0.1816 center font ',10' textcolor '#444444'
set xtics ('none' 1, 'one column' 2) font ',11'
set label 'longest chain' at graph 0.5, screen 0.1162 center
set xrange [0.4:2.6]
plot 99.95 with lines dt 3 lw 1 lc '#666666', \
     'figure.dat' index 1 using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2'
unset ylabel; unset label; set format y ''
set lmargin at screen 0.7201; set rmargin at screen 0.9677
set tmargin at screen 0.8910; set bmargin at screen 0.2688
set label '810 000' at first 1, screen 0.1816 center font ',10' textcolor '#444444'
set xtics ('s1' 1) font ',11'
set label 'single tokens, by role' at graph 0.5, screen 0.1162 center
set xrange [0.4:1.6]
plot 'figure.dat' index 2 using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2'
unset ylabel; unset label; set format y ''
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.2055; set rmargin at screen 0.5614
set tmargin at screen 0.0726; set bmargin at screen 0.0145
plot [0:1] [0:1] -1 notitle, keyentry with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2' title 'correct, 95 % interval'
set lmargin at screen 0.5614; set rmargin at screen 0.7945
set tmargin at screen 0.0726; set bmargin at screen 0.0145
plot [0:1] [0:1] -1 notitle, keyentry with lines dt 3 lw 1 lc '#666666' title 'all problems'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
