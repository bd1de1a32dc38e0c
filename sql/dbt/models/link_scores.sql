select * from scores('{{ ref("link_counts") }}')
