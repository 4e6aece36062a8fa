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
