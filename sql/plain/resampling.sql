-- Plain SQL for what intervals and paired tests rest on. Resamples are numpy's, draw by draw: its
-- seeds (SeedSequence), generator (PCG64, O'Neill 2014) and bounded integers (Lemire 2019), so that
-- sums of whole counts equal Python's, and figures of them to the last digit.

-- The low 64 bits of a number of 128.
create or replace macro _alignframe_low_64(x) as x & 18446744073709551615::uhugeint;

-- A product of two numbers of 128 bits, modulo 2^128.
create or replace macro _alignframe_product(x, y) as
  (
    _alignframe_low_64(
      ((_alignframe_low_64(x) * _alignframe_low_64(y)) >> 64)
      + _alignframe_low_64((x >> 64) * _alignframe_low_64(y))
      + _alignframe_low_64(_alignframe_low_64(x) * (y >> 64))
    ) << 64
  ) | _alignframe_low_64(_alignframe_low_64(x) * _alignframe_low_64(y));

-- A sum of two numbers of 128 bits, modulo 2^128.
create or replace macro _alignframe_sum(x, y) as
  (
    _alignframe_low_64(
      (x >> 64) + (y >> 64) + ((_alignframe_low_64(x) + _alignframe_low_64(y)) >> 64)
    ) << 64
  ) | _alignframe_low_64(_alignframe_low_64(x) + _alignframe_low_64(y));

-- The low 32 bits of a number of 64, and these with their upper half mixed into the lower one.
create or replace macro _alignframe_low_32(x) as x & 4294967295;
create or replace macro _alignframe_folded(x) as xor(
  _alignframe_low_32(x), _alignframe_low_32(x) >> 16
);

-- A word of 32 bits, mixed with the constant of its turn, which grows by the factor.
create or replace macro _alignframe_hashed_word(word, constant, factor) as _alignframe_folded(
  xor(word, constant) * _alignframe_low_32(constant * factor)
);

-- Two words of 32 bits, mixed.
create or replace macro _alignframe_mixed_words(x, y) as _alignframe_folded(
  3389127133 * x + 4294967296 - _alignframe_low_32(1232336661 * y)
);

-- The generator of a seed, and of one of its streams unless null: its state, and its steps.
create or replace macro _alignframe_generator(seed, stream) as (
with recursive
-- The words of the seed, and of the stream; numpy mixes 16 times, the constant growing each time.
_pools(turn, pool, constant) as (
  select
    0,
    list_resize(
      if(
        seed::ubigint < 4294967296,
        [seed::ubigint],
        [seed::ubigint & 4294967295, seed::ubigint >> 32]
      ) || if(stream is null, [], [stream::ubigint]),
      4,
      0::ubigint
    ),
    1135663077::ubigint
  union all
  select
    turn + 1,
    if(
      turn < 4,
      list_transform(
        pool,
        lambda w, i: if(
          i = turn + 1, _alignframe_hashed_word(w, constant, 2468251765::ubigint), w
        )
      ),
      list_transform(
        pool,
        lambda w, i: if(
          i - 1 = (turn - 4) % 3 + ((turn - 4) % 3 >= (turn - 4) // 3)::integer,
          _alignframe_mixed_words(
            w,
            _alignframe_hashed_word(
              pool[(turn - 4) // 3 + 1], constant, 2468251765::ubigint
            )
          ),
          w
        )
      )
    ),
    _alignframe_low_32(constant * 2468251765)
  from _pools
  where turn < 16
),
_states(turn, pool, constant, words) as (
  select 0, pool, 2337405405::ubigint, []::ubigint[] from _pools where turn = 16
  union all
  select
    turn + 1,
    pool,
    _alignframe_low_32(constant * 1492356589),
    words || [_alignframe_hashed_word(pool[turn % 4 + 1], constant, 1492356589::ubigint)]
  from _states
  where turn < 8
),
_halves as (
  select list_transform(
    range(0, 8, 4),
    lambda k: (words[k + 2]::uhugeint << 96) | (words[k + 1]::uhugeint << 64)
      | (words[k + 4]::uhugeint << 32) | words[k + 3]::uhugeint
  ) as halves
  from _states
  where turn = 8
),
_odd as (
  select
    halves[1] as first,
    _alignframe_sum(_alignframe_sum(halves[2], halves[2]), 1::uhugeint) as increment
  from _halves
),
-- A jump by k steps is x * factor + term; the lists of both double until they have 256 (k from 1).
_jumps(factors, terms, factor, term, first, increment) as (
  select
    ['47026247687942121848144207491837523525'::uhugeint],
    [increment],
    '47026247687942121848144207491837523525'::uhugeint,
    increment,
    first,
    increment
  from _odd
  union all
  select
    factors || list_transform(factors, lambda x: _alignframe_product(x, factor)),
    terms || list_transform(terms, lambda x: _alignframe_sum(_alignframe_product(x, factor), term)),
    _alignframe_product(factor, factor),
    _alignframe_sum(_alignframe_product(term, factor), term),
    first,
    increment
  from _jumps
  where len(factors) < 256
)
select {
  'state': _alignframe_sum(
    _alignframe_product(_alignframe_sum(increment, first), factors[1]), increment
  ),
  'factor': factor,
  'term': term,
  'steps': list_transform(
    factors,
    lambda x, k: {
      'factor_low': _alignframe_low_64(x),
      'factor_high': x >> 64,
      'term_low': _alignframe_low_64(terms[k]),
      'term_high': terms[k] >> 64
    }
  )
}
from _jumps
where len(factors) = 256
);

-- The first `n` words of 64 bits that a generator draws.
create or replace macro _alignframe_words(generator, n) as list_transform(
  [{'generator': generator, 'n': n, 'blocks': (n + 255) // 256}],
  lambda given: flatten(list_transform(
    -- The states before every 256 words, as many as are needed.
    list_reduce(
      list_resize(
        []::struct(states uhugeint[], factor uhugeint, term uhugeint)[],
        1 + ceil(log2(greatest(given.blocks, 1)))::bigint,
        {
          'states': [given.generator.state],
          'factor': given.generator.factor,
          'term': given.generator.term
        }
      ),
      lambda found, _same: {
        'states': found.states || list_transform(
          found.states,
          lambda x: _alignframe_sum(_alignframe_product(x, found.factor), found.term)
        ),
        'factor': _alignframe_product(found.factor, found.factor),
        'term': _alignframe_sum(_alignframe_product(found.term, found.factor), found.term)
      }
    ).states[:given.blocks],
    lambda state: list_transform(
      list_transform(
        list_transform(
          given.generator.steps,
          lambda step: {
            'low': step.factor_low * _alignframe_low_64(state) + step.term_low,
            'high': _alignframe_low_64(step.factor_low * (state >> 64))
              + _alignframe_low_64(step.factor_high * _alignframe_low_64(state))
              + step.term_high
          }
        ),
        lambda x: {
          'low': _alignframe_low_64(x.low), 'high': _alignframe_low_64(x.high + (x.low >> 64))
        }
      ),
      -- The output is the exclusive or of both halves, rotated by the first six bits.
      lambda x: _alignframe_low_64(
        ((xor(x.low, x.high) << 64) | xor(x.low, x.high)) >> (x.high >> 58)
      )::ubigint
    )
  ))[:given.n]
)[1];

-- The first numbers of 32 bits that a generator draws, two of each word.
create or replace macro _alignframe_drawn_numbers(generator, n) as list_transform(
  [{'words': _alignframe_words(generator, (n + 1) // 2), 'n': n}],
  lambda given: list_transform(
    range(given.n),
    lambda k: _alignframe_low_32(given.words[k // 2 + 1] >> if(k % 2 = 0, 0, 32)::ubigint)
  )
)[1];

-- The group, of 2,048, of a sentence when large corpora are resampled: SplitMix64's finaliser, so
-- that groups are those of Python.
create or replace macro _alignframe_shifted(x, places) as xor(x, x >> places);

-- Twin of resampling_unit (alignframe.stats.bootstrap).
create or replace macro resampling_unit(sid) as (
  _alignframe_shifted(
    _alignframe_low_64(
      _alignframe_shifted(
        _alignframe_low_64(
          _alignframe_shifted(
            _alignframe_low_64((sid::bigint::hugeint + 29847458893032750101::hugeint)::uhugeint), 30
          ) * 13787848793156543929::uhugeint
        ),
        27
      ) * 10723151780598845931::uhugeint
    ),
    31
  ) & 2047::uhugeint
)::bigint;

-- How many numbers are enough for draws of `units` units, of which few are refused.
create or replace macro _alignframe_enough(units, draws) as
  draws + 64 + 2 * draws * units // 4294967296;

-- Whether a number is a draw of `units` units by Lemire's method: the unit is above bit 32 of their
-- product, whose lower bits must not be too few.
create or replace macro _alignframe_is_draw(number, units) as
  _alignframe_low_32(number * units) >= (4294967296 - units) % greatest(units, 1);

-- The number of resamples; an error if it is negative.
create or replace macro _alignframe_resamples_of(bootstrap) as case
  when bootstrap < 0 then error(bootstrap || ' resamples; expected at least 1')
  else coalesce(bootstrap, 1000)::bigint
end;

-- The seed; an error if it is negative.
create or replace macro _alignframe_seed_of(seed) as case
  when seed < 0 then error('`seed` is ' || seed || '; expected a whole number from 0')
  else coalesce(seed, 1)::bigint
end;

-- Twin of resampled_sums (alignframe.stats.bootstrap). It draws anew for each row, and takes some ten
-- times as long; resampled_counts() draws once.
create or replace macro resampled_sums(counts, bootstrap := 1000, seed := 1) as case
  when list_count(counts) < len(counts)
    then error('a missing count; expected a number for every unit')
  else list_transform(
    [{
      'counts': counts::double[],
      'units': len(counts)::ubigint,
      'resamples': _alignframe_resamples_of(bootstrap),
      'numbers': _alignframe_drawn_numbers(
        _alignframe_generator(_alignframe_seed_of(seed), null),
        _alignframe_enough(len(counts), len(counts) * _alignframe_resamples_of(bootstrap))
      )
    }],
    lambda given: list_transform(
      [list_filter(
        given.numbers, lambda number: _alignframe_is_draw(number, given.units)
      )],
      lambda drawn: list_transform(
        -- A slice of a list in a lambda would copy all of it.
        range(if(given.counts is null, null, given.resamples)),
        lambda k: coalesce(
          list_sum(list_transform(
            range(given.units::bigint),
            lambda j: given.counts[
              ((drawn[k * given.units::bigint + j + 1] * given.units) >> 32)::bigint + 1
            ]
          )),
          0
        )
      )
    )[1]
  )[1]
end;

-- Whether a number says that a unit keeps its labels.
create or replace macro _alignframe_is_kept(number) as number >= 2147483648;

-- Twin of exchanged_sums (alignframe.stats.paired).
create or replace macro exchanged_sums(counts, others, bootstrap := 1000, seed := 1) as case
  when len(counts) <> len(others)
    then error(
      'lists of ' || len(counts) || ' and ' || len(others) || ' counts; expected the same length'
    )
  else list_transform(
    [{
      'counts': counts::double[],
      'others': others::double[],
      'resamples': _alignframe_resamples_of(bootstrap),
      'numbers': _alignframe_drawn_numbers(
        _alignframe_generator(_alignframe_seed_of(seed), 3),
        len(counts) * _alignframe_resamples_of(bootstrap)
      )
    }],
    lambda given: flatten(
      list_transform(
        range(if(given.counts is null or given.others is null, null, given.resamples)),
        lambda k: list_transform(
          [
            coalesce(
              list_sum(list_transform(
                range(len(given.counts)),
                lambda j: if(
                  _alignframe_is_kept(given.numbers[k * len(given.counts) + j + 1]),
                  given.counts[j + 1],
                  given.others[j + 1]
                )
              )),
              0
            )
          ],
          lambda own: [
            own,
            coalesce(list_sum(given.counts), 0) + coalesce(list_sum(given.others), 0) - own
          ]
        )[1]
      )
    )
  )[1]
end;

-- Twin of drawn_sums (sql/11_intervals.sql), with draws made once for all lists of a length.
create or replace macro drawn_sums(
  lists, bootstrap := 1000, seed := 1, baseline := null
) as table
with
_lists as (
  select *, units < 100 and system <> baseline and baseline is not null as _exchanges
  from query_table(lists)
),
_values as (
  select
    _group,
    system,
    sentences,
    units,
    _exchanges,
    unnest(range(units)) as unit,
    unnest(columns(* exclude (_group, system, sentences, units, _exchanges)))
  from _lists
),
_sizes as (
  select
    units,
    bool_or(_exchanges) as _exchanges,
    units * _alignframe_resamples_of(bootstrap) as draws
  from _lists
  group by units
),
_words as (
  select
    units,
    unnest([null, 3]) as stream,
    unnest([draws, if(_exchanges, draws, 0)]) as draws,
    unnest([
      _alignframe_words(
        _alignframe_generator(_alignframe_seed_of(seed), null),
        _alignframe_enough(units, draws) // 2 + 1
      ),
      _alignframe_words(
        _alignframe_generator(_alignframe_seed_of(seed), 3),
        if(_exchanges, (draws + 1) // 2, 0)
      )
    ]) as words
  from _sizes
),
_numbers as (
  select
    units,
    stream,
    draws,
    2 * word + half as place,
    _alignframe_low_32(words >> (32 * half)::ubigint) as number
  from (
    select units, stream, draws, unnest(words) as words, unnest(range(len(words))) as word
    from _words
  )
  cross join (values (0), (1)) as halves(half)
),
_refused as (
  select units, list(place) as refused
  from _numbers
  where stream is null and not _alignframe_is_draw(number, units::ubigint)
  group by units
),
_drawn as (
  select units, place // units + 1 as resample, (number * units::ubigint >> 32)::bigint as unit
  from (
    select
      units,
      draws,
      number,
      case
        when refused is null then place
        when not list_contains(refused, place)
          then place - len(list_filter(refused, lambda r: r < place))
      end as place
    from _numbers
    left join _refused using (units)
    where stream is null
  )
  where place < draws
),
-- Each resample is followed by what is left of both systems.
_kept as (
  select
    units,
    place % units as unit,
    unnest([_alignframe_is_kept(number), not _alignframe_is_kept(number)]) as kept,
    unnest([-1 - 2 * (place // units), -2 - 2 * (place // units)]) as resample
  from _numbers
  where stream = 3 and place < draws
),
_resampled as (
  select
    _group,
    system,
    0 as resample,
    sentences,
    units,
    sum(columns(* exclude (_group, system, sentences, units, unit, _exchanges))::double)
  from _values
  group by _group, system, sentences, units
  union all
  select
    _group,
    system,
    resample,
    sentences,
    units,
    sum(columns(_values.* exclude (_group, system, sentences, units, unit, _exchanges))::double)
  from _values
  join _drawn using (units, unit)
  group by _group, system, resample, sentences, units
),
-- Both counts of systems whose labels are exchanged; null if one has none.
_pairs as (
  select
    _group,
    system,
    sentences,
    units,
    unit,
    case
      when columns(* exclude (_group, system, sentences, units, unit, _exchanges)) is not null
        and max(columns(* exclude (_group, system, sentences, units, unit, _exchanges)))
          filter (system = baseline) over (partition by _group, unit) is not null
        then {
          'own': columns(* exclude (_group, system, sentences, units, unit, _exchanges))::double,
          'base': (
            max(columns(* exclude (_group, system, sentences, units, unit, _exchanges)))
              filter (system = baseline) over (partition by _group, unit)
          )::double
        }
    end
  from _values
  where baseline is not null
),
_exchanged as (
  select
    _group,
    system,
    resample,
    sentences,
    units,
    sum(if(
      kept,
      struct_extract(
        columns(_pairs.* exclude (_group, system, sentences, units, unit)), 'own'
      ),
      struct_extract(
        columns(_pairs.* exclude (_group, system, sentences, units, unit)), 'base'
      )
    ))
  from _pairs
  join _kept using (units, unit)
  where system <> baseline
  group by _group, system, resample, sentences, units
)
select _group, system as _system, * exclude (_group, system) from _resampled
union all
select _group, system as _system, * exclude (_group, system) from _exchanged;
