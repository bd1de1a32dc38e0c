-- given counts
select * from (values ('a', 0, 'x', 4, 3), ('a', 1, 'x', 4, 3), ('b', 0, 'x', 6, 3), ('b', 1, 'y', 6, 3))
  as t(system, sid, genre, n_both, n_hyp)
-- query
from ratio_differences('counts', 'b', n_hyp / n_both, bootstrap := 9)
-- expect
a | b | 0.7500 | 0.5000 | 0.2500 | 0.0000 | 0.2500 | 0.5992 | 0.5992
