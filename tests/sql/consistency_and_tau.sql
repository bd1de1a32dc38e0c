-- given counts
select * from (values ('m', 6, 2, 2), ('n', 0, 0, 1), ('o', 0, 0, 0)) as c(metric, c, d, t)
-- query
select metric, consistency(c, d, t, 'wrong'), consistency(c, d, t, 'half'), consistency(c, d, t, 'skip'),
  wmt_tau(c, d, t, 'wmt12'), wmt_tau(c, d, t, 'wmt13'), wmt_tau(c, d, t, 'wmt14')
from counts order by metric
-- expect
m | 0.6000 | 0.7000 | 0.7500 | 0.2000 | 0.5000 | 0.4000
n | 0.0000 | 0.5000 | None | -1.0000 | None | 0.0000
o | None | None | None | None | None | None
