-- given beads
select * from (values
  ('a', 0, 2, 0, 1), ('a', 2, 3, 1, 2), ('b', 0, 1, 0, 1), ('b', 1, 11, 1, 1),
  ('b', 11, 11, 1, 3), ('b', 11, 12, 3, 13)
) as t(doc, src_start, src_end, tgt_start, tgt_end)
-- query
select *, is_one_sided(type) from bead_types('beads')
-- expect
hypothesis | 1-1 | 2 | False
hypothesis | 0-2 | 1 | True
hypothesis | 1-10 | 1 | False
hypothesis | 10-0 | 1 | True
hypothesis | 2-1 | 1 | False
