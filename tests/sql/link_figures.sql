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
-- query unknown_counts
select
  aer(n_hyp, n, n, n) is null, aer(n, n_hyp, n, n) is null, f_alpha(0.5, n_hyp, 'nan'::float, n, n) is null,
  link_figures(0.5, n, n, 'nan'::float, n).f is null
from (select null as n_hyp, 0 as n union all select 'nan'::float, 0)
-- expect
True | True | True | True
True | True | True | True
-- query counts_as_text
select aer('10', '9', '9', '10'), f_alpha('0.5', '10', '9', '9', '10'), link_figures('0.5', '10', '9', '9', '10').precision
-- expect
0.0000 | 1.0000 | 1.0000
