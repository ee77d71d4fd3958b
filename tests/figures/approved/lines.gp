# lines: columns of any table against one of numbers, as lines
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 718,357 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1436,714 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'loss against epoch' font ',15'
set grid ytics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
unset key; set tics font ',11'
set logscale x
set logscale y
set xrange [0.9395227492140119:8.514961459626878]
set yrange [0.023192537749594667:6.063372689884171]
set xtics ('1' 1, '2' 2, '3' 3, '4' 4, '5' 5, '6' 6, '7' 7, '8' 8)
set ytics ('0.03' 0.03, '0.1' 0.1, '0.3' 0.30000000000000004, '1' 1, '3' 3, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1)
set label 1 'epoch' at screen 0.5294, screen 0.1457 center
set label 2 'loss' at screen 0.0195, screen 0.5238 center rotate by 90
set lmargin at screen 0.0937; set rmargin at screen 0.5113
set tmargin at screen 0.8039; set bmargin at screen 0.2437
set title 'copy' offset 0,-0.5 font ',11'
set ytics ('0.03' 0.03, '0.1' 0.1, '0.3' 0.30000000000000004, '1' 1, '3' 3, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1)
plot 'figure.dat' index 0 using 1:2:3 with filledcurves fs transparent solid 0.2 noborder fc '#0072B2', \
     'figure.dat' index 1 using 1:2:(0):($3-$2) with vectors heads size screen 0.0056,90 fixed lw 1.2 lc '#0072B2', \
     'figure.dat' index 3 using 1:2:3 with filledcurves fs transparent solid 0.2 noborder fc '#D55E00', \
     'figure.dat' index 2 using 1:2 with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#0072B2', \
     'figure.dat' index 4 using 1:2 with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#D55E00'
unset label 1; unset label 2
set lmargin at screen 0.5475; set rmargin at screen 0.9652
set tmargin at screen 0.8039; set bmargin at screen 0.2437
set title 'sort' offset 0,-0.5 font ',11'
set ytics ('' 0.03, '' 0.1, '' 0.30000000000000004, '' 1, '' 3, '' 0.04 1, '' 0.05 1, '' 0.06 1, '' 0.07 1, '' 0.08 1, '' 0.09 1, '' 0.2 1, '' 0.4 1, '' 0.5 1, '' 0.6000000000000001 1, '' 0.7000000000000001 1, '' 0.8 1, '' 0.9 1, '' 2 1, '' 4 1, '' 5 1, '' 6 1)
plot 'figure.dat' index 5 using 1:2:(0):($3-$2) with vectors heads size screen 0.0056,90 fixed lw 1.2 lc '#0072B2', \
     'figure.dat' index 6 using 1:2 with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#0072B2'
unset xzeroaxis
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.3758; set rmargin at screen 0.5000
set tmargin at screen 0.0840; set bmargin at screen 0.0168
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#0072B2' title 'small'
set lmargin at screen 0.5000; set rmargin at screen 0.6242
set tmargin at screen 0.0840; set bmargin at screen 0.0168
plot [0:1] [0:1] -1 notitle, keyentry with linespoints pt 7 ps 0.7 lw 1.8 dt 1 lc '#D55E00' title 'large'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
