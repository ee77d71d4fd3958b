# heatmap: a column of any table by two others
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
set multiplot title 'accuracy by depth and width' font ',15'
unset key; unset border
set tics scale 0
set xtics ('2' 1, '4' 2, '10' 3) font ',11'
set xrange [0.5:3.5]; set yrange [2.5:0.5]
set palette defined (0 '#DEEBF7', 0.3 '#9ECAE1', 0.6 '#4292C6', 0.8 '#2171B5', 1 '#08306B')
set cbrange [0.5:1]; set cbtics 0.1 scale 0.5 font ',10'
set colorbox user origin screen 0.8231, screen 0.3881 size screen 0.0231, screen 0.4110
set label 3 'accuracy' at screen 0.9788, screen 0.5936 center rotate by 90
set lmargin at screen 0.1748; set rmargin at screen 0.7923
set tmargin at screen 0.7991; set bmargin at screen 0.3881
set label 1 'depth' at screen 0.4836, screen 0.2374 center
set ytics ('wide' 1, \
  'narrow' 2) scale 0 font ',11'
set label 2 'width' at screen 0.0269, screen 0.5936 center rotate by 90
set title '' offset 0,-0.5 font ',11'
unset object
plot 'figure.dat' index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#FFFFFF' fc palette, \
     '' index 0 using 1:2:4 with labels font ',10' textcolor 'black', \
     'figure.dat' index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#FFFFFF' fc palette, \
     '' index 1 using 1:2:4 with labels font ',10' textcolor 'white', \
     'figure.dat' index 2 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5) with boxxyerror fs solid border lc '#FFFFFF' fc '#CCCCCC'
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3928; set rmargin at screen 0.6072
set tmargin at screen 0.1370; set bmargin at screen 0.0274
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#CCCCCC' title 'no value'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
