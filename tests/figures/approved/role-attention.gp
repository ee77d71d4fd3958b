# role-attention: mean weights of every head; rows are roles of queries, columns of keys
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 982,317 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1964,634 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Attention between roles, by head' font ',15'
unset key; set border 15 lw 0.5; set tics scale 0 font ',9'
set ytics offset 0.8,0
set palette defined (0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')
set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0
set label 2 'rows: roles of queries (in a decoder, of the tokens that they write), columns: roles of keys; stronger colour: more weight; grey: never together' at screen 0.5, screen 0.0505 center font ',11' textcolor '#444444'
set lmargin at screen 0.1647; set rmargin at screen 0.5265
set tmargin at screen 0.8044; set bmargin at screen 0.5836
set label 1 'Encoder L0' at screen 0.0122, screen 0.6940 left font ',12'
set colorbox user origin screen 0.9440, screen 0.1956 size screen 0.0143, screen 0.6088
set xtics norotate autojustify offset 0,0.6 ('a' 0, 'b' 1)
set ytics ('a' 0, 'b' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H0' offset 0,-0.9 font ',11'
unset object
set object rectangle from graph 0, graph 0 to graph 1, graph 1 fc '#CCCCCC' fs solid noborder behind
plot 'figure.dat' index 0 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.5619; set rmargin at screen 0.9237
set tmargin at screen 0.8044; set bmargin at screen 0.5836
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('a' 0, 'b' 1)
set ytics ('a' 0, 'b' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H2' offset 0,-0.9 font ',11'
unset object
set object rectangle from graph 0, graph 0 to graph 1, graph 1 fc '#CCCCCC' fs solid noborder behind
plot 'figure.dat' index 1 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.1647; set rmargin at screen 0.5265
set tmargin at screen 0.4448; set bmargin at screen 0.2240
set label 1 'Decoder Cross L0' at screen 0.0122, screen 0.3344 left font ',12'
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('a' 0, 'b' 1)
set ytics ('sum' 0)
set xrange [-0.5:2-0.5]; set yrange [1-0.5:-0.5]
set title 'H0' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 2 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
