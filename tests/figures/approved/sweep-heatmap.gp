# sweep-heatmap: a metric of a sweep's trials by two of its axes
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 520,219 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1040,438 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'evaluate.greedy (%): best 95.5 % with n_heads 2, positions rope (mean of 2 seeds)' font ',10'
unset key; unset border
set tics scale 0
set xtics ('1' 1, '2' 2, '4' 3) font ',11'
set xrange [0.5:3.5]; set yrange [2.5:0.5]
set palette defined (0 '#DEEBF7', 0.3 '#9ECAE1', 0.6 '#4292C6', 0.8 '#2171B5', 1 '#08306B')
set cbrange [72:95.5]; set cbtics 5 scale 0.5 font ',10'
set colorbox user origin screen 0.8577, screen 0.3881 size screen 0.0231, screen 0.4110
set lmargin at screen 0.1486; set rmargin at screen 0.8269
set tmargin at screen 0.7991; set bmargin at screen 0.3881
set label 1 'model.n_heads' at screen 0.4878, screen 0.2374 center
set ytics ('rope' 1, \
  'none' 2) scale 0 font ',11'
set label 2 'model.positions' at screen 0.0269, screen 0.5936 center rotate by 90
set title '' offset 0,-0.5 font ',11'
unset object
set object rectangle from 1.5, 0.5 to 2.5, 1.5 front fs empty border lc '#D55E00' lw 2.5
plot 'figure.dat' index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#FFFFFF' fc palette, \
     '' index 0 using 1:2:4 with labels font ',10' textcolor 'black', \
     'figure.dat' index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#FFFFFF' fc palette, \
     '' index 1 using 1:2:4 with labels font ',10' textcolor 'white', \
     'figure.dat' index 2 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5) with boxxyerror fs solid border lc '#FFFFFF' fc '#CCCCCC'
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3856; set rmargin at screen 0.6144
set tmargin at screen 0.1370; set bmargin at screen 0.0274
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#CCCCCC' title 'no result'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
