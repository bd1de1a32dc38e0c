-- given counts
select * from (values
  ('a', 0, 'x'), ('a', 1, 'x'), ('b', 0, 'x'), ('b', 1, 'y'), ('a', 1, 'y')
) as t(system, sid, genre)
-- query
select fine from same_units('counts')
-- expect
True
