-- given one
select parse_links('0-0 1-1 2-2') as forward, parse_links('0-0 1-1 2-1') as reverse
-- query
select
  format_links(symmetrize(forward, reverse, 'intersection')),
  format_links(symmetrize(forward, reverse, 'union')),
  format_links(invert_links(reverse)),
  format_links(invert_links(parse_links('0-1 2p3'))),
  count_links(forward, reverse).n_hyp_possible,
  format_links(parse_links('3p1 0-0'))
from one
-- expect
0-0 1-1 | 0-0 1-1 2-1 2-2 | 0-0 1-1 1-2 | 1-0 3p2 | 2 | 0-0 3p1
