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

-- A bound of the positions of links: as large as some power of two exactly if a position is.
create or replace macro _alignframe_width(links) as
  coalesce(list_bit_or(list_transform(links, lambda l: l.i | l.j)), 0);

-- Links, and Sure ones, as bits of a grid with 2 ** shift columns; `last` is its last cell.
create or replace macro _alignframe_bits(links, shift, last) as list_aggregate(
  list_transform(
    links,
    lambda l: coalesce(
      (l.i::uinteger << shift) | l.j,
      error('a link with a missing position; expected i and j of every link')
    )
  ),
  'bitstring_agg',
  0::uinteger,
  last
);
create or replace macro _alignframe_sure_bits(links, shift, last) as list_aggregate(
  list_transform(
    links, lambda l: case when coalesce(l.sure, true) then (l.i::uinteger << shift) | l.j end
  ),
  'bitstring_agg',
  0::uinteger,
  last
);

-- The counts of links in a grid, and of any positions. Lambdas name what would be computed again.
create or replace macro _alignframe_counts_in(hyp, gold, shift, last) as list_transform(
  [
    {
      'a': _alignframe_bits(hyp, shift, last),
      's': _alignframe_sure_bits(gold, shift, last),
      'p': _alignframe_bits(gold, shift, last)
    }
  ],
  lambda b: {
    'n_hyp': coalesce(bit_count(b.a), 0)::bigint,
    'n_sure': coalesce(bit_count(b.s), 0)::bigint,
    'n_possible': coalesce(bit_count(b.p), 0)::bigint,
    'n_hyp_sure': coalesce(bit_count(b.a & b.s), 0)::bigint,
    'n_hyp_possible': coalesce(bit_count(b.a & b.p), 0)::bigint
  }
)[1];
create or replace macro _alignframe_counts_of(hyp, gold) as list_transform(
  [
    {
      'a': _alignframe_numbers(hyp),
      's': _alignframe_numbers(list_filter(gold, lambda l: coalesce(l.sure, true))),
      'p': _alignframe_numbers(gold)
    }
  ],
  lambda n: {
    'n_hyp': list_unique(n.a)::bigint,
    'n_sure': list_unique(n.s)::bigint,
    'n_possible': list_unique(n.p)::bigint,
    'n_hyp_sure': len(list_intersect(n.a, n.s)),
    'n_hyp_possible': len(list_intersect(n.a, n.p))
  }
)[1];

-- Twin of count_links (alignframe.functions.links).
create or replace macro count_links(hyp, gold) as list_transform(
  [
    {
      'hyp': hyp::struct(i usmallint, j usmallint)[],
      'gold': gold::struct(i usmallint, j usmallint, sure boolean)[]
    }
  ],
  lambda g: list_transform(
    [_alignframe_width(g.hyp) | _alignframe_width(g.gold)],
    lambda width: case
      when g.hyp is null or g.gold is null then null
      when width < 32 then _alignframe_counts_in(g.hyp, g.gold, 5, 1023::uinteger)
      when width < 64 then _alignframe_counts_in(g.hyp, g.gold, 6, 4095::uinteger)
      when width < 128 then _alignframe_counts_in(g.hyp, g.gold, 7, 16383::uinteger)
      else _alignframe_counts_of(g.hyp, g.gold)
    end
  )[1]
)[1];

-- Links as whole numbers that sort by i, by j, and Sure ones first.
create or replace macro _alignframe_labelled(links) as list_transform(
  links::struct(i usmallint, j usmallint, sure boolean)[],
  lambda l: coalesce(
    (l.i::ubigint << 17) | (l.j::ubigint << 1) | if(coalesce(l.sure, true), 0, 1),
    error('a link with a missing position; expected i and j of every link')
  )
);

-- Whether numbers ascend: one that does not brings a number above all others.
create or replace macro _alignframe_ascend(numbers) as list_reduce(
  numbers, lambda before, n: if(n::bigint > before, n::bigint, 4294967296), -1::bigint
) < 4294967296;

-- Labelled numbers sorted, each link once; of two labels Sure wins.
create or replace macro _alignframe_sorted(numbers) as list_transform(
  [list_sort(numbers)],
  lambda s: list_filter(s, lambda n, k: k = 1 or (n::ubigint >> 1) <> (s[k - 1]::ubigint >> 1))
)[1];

-- The links of labelled numbers.
create or replace macro _alignframe_links(numbers) as list_transform(
  numbers,
  lambda n: {
    'i': (n::ubigint >> 17)::usmallint,
    'j': ((n::ubigint >> 1) & 65535)::usmallint,
    'sure': n::ubigint & 1 = 0
  }
);

-- The links of labelled numbers, sorted; most are in order already, and sorting takes long.
create or replace macro _alignframe_tidy(numbers) as _alignframe_links(
  list_transform(
    [numbers],
    lambda given: if(
      _alignframe_ascend(list_transform(given, lambda n: n::ubigint >> 1)),
      given,
      _alignframe_sorted(given)
    )
  )[1]
);

-- Twin of sorted_links (alignframe.functions.links).
create or replace macro sorted_links(links) as list_transform(
  [links::struct(i usmallint, j usmallint, sure boolean)[]],
  lambda given: if(
    _alignframe_ascend(_alignframe_numbers(given)),
    given,
    _alignframe_tidy(_alignframe_labelled(given))
  )
)[1];

