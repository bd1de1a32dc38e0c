select * from scores('{{ ref("link_counts") }}', by := ['domain'])
