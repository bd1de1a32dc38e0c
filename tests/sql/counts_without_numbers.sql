-- given counts
-- Words, n_y, were not counted. With two units, every exchanged sum is one of four.
select * from (values ('a', 0, 4, null), ('a', 1, 5, null), ('b', 0, 1, null), ('b', 1, 2, null))
  as t(system, sid, n_x, n_y)
-- query
select
  system, resample, n_x in (3, 6, 9), n_y,
  (select summed_count(n_y) from counts), (select counts_by_unit(n_x, 1, sid) from counts where system = 'a')
from resampled_counts('counts', bootstrap := 1, baseline := 'b')
where resample <= 0
order by system, abs(resample)
-- expect
a | 0 | True | None | None | [4, 5]
a | -1 | True | None | None | [4, 5]
a | -2 | True | None | None | [4, 5]
b | 0 | True | None | None | [4, 5]
