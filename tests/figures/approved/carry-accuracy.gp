# carry-accuracy: accuracy by what makes an addition hard
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 565,400 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1130,800 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Accuracy by carries: 99.95 % of 810 000 problems right (greedy)' font ',14'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set yrange [99.788:100.012]
set ylabel 'correct (%), axis cut'
unset key
set xtics scale 0 font ',10'
set label 'problems' at screen 0.1274, screen 0.1725 right font ',10' textcolor '#444444'
set lmargin at screen 0.1416; set rmargin at screen 0.5310
set tmargin at screen 0.8875; set bmargin at screen 0.2450
set label '136 125' at first 1, screen 0.1725 center font ',10' textcolor '#444444'
set label '267 300' at first 2, screen 0.1725 center font ',10' textcolor '#444444'
set xtics ('0' 1, '1' 2)
set label 'number of carries' at graph 0.5, screen 0.1200 center
set xrange [0.4:2.6]
plot 99.95 with lines dt 3 lw 1 lc '#666666', \
     'figure.dat' index 0 using ($1-0.1):2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2', \
     'figure.dat' index 1 using ($1+0.1):2 with points pt 4 ps 0.8 lw 1.5 lc '#D55E00'
unset ylabel; unset label; set format y ''
set lmargin at screen 0.5752; set rmargin at screen 0.9646
set tmargin at screen 0.8875; set bmargin at screen 0.2450
set label '810 000' at first 1, screen 0.1725 center font ',10' textcolor '#444444'
set xtics ('0' 1)
set label 'position of the digit' at graph 0.5, screen 0.1200 center
set xrange [0.4:1.6]
plot 99.95 with lines dt 3 lw 1 lc '#666666', \
     'figure.dat' index 2 using ($1-0.1):2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2', \
     'figure.dat' index 3 using ($1+0.1):2 with points pt 4 ps 0.8 lw 1.5 lc '#D55E00'
unset ylabel; unset label; set format y ''
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.0000; set rmargin at screen 0.3684
set tmargin at screen 0.0750; set bmargin at screen 0.0150
plot [0:1] [0:1] -1 notitle, keyentry with yerrorbars pt 7 ps 0.8 lw 1.5 lc '#0072B2' title 'greedy, 95 % interval'
set lmargin at screen 0.3684; set rmargin at screen 0.6447
set tmargin at screen 0.0750; set bmargin at screen 0.0150
plot [0:1] [0:1] -1 notitle, keyentry with points pt 4 ps 0.8 lw 1.5 lc '#D55E00' title 'teacher-forced'
set lmargin at screen 0.6447; set rmargin at screen 1.0000
set tmargin at screen 0.0750; set bmargin at screen 0.0150
plot [0:1] [0:1] -1 notitle, keyentry with lines dt 3 lw 1 lc '#666666' title 'all problems, greedy'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
