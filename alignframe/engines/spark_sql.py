"""DuckDB SQL and the project's macros on Spark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from alignframe.choices import PARQUET
from alignframe.engines.expansion import Columns, Expansion
from alignframe.engines.macro_trees import parsed
from alignframe.engines.spark_dialect import spark_sql, spark_type
from alignframe.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def sql(session: SparkSession, query: str) -> DataFrame:
    """Run a DuckDB SQL query, with the project's macros, in Spark.

    Macros are expanded before the query is passed to Spark, with the columns of the session's
    tables. Names of tables and paths of Parquet files are resolved by the session.

    Parameters
    ----------
    session
        A session after ``register``.
    query
        One query, as for ``alignframe.connect()``.

    Returns
    -------
    pyspark.sql.DataFrame
        Computed lazily.

    Raises
    ------
    InputError
        If a macro is given a table without the columns that it needs.
    QueryError
        If the query refers to columns that do not exist.

    Examples
    --------
    >>> spark.sql(session, "select * from link_scores('hyp', 'gold')").show()  # doctest: +SKIP
    """
    return session.sql(written_out(session, query))


def written_out(session: SparkSession, query: str) -> str:
    """Translate a DuckDB query to Spark SQL, without macros."""
    expansion = Expansion(lambda name: _table(session, name))
    try:
        tree = expansion.query(parsed(query), {})
        parts = [
            f"`{name}` as (\n{part if isinstance(part, str) else spark_sql(part)}\n)"
            for name, part in expansion.parts
        ]
        ctes = "with\n" + ",\n".join(parts) + "\n" if parts else ""
        return ctes + spark_sql(tree)
    finally:
        expansion.close()


def _table(session: SparkSession, name: str) -> tuple[Columns, str]:
    """Return the columns of a session's table or of Parquet files, and the SQL that reads them."""
    from pyspark.errors import PySparkException

    is_path = "/" in name or name.endswith(PARQUET)
    place = f"parquet.`{name}`" if is_path else _quoted(name)
    if is_path and (columns := _file_columns(name)):
        # Sail cannot return dictionaries or unsigned numbers, but casts both. It pushes lambdas
        # down into file scans, where they are lost, unless something is in between.
        items = ", ".join(
            f"`{name}`"
            if kind.endswith((")", "]"))
            else f"cast(`{name}` as {spark_type(kind)}) `{name}`"
            for name, kind in columns
        )
        is_remote = ".connect." in type(session).__module__
        if is_remote and (twice := _keys_in_files(name)):
            raise InputError(
                f"the column {twice[0]} both in folders and in files of {name}",
                expected="one of both, for Sail",
                todo="read its partitions one by one, or write the files without it",
            )
        between = f"limit {2**63 - 1}" if is_remote else ""
        return columns, " ".join(("select", items, "from", place, between))
    try:
        fields = session.sql(f"table {place}").schema.fields
    except PySparkException as error:
        said = str(error).splitlines()[0]
        raise InputError(
            f"no table {name!r} ({said})",
            expected="a table or view of the Spark session, or a path of Parquet files",
        ) from None
    return [(field.name, _kind(field.dataType)) for field in fields], f"table {place}"


def _file_columns(path: str) -> Columns:
    """Return the columns of Parquet files; none if only the engine can read them."""
    import duckdb

    with duckdb.connect() as connection:
        try:
            found = connection.read_parquet(path)
        except duckdb.Error:
            return []
        return [(name, str(kind)) for name, kind in zip(found.columns, found.types, strict=True)]


def _keys_in_files(path: str) -> list[str]:
    """Return the partition columns, such as ``system=giza``, that files have too."""
    import duckdb

    if "*" in path:  # partition keys in folder names are not read there
        return []
    with duckdb.connect() as connection:
        found = connection.read_parquet(path, hive_partitioning=False, filename=True)
        rows = found.limit(1).fetchall()
        first = dict(zip(found.columns, rows[0], strict=True)) if rows else {}
    below = str(first.get("filename", "")).removeprefix(path)
    return [name for name in re.findall(r"([^/=]+)=[^/]*/", below) if name in first]


def _quoted(name: str) -> str:
    return ".".join(f"`{part}`" for part in name.replace("`", "").replace('"', "").split("."))


_KINDS = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "integer",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "string": "varchar",
    "boolean": "boolean",
    "binary": "blob",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "void": '"NULL"',
}


def _kind(kind: Any) -> str:
    """Return DuckDB's name for a Spark type."""
    name = kind.typeName()
    if name == "array":
        return f"{_kind(kind.elementType)}[]"
    if name == "struct":
        fields = ", ".join(f'"{one.name}" {_kind(one.dataType)}' for one in kind.fields)
        return f"struct({fields})"
    if name == "map":
        return f"map({_kind(kind.keyType)}, {_kind(kind.valueType)})"
    if name == "decimal":
        return f"decimal({kind.precision}, {kind.scale})"
    return _KINDS.get(name, "varchar")
