-- Links of one sentence, in plain SQL. Each link is one whole number, as list functions are much
-- faster on numbers than on structs.

-- Links as whole numbers, i in the upper 16 bits; a link without a position is an error.
create or replace macro _alignframe_numbers(links) as list_transform(
  links,
  lambda l: coalesce(
    (l.i::usmallint::uinteger << 16) | l.j::usmallint,
    error('a link with a missing position; expected i and j of every link')
  )
);

-- A set of links whose positions are below 64, as bits.
create or replace macro _alignframe_bits(numbers) as list_aggregate(
  list_transform(numbers, lambda n: (n::uinteger >> 10) | (n::uinteger & 63)),
  'bitstring_agg',
  0::uinteger,
  4095::uinteger
);

-- The counts of sets of links, `s` and `p` being gold's: of bits, and of numbers of any size.
create or replace macro _alignframe_counts_of_bits(a, s, p) as {
  'n_hyp': coalesce(bit_count(a), 0)::bigint,
  'n_sure': coalesce(bit_count(s), 0)::bigint,
  'n_possible': coalesce(bit_count(p), 0)::bigint,
  'n_hyp_sure': coalesce(bit_count(a & s), 0)::bigint,
  'n_hyp_possible': coalesce(bit_count(a & p), 0)::bigint
};
create or replace macro _alignframe_counts_of_numbers(a, s, p) as {
  'n_hyp': list_unique(a)::bigint,
  'n_sure': list_unique(s)::bigint,
  'n_possible': list_unique(p)::bigint,
  'n_hyp_sure': len(list_intersect(a, s)),
  'n_hyp_possible': len(list_intersect(a, p))
};

-- Twin of count_links (alignframe.functions.links). Lambdas name what would be computed repeatedly.
create or replace macro count_links(hyp, gold) as list_transform(
  [
    {
      'a': _alignframe_numbers(hyp::struct(i usmallint, j usmallint)[]),
      's': _alignframe_numbers(
        list_filter(
          gold::struct(i usmallint, j usmallint, sure boolean)[],
          lambda l: coalesce(l.sure, true)
        )
      ),
      'p': _alignframe_numbers(gold::struct(i usmallint, j usmallint, sure boolean)[])
    }
  ],
  lambda n: case
    when n.a is null or n.p is null then null
    when (coalesce(list_bit_or(n.a), 0) | coalesce(list_bit_or(n.p), 0)) & 4290838464 = 0
      then list_transform(
        [{'a': _alignframe_bits(n.a), 's': _alignframe_bits(n.s), 'p': _alignframe_bits(n.p)}],
        lambda b: _alignframe_counts_of_bits(b.a, b.s, b.p)
      )[1]
    else _alignframe_counts_of_numbers(n.a, n.s, n.p)
  end
)[1];

-- Links as whole numbers that sort by i, by j, and Sure ones first.
create or replace macro _alignframe_labelled(links) as list_transform(
  links::struct(i usmallint, j usmallint, sure boolean)[],
  lambda l: coalesce(
    (l.i::ubigint << 17) | (l.j::ubigint << 1) | if(coalesce(l.sure, true), 0, 1),
    error('a link with a missing position; expected i and j of every link')
  )
);

-- The links of labelled numbers, sorted, each once; of two labels Sure wins.
create or replace macro _alignframe_tidy(numbers) as list_transform(
  list_transform(
    [list_sort(numbers)],
    lambda s: list_filter(s, lambda n, k: k = 1 or (n::ubigint >> 1) <> (s[k - 1]::ubigint >> 1))
  )[1],
  lambda n: {
    'i': (n::ubigint >> 17)::usmallint,
    'j': ((n::ubigint >> 1) & 65535)::usmallint,
    'sure': n::ubigint & 1 = 0
  }
);

-- Twin of sorted_links (alignframe.functions.links).
create or replace macro sorted_links(links) as _alignframe_tidy(_alignframe_labelled(links));

-- Twin of invert_links (alignframe.functions.links).
create or replace macro invert_links(links) as _alignframe_tidy(
  list_transform(
    _alignframe_labelled(links),
    lambda n: (((n >> 1) & 65535) << 17) | ((n >> 17) << 1) | (n & 1)
  )
);

-- Twin of format_links (alignframe.functions.links).
create or replace macro format_links(links) as array_to_string(
  list_transform(
    _alignframe_labelled(links),
    lambda n: (n >> 17) || if(n & 1 = 0, '-', 'p') || ((n >> 1) & 65535)
  ),
  ' '
);

-- Twin of parse_links (alignframe.functions.links).
create or replace macro parse_links(text) as _alignframe_tidy(
  list_transform(
    list_filter(regexp_split_to_array(text, '[ \t\n\v\f\r]+'), lambda word: word <> ''),
    lambda word: case
      when regexp_matches(word, '^[0-9]+([p?][0-9]+|-[0-9]+(-?[SsPp])?)$')
        and greatest(
          coalesce(try_cast(regexp_extract(word, '^[0-9]+') as ubigint), 65536),
          coalesce(try_cast(regexp_extract(word, '[-p?]([0-9]+)', 1) as ubigint), 65536)
        ) < 65536
        then (regexp_extract(word, '^[0-9]+')::ubigint << 17)
          | (regexp_extract(word, '[-p?]([0-9]+)', 1)::ubigint << 1)
          | if(regexp_matches(word, '^[0-9]+-[0-9]+(-?[Ss])?$'), 0, 1)
      else error(
        '''' || replace(text, chr(10), ' ')[:60] || ''' has something that is not a link; expected '
        || 'links such as 0-0 1-2, or 0p1 for a Possible one, positions up to 65,535'
      )
    end
  )
);

