-- BLEU and chrF of translations, 0 to 100, from additive counts: those of bleu_counts(hyp, refs)
-- and chrf_counts(hyp, refs), or rows of a table written by `alignframe mt score --counts -o`. In
-- bleu_counts, `hyp` is a list of words and `refs` a list of these; in chrf_counts, a text and a
-- list of texts.
--   select system, bleu(bleu_sums(c)), chrf(chrf_sums(c)) from 'counts.parquet' as c group by system
--   select system, bleu(bleu_sums(c))
--   from (select system, bleu_counts(hyp, [ref]) as c from 'words.parquet') group by system

-- The sum of counts of translations, each from 0 and at most `most`; null if none has them, as words
-- in chrF may not be counted.
create or replace temp macro counts_sum(n, most := 1e15) as
  case
    when count(n) not in (0, count(*)) then error(
      'counts of ' || count(n) || ' of ' || count(*) || ' translations; expected those of each; '
      || 'bleu_counts() and chrf_counts() of null, or without a reference, are null'
    )
    when bool_and(n >= 0 and n <= most) is distinct from false then sum(n)
    else error(
      'counts of n-grams from ' || min(n) || ' to ' || max(n) || ', of ' || min(most) || ' to '
      || max(most) || '; expected counts from 0, and no more matches than n-grams'
    )
  end;

-- The number of a group of rows of counts, each of another sentence if they have sid.
create or replace temp macro rows_once(counts) as
  case
    when not regexp_matches(any_value(typeof(counts)), '\bsid"? ') or count(distinct hash(counts)) = count(*)
      then count(*)
    else error('counts of a sentence more than once; expected one row per system and sentence')
  end;

-- Sums of BLEU's counts, over a group of rows: hyp, ref, and lists of matches and totals.
create or replace temp macro bleu_sums(counts) as {
  hyp: if(rows_once(counts) > 0, counts_sum(struct_extract(counts, 'bleu_hyp')), null)::double,
  ref: counts_sum(struct_extract(counts, 'bleu_ref'))::double,
  matches: [
    counts_sum(struct_extract(counts, 'bleu_match_1'), struct_extract(counts, 'bleu_total_1'))::double,
    counts_sum(struct_extract(counts, 'bleu_match_2'), struct_extract(counts, 'bleu_total_2'))::double,
    counts_sum(struct_extract(counts, 'bleu_match_3'), struct_extract(counts, 'bleu_total_3'))::double,
    counts_sum(struct_extract(counts, 'bleu_match_4'), struct_extract(counts, 'bleu_total_4'))::double
  ],
  totals: [
    counts_sum(struct_extract(counts, 'bleu_total_1'), struct_extract(counts, 'bleu_hyp'))::double,
    counts_sum(struct_extract(counts, 'bleu_total_2'), struct_extract(counts, 'bleu_hyp'))::double,
    counts_sum(struct_extract(counts, 'bleu_total_3'), struct_extract(counts, 'bleu_hyp'))::double,
    counts_sum(struct_extract(counts, 'bleu_total_4'), struct_extract(counts, 'bleu_hyp'))::double
  ]
};

-- The smoothed n-gram precisions of bleu_sums(): an order without a match counts half of the one
-- before (exp) or as `value` matches (floor); or `value` is added to all orders above 1 (add-k).
create or replace temp macro bleu_share(sums, n, smooth, value) as
  case
    when smooth = 'add-k' and n > 1
      then (sums.matches[n] + coalesce(value, 1)) / (sums.totals[n] + coalesce(value, 1))
    when sums.matches[n] > 0 then sums.matches[n] / sums.totals[n]
    when smooth = 'exp'
      then 0.5 ** len(list_filter(sums.matches[1:n], lambda _m: _m = 0)) / sums.totals[n]
    when smooth = 'floor' then coalesce(value, 0.1) / sums.totals[n]
    when smooth in ('add-k', 'none') then 0.0
    else error('the smoothing ' || smooth || '; expected exp, floor, add-k or none')
  end;

