-- given lexicon
select * from (values
  ('a', 'x', 2), ('a', 'y', 1), ('a', 'z', 3), ('b', 'q', 1), ('b', 'z', 2), ('not in the text', 'x', 1)
) as l(src, tgt, rank)
-- given words
select * from (values
  (0, ['a', 'a', 'b'], ['x', 'y', 'x']),
  (0, ['a', 'b', 'c'], ['x', 'z']),
  (1, ['a', 'c', 'c'], ['z']),
  (2, ['a'], []::varchar[]),
  (3, []::varchar[], ['x']),
  (4, ['a', 'b'], ['u'])
) as t(sid, src, tgt)
-- query
select * from hit_rates('lexicon', 'words', 2)
union all
select * from hit_rates('lexicon', 'words', k := 4) where k > 2 and src = 'a'
-- expect
a | 1 | True | 4 | 1 | 0.2500 | 5 | 2
a | 2 | True | 4 | 2 | 0.5000 | 5 | 3
b | 1 | True | 3 | 0 | 0.0000 | 3 | 0
b | 2 | True | 3 | 1 | 0.3333 | 3 | 1
c | 1 | False | 2 | 0 | 0.0000 | 3 | 0
c | 2 | False | 2 | 0 | 0.0000 | 3 | 0
a | 3 | True | 4 | 3 | 0.7500 | 5 | 4
a | 4 | True | 4 | 3 | 0.7500 | 5 | 4