-- Twin of alignment_precision (alignframe.core.figures.precision).
create or replace macro alignment_precision(n_hyp, n_hyp_possible) as
  share_of(n_hyp_possible, n_hyp)::double;

-- Twin of alignment_recall (alignframe.core.figures.recall).
create or replace macro alignment_recall(n_sure, n_hyp_sure) as share_of(n_hyp_sure, n_sure)::double;

-- Twin of aer (alignframe.core.figures).
create or replace macro aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
      then 1 - (n_hyp_possible + n_hyp_sure)::double / nullif((n_sure + n_hyp)::double, 0)
  end;

-- Twin of f_alpha (alignframe.core.figures).
create or replace macro f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when not coalesce(alpha between 0 and 1, false)
      then error('`alpha` is ' || coalesce(alpha::varchar, 'null') || '; expected a number from 0 to 1')
    when not possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) or n_sure = 0 then null
    when n_hyp_sure = 0 or n_hyp_possible = 0 then 0.0::double
    when possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) then 1 / (
      alpha::double / (n_hyp_possible::double / n_hyp::double)
      + (1 - alpha::double) / (n_hyp_sure::double / n_sure::double)
    )
  end;

-- Twin of link_figures (alignframe.functions.links).
create or replace macro link_figures(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as {
  'precision': if(
    possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible),
    n_hyp_possible::double / nullif(n_hyp::double, 0),
    null
  ),
  'recall': if(
    possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible),
    n_hyp_sure::double / nullif(n_sure::double, 0),
    null
  ),
  'aer': aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible),
  'f': f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
};

-- A length that is given, from 0, or else what the last aligned word says.
create or replace macro _alignframe_length(given, positions) as
  if(given::bigint >= 0, given::bigint, coalesce(list_max(positions)::bigint + 1, 0));

-- Positions of links, if they lie within the lengths of their sentence pair; otherwise an error.
create or replace macro _alignframe_within(links, src_length, tgt_length, longest) as list_transform(
  _alignframe_numbers(links::struct(i usmallint, j usmallint)[]),
  lambda n: case
    when greatest(src_length::bigint, tgt_length::bigint) > longest
      then error(format(
        'a sentence of {:,} words; expected at most {:,}',
        greatest(src_length::bigint, tgt_length::bigint), longest
      ))
    when (src_length::bigint >= 0 and (n::uinteger >> 16) >= src_length::bigint)
      or (tgt_length::bigint >= 0 and (n::uinteger & 65535) >= tgt_length::bigint)
      then error(concat(
        'the link ', n::uinteger >> 16, '-', n::uinteger & 65535,
        ' (counted from 0) lies outside its sentence pair of ', coalesce(src_length::bigint, -1),
        ' source and ', coalesce(tgt_length::bigint, -1), ' target words; check that the text '
        'belongs to the links, and which side they name first'
      ))
    else n::uinteger
  end
);

-- Twin of count_null_links (alignframe.functions.phrases).
create or replace macro count_null_links(links, src_length := null, tgt_length := null) as
  list_transform(
    list_transform(
      [_alignframe_within(links, src_length, tgt_length, 65536)],
      lambda s: {
        'i': list_transform(s, lambda n: n::uinteger >> 16),
        'j': list_transform(s, lambda n: n::uinteger & 65535)
      }
    ),
    lambda p: _alignframe_length(src_length, p.i) - list_unique(p.i)::bigint
      + _alignframe_length(tgt_length, p.j) - list_unique(p.j)::bigint
  )[1];

-- The term of a cell of a 2x2 table.
create or replace macro _alignframe_llr_term(cell, n_row, n_column, total) as
  if(cell = 0, 0, cell * ln(cell::double * total::double / (n_row::double * n_column::double)));

-- Twin of llr (alignframe.functions.lexicon).
create or replace macro llr(n_both, n_src, n_tgt, n, signed := true) as list_transform(
  [{'both': n_both::bigint, 'src': n_src::bigint, 'tgt': n_tgt::bigint, 'n': n::bigint}],
  lambda c: case
    when c.both + c.src + c.tgt + c.n is null then null
    when c.both < 0 or c.both > least(c.src, c.tgt) or c.src + c.tgt - c.both > c.n
      then error(concat(
        'n_both ', c.both, ', n_src ', c.src, ', n_tgt ', c.tgt, ', n ', c.n, '; expected counts '
        'of one 2x2 table: n_both at most n_src and n_tgt, and n_src + n_tgt - n_both at most n'
      ))
    else greatest(
      2.0::double * (
        _alignframe_llr_term(c.both, c.src, c.tgt, c.n)
        + _alignframe_llr_term(c.src - c.both, c.src, c.n - c.tgt, c.n)
        + (
          _alignframe_llr_term(c.tgt - c.both, c.n - c.src, c.tgt, c.n)
          + _alignframe_llr_term(c.n - c.src - c.tgt + c.both, c.n - c.src, c.n - c.tgt, c.n)
        )
      ),
      0
    ) * if(
      coalesce(signed, false) and c.both::double * c.n::double < c.src::double * c.tgt::double,
      -1,
      1
    )
  end
)[1];
