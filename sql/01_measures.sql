-- Figures of links (Fraser & Marcu 2007) from counts, which are those of link_counts(): |A| is n_hyp,
-- |S| is n_sure, |S and A| is n_hyp_sure, |P and A| is n_hyp_possible. Counts of one sentence give the
-- figure of a sentence, sums of counts that of a corpus. Unknown counts give null, and those that no
-- links can have are an error.
--   select system, aer(sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible))
--   from link_counts('hyp.parquet', 'gold.parquet') group by system

-- The share of hits in a total; null where it is 0. Impossible counts are an error.
create or replace temp macro share_of(hits, total) as
  case
    when hits < 0 or hits > total
      then error(format(
        '{:.15g} hits of {:.15g}; expected counts from 0, and no more hits', hits::double, total::double
      ))
    else hits / nullif(total, 0)
  end;

-- Whether counts are known: true or null. Counts that no links can have are an error.
create or replace temp macro possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when 0 <= n_hyp_sure and n_hyp_sure <= n_hyp_possible and n_hyp_possible <= n_hyp
      and n_hyp_sure <= n_sure
      then not isnan(n_hyp::double + n_sure) or null
    when not isnan(n_hyp::double + n_sure + n_hyp_sure + n_hyp_possible)
      then error(format(
        'the counts n_hyp {:.15g}, n_sure {:.15g}, n_hyp_sure {:.15g}, n_hyp_possible {:.15g}; '
        'expected counts from 0, n_hyp_sure at most n_sure and n_hyp_possible, and n_hyp_possible '
        'at most n_hyp',
        n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double
      ))
  end;

-- Precision, |P and A| / |A| (eq. 1); null where A is empty.
-- Port of alignframe.core.figures.precision.
create or replace temp macro alignment_precision(n_hyp, n_hyp_possible) as
  share_of(n_hyp_possible::double, n_hyp::double);

-- Recall, |S and A| / |S| (eq. 2); null where S is empty.
-- Port of alignframe.core.figures.recall.
create or replace temp macro alignment_recall(n_sure, n_hyp_sure) as
  share_of(n_hyp_sure::double, n_sure::double);

-- AER of counts that are checked.
create or replace temp macro unchecked_aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  1 - (n_hyp_possible::double + n_hyp_sure) / nullif(n_sure + n_hyp, 0);

-- AER, 1 - (|P and A| + |S and A|) / (|S| + |A|) (eq. 3); null where both sets are empty.
-- Port of alignframe.core.figures.aer.
create or replace temp macro aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when possible_counts(n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double)
      then unchecked_aer(n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible)
  end;

-- F of counts that are checked.
create or replace temp macro unchecked_f(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when not coalesce(alpha between 0 and 1, false)
      then error(
        '`alpha` is ' || coalesce(alpha::double::varchar, 'null') || '; expected a number from 0 to 1'
      )
    when n_sure = 0 then null
    when n_hyp_sure = 0 then 0
    else 1 / (alpha / (n_hyp_possible / n_hyp) + (1 - alpha) / (n_hyp_sure / n_sure))
  end;

-- F = 1 / (alpha / precision + (1 - alpha) / recall) (eq. 4); null where S is empty.
-- Port of alignframe.core.figures.f_alpha.
create or replace temp macro f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when possible_counts(n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double)
      then unchecked_f(
        alpha::double, n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double
      )
  end;

-- Every figure of links, a struct: precision, recall, aer and f.
-- Port of alignframe.core.figures.link_figures.
create or replace temp macro link_figures(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when possible_counts(n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double)
      then {
        'precision': n_hyp_possible::double / nullif(n_hyp::double, 0),
        'recall': n_hyp_sure::double / nullif(n_sure::double, 0),
        'aer': unchecked_aer(n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible),
        'f': unchecked_f(
          alpha::double, n_hyp::double, n_sure::double, n_hyp_sure::double, n_hyp_possible::double
        )
      }
    else {'precision': null, 'recall': null, 'aer': null, 'f': null}
  end;

-- The names of the figures of links, for columns().
create or replace temp macro link_figure_names() as ['precision', 'recall', 'aer', 'f'];
