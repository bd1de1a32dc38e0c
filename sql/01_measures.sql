-- Measures of word alignment as ratios of counts.
-- The counts are those of link_counts(): |A| is n_hyp, |S| is n_sure, |S and A| is n_hyp_sure,
-- |P and A| is n_hyp_possible. Counts of one sentence give the score of a sentence, sums of counts
-- the score of a corpus:
--   select system, aer(sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible))
--   from link_counts('hyp.parquet', 'gold.parquet') group by system

-- Precision(A, P) = |P and A| / |A| (Fraser & Marcu 2007, eq. 1); null where A is empty.
-- Port of alignframe.measures.precision.
create or replace temp macro alignment_precision(n_hyp, n_hyp_possible) as
  n_hyp_possible / nullif(n_hyp, 0);

-- Recall(A, S) = |S and A| / |S| (eq. 2); null where S is empty.
-- Port of alignframe.measures.recall.
create or replace temp macro alignment_recall(n_sure, n_hyp_sure) as
  n_hyp_sure / nullif(n_sure, 0);

-- AER(A, P, S) = 1 - (|P and A| + |S and A|) / (|S| + |A|) (eq. 3); null where both are empty.
-- Port of alignframe.measures.aer.
create or replace temp macro aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  1 - (n_hyp_possible + n_hyp_sure) / nullif(n_sure + n_hyp, 0);

-- F = 1 / (alpha / Precision + (1 - alpha) / Recall) (eq. 4); alpha below 0.5 weights recall.
-- 0 where precision or recall is 0 or A is empty; null where S is empty.
-- Port of alignframe.measures.f_alpha.
create or replace temp macro f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as
  case
    when alpha is null or isnan(alpha::double) or alpha < 0 or alpha > 1
      then error('alpha is ' || coalesce(alpha::varchar, 'null') || '; expected 0 to 1')
    when n_sure is null or n_sure = 0 then null
    when n_hyp_sure = 0 or n_hyp_possible = 0 then 0.0
    else 1 / (
      alpha::double / alignment_precision(n_hyp, n_hyp_possible)
      + (1 - alpha::double) / alignment_recall(n_sure, n_hyp_sure)
    )
  end;
