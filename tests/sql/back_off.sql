-- given several
select * from (values
  (2, 'a', 'y', 1, 5), (2, 'a', 'x', 2, 5), (2, 'b', 'x', 1, 3),
  (1, 'a', 'z', 1, 2),
  (3, 'b', 'y', 1, 9), (3, 'c', 'w', 2, 1), (3, 'c', 'y', 1, 1)
) as l(place, src, tgt, rank, n_src)
-- query
select * from back_off('several')
-- expect
1 | a | z | 1 | 2
2 | b | x | 1 | 3
3 | c | y | 1 | 1
3 | c | w | 2 | 1
