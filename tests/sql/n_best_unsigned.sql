-- given candidates
select * from (values
  ('a', 'z', 5, 5, 5, 10),
  ('a', 'far', 1, 5, 5, 10),
  ('a', 'é', 2, 5, 4, 10),
  ('a', 'e', 2, 5, 4, 10),
  ('b', 'none', 2, 4, 5, 10),
  ('b', 'x', 0, 4, 5, 10),
  ('c', 'q', 1, 2, 5, 10),
  ('c', 'p', 2, 4, 5, 10)
) as c(src, tgt, n_both, n_src, n_tgt, n_pairs)
-- query
select src, tgt, rank, llr, n_both, typeof(rank), (select count(*) from n_best('candidates', 9)) as n
from n_best('candidates', 3, signed := false)
-- expect
a | z | 1 | 13.8629 | 5 | INTEGER | 8
a | far | 2 | 3.8549 | 1 | INTEGER | 8
a | e | 3 | 0.0000 | 2 | INTEGER | 8
b | x | 1 | 8.4562 | 0 | INTEGER | 8
b | none | 2 | 0.0000 | 2 | INTEGER | 8
c | p | 1 | 0.0000 | 2 | INTEGER | 8
c | q | 2 | 0.0000 | 1 | INTEGER | 8
