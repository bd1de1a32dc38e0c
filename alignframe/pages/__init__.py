"""HTML pages: tables, forms of charts in one theme, and sentences that open their evidence."""
