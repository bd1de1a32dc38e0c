-- given translations
select * from (values
  ('b', 'z', 0.25), ('a', 'x', 0.1), ('a', 'z', 0.45), ('a', 'y', 0.45), (null, 'x', 0.9)
) as t(src, tgt, p)
-- query
select src, tgt, rank, p::double from best_translations('translations', 2)
-- expect
a | y | 1 | 0.4500
a | z | 2 | 0.4500
b | z | 1 | 0.2500
