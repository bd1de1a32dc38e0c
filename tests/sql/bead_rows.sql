-- given beads
select * from (values (2, 3, 1, 2), (0, 2, 0, 1)) as t(src_start, src_end, tgt_start, tgt_end)
-- query
select *, bead_type(src_start, src_end, tgt_start, tgt_end) from bead_rows('beads') order by all
-- expect
hypothesis | document | 0 | 2 | 0 | 1 | None | None | 2-1
hypothesis | document | 2 | 3 | 1 | 2 | None | None | 1-1
