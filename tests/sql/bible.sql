-- given lexicon
select * from (values
  ('a', 'y', 1), ('a', 'x', 2), ('b', 'q', 1), ('b', 'x', 2), ('not in the text', 'x', 1)
) as l(src, tgt, rank)
-- given words
select * from (values
  (0, ['a', 'a', 'b'], ['x', 'y', 'x']),
  (1, ['a', 'c'], ['x', 'z']),
  (2, ['d', 'd'], ['x'])
) as t(sid, src, tgt)
-- given nothing
select 'e' as src, 'x' as tgt, 1 as rank
-- query
select * from bible('lexicon', 'words', 2)
union all
select * from bible('nothing', 'words', k := 1)
-- expect
1 | 0.2500 | 0.5000 | 0.1250 | 4 | 2
2 | 1.0000 | 0.5000 | 0.5000 | 4 | 2
1 | None | 0.0000 | 0.0000 | 4 | 0
