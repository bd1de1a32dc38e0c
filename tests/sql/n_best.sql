-- given candidates
select *, 'not used' as llr from (values
  ('a', 'z', 5, 5, 5, 10),
  ('a', 'far', 1, 5, 5, 10),
  ('a', 'e', 2, 5, 4, 10),
  ('b', 'none', 2, 4, 5, 10),
  ('b', 'x', 0, 4, 5, 10)
) as c(src, tgt, n_both, n_src, n_tgt, n_pairs)
-- query
select * from n_best('candidates', 3)
-- expect
a | z | 1 | 13.8629 | 5 | 5 | 5
a | e | 2 | 0.0000 | 2 | 5 | 4
a | far | 3 | -3.8549 | 1 | 5 | 5
b | none | 1 | 0.0000 | 2 | 4 | 5
b | x | 2 | -8.4562 | 0 | 4 | 5
