-- Macros for translation lexicons (Melamed 1995). `bitext` is a table with src and tgt (lists of
-- words), one row per sentence pair; `lexicon` one with src, tgt and rank (1 is the best
-- translation of src). Both are names of tables, views or Python frames, or Parquet paths and
-- globs, as strings. Words may be of any type, the same on both sides. Sentence pairs with an empty
-- side are left out.

-- Any table of text, reduced to the columns needed: src, tgt, src_words and tgt_words (numbers of
-- words).
--   select * from pair_rows('text.parquet')
create or replace temp macro pair_rows(bitext) as table
with
_checked as (
  select fine
  from checked_columns(
    bitext, ['src', 'tgt'], 'alignframe convert SRC TGT text.parquet makes such a table'
  )
),
_columns_known as (
  select null as src, null as tgt where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(bitext)
)
select
  src,
  tgt,
  -- Keeps the optimizer from dropping the check of columns when a filter is empty, and a row with
  -- null from being filtered out before it is refused.
  case when _checked.fine then coalesce(len(src), 1) else 1 end as src_words,
  case when _checked.fine then coalesce(len(tgt), 1) else 1 end as tgt_words
from _given
cross join _checked
where case when _checked.fine then whole_pair(src, tgt, bitext, null) end;

-- Whether an entry of a lexicon is complete, with a rank from 1: true; otherwise an error.
create or replace temp macro whole_entry(src, tgt, rank) as
  case
    when src is null or tgt is null or rank is null
      then error(
        'the lexicon has an entry without a ' || case when rank is null then 'rank' else 'word' end
        || '; expected src, tgt and rank in every row'
      )
    when rank < 1
      then error(concat(
        'the lexicon gives ''', tgt, ''' as a translation of ''', src, ''' the rank ', rank,
        '; expected whole numbers from 1, starting with the best translation'
      ))
    else true
  end;

-- Any lexicon, with all its columns: src, tgt, rank. Blanks around words are left out.
--   select * from lexicon_rows('lexicon.parquet')
create or replace temp macro lexicon_rows(lexicon) as table
with
_columns_known as (
  select null as src, null as tgt, null as rank where false
),
_given as (
  select * from rows_of(lexicon)
  union all by name
  select * from _columns_known
)
select * replace (
  regexp_replace(src::varchar, '^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$', '', 'g') as src,
  regexp_replace(tgt::varchar, '^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$', '', 'g') as tgt
)
from _given
where (
  select fine
  from checked_columns(
    lexicon, ['src', 'tgt', 'rank'], 'alignframe lexicon induce -o and n_best() give such a table'
  )
) and whole_entry(src, tgt, rank);

-- Words that co-occur in sentence pairs: src, tgt, n_both, n_src, n_tgt, n_pairs (all int64). With
-- 'types', a word counts once per sentence pair: n_both pairs have both words, n_src and n_tgt have
-- each word, n_pairs are all. With 'tokens', n_src and n_tgt are occurrences; a pair with 3 of src
-- and 2 of tgt adds the lesser, 2, to n_both; n_pairs sums the words of the longer side.
-- Port of alignframe.lexicon.candidates.
--   create table candidates as select * from cooccurrence('text.parquet')
--   select * from cooccurrence('text.parquet', count := 'tokens') order by n_both desc limit 10
create or replace temp macro cooccurrence(bitext, count := 'types') as table
with
_checked as (
  select
    case
      when count in ('types', 'tokens') then true
      else error('counted by ' || coalesce(count::varchar, 'null') || '; expected types or tokens')
    end as fine
),
_pairs as materialized (
  select row_number() over () as pair, given.src, given.tgt
  from pair_rows(bitext) as given
  join _checked on _checked.fine
  where given.src_words > 0 and given.tgt_words > 0
),
_sources as (
  select pair, src, case when count = 'types' then 1 else count(*) end as times
  from (select pair, unnest(src) as src from _pairs)
  group by pair, src
),
_targets as (
  select pair, tgt, case when count = 'types' then 1 else count(*) end as times
  from (select pair, unnest(tgt) as tgt from _pairs)
  group by pair, tgt
),
_together as (
  select src, tgt, sum(least(_sources.times, _targets.times))::bigint as n_both
  from _sources
  join _targets using (pair)
  group by src, tgt
),
_of_source as (
  select src, sum(times)::bigint as n_src from _sources group by src
),
_of_target as (
  select tgt, sum(times)::bigint as n_tgt from _targets group by tgt
),
_all as (
  select
    sum(case when count = 'types' then 1 else greatest(len(src), len(tgt)) end)::bigint as n_pairs
  from _pairs
)
select _together.src, _together.tgt, n_both, n_src, n_tgt, n_pairs
from _together
join _of_source on _of_source.src = _together.src
join _of_target on _of_target.tgt = _together.tgt
cross join _all;

-- The lexicon of candidates: src, tgt, rank (from 1 to `n`), llr, n_both, n_src, n_tgt. A source
-- word gets the targets with the highest log-likelihood ratio (negative for words that co-occur
-- less than by chance, unless `signed` is false); ties are broken by higher n_both, then by byte
-- order. `candidates` is a table as from cooccurrence().
-- Port of alignframe.lexicon.induce.
--   create table candidates as select * from cooccurrence('text.parquet');
--   create table lexicon as select * from n_best('candidates', 5)
create or replace temp macro n_best(candidates, n, signed := true) as table
with
_checked as (
  select
    case
      when n >= 1 then n
      else error('n is ' || coalesce(n::varchar, 'null') || '; expected 1 or more')
    end as most
),
_columns_known as (
  select
    null as src,
    null as tgt,
    null::bigint as n_both,
    null::bigint as n_src,
    null::bigint as n_tgt,
    null::bigint as n_pairs
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(candidates)
  where (
    select fine
    from checked_columns(
      candidates,
      ['src', 'tgt', 'n_both', 'n_src', 'n_tgt', 'n_pairs'],
      'cooccurrence(text) gives such a table'
    )
  )
),
_scored as (
  select
    given.src,
    given.tgt,
    given.n_both,
    given.n_src,
    given.n_tgt,
    llr(given.n_both, given.n_src, given.n_tgt, given.n_pairs, signed) as ratio
  from _given as given
),
_ranked as (
  select *, row_number() over (partition by src order by ratio desc, n_both desc, tgt) as place
  from _scored
)
select src, tgt, place::integer as rank, ratio as llr, n_both, n_src, n_tgt
from _ranked
join _checked on _ranked.place <= _checked.most
order by src, rank;

-- How often the translations of each source word are on the target side of a test text: src, k (from
-- 1 to the given `k`), known (whether the lexicon has the word), pairs (sentence pairs with the
-- word), hits (those whose target side has one of the first k translations), hit_rate (hits /
-- pairs), tokens (occurrences of the word), token_hits (those in pairs that are hits). A word
-- missing from the lexicon has no hits.
--   select * from hit_rates('lexicon.parquet', 'test.parquet', 5) where src = 'house'
create or replace temp macro hit_rates(lexicon, bitext, k) as table
with
_checked as (
  select
    case
      when k >= 1 then true
      else error('k is ' || coalesce(k::varchar, 'null') || '; expected 1 or more')
    end as fine
),
-- Read once and numbered, so that sentences need no sid, and joins are on numbers.
_pairs as materialized (
  select row_number() over () as pair, given.src, given.tgt
  from pair_rows(bitext) as given
  join _checked on _checked.fine
  where given.src_words > 0 and given.tgt_words > 0
),
_best as materialized (
  select src, tgt, rank from lexicon_rows(lexicon) where rank <= k
),
_known as (
  select distinct src from lexicon_rows(lexicon)
),
_words as materialized (
  select word, row_number() over () as id
  from (
    select distinct unnest(src) as word from _pairs
    union
    select src from _best
    union
    select tgt from _best
  )
),
_entries as (
  select sources.id as src_id, targets.id as tgt_id, _best.rank
  from _best
  join _words as sources on sources.word = _best.src
  join _words as targets on targets.word = _best.tgt
),
_sources as materialized (
  select pair, _words.id as src_id, count(*) as times
  from (select pair, unnest(src) as word from _pairs)
  join _words using (word)
  group by pair, src_id
),
_targets as (
  select distinct pair, _words.id as tgt_id
  from (select pair, unnest(tgt) as word from _pairs)
  join _words using (word)
),
-- The best-ranked translation of a word in a sentence pair: a hit from that depth on.
_first as (
  select pair, src_id, min(_entries.rank) as depth
  from _sources
  join _entries using (src_id)
  join _targets using (pair, tgt_id)
  group by pair, src_id
),
_met as (
  select _sources.src_id, _first.depth, count(*) as pairs, sum(_sources.times)::bigint as tokens
  from _sources
  left join _first on _first.pair = _sources.pair and _first.src_id = _sources.src_id
  group by _sources.src_id, _first.depth
),
_summed as (
  select
    _met.src_id,
    depths.depth,
    sum(_met.pairs)::bigint as pairs,
    coalesce(sum(_met.pairs) filter (_met.depth <= depths.depth), 0)::bigint as hits,
    sum(_met.tokens)::bigint as tokens,
    coalesce(sum(_met.tokens) filter (_met.depth <= depths.depth), 0)::bigint as token_hits
  from _met
  cross join (select unnest(range(1, k + 1)) as depth) as depths
  group by _met.src_id, depths.depth
)
select
  _words.word as src,
  _summed.depth as k,
  _known.src is not null as known,
  _summed.pairs,
  _summed.hits,
  _summed.hits / _summed.pairs as hit_rate,
  _summed.tokens,
  _summed.token_hits
from _summed
join _words on _words.id = _summed.src_id
left join _known on _known.src = _words.word
order by _words.word, _summed.depth;

-- BIBLE, by type: k, precision (the mean hit rate of the test text's source words in the lexicon;
-- null if there are none), recall (the share of them), percent_correct (the mean over all; words
-- missing from the lexicon count as 0), types (source words of the text), covered_types (those in
-- the lexicon).
-- Port of alignframe.lexicon.score.
--   select * from bible('lexicon.parquet', 'test.parquet', 5)
create or replace temp macro bible(lexicon, bitext, k) as table
select
  rates.k,
  avg(rates.hit_rate order by rates.src) filter (rates.known) as precision,
  avg(rates.known::integer) as recall,
  avg(rates.hit_rate order by rates.src) as percent_correct,
  count(*) as types,
  count(*) filter (rates.known) as covered_types
from hit_rates(lexicon, bitext, k) as rates
group by rates.k
order by rates.k;

-- BIBLE, by token: the same columns, and tokens and covered_tokens. Words are weighted by their
-- occurrences.
-- Port of alignframe.lexicon.score.
--   select * from bible_by_token('lexicon.parquet', 'test.parquet', 5)
create or replace temp macro bible_by_token(lexicon, bitext, k) as table
select
  rates.k,
  sum(rates.token_hits) / nullif(sum(rates.tokens) filter (rates.known), 0) as precision,
  coalesce(sum(rates.tokens) filter (rates.known), 0) / sum(rates.tokens) as recall,
  sum(rates.token_hits) / sum(rates.tokens) as percent_correct,
  count(*) as types,
  count(*) filter (rates.known) as covered_types,
  sum(rates.tokens)::bigint as tokens,
  coalesce(sum(rates.tokens) filter (rates.known), 0)::bigint as covered_tokens
from hit_rates(lexicon, bitext, k) as rates
group by rates.k
order by rates.k;
