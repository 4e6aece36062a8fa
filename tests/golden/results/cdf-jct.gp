# cdf-jct.gp: draws cdf-jct.svg and cdf-jct.pdf from cdf-jct.csv.  In this folder: gnuplot cdf-jct.gp
base = 'cdf-jct'
n = 4
array colour[4] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7']
array label[4] = ['fifo', 'fifo-skip', 'sjf (oracle)', 'skip_it:with=''quotes...ry_long_name, 23 unfinished']
svg_terminal = "set terminal svg size 520,410 dynamic noenhanced rounded linewidth 1 font 'Helvetica,13'"
pdf_terminal = "set terminal pdfcairo size 3.33in,2.63in noenhanced rounded linewidth 0.8 font 'Helvetica,8'"
set key maxcols 1
set xlabel "job completion time (log scale)\n "
low = 1
bin = 0
set xrange [1:1036872.9]
set xtics ('1 s' 1, '10 s' 10, '1 m' 60, '10 m' 600, '1 h' 3600, '1 d' 86400, '10 d' 864000)
# Step functions over a logarithmic axis of seconds; what lies below `low` is drawn at `bin`.
set encoding utf8
set datafile separator comma
set logscale x
set yrange [0:1]
set ylabel 'fraction of jobs'
set border 3 lc rgb '#666666'
set tics nomirror out scale 0.5 textcolor rgb '#000000'
set grid lt 1 lw 0.5 lc rgb '#BBBBBB'
set key bmargin center horizontal reverse Left samplen 2.5
if (bin > 0) {
    set object 1 rectangle from graph 0, graph 0 to low, graph 1 behind fillstyle transparent solid 0.12 noborder \
        fillcolor rgb '#808080'
}
# More line styles than the terminals have; a later curve is thinner, so that it does not hide an equal earlier one.
set dashtype 6 (18, 4)
set dashtype 7 (14, 3, 3, 3, 3, 3)
set dashtype 8 (4, 2)
at(x) = x < low ? bin : x
do for [type in 'svg pdf'] {
    eval(type eq 'svg' ? svg_terminal : pdf_terminal)
    set output base.'.'.type
    plot for [i = 1:n] base.'.csv' skip 1 using ($1 == i ? at($3) : NaN):4 with steps \
        lw 2.9 - 0.2 * (i < 8 ? i : 8) dt 1 + (i - 1) % 8 lc rgb colour[i] title label[i]
    unset output
}
