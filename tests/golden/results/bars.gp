# bars.gp: draws bars.svg and bars.pdf from bars.csv.  In this folder: gnuplot bars.gp
base = 'bars'
n = 4
array colour[4] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7']
array label[4] = ['fifo', 'fifo-skip', 'sjf (oracle)', 'skip_it:with=''quotes...ry_long_name']
array text1[4] = ['8.03 d', '13.2 h', '5.46 d', '53.9 m']
array text2[4] = ['8.09 d', '14.8 h', '5.53 d', '1.84 h']
array text3[4] = ['23.9%', '35.2%', '28.1%', '50.5%']
svg_terminal = "set terminal svg size 940,182 dynamic noenhanced rounded linewidth 1 font 'Helvetica,13'"
pdf_terminal = "set terminal pdfcairo size 7.0in,1.36in noenhanced rounded linewidth 0.8 font 'Helvetica,8'"
left_margin = 0.2930
bottom_margin = 0.3736
top_margin = 0.9560
panel1 = "set xrange [0:984880.159]; set xtics ('0' 0, '5 d' 432000); set xlabel 'mean wait'"
panel2 = "set xrange [0:992684.261]; set xtics ('0' 0, '5 d' 432000); set xlabel 'mean completion time'"
panel3 = "set xrange [0:1.42]; set xtics ('0' 0, '50%%' 0.5, '100%%' 1); set xlabel 'utilisation of installed GPUs'"
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
