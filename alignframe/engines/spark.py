"""Registering the row-wise functions in Spark, or in Sail, a Spark server without a JVM.

>>> from alignframe.engines import spark
>>> spark.register(session)  # doctest: +SKIP
>>> session.sql("select count_links(hyp, gold) from links")  # doctest: +SKIP
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from alignframe.core.arrays import F64
from alignframe.core.lazy import listed
from alignframe.errors import InputError, MissingExtraError
from alignframe.functions import FUNCTIONS, RowFunction
from alignframe.functions.mt import bleu_names, bleu_of
from alignframe.functions.row import of_counts

if TYPE_CHECKING:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

__all__ = ["register", "session"]
__dir__ = listed(__all__)

_NAMES = {
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.bool_(): "boolean",
    pa.string(): "string",
    pa.float64(): "double",
}


_SERVERS: list[SparkConnectServer] = []


def __getattr__(name: str) -> Any:
    if name == "sql":  # until the next version
        raise AttributeError(
            "engines.spark.sql is gone, as macros no longer run on Spark; use the session's own "
            "sql() after engines.spark.register(session)"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def session() -> SparkSession:
    """Open a session of the server in ``SPARK_REMOTE``, or else of this process.

    Returns
    -------
    pyspark.sql.SparkSession
        In this process, of Sail if it is installed, else of Spark, which needs Java. The open
        session, or a new one, without tables and functions, if the server has ended it, as servers
        do with idle sessions. Sail is started once and ends with the process; it keeps an idle
        session for a week, or for ``SAIL_SPARK__SESSION_TIMEOUT_SECS`` seconds.

    Raises
    ------
    MissingExtraError
        If PySpark is missing.
    InputError
        If Spark does not start, or the server cannot be reached.
    """
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError(
            "pyspark>=4.1", "sail", "Spark", "alignframe[spark], which needs Java"
        ) from None
    remote = os.environ.get("SPARK_REMOTE") or _sail()
    if not remote or remote.startswith("local"):
        # Workers on this machine run this Python, not the first python3 on the path.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder
    try:
        with _as_a_program():
            spark_session: SparkSession = builder.getOrCreate()
            if remote and _ended(spark_session):
                spark_session.stop()
                spark_session = builder.getOrCreate()
    except PySparkException as error:
        raise InputError(
            f"Spark does not start ({str(error).splitlines()[0]})",
            expected=f"a server at {remote}" if remote else "Java 17 or newer",
            todo="" if remote else "or use Sail: pip install 'alignframe[sail]'",
        ) from error
    return spark_session


@contextmanager
def _as_a_program() -> Iterator[None]:
    """Give the main module a file, for a while."""
    # PySpark takes one without, as of `python -c`, for a run of its own doctests, and exits.
    main = sys.modules["__main__"]
    bare = not hasattr(main, "__file__")
    if bare:
        main.__file__ = __file__
    try:
        yield
    finally:
        if bare:
            del main.__file__


def _ended(session: SparkSession) -> bool:
    """Ask the server whether it has dropped the session, which the client does not notice."""
    from pyspark.errors import PySparkException

    try:
        session.conf.get("spark.sql.session.timeZone")
    except PySparkException:
        session.release_session_on_close = False
        return True
    return False


def _sail() -> str:
    """Start Sail, once, and return its address; nothing if Spark itself is here instead."""
    try:
        from pysail.spark import SparkConnectServer
    except ImportError:
        from pyspark.util import is_remote_only

        if is_remote_only():
            raise MissingExtraError("pysail", "sail", "Sail") from None
        return ""
    if not _SERVERS:
        os.environ.setdefault("RUST_LOG", "error")
        # A session that waits for its user for less than a week stays.
        os.environ.setdefault("SAIL_SPARK__SESSION_TIMEOUT_SECS", str(7 * 24 * 3600))
        server = SparkConnectServer()
        server.start(background=True)
        _SERVERS.append(server)
    return f"sc://localhost:{_SERVERS[0].listening_address[1]}"


def register(session: SparkSession) -> None:
    """Register every row-wise function, and BLEU, in the SQL of a Spark session.

    Trailing arguments with defaults may be omitted. Beside the functions of DuckDB there is bleu,
    of the counts of bleu_counts in their order, usually sums.

    Parameters
    ----------
    session
        A session of Spark 4.1 or newer, classic or by Spark Connect.

    Raises
    ------
    MissingExtraError
        If PySpark is missing or older.
    """
    try:
        from pyspark.sql.functions import arrow_udf
    except ImportError:
        raise MissingExtraError("pyspark>=4.1", "sail", "Spark") from None
    for function in (*FUNCTIONS, BLEU):
        made = arrow_udf(_columnar(function), type_name(returned(function.returns)))
        session.udf.register(function.name, made)


def type_name(kind: pa.DataType) -> str:
    """Return Spark's name for an Arrow type."""
    if pa.types.is_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        fields = ", ".join(f"{field.name}: {type_name(field.type)}" for field in kind)
        return f"struct<{fields}>"
    return _NAMES[kind]


def returned(kind: pa.DataType) -> pa.DataType:
    """Return Spark's equivalent of an Arrow type; it has no unsigned integers."""
    if pa.types.is_list(kind):
        return pa.list_(pa.field("element", returned(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, returned(field.type)) for field in kind])
    return pa.int32() if kind == pa.uint16() else kind


def _columnar(function: RowFunction) -> Callable[..., pa.Array]:
    """Return the function with annotations that make Spark pass Arrow columns."""
    kinds = list(function.arguments.values())
    fixed = len(kinds) - len(function.defaults)
    rest = [
        pa.scalar(value, kind)
        for value, kind in zip(function.defaults.values(), kinds[fixed:], strict=True)
    ]
    wanted = returned(function.returns)
    name = function.name

    def call(*columns: Any) -> Any:
        # The function itself is not pickled: workers import it.
        from alignframe.engines.spark import BLEU
        from alignframe.functions import FUNCTIONS

        function_named = next(
            candidate for candidate in (*FUNCTIONS, BLEU) if candidate.name == name
        )
        if not fixed <= len(columns) <= len(kinds):
            raise InputError(
                f"{name} with {len(columns)} arguments",
                expected=", ".join(function_named.arguments),
            )
        rows = len(columns[0])
        left = [pa.repeat(value, rows) for value in rest[len(columns) - fixed :]]
        given = [_narrow(column, kind) for column, kind in zip(columns, kinds, strict=False)]
        return _null_within(function_named.call(*given, *left).cast(wanted))

    call.__annotations__ = {"columns": pa.Array, "return": pa.Array}
    call.__name__ = name
    return call


def _null_within(column: pa.Array) -> pa.Array:
    """Set the fields of null structs to null too: Sail looks only at the fields."""
    if not pa.types.is_struct(column.type) or not column.null_count:
        return column
    return pa.StructArray.from_arrays(
        column.flatten(), fields=list(column.type), mask=column.is_null()
    )


def _narrow(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Cast numbers and text, such as an int literal; links may or may not have labels."""
    if pa.types.is_null(column.type):
        return pa.nulls(len(column), kind)
    return column if pa.types.is_nested(kind) else column.cast(kind)


def _bleu(*sums: F64) -> F64:
    named = dict(zip(bleu_names(), sums, strict=True))
    return bleu_of(named, smooth="exp", value=0.0, effective=False)


BLEU = of_counts("bleu", _bleu, *bleu_names(), summary="BLEU of sums of counts")
"""BLEU of sums, which DuckDB has as a macro."""
