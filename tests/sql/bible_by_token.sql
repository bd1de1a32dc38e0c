-- given lexicon
select * from (values
  ('a', 'y', 1), ('a', 'x', 2), ('b', 'q', 1), ('b', 'x', 2), ('not in the text', 'x', 1)
) as l(src, tgt, rank)
-- given words
select * from (values
  (0, ['a', 'a', 'b'], ['x', 'y', 'x']),
  (1, ['a', 'c'], ['x', 'z']),
  (2, ['d', 'd', 'd', 'd'], ['x'])
) as t(sid, src, tgt)
-- given nothing
select 'e' as src, 'x' as tgt, 1 as rank
-- query
select * from bible_by_token('lexicon', 'words', 2)
union all
select * from bible_by_token('nothing', 'words', k := 1)
-- expect
1 | 0.5000 | 0.4444 | 0.2222 | 4 | 2 | 9 | 4
2 | 1.0000 | 0.4444 | 0.4444 | 4 | 2 | 9 | 4
1 | None | 0.0000 | 0.0000 | 4 | 0 | 9 | 0
