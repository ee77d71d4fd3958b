# points: columns of any table against one of numbers or texts, as points
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 665,495 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1330,990 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'near, far by encoding' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
unset key; set tics font ',11'
set xrange [0.5:3.5]
set yrange [0.20500000000000002:1.045]
set xtics ('rope' 1, 'alibi' 2, 'none' 3) font ',11'
set ytics ('0.4' 0.4, '0.6' 0.6000000000000001, '0.8' 0.8, '1' 1)
set label 1 'encoding' at screen 0.5267, screen 0.1051 center
set label 2 'accuracy' at screen 0.0211, screen 0.5394 center rotate by 90
set lmargin at screen 0.0909; set rmargin at screen 0.9624
set tmargin at screen 0.9030; set bmargin at screen 0.1758
plot 'figure.dat' index 0 using ($1-0.06):2 with points pt 7 ps 0.9 lw 1.5 lc '#0072B2', \
     'figure.dat' index 1 using ($1+0.06):2 with points pt 7 ps 0.9 lw 1.5 lc '#D55E00'
unset label 1; unset label 2
unset xzeroaxis
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3826; set rmargin at screen 0.5056
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with points pt 7 ps 0.9 lw 1.5 lc '#0072B2' title 'near'
set lmargin at screen 0.5056; set rmargin at screen 0.6174
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with points pt 7 ps 0.9 lw 1.5 lc '#D55E00' title 'far'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
