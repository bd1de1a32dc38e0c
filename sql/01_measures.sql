-- Counts behind measures. The measures of word alignment are functions of the registry:
-- alignment_precision, alignment_recall, aer, f_alpha, and link_figures, a struct of all. Counts are
-- those of link_counts(): |A| is n_hyp, |S| is n_sure, |S and A| is n_hyp_sure, |P and A| is
-- n_hyp_possible. Counts of one sentence give the score of a sentence, sums of counts the score of a
-- corpus:
--   select system, aer(sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible))
--   from link_counts('hyp.parquet', 'gold.parquet') group by system

-- The share of hits in a total; null where it is 0. Impossible counts are an error.
create or replace temp macro share_of(hits, total) as
  case
    when hits < 0 or hits > total
      then error(concat(hits, ' hits of ', total, '; expected counts from 0, and no more hits'))
    else hits / nullif(total, 0)
  end;

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

-- The names of the figures of links, for columns(), which takes only what is known from types.
create or replace temp macro link_figure_names() as
  regexp_extract_all(typeof(link_figures(0.5, 1, 1, 1, 1)), '(\w+)"? DOUBLE', 1);
