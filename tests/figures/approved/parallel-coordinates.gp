# parallel-coordinates: every configuration of a sweep, and its metric
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 560,480 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1120,960 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title '5 configurations: best evaluate.greedy 95.5 % with n_heads 2, positions rope (mean of 2 seeds)' font ',9'
set lmargin at screen 0.0605; set rmargin at screen 0.8500
set tmargin at screen 0.8500; set bmargin at screen 0.1000
unset key; unset border; unset xtics; unset ytics
set xrange [0:2]; set yrange [0:1]
set palette defined (0 '#ADDC30', 0.2 '#5EC962', 0.5 '#21918C', 0.75 '#3B528B', 1 '#440154')
set cbrange [70.825:96.675]; set cbtics font ',10'
set colorbox user origin screen 0.8518, screen 0.1000 size screen 0.0214, screen 0.7500
set style textbox opaque noborder fillcolor '#FFFFFF' margins 0.4,0.2
set label 'n_heads' at screen 0.0605, screen 0.8792 center font ',11'
set label 'positions' at screen 0.4552, screen 0.8792 center font ',11'
set label 'evaluate.greedy (%)' at screen 0.8500, screen 0.8792 center font ',11'
set arrow from 0, 0 to 0, 1 nohead front lw 1 lc '#444444'
set label '1' at 0, 0.0500 right offset -0.7,0 front boxed font ',10'
set label '2' at 0, 0.5000 right offset -0.7,0 front boxed font ',10'
set label '4' at 0, 0.9500 right offset -0.7,0 front boxed font ',10'
set arrow from 1, 0 to 1, 1 nohead front lw 1 lc '#444444'
set label 'rope' at 1, 0.0500 right offset -0.7,0 front boxed font ',10'
set label 'none' at 1, 0.9500 right offset -0.7,0 front boxed font ',10'
plot 'figure.dat' index 0 using 1:2 with lines lw 1 dt 2 lc '#999999', \
     'figure.dat' index 1 using 1:2:3 with lines lw 1.3 lc palette, \
     'figure.dat' index 2 using 1:2 with lines lw 6 lc '#FFFFFF', \
     'figure.dat' index 2 using 1:2:3 with lines lw 4 lc palette
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3938; set rmargin at screen 0.6062
set tmargin at screen 0.0625; set bmargin at screen 0.0125
plot [0:1] [0:1] -1 notitle, keyentry with lines lw 1 dt 2 lc '#999999' title 'no result'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
