# bars: columns of any table by the values of one, as bars
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 658,495 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1316,990 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'seconds by stage' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
unset key; set tics font ',11'
set xrange [0.5:3.5]
set yrange [-1.9:14.9]
set xtics ('load' 1, 'train' 2, 'score' 3) font ',11'
set ytics ('0' -0, '5' 5, '10' 10)
set xzeroaxis linetype 1 linecolor '#444444'
set label 1 'stage' at screen 0.5218, screen 0.1051 center
set label 2 'seconds' at screen 0.0213, screen 0.5394 center rotate by 90
set lmargin at screen 0.0815; set rmargin at screen 0.9620
set tmargin at screen 0.9030; set bmargin at screen 0.1758
plot 'figure.dat' index 0 using 1:2:($1-0.4):($1+0):(0):2 with boxxyerror fs solid noborder lc '#0072B2', \
     'figure.dat' index 2 using 1:2:($1+0):($1+0.4):(0):2 with boxxyerror fs solid noborder lc '#D55E00', \
     'figure.dat' index 1 using ($1-0.2):2:(0):($3-$2) with vectors heads size screen 0.0061,90 fixed lw 1.2 lc '#333333', \
     'figure.dat' index 3 using ($1+0.2):2:(0):($3-$2) with vectors heads size screen 0.0061,90 fixed lw 1.2 lc '#333333'
unset label 1; unset label 2
unset xzeroaxis
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3531; set rmargin at screen 0.5000
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#0072B2' title 'laptop'
set lmargin at screen 0.5000; set rmargin at screen 0.6469
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#D55E00' title 'server'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