-- BLEU (Papineni et al. 2002) of bleu_sums(), smoothed by exp, floor, add-k or none (Chen & Cherry
-- 2014). With effective_order, as for single sentences, orders without n-grams are left out. 0 if
-- nothing matches.
-- Port of alignframe.mt.score.
--   select sid, bleu(bleu_sums(c), effective_order := true) from 'counts.parquet' as c group by sid
create or replace temp macro bleu(
  sums, smooth := 'exp', smooth_value := null, effective_order := false
) as
  -- A lambda over a list of one element names the sums, as a macro repeats its arguments.
  list_transform(
    [sums],
    lambda _sums: list_transform(
      [list_filter([1, 2, 3, 4], lambda _n: _sums.totals[_n] > 0 or (smooth = 'add-k' and _n > 1))],
      lambda _orders: case
        when _sums.hyp is null then null
        when _sums.matches[1] = 0 then 0.0
        when len(_orders) < 4 and not effective_order then 0.0
        else 100 * exp(least(1 - _sums.ref / _sums.hyp, 0)) * list_product(
          list_transform(
            _orders, lambda _n: bleu_share(_sums, _n, smooth, smooth_value) ** (1 / len(_orders))
          )
        )
      end
    )[1]
  )[1];

-- Sums of chrF's counts of one order, over a group of rows: hyp, ref and match.
create or replace temp macro chrf_order(counts, hyp, ref, match) as {
  hyp: counts_sum(struct_extract(counts, hyp))::double,
  ref: counts_sum(struct_extract(counts, ref))::double,
  match: counts_sum(
    struct_extract(counts, match), least(struct_extract(counts, hyp), struct_extract(counts, ref))
  )::double
};

-- Sums of chrF's counts, over a group of rows: hyp, ref and match for n-grams of 1 to 6 characters,
-- and of 1 and 2 words if counted.
create or replace temp macro chrf_sums(counts) as [
  if(rows_once(counts) > 0, chrf_order(counts, 'chrf_hyp_1', 'chrf_ref_1', 'chrf_match_1'), null),
  chrf_order(counts, 'chrf_hyp_2', 'chrf_ref_2', 'chrf_match_2'),
  chrf_order(counts, 'chrf_hyp_3', 'chrf_ref_3', 'chrf_match_3'),
  chrf_order(counts, 'chrf_hyp_4', 'chrf_ref_4', 'chrf_match_4'),
  chrf_order(counts, 'chrf_hyp_5', 'chrf_ref_5', 'chrf_match_5'),
  chrf_order(counts, 'chrf_hyp_6', 'chrf_ref_6', 'chrf_match_6'),
  chrf_order(counts, 'chrf_hyp_word_1', 'chrf_ref_word_1', 'chrf_match_word_1'),
  chrf_order(counts, 'chrf_hyp_word_2', 'chrf_ref_word_2', 'chrf_match_word_2')
];

-- F of precision and recall, with recall weighted `beta` times as much as precision.
create or replace temp macro chrf_f(share, found, beta) as
  (1 + beta ** 2) * share * found / (beta ** 2 * share + found);

-- chrF (Popović 2015) of chrf_sums(), with recall weighted `beta` times as much as precision. 0 if
-- nothing matches. With several references, pass the same beta to chrf_counts(), which uses it to
-- choose the best.
-- Port of alignframe.mt.score.
--   select system, chrf(chrf_sums(c)) from 'counts.parquet' as c group by system
create or replace temp macro chrf(sums, beta := 2) as
  list_transform(
    [sums],
    lambda _sums: list_transform(
      [list_filter(_sums, lambda _s: _s.hyp > 0 and _s.ref > 0)],
      lambda _orders: case
        when list_sum(list_transform(_orders, lambda _s: _s.match)) > 0
          then 100 * chrf_f(
            list_avg(list_transform(_orders, lambda _s: _s.match / _s.hyp)),
            list_avg(list_transform(_orders, lambda _s: _s.match / _s.ref)),
            beta
          )
        when _sums[1].hyp is not null then 0.0
      end
    )[1]
  )[1];

-- A phrase table's pairs with their probabilities (ratios of its counts) and its lexical weights.
-- p_src is the probability of the source phrase given the target phrase.
-- Port of alignframe.mt.probabilities.
--   select * from phrase_probabilities('table.parquet') where src = ['maison'] order by p_tgt desc
create or replace temp macro phrase_probabilities(phrase_table) as table
with
_columns_known as (
  select
    null as src,
    null as tgt,
    null::bigint as n_both,
    null::bigint as n_src,
    null::bigint as n_tgt,
    null::double as lex_src,
    null::double as lex_tgt
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(phrase_table)
)
select src, tgt, n_both / n_tgt as p_src, lex_src, n_both / n_src as p_tgt, lex_tgt
from _given
where (
  select fine
  from checked_columns(
    phrase_table,
    ['src', 'tgt', 'n_both', 'n_src', 'n_tgt', 'lex_src', 'lex_tgt'],
    'alignframe mt train -o table.parquet makes such a table'
  )
);
