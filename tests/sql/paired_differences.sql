-- given figures
select * from (values
  ('a', 'x', 0, 0.5), ('a', 'x', 1, 0.5), ('a', 'x', 2, 0.6), ('a', 'x', 3, null),
  ('b', 'x', 0, 0.2), ('b', 'x', 1, 0.5), ('b', 'x', 2, 0.1), ('b', 'x', 3, 0.2),
  ('a', 'y', 0, 0.2), ('a', 'y', 1, 0.2)
) as t(system, genre, resample, figure)
-- query
from paired_differences('figures', 'a', confidence := 0.5)
-- expect
b | a | x | 0.2000 | 0.5000 | -0.3000 | -0.3750 | -0.1250 | 0.6667
