-- given alignments
select * from (values ('a', 'news', 0, 0.75), ('a', 'law', 0, 0.25)) as t(system, domain, sid, p)
-- given probable
select system, domain, sid, [{'i': 0, 'j': 0}] as links, [p::float] as probabilities from alignments
-- given gold
select * from (values ('news', 0, '0-0'), ('law', 0, '0-1')) as t(domain, sid, text)
-- given gold_links
select domain, sid, parse_links(text) as links from gold
-- given bitext
select domain, sid, ['a'] as src, ['x', 'y'] as tgt from gold
-- query
select
  (select list([domain, probability::varchar]) from confident_links('probable', key := ['domain', 'sid'])) as links,
  (select list([probability, correct]) from link_calibration('probable', 'gold_links', key := ['domain', 'sid'])) as shares,
  (select list([domain, mean_probability::varchar, tgt_unaligned::varchar])
    from sentence_confidence('probable', 'bitext', key := ['domain', 'sid'])) as sentences
-- expect
[['news', '0.75']] | [[0.25, 0.0], [0.75, 1.0]] | [['law', '0.25', '0.5'], ['news', '0.75', '0.5']]
