-- given texts
select * from (values
  ('a', 'the cat sat', ['the cat sat down', 'a cat sat']),
  ('a', 'one', ['two']),
  ('b', 'xyz', ['abc', null])
) as t(system, hyp, refs)
-- query
select
  system,
  chrf(chrf_sums(c)),
  chrf(chrf_sums(e), beta := 1),
  chrf(chrf_sums(d)),
  chrf_f(0.5, 0.25, 1),
  chrf_sums(c)[1].match
from (
  select
    system,
    chrf_counts(hyp, refs) as c,
    chrf_counts(hyp, refs, word_order := 2) as d,
    chrf_counts(hyp, refs, beta := 1) as e
  from texts
)
group by system
order by system
-- expect
a | 59.9819 | 70.5263 | 63.2286 | 0.3333 | 7.0000
b | 0.0000 | 0.0000 | 0.0000 | 0.3333 | 0.0000
