# training-summary: the best epoch of each training, and its time
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 886,130 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1772,260 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Training: best validation accuracy 98.76 %, 2 min 00 s' font ',15'
set grid xtics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
unset key; set xtics font ',10'
set yrange [1.6:0.4]
set ytics ('alibi' 1) scale 0 font ',11'
set lmargin at screen 0.0633; set rmargin at screen 0.3470
set tmargin at screen 0.4923; set bmargin at screen 0.2769
set title 'best validation accuracy (%)' offset 0,-0.5 font ',12'
set xtics 0, 25, 100
set xrange [0:120.643]
plot 'figure.dat' index 0 using 2:1:(0):2:($1-0.36):($1+0.36) with boxxyerror fs solid noborder lc '#0072B2', \
     '' index 0 using 2:1:3 with labels left offset 0.6,0 font ',10'
unset ytics
set lmargin at screen 0.3786; set rmargin at screen 0.6622
set tmargin at screen 0.4923; set bmargin at screen 0.2769
set title 'validation loss at that epoch' offset 0,-0.5 font ',12'
set xtics autofreq
set xrange [0:0.158349]
plot 'figure.dat' index 1 using 2:1:(0):2:($1-0.36):($1+0.36) with boxxyerror fs solid noborder lc '#D55E00', \
     '' index 1 using 2:1:3 with labels left offset 0.6,0 font ',10'
unset ytics
set lmargin at screen 0.6938; set rmargin at screen 0.9774
set tmargin at screen 0.4923; set bmargin at screen 0.2769
set title 'training time (seconds)' offset 0,-0.5 font ',12'
set xtics autofreq
set xrange [0:170.085]
plot 'figure.dat' index 2 using 2:1:(0):2:($1-0.36):($1+0.36) with boxxyerror fs solid noborder lc '#009E73', \
     '' index 2 using 2:1:3 with labels left offset 0.6,0 font ',10'
unset ytics
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
