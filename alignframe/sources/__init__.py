"""Sources: whatever people hold, resolved into Arrow tables of one shape."""
