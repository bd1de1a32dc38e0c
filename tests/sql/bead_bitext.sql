-- given beads
select * from (values
  ('a', 1, 3, 0, 1, 0.5), ('a', 0, 1, 1, 2, 0.9), ('a', 3, 4, 2, 2, null), ('b', 0, 1, 0, 1, null)
) as t(doc, src_start, src_end, tgt_start, tgt_end, score)
-- given english
select * from (values
  ('a', 0, 'One.'), ('a', 1, 'Two,'), ('a', 2, 'three.'), ('a', 3, 'Four.'), ('b', 0, 'Yes.')
) as t(doc, sid, text)
-- given french
select * from (values ('a', 1, 'Un.'), ('a', 0, 'Deux.'), ('b', 0, 'Oui.')) as t(doc, sid, text)
-- query
select doc, src, tgt, score from bead_bitext('beads', 'english', 'french')
-- expect
a | One. | Un. | 0.9000
a | Two, three. | Deux. | 0.5000
b | Yes. | Oui. | None
