# attention: weights of every head for one problem; rows are queries, columns keys
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 511,431 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1022,862 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Attention for 3+=7 (answered 7)' font ',15'
unset key; set border 15 lw 0.5; set tics scale 0 font ',9'
set ytics offset 0.8,0
set palette defined (0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')
set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0
set label 2 'rows: query tokens, columns: key tokens; stronger colour: more weight' at screen 0.5, screen 0.0371 center font ',11' textcolor '#444444'
set lmargin at screen 0.3166; set rmargin at screen 0.5514
set tmargin at screen 0.8561; set bmargin at screen 0.6937
set label 1 'Encoder L0' at screen 0.0235, screen 0.7749 left font ',12'
set colorbox user origin screen 0.8924, screen 0.2993 size screen 0.0274, screen 0.5568
set xtics norotate autojustify offset 0,0.6 ('3' 0, '+' 1)
set ytics ('3' 0, '+' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H0' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 0 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6194; set rmargin at screen 0.8542
set tmargin at screen 0.8561; set bmargin at screen 0.6937
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('3' 0, '+' 1)
set ytics ('3' 0, '+' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H1' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 1 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.3166; set rmargin at screen 0.5514
set tmargin at screen 0.5916; set bmargin at screen 0.4292
set label 1 'Decoder Self L0' at screen 0.0235, screen 0.5104 left font ',12'
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('BOS' 0, '7' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H0' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 2 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6194; set rmargin at screen 0.8542
set tmargin at screen 0.5916; set bmargin at screen 0.4292
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('BOS' 0, '7' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H1' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 3 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.3166; set rmargin at screen 0.5514
set tmargin at screen 0.3271; set bmargin at screen 0.1647
set label 1 'Decoder Cross L0' at screen 0.0235, screen 0.2459 left font ',12'
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('3' 0, '+' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H0' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 4 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6194; set rmargin at screen 0.8542
set tmargin at screen 0.3271; set bmargin at screen 0.1647
unset colorbox
set xtics norotate autojustify offset 0,0.6 ('3' 0, '+' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
set title 'H1' offset 0,-0.9 font ',11'
unset object
plot 'figure.dat' index 5 using ($1+0*$3):2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
