-- given counts
-- Resamples without sentence 4 have no n_y: they are left out, as their ratio is undefined.
select * from (values ('a', 1, 0, 0), ('a', 2, 1, 0), ('a', 3, 0, 0), ('a', 4, 1, 2))
  as t(system, sid, n_x, n_y)
-- query
from ratio_intervals('counts', n_x / n_y, bootstrap := 1000)
-- expect
a | 1.0000 | 0.5000 | 2.0000
