-- query
select name_list('sid'), name_list(['domain', 'it''s']), name_list([])
-- expect
['sid'] | ['domain', "it's"] | []
