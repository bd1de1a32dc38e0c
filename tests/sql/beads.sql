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
-- query bead_counts
select * from bead_counts('hyp', 'gold')
-- expect
s | d | 5 | 3 | 2 | 1 | 3 | 2 | 3 | 4 | 2 | 3 | 3 | 5 | 4
s | e | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0 | 1 | 2
s | x | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 1 | 1 | 1 | 1
z | d | 0 | 3 | 0 | 0 | 0 | 0 | 0 | 4 | 0 | 0 | 0 | 5 | 4
z | e | 1 | 1 | 1 | 1 | 1 | 1 | 2 | 2 | 2 | 1 | 2 | 1 | 2
-- query bead_counts_of_all
select system, doc, n_hyp, n_gold, n_hyp_strict, n_gold_strict, n_hyp_lax, n_gold_lax
from bead_counts('hyp', 'gold', one_sided := 'count')
-- expect
s | d | 5 | 5 | 2 | 2 | 3 | 3
s | e | 0 | 1 | 0 | 0 | 0 | 0
s | x | 1 | 0 | 0 | 0 | 0 | 0
z | d | 0 | 5 | 0 | 0 | 0 | 0
z | e | 1 | 1 | 1 | 1 | 1 | 1
-- given counts
select * from bead_counts('hyp', 'gold')
-- query bead_measures
select
  system, doc, strict_precision, strict_recall, strict_f, pair_precision, pair_recall, alignment_rate
from bead_measures('counts')
order by system, doc
-- expect
s | d | 0.4000 | 0.3333 | 0.3636 | 0.6667 | 0.5000 | 0.6750
s | e | None | 0.0000 | None | None | 0.0000 | 0.0000
s | x | 0.0000 | None | None | 0.0000 | None | 1.0000
z | d | None | 0.0000 | None | None | 0.0000 | 0.0000
z | e | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 1.0000
-- given sizes
select unnest(['d', 'e', 'x']) as doc, 10 as n_src, 20 as n_tgt
-- query bead_scores
select system, n_hyp, n_gold, strict_precision, strict_recall, lax_f, alignment_rate
from bead_scores('hyp', 'gold', one_sided := 'ignore', lengths := 'sizes', systems := ['mute'])
-- expect
mute | 0 | 4 | None | 0.0000 | None | 0.0000
s | 4 | 4 | 0.2500 | 0.2500 | 0.5000 | 0.1000
z | 1 | 4 | 1.0000 | 0.2500 | 0.4000 | 0.0500
-- query bead_type_counts
select * from bead_type_counts('hyp', 'gold')
-- expect
s | d | 0-1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
s | d | 1-0 | 2 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 0 | 0 | 0
s | d | 1-1 | 3 | 2 | 1 | 1 | 2 | 1 | 3 | 2 | 2 | 3 | 3
s | d | 2-1 | 0 | 1 | 0 | 0 | 0 | 1 | 0 | 2 | 0 | 0 | 0
s | e | 1-2 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0
s | x | 1-1 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 0 | 1 | 1
z | d | 0-1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
z | d | 1-0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
z | d | 1-1 | 0 | 2 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0
z | d | 2-1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 2 | 0 | 0 | 0
z | e | 1-2 | 1 | 1 | 1 | 1 | 1 | 1 | 2 | 2 | 2 | 1 | 2
-- given counts_by_type
select * from bead_type_counts('hyp', 'gold')
-- query bead_hits
select type, lax_precision, lax_recall, lax_f
from bead_hits('counts_by_type')
where doc = 'd' and system = 's'
order by type
-- expect
0-1 | None | 0.0000 | None
1-0 | 0.5000 | 1.0000 | 0.6667
1-1 | 0.6667 | 0.5000 | 0.5714
2-1 | None | 1.0000 | None
-- query bead_type_scores
select system, type, n_hyp, n_gold, strict_precision, strict_recall, strict_f, lax_recall
from bead_type_scores('hyp', 'gold')
-- expect
s | 0-1 | 0 | 1 | None | 0.0000 | None | 0.0000
s | 1-0 | 2 | 1 | 0.5000 | 1.0000 | 0.6667 | 1.0000
s | 1-1 | 4 | 2 | 0.2500 | 0.5000 | 0.3333 | 0.5000
s | 1-2 | 0 | 1 | None | 0.0000 | None | 0.0000
s | 2-1 | 0 | 1 | None | 0.0000 | None | 1.0000
z | 0-1 | 0 | 1 | None | 0.0000 | None | 0.0000
z | 1-0 | 0 | 1 | None | 0.0000 | None | 0.0000
z | 1-1 | 0 | 2 | None | 0.0000 | None | 0.0000
z | 1-2 | 1 | 1 | 1.0000 | 1.0000 | 1.0000 | 1.0000
z | 2-1 | 0 | 1 | None | 0.0000 | None | 0.0000
