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
select system, type, n_hyp, n_gold, strict_precision, strict_recall, strict_f, lax_recall
from bead_type_scores('hyp', 'gold')
-- expect
s | 0-1 | 0 | 1 | None | 0.0000 | None | 0.0000
s | 1-0 | 2 | 1 | 0.5000 | 1.0000 | 0.6667 | 1.0000
s | 1-1 | 4 | 2 | 0.2500 | 0.5000 | 0.3333 | 0.5000
s | 1-2 | 0 | 1 | None | 0.0000 | None | 0.0000
s | 2-1 | 0 | 1 | None | 0.0000 | None | 1.0000
z | 0-1 | 0 | 1 | None | 0.0000 | None | 0.0000
z | 1-0 | 0 | 1 | None | 0.0000 | None | 0.0000
z | 1-1 | 0 | 2 | None | 0.0000 | None | 0.0000
z | 1-2 | 1 | 1 | 1.0000 | 1.0000 | 1.0000 | 1.0000
z | 2-1 | 0 | 1 | None | 0.0000 | None | 0.0000
