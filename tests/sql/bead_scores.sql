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
-- given sizes
select unnest(['d', 'e', 'x']) as doc, 10 as n_src, 20 as n_tgt
-- query
select system, n_hyp, n_gold, strict_precision, strict_recall, lax_f, alignment_rate
from bead_scores('hyp', 'gold', one_sided := 'ignore', lengths := 'sizes', systems := ['mute'])
-- expect
mute | 0 | 4 | None | 0.0000 | None | 0.0000
s | 4 | 4 | 0.2500 | 0.2500 | 0.5000 | 0.1000
z | 1 | 4 | 1.0000 | 0.2500 | 0.4000 | 0.0500
