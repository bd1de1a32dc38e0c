-- given two
select 1 as sid union all select 2
-- query
select
  exact_links({'sid': 1, 'links': null, 'i': 0, 'j': 1, 'sure': 1}, 'hyp'),
  inexact('STRUCT(i INTEGER, j DOUBLE, sure BOOLEAN){''i'': 0, ''j'': 1.5}'),
  inexact('STRUCT(i INTEGER, sure INTEGER){''i'': 0, ''sure'': 2}'),
  whole_pair(['a'], []::varchar[], 'text', 1),
  whole_entry('a', 'b', 1),
  possible_counts(3, 2, 1, 2),
  possible_counts(3, null, 1, 2),
  share_of(1, 2),
  share_of(0, 0),
  (select counts_sum(n) from (values (1), (2)) as t(n)),
  (select counts_sum(n) from (values (null::int), (null)) as t(n)),
  case when sid = 1 then true else null_error('links', 'hyp', sid, 'a list') end,
  system_name(null, 'hyp', 1),
  given_twice('gold', 'true, news, 5', ['domain', 'sid'])[:37],
  counted_twice('x', 'sid 5')[:42],
  (select rows_once(t) from (values (1), (1)) as t(n)),
  (select chrf_order(t, 'n', 'n', 'n') from (values (1), (2)) as t(n)),
  (select count(*) from rows_of('two'))
from (select 1 as sid)
-- expect
True | j DOUBLE | sure: 2 | True | True | True | None | 0.5000 | None | 3 | None | True | hypothesis | gold gives sentence news, 5 more than | the system x has counts of sid 5 more than | 2 | {'hyp': 3.0, 'ref': 3.0, 'match': 3.0} | 2
