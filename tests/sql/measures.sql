-- given counts
select * from (values (100, 100, 50, 50), (100, 100, 25, 75), (0, 5, 0, 0), (5, 0, 0, 5))
  as c(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select
  alignment_precision(n_hyp, n_hyp_possible),
  alignment_recall(n_sure, n_hyp_sure),
  aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible),
  f_alpha(0.5, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
from counts
-- expect
0.5000 | 0.5000 | 0.5000 | 0.5000
0.7500 | 0.2500 | 0.5000 | 0.3750
None   | 0.0000 | 1.0000 | 0.0000
1.0000 | None   | 0.0000 | None
-- query unchecked_figures
select unchecked_aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible), unchecked_f(0.5, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
from counts
-- expect
0.5000 | 0.5000
0.5000 | 0.3750
1.0000 | 0.0000
0.0000 | None
