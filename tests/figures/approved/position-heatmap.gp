# position-heatmap: position vectors of an encoding; columns are positions
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 550,317 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1100,634 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Position vectors (learned): 4 positions, 3 dimensions, the first 2 trained' font ',11'
unset key; set border 15 lw 0.5
set label 1 'position' at screen 0.5091, screen 0.0473 center
set ylabel 'dimension'
set label 2 'last trained' at screen 0.5091, screen 0.8328 center font ',11'
set lmargin at screen 0.1273; set rmargin at screen 0.8909
set tmargin at screen 0.8044; set bmargin at screen 0.1735
set xrange [-0.5:4-0.5]; set yrange [3-0.5:-0.5]
set xtics 0, 1, 3 font ',10'
set ytics 0, 1, 2 font ',10'
unset arrow
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 2.5 lc '#FFFFFF'
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 1.5 dt (7,4) lc '#000000'
set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')
set cbrange [-1:1]
set cbtics ('-1' -1, '0' 0, '1' 1) scale 0 font ',10'
set colorbox user origin screen 0.9055, screen 0.1735 size screen 0.0182, screen 0.6309
unset object
plot 'figure.dat' index 0 matrix using ($1+0*$3):2:($1-0.5):($1+0.505):($2-0.5):($2+0.507):3 with boxxyerror fs solid noborder fc palette
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
