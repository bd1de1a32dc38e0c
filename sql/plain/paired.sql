-- Plain SQL for paired tests of differences, alone and as a family.

-- The two-sided p-value of a difference: 1 less the confidence whose interval just reaches 0.
-- `drawn` are its resamples, without nulls, with the sign of the observed one.
create or replace macro _alignframe_p_value(drawn, observed, units) as case
  when len(drawn) > 0 and observed is not null and units > 1 then list_transform(
    [{
      'size': len(drawn),
      'beyond': list_filter(drawn, lambda x: x <= 1e-12),
      'others': list_filter(drawn, lambda x: not x <= 1e-12)
    }],
    lambda sides: list_transform(
      [
        -- Where the quantile function crosses 0, as interpolated by an interval.
        case
          when len(sides.beyond) = 0 then 0
          when len(sides.others) = 0 then 1
          else (
            len(sides.beyond) - 1 - least(list_max(sides.beyond), 0)
              / (list_min(sides.others) - least(list_max(sides.beyond), 0))
          ) / (sides.size - 1)
        end
      ],
      -- The observed sample counts as one resample.
      lambda share: 2 * _alignframe_share_of(
        least(greatest(share, 1 / (1 + sides.size)), 0.5)::double, units
      )
    )[1]
  )[1]
end;

-- A test in a family: its place, its statistic and those of its draws in units of their spread, and
-- how many draws it has. Without units, draws are permutations, one of which is the observed order.
create or replace macro _alignframe_standard(test, place) as list_transform(
  [
    sqrt(
      (
        coalesce(list_sum(list_transform(test.drawn, lambda x: x * x)), 0)
        + if(test.units = 0, coalesce(test.observed * test.observed, 0), 0)
      ) / greatest(list_count(test.drawn) + (test.units = 0)::integer, 1)
    )
  ],
  lambda spread: list_transform(
    [{
      'extreme': case
        when spread > 0 then (abs(test.observed) - 1e-12) / spread
        when abs(test.observed) > 1e-12 then 'inf'::double
        else '-inf'::double
      end,
      'n': greatest(test.units, 2)::double
    }],
    lambda found: {
      -- The ratio to a spread that is uncertain has Student's t-distribution; mapped to the normal
      -- deviate of equal probability (Wallace 1959).
      'extreme': case
        when test.units = 0 or isinf(found.extreme) then found.extreme
        else sign(found.extreme) * (8 * found.n - 7) / (8 * found.n - 5) * sqrt(
          (found.n - 1) * _alignframe_log_1p(found.extreme * found.extreme / found.n)
        )
      end,
      'place': -place,
      'sizes': list_transform(
        test.drawn,
        lambda x: case when x is null then null when spread > 0 then abs(x) / spread else 0 end
      ),
      'made': list_count(test.drawn),
      'largest': []::double[],
      'p_values': []::double[]
    }
  )[1]
)[1];

-- P-values of joint two-sided tests with observed, drawn and units, corrected by the step-down
-- max-T method (Westfall & Young 1993, algorithm 2.8).
create or replace macro _alignframe_max_t(tests) as list_transform(
  [list_sort(list_filter(
    list_transform(tests, lambda test, place: _alignframe_standard(test, place)),
    lambda test: test.made > 0 and tests[-test.place].observed is not null
  ))],
  -- From the least extreme test on, the largest statistic so far of each resample.
  lambda sorted: list_transform(
    [list_reduce(
      list_prepend(
        {
          'extreme': 0e0,
          'place': 0::bigint,
          'sizes': []::double[],
          'made': 0::bigint,
          'largest': list_resize(
            []::double[], list_max(list_transform(tests, lambda test: len(test.drawn))), 0e0
          ),
          'p_values': []::double[]
        },
        sorted
      ),
      lambda found, test: list_transform(
        [list_transform(
          found.largest, lambda x, k: greatest(x, coalesce(test.sizes[k], 0))
        )],
        lambda largest: {
          'extreme': 0e0,
          'place': 0::bigint,
          'sizes': []::double[],
          'made': 0::bigint,
          'largest': largest,
          'p_values': found.p_values || [(
            1 + len(list_filter(
              largest, lambda x, k: x >= test.extreme and test.sizes[k] is not null
            ))
          ) / (1 + test.made)]
        }
      )[1]
    ).p_values],
    lambda p_values: list_transform(
      tests,
      lambda test, place: list_max(p_values[
        list_position(list_transform(sorted, lambda other: -other.place), place):
      ])
    )
  )[1]
)[1];

-- Twin of paired_tests (alignframe.stats.paired).
create or replace macro paired_tests(tests, confidence := 0.95) as list_transform(
  [{
    'confidence': _alignframe_confidence_of(confidence),
    'tests': list_transform(
      coalesce(
        tests::struct(observed double, drawn double[], units bigint, exchanged double[])[], []
      ),
      lambda test: {
        'observed': if(isnan(test.observed), null, test.observed),
        'drawn': list_transform(coalesce(test.drawn, []), lambda x: if(isnan(x), null, x)),
        'units': test.units,
        'exchanged': list_transform(coalesce(test.exchanged, []), lambda x: if(isnan(x), null, x))
      }
    )
  }],
  lambda family: list_transform(
    [{
      'p_values': list_transform(
        family.tests,
        lambda test: _alignframe_p_value(
          list_filter(
            list_transform(test.drawn, lambda x: sign(test.observed) * x), lambda x: x is not null
          ),
          test.observed,
          test.units
        )
      ),
      'resampled': _alignframe_max_t(list_transform(
        family.tests,
        lambda test: {
          'observed': test.observed,
          'drawn': list_transform(test.drawn, lambda x: x - test.observed),
          'units': test.units
        }
      )),
      'exchanged': if(
        len(list_filter(family.tests, lambda test: len(test.exchanged) > 0)) = 0,
        null,
        _alignframe_max_t(list_transform(
          family.tests,
          lambda test: {
            'observed': test.observed,
            'drawn': if(
              len(test.exchanged) > 0,
              test.exchanged,
              list_transform(test.drawn, lambda x: x - test.observed)
            ),
            'units': if(len(test.exchanged) > 0, 0, test.units)
          }
        ))
      )
    }],
    lambda found: list_transform(
      family.tests,
      lambda test, k: list_transform(
        [_alignframe_ends(
          list_filter(test.drawn, lambda x: x is not null),
          test.observed,
          test.units,
          family.confidence
        )],
        lambda ends: {
          'difference_low': if(
            found.p_values[k] >= 1 - family.confidence, least(ends.low, 0), ends.low
          ),
          'difference_high': if(
            found.p_values[k] >= 1 - family.confidence, greatest(ends.high, 0), ends.high
          ),
          'p_value': found.p_values[k],
          'p_corrected': case
            when len(family.tests) < 2 or found.p_values[k] is null then found.p_values[k]
            when found.resampled[k] is null then null
            when found.exchanged is null then greatest(found.p_values[k], found.resampled[k])
            when found.exchanged[k] is not null
              then greatest(found.p_values[k], found.resampled[k], found.exchanged[k])
          end
        }
      )[1]
    )
  )[1]
)[1];
