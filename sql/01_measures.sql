-- Measures of word alignment as ratios of counts.
-- The counts are those of link_counts(): |A| is n_hyp, |S| is n_sure, |S and A| is n_hyp_sure,
-- |P and A| is n_hyp_possible. Counts of one sentence give the score of a sentence, sums of counts
-- the score of a corpus:
--   select system, aer(sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible))
--   from link_counts('hyp.parquet', 'gold.parquet') group by system

-- The share of hits in a total; null where it is 0. Impossible counts are an error.
create or replace temp macro share_of(hits, total) as
  case
    when hits < 0 or hits > total
      then error(concat(hits, ' hits of ', total, '; expected counts from 0, and no more hits'))
    else hits / nullif(total, 0)
  end;

-- Precision(A, P) = |P and A| / |A| (Fraser & Marcu 2007, eq. 1); null where A is empty.
-- Port of alignframe.measures.precision.
create or replace temp macro alignment_precision(n_hyp, n_hyp_possible) as
  share_of(n_hyp_possible, n_hyp);

-- Recall(A, S) = |S and A| / |S| (eq. 2); null where S is empty.
-- Port of alignframe.measures.recall.
create or replace temp macro alignment_recall(n_sure, n_hyp_sure) as
  share_of(n_hyp_sure, n_sure);

-- Whether counts are known: true or null. Counts that no links can have are an error.
create or replace temp macro possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when 0 <= n_hyp_sure and n_hyp_sure <= n_hyp_possible and n_hyp_possible <= n_hyp
      and n_hyp_sure <= n_sure
      then true
    when n_hyp_sure is not null and n_hyp_possible is not null and n_hyp is not null
      and n_sure is not null
      then error(concat(
        'the counts n_hyp ', n_hyp, ', n_sure ', n_sure, ', n_hyp_sure ', n_hyp_sure,
        ', n_hyp_possible ', n_hyp_possible, '; expected counts from 0, n_hyp_sure at most n_sure '
        'and n_hyp_possible, and n_hyp_possible at most n_hyp'
      ))
  end;

-- AER(A, P, S) = 1 - (|P and A| + |S and A|) / (|S| + |A|) (eq. 3); null where both are empty.
-- Port of alignframe.measures.aer.
create or replace temp macro aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) is not null
      then 1 - (n_hyp_possible + n_hyp_sure) / nullif(n_sure + n_hyp, 0)
  end;

-- F = 1 / (alpha / Precision + (1 - alpha) / Recall) (eq. 4); alpha below 0.5 weights recall.
-- 0 where precision or recall is 0 or A is empty; null where S is empty.
-- Port of alignframe.measures.f_alpha.
create or replace temp macro f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when alpha is null or isnan(alpha::double) or alpha < 0 or alpha > 1
      then error('alpha is ' || coalesce(alpha::varchar, 'null') || '; expected 0 to 1')
    when possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) is null or n_sure = 0 then null
    when n_hyp_sure = 0 or n_hyp_possible = 0 then 0.0
    else 1 / (alpha::double / (n_hyp_possible / n_hyp) + (1 - alpha::double) / (n_hyp_sure / n_sure))
  end;
