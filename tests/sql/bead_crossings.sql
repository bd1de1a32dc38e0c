-- given beads
select * from (values
  ('a', 0, 1, 1, 2), ('a', 1, 2, 0, 1), ('a', 2, 3, 0, 0), ('a', 3, 4, 2, 3), ('b', 0, 1, 0, 1)
) as t(doc, src_start, src_end, tgt_start, tgt_end)
-- query
select * from bead_crossings('beads')
-- expect
hypothesis | a | 3 | 1
hypothesis | b | 1 | 0
