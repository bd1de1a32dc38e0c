-- Plain SQL for intervals of figures of resamples: quantiles, and the normal and Student's
-- t-distribution. Tails are integrals by the trapezoidal rule after u = exp(pi/2 sinh(x)) (Takahasi
-- & Mori 1974), exact to some 14 digits; their inverses are Newton's. What a lambda uses of an
-- argument is bound to a name first, or it would be computed for each element.

-- The nodes of integrals from 0 to infinity, and their weights.
create or replace macro _alignframe_half_line() as list_transform(
  range(-62, 74),
  lambda k: {
    'u': exp(pi() / 2 * sinh(k / 16)),
    'weight': pi() / 32 * cosh(k / 16) * exp(pi() / 2 * sinh(k / 16))
  }
);

-- ln(1 + x), exact for small x.
create or replace macro _alignframe_log_1p(x) as if(x < 1, 2 * atanh(x / (2 + x)), ln(1 + x));

-- The share of a normal distribution above z, from 0 on, as a multiple of its density.
create or replace macro _alignframe_mills_ratio(z) as list_transform(
  [z],
  lambda start: list_sum(
    list_transform(
      _alignframe_half_line(),
      lambda node: node.weight * exp(-node.u * (start + node.u / 2))
    )
  )
)[1];

-- The same of Student's t-distribution above x.
create or replace macro _alignframe_student_ratio(freedom, x) as list_transform(
  [{'degrees': freedom, 'start': x, 'scale': sqrt((freedom + x * x) / (freedom + 1))}],
  lambda tail: tail.scale * list_sum(
    list_transform(
      list_transform(
        _alignframe_half_line(),
        lambda node: {
          'weight': node.weight,
          'growth': node.u / (tail.degrees + 1) * (2 * tail.start / tail.scale + node.u)
        }
      ),
      lambda node: node.weight * exp(-(tail.degrees + 1) / 2 * _alignframe_log_1p(node.growth))
    )
  )
)[1];

-- The share of a normal distribution above z, from 0 on.
create or replace macro _alignframe_normal_above(z) as list_transform(
  [z], lambda edge: exp(-edge * edge / 2) * _alignframe_mills_ratio(edge) / sqrt(2 * pi())
)[1];

-- The share of Student's t-distribution above x, from 0 on.
create or replace macro _alignframe_student_above(freedom, x) as list_transform(
  [{'by': freedom, 'edge': x}],
  lambda t: exp(-(t.by + 1) / 2 * _alignframe_log_1p(t.edge * t.edge / t.by))
    * _alignframe_student_ratio(t.by, t.edge) / _alignframe_student_ratio(t.by, 0e0) / 2
)[1];

-- Where a share, at most a half, of a normal distribution lies above, roughly: to three digits
-- (Abramowitz & Stegun, 26.2.23), but at least at the bound by the density at 0.
create or replace macro _alignframe_near_normal(share) as list_transform(
  [{'rest': 0.5 - share, 'turn': sqrt(-2 * ln(share))}],
  lambda t: greatest(
    t.rest * sqrt(2 * pi()),
    t.turn - (2.515517 + t.turn * (0.802853 + t.turn * 0.010328))
      / (1 + t.turn * (1.432788 + t.turn * (0.189269 + t.turn * 0.001308)))
  )
)[1];

-- Where a share, at most a half, of a normal distribution lies above.
create or replace macro _alignframe_normal_end(share) as list_transform(
  [share],
  lambda wanted: list_reduce(
    range(4)::double[],
    lambda z, _turn: list_transform(
      [_alignframe_mills_ratio(z)],
      lambda ratio: z + ratio * (ln(ratio / sqrt(2 * pi())) - z * z / 2 - ln(wanted))
    )[1],
    _alignframe_near_normal(wanted)
  )
)[1];

-- Where a share, at most a half, of Student's t-distribution lies above. Newton's steps are those
-- of logarithms, by which the tail is concave.
create or replace macro _alignframe_student_end(freedom, share) as list_transform(
  [{'by': freedom, 'wanted': share, 'whole': _alignframe_student_ratio(freedom, 0e0)}],
  lambda t: if(
    t.wanted >= 0.5,
    0e0,
    list_reduce(
      range(9)::double[],
      lambda x, _turn: list_transform(
        [_alignframe_student_ratio(t.by, x)],
        lambda ratio: x * exp(
          ratio / x * (
            ln(ratio / t.whole / 2 / t.wanted)
            - (t.by + 1) / 2 * _alignframe_log_1p(x * x / t.by)
          )
        )
      )[1],
      _alignframe_near_normal(t.wanted)
    )
  )
)[1];

-- The share of resamples beyond an end of an interval, for a share of its error.
-- Port of alignframe.stats.bootstrap.tail_of.
create or replace macro _alignframe_tail_of(share, units) as round(
  _alignframe_normal_above(
    sqrt(units / (units - 1)) * _alignframe_student_end(0.6 * (units - 1)::double, share)
  ),
  12
);

-- The share of error for which _alignframe_tail_of() is `tail`.
-- Port of alignframe.stats.bootstrap.share_of.
create or replace macro _alignframe_share_of(tail, units) as round(
  _alignframe_student_above(
    0.6 * (units - 1)::double, sqrt((units - 1) / units) * _alignframe_normal_end(tail)
  ),
  12
);

-- A quantile of sorted numbers, as numpy interpolates them.
create or replace macro _alignframe_quantile(sorted, share) as list_transform(
  [{'place': floor(share * (len(sorted) - 1))::bigint, 'part': share * (len(sorted) - 1) % 1}],
  lambda q: list_transform(
    [{'low': sorted[q.place + 1], 'high': sorted[least(q.place + 2, len(sorted))]}],
    lambda ends: if(
      q.part < 0.5,
      ends.low + (ends.high - ends.low) * q.part,
      ends.high - (ends.high - ends.low) * (1 - q.part)
    )
  )[1]
)[1];

-- The interval of finite figures, not sorted, that is widened to include the observed one; null of
-- a single unit, or without figures.
create or replace macro _alignframe_ends(figures, observed, units, confidence) as case
  when len(figures) > 0 and units > 1 then list_transform(
    [{
      'drawn': list_sort(figures),
      'observed': if(isfinite(observed), observed, null),
      'tail': _alignframe_tail_of((1 - confidence) / 2, units)
    }],
    lambda given: {
      'low': least(_alignframe_quantile(given.drawn, given.tail), given.observed),
      'high': greatest(_alignframe_quantile(given.drawn, 1 - given.tail), given.observed)
    }
  )[1]
end;

-- The confidence of an interval; an error if it is none.
create or replace macro _alignframe_confidence_of(confidence) as case
  when coalesce(confidence > 0 and confidence < 1, false) then confidence::double
  else error(
    '`confidence` is ' || coalesce(confidence::varchar, 'null')
    || '; expected a number between 0 and 1'
  )
end;

-- Twin of interval_ends (alignframe.stats.bootstrap).
create or replace macro interval_ends(
  figures, observed, units, confidence := 0.95
) as list_transform(
  [{
    'drawn': list_filter(figures::double[], lambda x: isfinite(x)),
    'observed': observed::double,
    'units': units::bigint,
    'confidence': _alignframe_confidence_of(confidence)
  }],
  lambda given: case
    when len(given.drawn) > 0 and given.units is null then error(
      'figures without units; expected the column units of resampled_counts(), as intervals of few '
      || 'are wider'
    )
    else _alignframe_ends(given.drawn, given.observed, given.units, given.confidence)
  end
)[1];
