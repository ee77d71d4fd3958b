# head-statistics: what each head attends to
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 456,123 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 912,246 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Attention statistics of 2 heads' font ',15'
unset key; unset border
set palette defined (0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')
set cbrange [0:1]; set cbtics 0.25 font ',11'
set colorbox user origin screen 0.8531, screen 0.3252 size screen 0.0307, screen 0.3089
set lmargin at screen 0.3280; set rmargin at screen 0.8136
set tmargin at screen 0.6341; set bmargin at screen 0.3252
set xtics ('diagonal' 1, 'column' 2, 'entropy' 3) scale 0 font ',11'
set ytics ('Encoder L0 H0' 1, \
  'Decoder Cross L0 H0' 2) scale 0 font ',11'
set xrange [0.5:3.5]; set yrange [2.5:0.5]
set colorbox
set title '' offset 0,-0.5
plot 'figure.dat' index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#EEEEEE' fc palette, \
     '' index 0 using 1:2:(sprintf('%.2f',$3)) with labels font ',10' textcolor 'black', \
     'figure.dat' index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#EEEEEE' fc palette, \
     '' index 1 using 1:2:(sprintf('%.2f',$3)) with labels font ',10' textcolor 'white', \
     'figure.dat' index 2 using 1:2:('–') with labels font ',10' textcolor '#999999'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
