"""All jobs, and user-defined functions as jobs, from partitions to rows."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from os import fspath
from pathlib import Path
from types import CodeType
from typing import NamedTuple, Unpack

import polars as pl
import pyarrow as pa

from alignframe.core.arrow import to_reader, to_table
from alignframe.core.choices import LAKE_JOBS
from alignframe.core.figures import Ratio
from alignframe.errors import InputError, warn
from alignframe.lake.ending import UNRECORDED, count_units, has_ended
from alignframe.lake.job import Job, Settings
from alignframe.lake.jobs import job_of
from alignframe.lake.plan import How, JobOptions
from alignframe.lake.records import APPLY, Record, left_out, runs_of, unwritten
from alignframe.lake.units import PLACE, SYSTEM, Unit, unit_name
from alignframe.lake.work import Run, run
from alignframe.read.parquet import ParquetFiles, is_parquet
from alignframe.stats.measure import Measure
from alignframe.stores import Output, open_output, open_store
from alignframe.stores.output import Written
from alignframe.stores.store import digest
from alignframe.typing import FilePath, IntoFrame, Rare, Row


class Made(NamedTuple):
    """The output of a job, the records of its runs, oldest first, and warnings of odd ones.

    Without a record, the notes in a file tell the job; the list then has a record made of them.
    """

    output: Output
    job: Job
    runs: list[Row]
    odd: dict[str, str]  # by the name of the run

    @property
    def last(self) -> Row:
        """The last run that is recorded."""
        return self.runs[-1]


def output_of(out: str, todo: str = "") -> Made:
    """Return what jobs made at a place."""
    output = open_output(out, "")
    records, odd = runs_of(output)
    runs = []
    for record in records:
        if misfit := _misfit(record):
            odd[record["run"]] = left_out(output, record["run"], misfit)
        else:
            runs.append(record)
    if not runs:
        runs = _noted(output)
    if not runs:
        for text in odd.values():
            warn(text)
        raise unwritten(output, todo)
    job = _job_of(runs[-1])
    made = Made(open_output(out, job.table), job, runs, odd)
    if not has_ended(made.last):
        count_units(made.output, made.last, made.output.done())
    return made


def _job_of(record: Row) -> Job:
    return _job(record["settings"]) if record["job"] == APPLY else job_of(record["job"])


def _misfit(record: Row) -> str:
    """Return what a record has that its job cannot have; empty if it fits."""
    if misfit := _misfit_of(record["job"], json.dumps(record["settings"])):
        return misfit
    job, given = _job_of(record), {*record["inputs"]}
    known = {*job.inputs}
    others = given - {*job.optional}
    if known and (others - known or (job.measure is not None and others != known)):
        return f"the inputs are {', '.join(sorted(given)) or 'missing'}"
    return ""


@cache
def _misfit_of(name: str, noted_settings: str) -> str:
    """Return what is wrong with the settings of a job, as JSON; empty if nothing is."""
    settings = json.loads(noted_settings)
    try:
        job = _job_of({"job": name, "settings": settings})
        if job.measure is not None:
            job.measure(settings)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if name == APPLY and isinstance(error, InputError):
            return ""  # formulas are not stored: who scores the counts gives the measure
        return f"its settings are not those of lake {name}: {type(error).__name__}: {error}"
    return ""


def _noted(output: Output) -> list[Row]:
    """Return a record made of the notes in the first file of a job that has any."""
    try:
        store = None if Path(output.name).is_file() else open_store(output.name)
    except InputError:
        store = None
    if store is None:
        return []
    for file in store.files:
        notes = output.notes(Written(file.keys, store.relative(file.path), "", file.size))
        if notes.get("job") not in (*LAKE_JOBS, APPLY):
            continue
        record = Record(
            notes["job"],
            notes["signature"],
            json.loads(notes["settings"]),
            {},
            {"place": output.name},
            run=UNRECORDED,
            status="done",
            units=len(store.files),
        )
        return [vars(record)]
    return []


def apply(
    function: Callable[..., IntoFrame],
    inputs: Mapping[str, FilePath],
    out: FilePath,
    *,
    measure: Measure | None = None,
    unit: Rare[str] = "sid",
    **how: Unpack[JobOptions],
) -> Run:
    """Apply a function to each partition of a lake.

    Parameters
    ----------
    function
        Called once per partition, with a polars frame per input, by name; returns the rows to write
        as any frame. Partition keys are columns of the first frame.
    inputs
        A place for each parameter of the function. The partitions of the first are the units;
        others are matched by shared keys, as partitions or as columns.
    out
        The output place: a folder, ``iceberg:CATALOG.namespace.table`` or ``s3://...``.
    measure
        A measure if the rows are counts, which ``lake.scores`` sums. They need the measure's counts
        and ``unit`` as columns, and ``system`` if it is not a partition key.
    unit
        The column of units to resample for intervals.
    how
        The fields of ``How``: on, format, commit_every, threads, prune, dry_run, check, progress.

    Returns
    -------
    Run
        What was done with each partition. If the function raises an error for one, that one has
        failed; the others are finished.

    Raises
    ------
    InputError
        If the inputs do not match the function's parameters, or a place cannot be used at all.

    Notes
    -----
    A partition is held in memory. It is redone if its files, the measure, the function's source
    file or plain values bound to the function change; imported modules are not tracked.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import lake
    >>> def lengths(text):
    ...     return text.select("sid", words=pl.col("text").str.split(" ").list.len())
    >>> pl.DataFrame({"sid": [0], "text": ["all hands on deck"]}).write_parquet("text.parquet")
    >>> run = lake.apply(lengths, {"text": "text.parquet"}, "lengths")
    >>> lake.open("lengths").reader().read_all()["words"].to_pylist()
    [4]
    """
    job_settings = How.of(apply, how)
    if not callable(function):
        raise InputError(f"a function of type {type(function).__name__}", expected="a function")
    given = {name: fspath(place) for name, place in inputs.items()}
    _check_inputs(function, given)
    settings = {
        "function": _name_of(function),
        "code": _code_of(function),
        "unit": unit,
        "measure": None if measure is None else noted(measure),
    }
    return run(_job(settings, function, measure), given, out, settings, job_settings)


def _job(
    settings: Settings,
    function: Callable[..., object] | None = None,
    measure: Measure | None = None,
) -> Job:
    """Return the job of a function; without the function, its rows can only be scored."""
    counts = settings["measure"] is not None
    return Job(
        APPLY,
        "counts" if counts else "rows",
        (),
        partial(_rows, function, measure),
        partial(_measure, measure) if counts else None,
        resampled=settings["unit"],
        unsigned=("code", "unit", "measure"),
    )


def _measure(declared: Measure | None, settings: Settings) -> Measure:
    return declared or measure_of(settings["measure"])


def _rows(
    function: Callable[..., object] | None, measure: Measure | None, unit: Unit, settings: Settings
) -> Iterator[pa.Table]:
    name = settings["function"]
    if function is None:
        raise AssertionError("the job of a function that has none")
    frames = {what: _frame(unit, what) for what in unit.inputs}
    what = f"what {name} returns"
    try:
        table = to_reader(function(**frames), what, "a table").read_all()
    except InputError:
        raise
    except Exception as error:  # any error: the other partitions are finished
        said = (str(error).splitlines() or [""])[0]
        raise InputError(f"{name} raised {type(error).__name__}: {said}") from error
    if measure is not None:
        named = [] if unit.system is not None else [SYSTEM]
        measure.checked(table, [*named, settings["unit"]], what)
    yield table


def _frame(unit: Unit, what: str) -> pl.DataFrame:
    given: ParquetFiles = unit.inputs[what]
    frame = pl.DataFrame(to_table(given))
    if what == next(iter(unit.inputs)):
        return frame
    if unit.matched and not frame.height:
        raise InputError(f"{what} has nothing for {unit_name(unit.matched)}", path=given.name)
    return frame.drop([name for name, _ in unit.matched], strict=False)


def _check_inputs(function: Callable[..., object], given: Mapping[str, str]) -> None:
    if not given:
        raise InputError("no input", expected="a place for each parameter of the function")
    try:
        inspect.signature(function).bind(**given)
    except TypeError as error:
        raise InputError(
            f"the inputs {', '.join(given)} of {_name_of(function)}{inspect.signature(function)}: "
            f"{error}",
            expected="an input for each parameter",
        ) from None
    for name, place in given.items():
        if not is_parquet(place):
            if not Path(place).exists():
                raise InputError("no such file or folder", path=place)
            raise InputError(f"the input {name} is not Parquet", path=place, expected=PLACE)


def _name_of(function: Callable[..., object]) -> str:
    inner = function.func if isinstance(function, partial) else function
    return str(getattr(inner, "__qualname__", type(inner).__qualname__))


def _code_of(function: Callable[..., object]) -> str:
    """Return a digest of a function's source file and of values bound to it.

    Without a source file, it is a digest of the function's code.
    """
    bound: list[object] = []
    inner = function
    while isinstance(inner, partial):
        bound += [inner.args, inner.keywords]
        inner = inner.func
    inner = inspect.unwrap(inner)
    code = getattr(inner, "__code__", None)
    if code is None:  # a callable object, or a function of a compiled module
        code = getattr(type(inner).__call__, "__code__", None)
        bound.append(getattr(inner, "__dict__", None))
    else:
        bound += [inner.__defaults__, inner.__kwdefaults__]
        bound += [cell.cell_contents for cell in inner.__closure__ or ()]
    # The file rather than the function, whose results may change with its helpers as well.
    path = Path("" if code is None else code.co_filename)
    text = path.read_text("utf-8") if path.is_file() else _bytecode(code)
    return digest([_name_of(function), text, json.dumps(bound, default=_kind, skipkeys=True)])


def _kind(value: object) -> str:
    # What JSON cannot hold counts by its type: its text may hold an address, which differs in each
    # process.
    return str(type(value).__qualname__)


def _bytecode(code: CodeType | None) -> str:
    if code is None:
        return ""
    parts = [
        _bytecode(constant)
        if hasattr(constant, "co_code")
        else repr(sorted(map(repr, constant)))  # sets are unordered
        if isinstance(constant, frozenset)
        else repr(constant)
        for constant in code.co_consts
    ]
    return " ".join([code.co_code.hex(), *code.co_names, *parts])


def noted(measure: Measure) -> dict[str, object]:
    """Return a measure for JSON; formulas only by name."""
    figures = [
        [figure.name, figure.top, figure.bottom, figure.higher_is_better]
        if isinstance(figure, Ratio)
        else [figure.name]
        for figure in measure.figures
    ]
    return {
        "name": measure.name,
        "counts": list(measure.counts),
        "figures": figures,
        "choices": list(measure.choices),
    }


def measure_of(notes: Settings) -> Measure:
    """Return a measure from its JSON form."""
    formulas = [note[0] for note in notes["figures"] if len(note) == 1]
    if formulas:
        raise InputError(
            f"the measure {notes['name']} has formulas ({', '.join(formulas)}), which are not "
            "stored with its counts",
            todo="pass the measure itself",
        )
    figures = tuple(Ratio(*note) for note in notes["figures"])
    return Measure(notes["name"], tuple(notes["counts"]), figures, tuple(notes["choices"]))