-- Twin of invert_links (alignframe.functions.links).
create or replace macro invert_links(links) as _alignframe_links(
  _alignframe_sorted(
    list_transform(
      _alignframe_labelled(links),
      lambda n: (((n >> 1) & 65535) << 17) | ((n >> 17) << 1) | (n & 1)
    )
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

-- Twin of parse_links (alignframe.functions.links); what is written as usual is read faster.
create or replace macro parse_links(text) as _alignframe_tidy(
  case
    when regexp_full_match(text, '[0-9]{1,4}-[0-9]{1,4}( [0-9]{1,4}-[0-9]{1,4})*')
      then list_transform(
        string_split(text, ' '),
        lambda word: (split_part(word, '-', 1)::ubigint << 17)
          | (split_part(word, '-', 2)::ubigint << 1)
      )
    else list_transform(
      list_filter(regexp_split_to_array(text, '[ \t\n\v\f\r]+'), lambda word: word <> ''),
      lambda word: case
        when regexp_full_match(word, '[0-9]+([p?][0-9]+|-[0-9]+(-?[SsPp])?)')
          and greatest(
            coalesce(try_cast(regexp_extract(word, '^[0-9]+') as ubigint), 65536),
            coalesce(try_cast(regexp_extract(word, '[-p?]([0-9]+)', 1) as ubigint), 65536)
          ) < 65536
          then (regexp_extract(word, '^[0-9]+')::ubigint << 17)
            | (regexp_extract(word, '[-p?]([0-9]+)', 1)::ubigint << 1)
            | if(regexp_matches(word, '^[0-9]+-[0-9]+(-?[Ss])?$'), 0, 1)
        else error(
          '''' || replace(text, chr(10), ' ')[:60] || ''' has something that is not a link; '
          || 'expected links such as 0-0 1-2, or 0p1 for a Possible one, positions up to 65,535'
        )
      end
    )
  end
);

-- The length of a sentence: one that is given, from 0, or else what the last aligned word says.
create or replace macro _alignframe_length(given, positions, longest) as
  case
    when given::bigint <= longest and given::bigint >= 0 then given::bigint
    when coalesce(given::bigint < 0, true) and coalesce(list_max(positions)::bigint < longest, true)
      then coalesce(list_max(positions)::bigint + 1, 0)
    else error(format(
      'a sentence of {:,} words; expected at most {:,}',
      greatest(given::bigint, list_max(positions)::bigint + 1), longest::bigint
    ))
  end;

-- The number of different positions; those of usual sentences as bits, which is three times faster.
create or replace macro _alignframe_different(positions) as
  case
    when list_max(positions) < 256 then bit_count(
      list_aggregate(positions::usmallint[], 'bitstring_agg', 0::usmallint, 255::usmallint)
    )
    else list_unique(positions)::bigint
  end;

-- The positions of links on both sides, if they lie within the lengths of their sentence pair;
-- otherwise an error.
create or replace macro _alignframe_sides(links, src_length, tgt_length) as list_transform(
  [
    list_transform(
      _alignframe_numbers(links::struct(i usmallint, j usmallint)[]),
      lambda n: case
        when (src_length::bigint >= 0 and (n::uinteger >> 16) >= src_length::bigint)
          or (tgt_length::bigint >= 0 and (n::uinteger & 65535) >= tgt_length::bigint)
          then error(concat(
            'the link ', n::uinteger >> 16, '-', n::uinteger & 65535,
            ' (counted from 0) lies outside its sentence pair of ',
            coalesce(src_length::bigint, -1), ' source and ', coalesce(tgt_length::bigint, -1),
            ' target words; check that the text belongs to the links, and which side they name first'
          ))
        else n::uinteger
      end
    )
  ],
  lambda s: case
    when s is not null then {
      'i': list_transform(s, lambda n: (n::uinteger >> 16)::usmallint),
      'j': list_transform(s, lambda n: (n::uinteger & 65535)::usmallint)
    }
  end
);

-- Twin of count_null_links (alignframe.functions.phrases).
create or replace macro count_null_links(links, src_length := null, tgt_length := null) as
  list_transform(
    _alignframe_sides(links, src_length, tgt_length),
    lambda p: case
      when p is not null
        then _alignframe_length(src_length, p.i, 65536) + _alignframe_length(tgt_length, p.j, 65536)
          - coalesce(_alignframe_different(p.i) + _alignframe_different(p.j), 0)
    end
  )[1];

-- Two lists as one, null if the first is; list_concat() takes null for an empty list.
create or replace macro _alignframe_joined(a, b) as
  case when a is not null then list_concat(a, b) end;

-- Twin of add_null_links (alignframe.functions.phrases).
create or replace macro add_null_links(links, src_length := null, tgt_length := null) as
  _alignframe_tidy(
    _alignframe_joined(
      _alignframe_labelled(links),
      list_transform(
        list_transform(
          _alignframe_sides(links, src_length, tgt_length),
          lambda p: {
            'i': p.i,
            'j': p.j,
            'src': _alignframe_length(src_length, p.i, 65535),
            'tgt': _alignframe_length(tgt_length, p.j, 65535)
          }
        ),
        lambda p: list_concat(
          list_transform(
            list_filter(range(p.src), lambda i: not list_contains(p.i, i::usmallint)),
            lambda i: (i::ubigint << 17) | (p.tgt::ubigint << 1)
          ),
          list_transform(
            list_filter(range(p.tgt), lambda j: not list_contains(p.j, j::usmallint)),
            lambda j: (p.src::ubigint << 17) | (j::ubigint << 1)
          )
        )
      )[1]
    )
  );

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
