-- given counts
select * from (values (4, 4, 1, 2), (0, 5, 0, 0), (5, 0, 0, 5), (null, 1, 1, 1))
  as c(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select unnest(link_figures(0.5, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)), link_figure_names()[1:2]
from counts
-- expect
0.5000 | 0.2500 | 0.6250 | 0.3333 | ['precision', 'recall']
None   | 0.0000 | 1.0000 | 0.0000 | ['precision', 'recall']
1.0000 | None   | 0.0000 | None   | ['precision', 'recall']
None   | None   | None   | None   | ['precision', 'recall']
