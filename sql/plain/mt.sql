-- Plain SQL for the counts of BLEU. An n-gram is a hash of 64 bits of its first n - 1 items
-- and its last one; one that occurs again gets another hash, so that what two sides share are sets.

-- The n-grams of a sequence, from its (n - 1)-grams and items.
create or replace macro _alignframe_longer(shorter, items, n) as list_transform(
  [{'shorter': shorter, 'items': items, 'n': n::bigint}],
  lambda given: list_transform(
    given.shorter[:greatest(len(given.items) - given.n + 1, 0)],
    lambda gram, k: hash(gram, given.items[k + given.n - 1])
  )
)[1];

-- N-grams as a set: the second of equal ones differs from the first, and so on.
create or replace macro _alignframe_ranked(grams) as list_transform(
  [grams],
  lambda own: list_transform(
    own,
    lambda gram, k: case
      when list_position(own, gram) = k then gram
      else hash(gram, len(list_filter(own[:k], lambda other: other = gram)) - 1)
    end
  )
)[1];

-- The number of n-grams of one set in another.
create or replace macro _alignframe_common(grams, others) as list_transform(
  [others], lambda known: len(list_filter(grams, lambda gram: list_contains(known, gram)))
)[1];

-- The number of n-grams that a translation shares with its references.
create or replace macro _alignframe_shared(grams, refs) as _alignframe_common(
  _alignframe_ranked(grams),
  flatten(list_transform(refs, lambda one: _alignframe_ranked(one)))
);

-- Items as numbers; an error if one is missing.
create or replace macro _alignframe_items(words) as list_transform(
  words,
  lambda word: if(
    word is null, error('a missing word; expected every word of a sentence'), hash(word)
  )
);

-- Twin of bleu_counts (alignframe.functions.mt). It takes six times as long.
create or replace macro bleu_counts(hyp, refs) as list_transform(
  [{
    'hyp': _alignframe_items(hyp::varchar[]),
    'refs': list_transform(
      list_filter(refs::varchar[][], lambda ref: ref is not null),
      lambda ref: _alignframe_items(ref)
    )
  }],
  lambda one: list_transform(
    [{
      'hyp': _alignframe_longer(one.hyp, one.hyp, 2),
      'refs': list_transform(one.refs, lambda ref: _alignframe_longer(ref, ref, 2))
    }],
    lambda two: list_transform(
      [{
        'hyp': _alignframe_longer(two.hyp, one.hyp, 3),
        'refs': list_transform(
          two.refs, lambda ref, r: _alignframe_longer(ref, one.refs[r], 3)
        )
      }],
      lambda three: list_transform(
        [{
          'hyp': _alignframe_longer(three.hyp, one.hyp, 4),
          'refs': list_transform(
            three.refs, lambda ref, r: _alignframe_longer(ref, one.refs[r], 4)
          )
        }],
        lambda four: case
          when one.hyp is not null and len(one.refs) > 0 then {
            'bleu_hyp': len(one.hyp)::bigint,
            -- The closest in length, of two the shorter one.
            'bleu_ref': list_min(list_transform(
              one.refs,
              lambda ref: (abs(len(ref) - len(one.hyp)) << 32) | len(ref)
            )) & 4294967295,
            'bleu_match_1': _alignframe_shared(one.hyp, one.refs),
            'bleu_match_2': _alignframe_shared(two.hyp, two.refs),
            'bleu_match_3': _alignframe_shared(three.hyp, three.refs),
            'bleu_match_4': _alignframe_shared(four.hyp, four.refs),
            'bleu_total_1': len(one.hyp)::bigint,
            'bleu_total_2': greatest(len(one.hyp) - 1, 0)::bigint,
            'bleu_total_3': greatest(len(one.hyp) - 2, 0)::bigint,
            'bleu_total_4': greatest(len(one.hyp) - 3, 0)::bigint
          }
        end
      )[1]
    )[1]
  )[1]
)[1];
