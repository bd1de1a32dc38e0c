-- given figures
select 's' as system, resample, figure
from (values (0, 5.0), (1, 1.0), (2, 2.0), (3, 3.0), (4, null)) as t(resample, figure)
-- query
select
  interval_low(figure, resample, 0.5), interval_high(figure, resample, 0.5),
  interval_low(-figure, resample, 0.5), interval_high(figure * null, resample, 0.5)
from figures
-- expect
1.5000 | 5.0000 | -5.0000 | None
