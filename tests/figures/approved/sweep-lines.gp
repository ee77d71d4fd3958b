# sweep-lines: a metric of a sweep's trials against one of its axes
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 685,495 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1370,990 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'evaluate.greedy against n_heads: best 95.5 % with n_heads 2, positions rope (mean of 2 seeds)' font ',11'
set lmargin at screen 0.1168; set rmargin at screen 0.9635
set tmargin at screen 0.9030; set bmargin at screen 0.1758
set label 1 'model.n_heads' at screen 0.5401, screen 0.1051 center
set ylabel 'evaluate.greedy (%), 95 % interval'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
unset key; set bars 0.6
set logscale x
set xrange [0.933033:4.28709]
set xtics ('1' 1, '2' 2, '4' 4) font ',11'
set yrange [0:103]
plot 'figure.dat' index 0 using ($1*0.993449):2:3:4 with yerrorbars ps 0 lw 1.2 lc '#0072B2', \
     'figure.dat' index 1 using ($1*1.00659):2:3:4 with yerrorbars ps 0 lw 1.2 lc '#D55E00', \
     'figure.dat' index 0 using ($1*0.993449):2 with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#0072B2', \
     'figure.dat' index 1 using ($1*1.00659):2 with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#D55E00'
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.2720; set rmargin at screen 0.5000
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#0072B2' title 'positions rope'
set lmargin at screen 0.5000; set rmargin at screen 0.7280
set tmargin at screen 0.0606; set bmargin at screen 0.0121
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#D55E00' title 'positions none'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
