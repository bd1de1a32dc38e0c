-- query
select
  bead_f(0.5, 0.25), bead_f(0.0, 0.5), bead_f(null, 0.0),
  bead_f(0, 0), bead_f(null, 1.0), bead_f(null, null)
-- expect
0.3333 | 0.0000 | None | 0.0000 | None | None
