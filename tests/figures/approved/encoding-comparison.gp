# encoding-comparison: position vectors above, pairs of positions below
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 624,660 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1248,1320 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title '2 positional encodings of 4 positions, trained on the first 2' font ',15'
unset key; set border 15 lw 0.5
set label 4 'dimension' at screen 0.0256, screen 0.7182 center rotate by 90
set label 2 'learned' at screen 0.2756, screen 0.9015 center font ',12'
set lmargin at screen 0.0994; set rmargin at screen 0.4519
set tmargin at screen 0.8848; set bmargin at screen 0.5515
set xrange [-0.5:4-0.5]; set yrange [3-0.5:-0.5]
set xtics 0, 1, 3 font ',10'
set ytics 0, 1, 2 font ',10'
unset arrow
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 2.5 lc '#FFFFFF'
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 1.5 dt (7,4) lc '#000000'
set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')
set cbrange [-1:1]
set cbtics ('-1' -1, '0' 0, '1' 1) scale 0 font ',10'
set colorbox user origin screen 0.4647, screen 0.5515 size screen 0.0160, screen 0.3333
unset object
plot 'figure.dat' index 0 matrix using ($1+0*$3):2:($1-0.5):($1+0.509):($2-0.5):($2+0.507):3 with boxxyerror fs solid noborder fc palette
unset label 4
set format y ''
set label 2 'alibi' at screen 0.7276, screen 0.9015 center font ',12'
set lmargin at screen 0.5513; set rmargin at screen 0.9038
set tmargin at screen 0.8848; set bmargin at screen 0.5515
unset xtics; unset ytics; unset arrow; unset object; unset colorbox
set label 3 'no position vectors' at graph 0.5, graph 0.5 center font ',11' textcolor '#666666'
plot [0:1] [0:1] -1
unset label 3
unset label 4
set format y '%g'
set label 4 'position' at screen 0.0256, screen 0.3000 center rotate by 90
set label 2 'P_t · P_s' at screen 0.2756, screen 0.4833 center font ',10'
set label 1 'position' at screen 0.2756, screen 0.0727 center
set lmargin at screen 0.0994; set rmargin at screen 0.4519
set tmargin at screen 0.4667; set bmargin at screen 0.1333
set xrange [-0.5:4-0.5]; set yrange [4-0.5:-0.5]
set xtics 0, 1, 3 font ',10'
set ytics 0, 1, 3 font ',10'
unset arrow
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 2.5 lc '#FFFFFF'
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 1.5 dt (7,4) lc '#000000'
set arrow from graph 0, first 2-0.5 to graph 1, first 2-0.5 nohead front lw 2.5 lc '#FFFFFF'
set arrow from graph 0, first 2-0.5 to graph 1, first 2-0.5 nohead front lw 1.5 dt (7,4) lc '#000000'
set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')
set cbrange [-1.4:1.4]
set cbtics ('-1.4' -1.4, '0' 0, '1.4' 1.4) scale 0 font ',10'
set colorbox user origin screen 0.4647, screen 0.1333 size screen 0.0160, screen 0.3333
unset object
plot 'figure.dat' index 1 matrix using ($1+0*$3):2:($1-0.5):($1+0.509):($2-0.5):($2+0.509):3 with boxxyerror fs solid noborder fc palette
unset label 1
unset label 4
set format y ''
set label 2 'factor on weights' at screen 0.7276, screen 0.4833 center font ',10'
set label 1 'position' at screen 0.7276, screen 0.0727 center
set lmargin at screen 0.5513; set rmargin at screen 0.9038
set tmargin at screen 0.4667; set bmargin at screen 0.1333
set xrange [-0.5:4-0.5]; set yrange [4-0.5:-0.5]
set xtics 0, 1, 3 font ',10'
set ytics 0, 1, 3 font ',10'
unset arrow
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 2.5 lc '#FFFFFF'
set arrow from first 2-0.5, graph 0 to first 2-0.5, graph 1 nohead front lw 1.5 dt (7,4) lc '#000000'
set arrow from graph 0, first 2-0.5 to graph 1, first 2-0.5 nohead front lw 2.5 lc '#FFFFFF'
set arrow from graph 0, first 2-0.5 to graph 1, first 2-0.5 nohead front lw 1.5 dt (7,4) lc '#000000'
set palette defined (0 '#FFFFFF', 1 '#D55E00')
set cbrange [0:1]
set cbtics ('0' 0, '0.5' 0.5, '1' 1) scale 0 font ',10'
set colorbox user origin screen 0.9167, screen 0.1333 size screen 0.0160, screen 0.3333
unset object
plot 'figure.dat' index 2 matrix using ($1+0*$3):2:($1-0.5):($1+0.509):($2-0.5):($2+0.509):3 with boxxyerror fs solid noborder fc palette
unset label 1
unset label 4
set format y ''
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3331; set rmargin at screen 0.6669
set tmargin at screen 0.0455; set bmargin at screen 0.0091
plot [0:1] [0:1] -1 notitle, keyentry with lines dt (7,4) lw 1.5 lc '#000000' title 'last trained position'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
