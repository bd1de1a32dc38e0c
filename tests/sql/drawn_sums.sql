-- given lists
select 'x' as _group, 'a' as system, 2 as sentences, 2 as units, [1.0, 1.0] as n_hyp, null::double[] as n_tgt
union all
select 'x', 'b', 2, 2, [3.0, 3.0], null
-- query
from drawn_sums('lists', bootstrap := 1) order by _system, resample
-- expect
x | a | 0 | 2 | 2 | 2.0000 | None
x | a | 1 | 2 | 2 | 2.0000 | None
x | b | 0 | 2 | 2 | 6.0000 | None
x | b | 1 | 2 | 2 | 6.0000 | None
-- query exchanged
select _system, count(*), sum(n_hyp) filter (resample < 0)
from drawn_sums('lists', bootstrap := 5, seed := 2, baseline := 'a')
group by all
order by all
-- expect
a | 6 | None
b | 16 | 40.0000
