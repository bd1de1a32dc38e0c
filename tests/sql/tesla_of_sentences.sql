-- given tokens
select
  [
    {'word': 'big', 'tag': 'JJ', 'lemma': 'big', 'content': true},
    {'word': 'cats', 'tag': 'NNS', 'lemma': 'cat', 'content': true},
    {'word': 'of', 'tag': 'IN', 'lemma': 'of', 'content': false}
  ] as hyp,
  [
    {'word': 'large', 'tag': 'JJ', 'lemma': 'large', 'content': true},
    {'word': 'cat', 'tag': 'NN', 'lemma': 'cat', 'content': true},
    {'word': 'in', 'tag': 'IN', 'lemma': 'in', 'content': false}
  ] as ref
-- given matched
select
  ngram_match(hyp, ref, synonyms := 'none') as one,
  ngram_match(hyp, ref, 2, 'ms', 'none') as two,
  ngram_match(hyp, ref, similarity := 'lem', synonyms := 'none') as lemmas,
  tesla_counts(hyp, ref, 'none') as counts,
  tesla_m(hyp, ref, 'none') as score,
  tesla_m(hyp, null, 'none') as nothing
from tokens
-- query
select
  one.matched, one.hyp, two.matched, lemmas.matched, counts.ms_2, counts.pos_1,
  tesla_f(one.matched, one.hyp, one.ref), tesla_f(2, 4, 8, recall_weight := 0.5), score, nothing
from matched
-- expect
1.5500 | 2.1000 | 0.8250 | 1.0000 | 0.8250 | 1.1000 | 0.7381 | 0.3333 | 0.4464 | None
