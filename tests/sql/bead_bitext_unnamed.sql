-- given beads
select * from (values (0, 1, 0, 2), (1, 2, 2, 2), (2, 4, 2, 3)) as t(src_start, src_end, tgt_start, tgt_end)
-- given english
select * from (values (0, 'One.'), (1, 'Two.'), (2, 'Three,'), (3, 'four.')) as t(sid, text)
-- given french
select * from (values (2, 'Quatre.'), (0, 'Un,'), (1, 'un.')) as t(sid, text)
-- query
select * exclude (system, score) from bead_bitext('beads', 'english', 'french')
-- expect
document | One. | Un, un. | 0 | 1 | 0 | 2 | 1-2
document | Three, four. | Quatre. | 2 | 4 | 2 | 3 | 2-1
