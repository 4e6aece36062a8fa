# One row of bars for each policy, one panel for each figure; bars begin at zero.
set encoding utf8
set datafile separator comma
set border 3 lc rgb '#666666'
set tics nomirror out scale 0.5 textcolor rgb '#000000'
set grid x lt 1 lw 0.5 lc rgb '#BBBBBB'
set yrange [n + 0.6:0.4]
unset key
do for [type in 'svg pdf'] {
    eval(type eq 'svg' ? svg_terminal : pdf_terminal)
    set output base.'.'.type
    set multiplot layout 1, 3 margins left_margin, 0.99, bottom_margin, top_margin spacing 0.02, 0
    do for [k = 1:3] {
        eval(k == 1 ? panel1 : k == 2 ? panel2 : panel3)
        unset ytics
        if (k == 1) {
            set ytics nomirror scale 0 textcolor rgb '#000000' ()
            do for [i = 1:n] {
                set ytics add (label[i] i)
            }
        }
        plot for [i = 1:n] base.'.csv' skip 1 using ($1 == i ? column(k + 2) / 2 : NaN):1:(0):(column(k + 2)):($1 - 0.34):($1 + 0.34) \
                with boxxyerror fs solid 0.85 noborder lc rgb colour[i] title label[i], \
            base.'.csv' skip 1 using (column(k + 2)):1:(k == 1 ? text1[int($1)] : k == 2 ? text2[int($1)] : text3[int($1)]) \
                with labels left offset 0.4, 0 title 'value'
    }
    unset multiplot
    unset output
}
