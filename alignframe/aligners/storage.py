"""Models in folders: Parquet tables and a small model.json."""

from __future__ import annotations

import json
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.aligners.model import KINDS, Model
from alignframe.errors import InputError, unknown
from alignframe.formats.writing import replacing
from alignframe.parquet import DAMAGED

VERSION = 1
"""The version of what is saved."""

_JSON = "model.json"
_WORDS = ("src_words", "tgt_words")


def save(model: Model, folder: str | PathLike[str]) -> None:
    """Write a model to a folder; see ``Model.save``."""
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror})", path=home) from None
    tables = dict(model.parameters.tables(model.turned))
    about = {
        "version": VERSION,
        "kind": model.kind,
        "reverse": model.reverse,
        "max_length": model.max_length,
        "options": {name: _plain(value) for name, value in model.options.items()},
        "history": model.history,
        "tables": sorted(tables),
    }
    # Removed first and written last, so that a half-written folder is not taken for a model.
    (home / _JSON).unlink(missing_ok=True)
    for name, words in zip(_WORDS, model.vocabularies, strict=True):
        tables[name] = pa.table({"word": words})
    for name, table in tables.items():
        with replacing(home / f"{name}.parquet") as out:
            pq.write_table(table, out)
    with replacing(home / _JSON) as out:
        out.write((json.dumps(about, indent=1) + "\n").encode())


def load(folder: str | PathLike[str]) -> Model:
    """Read a saved model.

    Raises
    ------
    InputError
        If the folder does not exist, has no model or one of another version, or a file is missing
        or damaged.
    """
    home = Path(folder)
    about = read_about(home)
    names = [*about["tables"], *_WORDS]
    tables = {name: _read_table(home / f"{name}.parquet") for name in names}
    words = []
    for name in _WORDS:
        table = tables.pop(name)
        if table.column_names != ["word"] or table.schema.field(0).type != pa.string():
            raise InputError(
                "a vocabulary without its words", path=home / f"{name}.parquet", expected="word"
            )
        column = table.column("word")
        words.append(pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], "str"))
    vocabularies = (words[0], words[1])
    turned = vocabularies[::-1] if about["reverse"] else vocabularies
    try:
        parameters = kind_module(about["kind"]).Parameters.from_tables(tables, turned)
    except KeyError as error:
        raise InputError(f"a model without the table {error}", path=home / _JSON) from None
    except InputError as error:
        raise InputError(str(error), path=home) from None
    return Model(
        about["kind"],
        vocabularies,
        about["reverse"],
        parameters,
        about["options"],
        about["max_length"],
        about["history"],
    )


_ABOUT = {
    "kind": str,
    "reverse": bool,
    "max_length": int,
    "options": dict,
    "history": list,
    "tables": list,
}


def read_about(home: Path) -> dict[str, Any]:
    """Return what the ``model.json`` of a folder says; an InputError if it is not a model's."""
    path = home / _JSON
    if not home.is_dir():
        raise InputError("no such folder", path=home, expected="the folder of a saved model")
    try:
        about = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError("holds no model.json", path=home, expected="a saved model") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", path=path) from None
    if not isinstance(about, dict) or "version" not in about:
        raise InputError("does not describe a model", path=path)
    if about["version"] != VERSION:
        raise InputError(
            f"a model of the version {about['version']!r}",
            path=path,
            expected=f"the version {VERSION}",
            todo="fit it anew",
        )
    for name, kind in _ABOUT.items():
        if not isinstance(about.get(name), kind):
            raise InputError(f"{name} is {about.get(name)!r}", path=path, expected=kind.__name__)
    if about["kind"] not in KINDS:
        raise unknown("model", about["kind"], KINDS, path=path)
    return about


def _read_table(path: Path) -> pa.Table:
    if not path.is_file():
        raise InputError("a file of the model is missing", path=path)
    try:
        return pq.read_table(path)
    except PermissionError:
        raise InputError("cannot be read (no permission)", path=path) from None
    except DAMAGED as error:
        raise InputError(
            f"the Parquet file is damaged ({error})", path=path, todo="fit the model anew"
        ) from None


def kind_module(kind: str) -> Any:
    """Return the module of a kind of model, or raise an InputError."""
    if kind not in KINDS:
        raise unknown("model", kind, KINDS)
    return import_module(f"alignframe.aligners.{kind}")


def _plain(value: Any) -> Any:
    """Return an option if JSON can store it, or else its type."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else f"{type(value)}"
