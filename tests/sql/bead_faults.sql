-- given beads
select * from (values
  ('a', 0, 2, 0, 1), ('a', 2, 3, 0, 1), ('b', 0, 2, 0, 1), ('b', 1, 2, 1, 2), ('c', 2, 2, 1, 1)
) as t(doc, src_start, src_end, tgt_start, tgt_end)
-- query
select doc, fault from bead_faults('beads') order by all
-- expect
a | target sentence 0 (counted from 0) is in two beads
b | source sentence 1 (counted from 0) is in two beads
c | a bead without sentences on either side
