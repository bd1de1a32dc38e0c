-- Plain SQL for the counts of BLEU and chrF. An n-gram is a hash of 64 bits of its first n - 1 items
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

-- The same for n-grams of which many are equal, in another order.
create or replace macro _alignframe_sorted_ranked(grams) as list_transform(
  [list_sort(grams)],
  lambda own: list_transform(
    own,
    lambda gram, k: case
      when k = 1 or own[greatest(k - 1, 1)] <> gram then gram
      else hash(gram, k - list_position(own, gram))
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

-- Twin of bleu_counts (alignframe.functions.mt).
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

-- A class of white space, as Unicode has it, for regular expressions.
create or replace macro _alignframe_blank() as
  '[\x{9}-\x{d}\x{1c}-\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]';

-- The characters of a text as numbers, without white space unless it counts.
create or replace macro _alignframe_characters(text, whitespace) as list_transform(
  regexp_extract_all(
    if(whitespace, text, regexp_replace(text, _alignframe_blank(), '', 'g')), '(?s).'
  ),
  lambda letter: hash(letter)
);

-- The words of a text as numbers, with a final, or else initial, punctuation mark split off.
create or replace macro _alignframe_separated(text) as list_transform(
  flatten(list_transform(
    list_filter(
      regexp_split_to_array(text, _alignframe_blank() || '+'), lambda word: word <> ''
    ),
    lambda word: case
      when length(word) = 1 then [word]
      when regexp_matches(word, '(?s)[!-/:-@\[-`{-~]\z') then [left(word, -1), right(word, 1)]
      when regexp_matches(word, '^[!-/:-@\[-`{-~]') then [left(word, 1), right(word, -1)]
      else [word]
    end
  )),
  lambda word: hash(word)
);

-- The sets of n-grams of a text: six of characters, and two of words.
create or replace macro _alignframe_gram_sets(characters, words) as list_transform(
  [{'c': characters, 'w': words}],
  lambda given: [
    _alignframe_sorted_ranked(given.c),
    _alignframe_sorted_ranked(
      list_transform(list_zip(given.c, given.c[2:], true), lambda gram: hash(gram))
    ),
    _alignframe_ranked(
      list_transform(list_zip(given.c, given.c[2:], given.c[3:], true), lambda gram: hash(gram))
    ),
    _alignframe_ranked(list_transform(
      list_zip(given.c, given.c[2:], given.c[3:], given.c[4:], true), lambda gram: hash(gram)
    )),
    _alignframe_ranked(list_transform(
      list_zip(given.c, given.c[2:], given.c[3:], given.c[4:], given.c[5:], true),
      lambda gram: hash(gram)
    )),
    _alignframe_ranked(list_transform(
      list_zip(given.c, given.c[2:], given.c[3:], given.c[4:], given.c[5:], given.c[6:], true),
      lambda gram: hash(gram)
    )),
    _alignframe_ranked(given.w),
    _alignframe_ranked(
      list_transform(list_zip(given.w, given.w[2:], true), lambda gram: hash(gram))
    )
  ]
)[1];

-- The counts of a translation and a reference, an order after the other. A translation's n-grams do
-- not count where the reference has none of that length.
create or replace macro _alignframe_pair_counts(hyp, refs) as list_transform(
  hyp,
  lambda grams, n: {
    'hyp': if(len(refs[n]) > 0, len(grams), 0),
    'ref': len(refs[n]),
    'match': _alignframe_common(grams, refs[n])
  }
);

-- chrF of such counts, 0 to 1.
create or replace macro _alignframe_chrf(pair_counts, beta) as list_transform(
  [list_filter(pair_counts, lambda one: one.hyp > 0 and one.ref > 0)],
  lambda held: list_transform(
    [{
      'p': coalesce(list_sum(list_transform(held, lambda one: one.match / one.hyp)), 0)
        / greatest(len(held), 1),
      'r': coalesce(list_sum(list_transform(held, lambda one: one.match / one.ref)), 0)
        / greatest(len(held), 1)
    }],
    lambda mean: if(
      mean.p + mean.r > 0,
      (1 + beta * beta) * mean.p * mean.r / (beta * beta * mean.p + mean.r),
      0
    )
  )[1]
)[1];

-- Twin of chrf_counts (alignframe.functions.mt).
create or replace macro chrf_counts(
  hyp, refs, word_order := 0, beta := 2, whitespace := false
) as list_transform(
  [{
    'hyp': _alignframe_gram_sets(
      _alignframe_characters(hyp::varchar, coalesce(whitespace, false)),
      if(coalesce(word_order, 0) > 0, _alignframe_separated(hyp::varchar), [])
    )[:6 + least(coalesce(word_order, 0), 2)],
    'refs': list_transform(
      list_filter(refs::varchar[], lambda one: one is not null),
      lambda one: _alignframe_gram_sets(
        _alignframe_characters(one, coalesce(whitespace, false)),
        if(coalesce(word_order, 0) > 0, _alignframe_separated(one), [])
      )
    ),
    'beta': coalesce(beta, 2)::double,
    'known': hyp is not null
  }],
  lambda given: list_transform(
    [
      list_transform(given.refs, lambda one: _alignframe_pair_counts(given.hyp, one))
    ],
    lambda each: list_transform(
      [
        if(
          len(each) < 2,
          each[1],
          list_transform(
            [list_transform(each, lambda one: _alignframe_chrf(one, given.beta))],
            lambda figures: each[list_position(figures, list_max(figures))]
          )[1]
        )
      ],
      lambda best: case
        when given.known and len(each) > 0 then {
          'chrf_hyp_1': best[1].hyp,
          'chrf_ref_1': best[1].ref,
          'chrf_match_1': best[1].match,
          'chrf_hyp_2': best[2].hyp,
          'chrf_ref_2': best[2].ref,
          'chrf_match_2': best[2].match,
          'chrf_hyp_3': best[3].hyp,
          'chrf_ref_3': best[3].ref,
          'chrf_match_3': best[3].match,
          'chrf_hyp_4': best[4].hyp,
          'chrf_ref_4': best[4].ref,
          'chrf_match_4': best[4].match,
          'chrf_hyp_5': best[5].hyp,
          'chrf_ref_5': best[5].ref,
          'chrf_match_5': best[5].match,
          'chrf_hyp_6': best[6].hyp,
          'chrf_ref_6': best[6].ref,
          'chrf_match_6': best[6].match,
          'chrf_hyp_word_1': best[7].hyp,
          'chrf_ref_word_1': best[7].ref,
          'chrf_match_word_1': best[7].match,
          'chrf_hyp_word_2': best[8].hyp,
          'chrf_ref_word_2': best[8].ref,
          'chrf_match_word_2': best[8].match
        }
      end
    )[1]
  )[1]
)[1];
