-- given beads
select * from (values
  ('a', 0, 2, 0, 1), ('a', 2, 3, 1, 1), ('b', 4, 6, 3, 5)
) as t(doc, src_start, src_end, tgt_start, tgt_end)
-- query
select doc, i, j from bead_pairs('beads')
-- expect
a | 0 | 0
a | 1 | 0
b | 4 | 3
b | 4 | 4
b | 5 | 3
b | 5 | 4
