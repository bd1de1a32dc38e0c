-- given phrases
select * from (values
  (['la'], ['the'], 3, 4, 6, 0.5, 0.25), (['la'], ['it'], 1, 4, 2, 0.1, 0.2)
) as t(src, tgt, n_both, n_src, n_tgt, lex_src, lex_tgt)
-- query
select * from phrase_probabilities('phrases') order by p_tgt desc
-- expect
['la'] | ['the'] | 0.5000 | 0.5000 | 0.7500 | 0.2500
['la'] | ['it'] | 0.5000 | 0.1000 | 0.2500 | 0.2000
