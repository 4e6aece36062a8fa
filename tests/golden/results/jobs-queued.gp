# jobs-queued.gp: draws jobs-queued.svg and jobs-queued.pdf from jobs-queued.csv.  In this folder: gnuplot jobs-queued.gp
base = 'jobs-queued'
n = 4
array colour[4] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7']
array label[4] = ['fifo', 'fifo-skip', 'sjf (oracle)', 'skip_it:with=''quotes...ry_long_name']
svg_terminal = "set terminal svg size 940,440 dynamic noenhanced rounded linewidth 1 font 'Helvetica,13'"
pdf_terminal = "set terminal pdfcairo size 7.0in,3.28in noenhanced rounded linewidth 0.8 font 'Helvetica,8'"
top = 273
step = 100
available = 0
bottom_margin = 0.1455
top_margin = 0.9455
gap = 0.0545
name = 'jobs queued'
set xrange [0:1058709]
named_ticks = "set xtics ('0' 0, '2 d' 172800, '4 d' 345600, '6 d' 518400, '8 d' 691200, '10 d' 864000, '12 d' 1036800)"
bare_ticks = "set xtics ('' 0, '' 172800, '' 345600, '' 518400, '' 691200, '' 864000, '' 1036800)"
time_label = 'time since the zero of the trace; area: mean over at most 49.0 m, line: largest value'
# Panels over a common axis of time: mean (area) and largest value (line) of each stretch.
set encoding utf8
set datafile separator comma
set border 3 lc rgb '#666666'
set tics nomirror out scale 0.5 textcolor rgb '#000000'
set grid lt 1 lw 0.5 lc rgb '#BBBBBB'
set yrange [0:top * 1.02]
set ytics 0, step
unset key
do for [type in 'svg pdf'] {
    eval(type eq 'svg' ? svg_terminal : pdf_terminal)
    set output base.'.'.type
    set multiplot layout n, 1 margins 0.07, 0.97, bottom_margin, top_margin spacing 0, gap
    do for [i = 1:n] {
        eval(i < n ? bare_ticks : named_ticks)
        set xlabel (i < n ? '' : time_label)
        set label 1 label[i] at graph 0, 1 left offset 0, 0.6
        set label 2 name at graph 1, 1 right offset 0, 0.6 textcolor rgb '#666666'
        plot base.'.csv' skip 1 using ($1 == i ? $3 : NaN):4 with filledcurves y=0 \
                fillstyle transparent solid 0.4 noborder lc rgb colour[i] title label[i], \
            '' skip 1 using ($1 == i ? $3 : NaN):5 with lines lw 0.8 lc rgb colour[i] title label[i], \
            '' skip 1 using ($1 == i && available ? $3 : NaN):(available ? column(6) : 0) with lines \
                lw 0.8 dt 2 lc rgb '#666666' title 'available'
    }
    unset multiplot
    unset output
}
