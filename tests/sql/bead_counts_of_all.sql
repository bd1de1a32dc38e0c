-- given gold
select * from (values
  ('d', 0, 1, 0, 1), ('d', 1, 3, 1, 2), ('d', 3, 4, 2, 2), ('d', 4, 5, 3, 4), ('d', 5, 5, 2, 3),
  ('e', 0, 1, 0, 2)
) as t(doc, src_start, src_end, tgt_start, tgt_end)
-- given hyp
select * from (values
  ('s', 'd', 0, 1, 0, 1), ('s', 'd', 1, 2, 1, 2), ('s', 'd', 2, 3, 0, 0), ('s', 'd', 3, 4, 9, 9),
  ('s', 'd', 4, 5, 2, 3), ('s', 'x', 0, 1, 0, 1), ('z', 'e', 0, 1, 0, 2)
) as t(system, doc, src_start, src_end, tgt_start, tgt_end)
-- query
select system, doc, n_hyp, n_gold, n_hyp_strict, n_gold_strict, n_hyp_lax, n_gold_lax
from bead_counts('hyp', 'gold', one_sided := 'count')
-- expect
s | d | 5 | 5 | 2 | 2 | 3 | 3
s | e | 0 | 1 | 0 | 0 | 0 | 0
s | x | 1 | 0 | 0 | 0 | 0 | 0
z | d | 0 | 5 | 0 | 0 | 0 | 0
z | e | 1 | 1 | 1 | 1 | 1 | 1
