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
-- given counts
select * from bead_type_counts('hyp', 'gold')
-- query
select type, lax_precision, lax_recall, lax_f
from bead_hits('counts')
where doc = 'd' and system = 's'
order by type
-- expect
0-1 | None | 0.0000 | None
1-0 | 0.5000 | 1.0000 | 0.6667
1-1 | 0.6667 | 0.5000 | 0.5714
2-1 | None | 1.0000 | None
