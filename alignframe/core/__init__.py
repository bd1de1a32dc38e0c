"""What every area builds on: layouts of tables and arrays, schemas, parallel execution, output."""
