-- given figures
select *, 1000000 as units from (values ('x', 0, 0.5, 'a'), ('x', 1, 0.25, 'a'), ('x', 2, 0.5, 'a'), ('y', 0, 2, 'a'))
  as t(genre, resample, figure, system)
-- query
select *, (select count(*) from figure_rows('figures')) from figure_intervals('figures')
-- expect
a | x | 0.5000 | 0.2562 | 0.5000 | 4
a | y | 2.0000 | None | None | 4
