"""Reports: self-contained HTML pages of tables and charts."""
