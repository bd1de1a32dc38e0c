-- given words
select * from (values ([7, 7, 8], [9, 7]), ([8], [10])) as t(src, tgt)
-- query
select *, typeof(src), typeof(n_both) from cooccurrence('words') order by all
-- expect
7 | 7 | 1 | 1 | 1 | 2 | INTEGER | BIGINT
7 | 9 | 1 | 1 | 1 | 2 | INTEGER | BIGINT
8 | 7 | 1 | 2 | 1 | 2 | INTEGER | BIGINT
8 | 9 | 1 | 2 | 1 | 2 | INTEGER | BIGINT
8 | 10 | 1 | 2 | 1 | 2 | INTEGER | BIGINT
