// Runs SQL in DuckDB for browsers, under Node: node wasm.cjs STEPS.json FOLDER. A step is SQL, or a
// name and a query, whose rows are written to FOLDER/NAME.arrow. Prints errors as JSON.
const fs = require("fs");
const path = require("path");
const found = require.resolve("@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs");
const duckdb = require(found);

async function main(steps, folder) {
  const bundle = (kind) => ({ mainModule: path.join(path.dirname(found), `duckdb-${kind}.wasm`) });
  const bundles = { mvp: bundle("mvp"), eh: bundle("eh") };
  const db = await duckdb.createDuckDB(bundles, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await db.instantiate(() => {});
  const errors = [];
  const connection = db.connect();
  for (const step of JSON.parse(fs.readFileSync(steps, "utf8"))) {
    const [name, sql] = typeof step === "string" ? ["", step] : step;
    try {
      const rows = db.runQuery(connection.useUnsafe((_, number) => number), sql);
      if (name) fs.writeFileSync(path.join(folder, `${name}.arrow`), rows);
    } catch (error) {
      errors.push([name, sql, String(error.message ?? error)]);
    }
  }
  console.log(JSON.stringify({ version: db.getVersion(), errors }));
}

main(process.argv[2], process.argv[3]);
