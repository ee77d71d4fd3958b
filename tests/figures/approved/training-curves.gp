# training-curves: losses and accuracies by epoch
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 1000,410 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 2000,820 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Training: exact match 99.99 % at the end' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set xrange [0:3]
set lmargin at screen 0.0650; set rmargin at screen 0.4850
set tmargin at screen 0.8293; set bmargin at screen 0.1341
set label 1 'epoch' at screen 0.2750, screen 0.0366 center
set title 'loss'
set logscale y
set key top right
plot 'figure.dat' index 0 using 1:2 with linespoints pt 7 ps 0.3 lw 2 lc '#0072B2' title 'training', \
     'figure.dat' index 1 using 1:2 with linespoints pt 7 ps 0.3 lw 2 lc '#D55E00' title 'validation'
unset logscale y
set lmargin at screen 0.5550; set rmargin at screen 0.9750
set tmargin at screen 0.8293; set bmargin at screen 0.1341
set label 1 'epoch' at screen 0.7650, screen 0.0366 center
set title 'right on validation data (%)'
set yrange [0:102]
set key bottom right
plot 'figure.dat' index 2 using 1:(100*$2) with linespoints pt 7 ps 0.3 lw 3 lc '#0072B2' title 'exact match', \
     'figure.dat' index 3 using 1:(100*$2) with linespoints pt 7 ps 0.3 lw 1.5 dt 2 lc '#009E73' title 'single tokens'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
