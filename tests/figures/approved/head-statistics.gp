# head-statistics: what each head attends to
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 674,192 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1348,384 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Attention statistics of 3 heads' font ',15'
unset key; unset border
set palette defined (-1 '#D55E00', 0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')
set cbrange [-1:1]; set cbtics 0.5 font ',11'
set colorbox user origin screen 0.9006, screen 0.4711 size screen 0.0208, screen 0.2945
set lmargin at screen 0.2219; set rmargin at screen 0.8739
set tmargin at screen 0.7656; set bmargin at screen 0.4711
set xtics scale 0; unset label; unset arrow
set xtics ('' 1, '' 2, '' 3, '' 4) font ',11'
set label 11 'diagonal' at first 1, graph 0 right offset 0.5,-0.9 rotate by 35 font ',11' textcolor '#444444'
set label 12 'to_the_same_word' at first 2, graph 0 right offset 0.5,-0.9 rotate by 35 font ',11' textcolor '#444444'
set label 13 'entropy' at first 3, graph 0 right offset 0.5,-0.9 rotate by 35 font ',11' textcolor '#444444'
set label 14 'copying' at first 4, graph 0 right offset 0.5,-0.9 rotate by 35 font ',11' textcolor '#444444'
set arrow from graph 0, first 2.5 to graph 1, first 2.5 nohead front lw 1 lc '#999999'
set ytics ('Decoder Self L0 H0' 1, \
  'Decoder Self L0 H1' 2, \
  'Decoder Cross L0 H0' 3) scale 0 font ',11'
set xrange [0.5:4.5]; set yrange [3.5:0.5]
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
