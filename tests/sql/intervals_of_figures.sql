-- given figures
select 's' as system, resample, figure, 1000000 as units
from (values (0, 5.0), (1, 1.0), (2, 2.0), (3, 3.0), (4, null)) as t(resample, figure)
-- query
select
  interval_low(figure, resample, units, 0.5), interval_high(figure, resample, units, 0.5),
  interval_low(-figure, resample, units, 0.5), interval_high(figure * null, resample, units, 0.5),
  interval_of(figure, resample, units, 0.5).high, interval_low(figure, resample, 3, 0.5)
from figures
-- expect
1.5000 | 5.0000 | -5.0000 | None | 5.0000 | 1.2529
