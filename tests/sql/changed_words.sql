-- given filtered
select * from (values
  ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 1), ('c', 'w', 1), ('d', 'u', 2), ('new', 'x', 1)
) as l(src, tgt, rank)
-- given plain
select * from (values
  ('a', 'y', 1), ('a', 'z', 2), ('a', 'x', 3), ('b', 'x', 1), ('c', 'v', 1), ('d', 'u', 1), ('old', 'x', 1)
) as l(src, tgt, rank)
-- query
select * from changed_words('filtered', 'plain')
-- expect
a | y | x | 2 | 3 | ['y', 'z', 'x'] | ['x', 'y']
c | v | w | None | None | ['v'] | ['w']
