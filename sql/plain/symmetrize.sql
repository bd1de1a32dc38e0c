-- Plain SQL for joining the links of two directions. Methods that grow links visit them one by one,
-- which takes SQL more than ten times as long as Python.

-- Links of numbers, without labels.
create or replace macro _alignframe_unlabelled(numbers) as list_transform(
  numbers, lambda n: {'i': (n >> 16)::usmallint, 'j': (n & 65535)::usmallint}
);

-- Numbers sorted, each once.
create or replace macro _alignframe_once(numbers) as list_transform(
  [list_sort(numbers)],
  lambda s: list_filter(s, lambda n, k: k = 1 or n <> s[greatest(k - 1, 1)])
)[1];

-- The links of two directions that both have, or either; null if one is.
create or replace macro _alignframe_either(a, b) as
  case when a is not null and b is not null then _alignframe_once(list_concat(a, b)) end;
create or replace macro _alignframe_both(a, b) as list_transform(
  [{'a': a, 'b': b}],
  lambda two: case
    when two.b is not null
      then _alignframe_once(list_filter(two.a, lambda n: list_contains(two.b, n)))
  end
)[1];

-- Twin of symmetrize (alignframe.functions.links), for the methods intersection and union.
create or replace macro symmetrize(forward, reverse, method) as case
  when method = 'intersection' then _alignframe_unlabelled(
    _alignframe_both(
      _alignframe_numbers(forward::struct(i usmallint, j usmallint)[]),
      _alignframe_numbers(reverse::struct(i usmallint, j usmallint)[])
    )
  )
  when method = 'union' then _alignframe_unlabelled(
    _alignframe_either(
      _alignframe_numbers(forward::struct(i usmallint, j usmallint)[]),
      _alignframe_numbers(reverse::struct(i usmallint, j usmallint)[])
    )
  )
  else error(
    'symmetrize() by ' || coalesce(method, 'null') || ' needs Python, which SQL does not for '
    || 'intersection and union: pip install alignframe, then alignframe sql, or '
    || 'alignframe.register(connection) in Python'
  )
end;
