-- given texts
select system, string_split(hyp, ' ') as hyp, [string_split(ref, ' ')] as refs from (values
  ('a', 'the cat sat on the mat', 'the cat sat on a mat'),
  ('a', 'a dog', 'the dog'),
  ('b', 'mat', 'the cat sat on a mat')
) as t(system, hyp, ref)
-- query
select
  system,
  bleu(bleu_sums(c)),
  bleu(bleu_sums(c), smooth := 'none', effective_order := true),
  bleu(bleu_sums(c), smooth := 'add-k'),
  bleu(bleu_sums(c), smooth := 'floor', smooth_value := 0.5),
  bleu_share(bleu_sums(c), 1, 'exp', null),
  bleu_sums(c).totals
from (select system, bleu_counts(hyp, refs) as c from texts)
group by system
order by system
-- expect
a | 50.0000 | 50.0000 | 59.8806 | 50.0000 | 0.7500 | [8.0, 6.0, 4.0, 3.0]
b | 0.0000 | 0.6738 | 0.6738 | 0.0000 | 1.0000 | [1.0, 0.0, 0.0, 0.0]
