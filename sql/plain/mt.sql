-- Plain SQL for the counts of BLEU. An n-gram is a hash of 64 bits of its words.

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

-- N-grams that occurred before in the same list, as a set.
create or replace macro _alignframe_again(grams) as _alignframe_ranked(
  list_transform(
    [grams], lambda own: list_filter(own, lambda gram, k: list_position(own, gram) <> k)
  )[1]
);

-- The number of n-grams that a translation shares with its only reference. Few n-grams occur twice
-- in a sentence; otherwise it is the number of places in the reference that are found.
create or replace macro _alignframe_met(grams, others) as list_transform(
  [list_transform(
    [others], lambda known: list_transform(grams, lambda gram: list_position(known, gram))
  )[1]],
  lambda places: list_transform(
    [if(
      list_max(places) > 255,
      list_unique(places)::bigint,
      bit_count(list_aggregate(places::utinyint[], 'bitstring_agg', 0::utinyint, 255::utinyint))
    )],
    lambda firsts: coalesce(firsts, 0) + if(
      firsts < list_count(places),
      _alignframe_common(_alignframe_again(grams), _alignframe_again(others)),
      0
    )
  )[1]
)[1];

-- The n-grams of 1 to 4 words; an error if one is missing.
create or replace macro _alignframe_grams(words) as list_transform(
  [list_transform(
    words,
    lambda word: if(
      word is null, error('a missing word; expected every word of a sentence'), hash(word)
    )
  )],
  lambda w: [
    w,
    list_transform(list_zip(w, w[2:], true), lambda gram: hash(gram)),
    list_transform(list_zip(w, w[2:], w[3:], true), lambda gram: hash(gram)),
    list_transform(list_zip(w, w[2:], w[3:], w[4:], true), lambda gram: hash(gram))
  ]
)[1];

-- The number of n-grams of each order that a translation shares with its references.
create or replace macro _alignframe_shared(hyp, refs) as case
  when len(refs) = 1
    then list_transform(
      list_zip(hyp, refs[1]), lambda order_of: _alignframe_met(order_of[1], order_of[2])
    )
  else list_transform(
    hyp,
    lambda grams, n: _alignframe_common(
      _alignframe_ranked(grams),
      flatten(list_transform(refs, lambda one: _alignframe_ranked(one[n])))
    )
  )
end;

-- Twin of bleu_counts (alignframe.functions.mt).
create or replace macro bleu_counts(hyp, refs) as list_transform(
  [{
    'hyp': _alignframe_grams(hyp::varchar[]),
    'refs': list_transform(
      list_filter(refs::varchar[][], lambda ref: ref is not null),
      lambda ref: _alignframe_grams(ref)
    )
  }],
  lambda given: list_transform(
    [_alignframe_shared(given.hyp, given.refs)],
    lambda shared: case
      when len(given.refs) > 0 and given.hyp[1] is not null then {
        'bleu_hyp': len(given.hyp[1])::bigint,
        -- The closest in length, of two the shorter one.
        'bleu_ref': list_min(list_transform(
          given.refs,
          lambda ref: (abs(len(ref[1]) - len(given.hyp[1])) << 32) | len(ref[1])
        )) & 4294967295,
        'bleu_match_1': shared[1],
        'bleu_match_2': shared[2],
        'bleu_match_3': shared[3],
        'bleu_match_4': shared[4],
        'bleu_total_1': len(given.hyp[1])::bigint,
        'bleu_total_2': len(given.hyp[2])::bigint,
        'bleu_total_3': len(given.hyp[3])::bigint,
        'bleu_total_4': len(given.hyp[4])::bigint
      }
    end
  )[1]
)[1];
