# attention: weights of every head for one problem; rows are queries, columns keys
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 503,422 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1006,844 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Attention for 3+=7 (predicted 7)' font ',15'
unset key; set border 15 lw 0.5; set tics scale 0 font ',9'
set xtics offset 0,0.6; set ytics offset 0.8,0
set palette defined (0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')
set cbrange [0:1]; set cbtics 0.25 font ',10' offset -0.5,0
set label 2 'rows: query tokens, columns: key tokens; stronger colour: more weight' at screen 0.5, screen 0.0379 center font ',11' textcolor '#444444'
set lmargin at screen 0.2982; set rmargin at screen 0.5368
set tmargin at screen 0.8531; set bmargin at screen 0.6872
set label 1 'Encoder L0' at screen 0.0239, screen 0.7701 left font ',12'
set colorbox user origin screen 0.8907, screen 0.2844 size screen 0.0278, screen 0.5687
set title 'H0' offset 0,-0.9 font ',11'
set xtics ('3' 0, '+' 1)
set ytics ('3' 0, '+' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 0 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6123; set rmargin at screen 0.8509
set tmargin at screen 0.8531; set bmargin at screen 0.6872
unset colorbox
set title 'H1' offset 0,-0.9 font ',11'
set xtics ('3' 0, '+' 1)
set ytics ('3' 0, '+' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 1 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.2982; set rmargin at screen 0.5368
set tmargin at screen 0.5829; set bmargin at screen 0.4171
set label 1 'Decoder Self L0' at screen 0.0239, screen 0.5000 left font ',12'
unset colorbox
set title 'H0' offset 0,-0.9 font ',11'
set xtics ('BOS' 0, '7' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 2 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6123; set rmargin at screen 0.8509
set tmargin at screen 0.5829; set bmargin at screen 0.4171
unset colorbox
set title 'H1' offset 0,-0.9 font ',11'
set xtics ('BOS' 0, '7' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 3 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.2982; set rmargin at screen 0.5368
set tmargin at screen 0.3128; set bmargin at screen 0.1469
set label 1 'Decoder Cross L0' at screen 0.0239, screen 0.2299 left font ',12'
unset colorbox
set title 'H0' offset 0,-0.9 font ',11'
set xtics ('3' 0, '+' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 4 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
set lmargin at screen 0.6123; set rmargin at screen 0.8509
set tmargin at screen 0.3128; set bmargin at screen 0.1469
unset colorbox
set title 'H1' offset 0,-0.9 font ',11'
set xtics ('3' 0, '+' 1)
set ytics ('BOS' 0, '7' 1)
set xrange [-0.5:2-0.5]; set yrange [2-0.5:-0.5]
plot 'figure.dat' index 5 using 1:2:($1-0.5):($1+0.5):($2-0.5):($2+0.5):3 with boxxyerror fs solid border lc '#DDDDDD' fc palette
unset label
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
