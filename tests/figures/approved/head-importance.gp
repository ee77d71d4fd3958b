# head-importance: drop of accuracy without each component of a model
# `gnuplot figure.gp`, in this folder, reads figure.dat and draws redrawn.svg and redrawn.png.
reset
set encoding utf8
set datafile separator "\t"
if (!exists('name')) { name = 'redrawn' }
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') {
  set terminal svg noenhanced size 805,214 font 'Helvetica, Arial, sans-serif,12' background 'white'
} else {
  set terminal pngcairo noenhanced size 1610,428 font 'Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background 'white'
}
set output name.'.'.format
set border 3 linecolor '#444444'
set tics nomirror out scale 0.5
set key samplen 2 spacing 1.1
set format '%g'
set multiplot title 'Component importance: 1 of 3 components critical (zero), 0 of 3 components critical (mean)' font ',13'
set grid xtics linetype 1 linewidth 0.5 linecolor '#DDDDDD'
set label 1 'drop of exact match without the component (points, 95 % interval)' at screen 0.5593, screen 0.2103 center
unset key
set xrange [-1.599:50.361]
set yrange [3.6:0.4]
set ytics ('Encoder L0 H1' 1, \
  'Decoder FFN L0' 2, \
  'Encoder L0 H0' 3) scale 0 font ',11'
set lmargin at screen 0.1435; set rmargin at screen 0.5438
set tmargin at screen 0.6963; set bmargin at screen 0.3972
set title 'zero' offset 0,-0.5
plot 'figure.dat' index 0 using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror fs solid noborder lc '#D55E00', \
     '' index 0 using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333', \
     '' index 0 using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels left offset 0.6,0 font ',9', \
     'figure.dat' index 1 using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror fs solid noborder lc '#56B4E9', \
     '' index 1 using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333', \
     '' index 1 using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels left offset 0.6,0 font ',9', \
     'figure.dat' index 2 using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror fs solid noborder lc '#999999', \
     '' index 2 using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333', \
     '' index 2 using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels left offset 0.6,0 font ',9'
unset label 1
set yrange [3.6:0.4]
unset ytics
set lmargin at screen 0.5748; set rmargin at screen 0.9752
set tmargin at screen 0.6963; set bmargin at screen 0.3972
set title 'mean' offset 0,-0.5
plot 'figure.dat' index 3 using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror fs solid noborder lc '#56B4E9', \
     '' index 3 using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333', \
     '' index 3 using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels left offset 0.6,0 font ',9', \
     'figure.dat' index 4 using 2:1:(0):2:($1-0.38):($1+0.38) with boxxyerror fs solid noborder lc '#999999', \
     '' index 4 using 2:1:3:4 with xerrorbars pt 0 lw 1 lc '#333333', \
     '' index 4 using ($4>0?$4:0):1:(sprintf('%.1f',abs($2)<0.05?0:$2)) with labels left offset 0.6,0 font ',9'
unset label 1
unset border; unset tics; unset grid; unset label; unset arrow; unset object
unset title; unset xlabel; unset ylabel; unset logscale
set key left center Left reverse
set lmargin at screen 0.0842; set rmargin at screen 0.3522
set tmargin at screen 0.1402; set bmargin at screen 0.0280
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#D55E00' title 'critical (> 10 points)'
set lmargin at screen 0.3522; set rmargin at screen 0.6571
set tmargin at screen 0.1402; set bmargin at screen 0.0280
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#56B4E9' title 'important (1 to 10 points)'
set lmargin at screen 0.6571; set rmargin at screen 0.9158
set tmargin at screen 0.1402; set bmargin at screen 0.0280
plot [0:1] [0:1] -1 notitle, keyentry with boxes fs solid noborder lc '#999999' title 'redundant (≤ 1 point)'
unset multiplot
unset output
if (format eq 'svg') {
  format = 'png'
  load 'figure.gp'
  undefine format
}
