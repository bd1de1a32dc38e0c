-- given beads
select * from (values
  ('s', 'a', 0, 2, 0, 1, 0.5), ('t', 'a', 0, 1, 0, 0, null)
) as t(system, doc, src_start, src_end, tgt_start, tgt_end, score)
-- query
select * from checked_beads('beads') order by all
-- expect
s | a | 0 | 2 | 0 | 1 | 0.5000 | None | 2-1
t | a | 0 | 1 | 0 | 0 | None | None | 1-0
