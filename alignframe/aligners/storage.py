"""Models in folders: Parquet tables and a small model.json."""

from __future__ import annotations

import json
from hashlib import sha256
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.aligners.model import KINDS, Model
from alignframe.errors import InputError, check_known, in_file
from alignframe.output import make_folder, replacing, together, write_table
from alignframe.stores.footers import DAMAGED
from alignframe.tables import option_of
from alignframe.typing import Row

VERSION = 1
"""The version of the file format."""

_JSON = "model.json"
_WORDS = ("src_words", "tgt_words")
_MARK = "alignframe.model"
"""The key of a model's digest in the metadata of its tables."""
_OF_A_RUN = ("checkpoints", "memory_limit")
"""Options that say where and with how much memory a model was trained, not what it is."""


def save(model: Model, folder: str | PathLike[str]) -> None:
    """Write a model to a folder; see ``Model.save``."""
    home = Path(folder)
    make_folder(home)
    tables = dict(model.parameters.tables(model.turned))
    about = {
        "version": VERSION,
        "kind": model.kind,
        "reverse": model.reverse,
        "max_length": model.max_length,
        "options": {
            name: _plain(value) for name, value in model.options.items() if name not in _OF_A_RUN
        },
        "history": model.history,
        "tables": sorted(tables),
    }
    for name, words in zip(_WORDS, model.vocabularies, strict=True):
        tables[name] = pa.table({"word": words})
    about["mark"] = _mark(about, tables)
    with together():
        for name, table in tables.items():
            notes = {**(table.schema.metadata or {}), _MARK: about["mark"]}
            write_table(table.replace_schema_metadata(notes), home / f"{name}.parquet")
        with replacing(home / _JSON) as out:
            out.write((json.dumps(about, indent=1) + "\n").encode())


def _mark(about: dict[str, object], tables: dict[str, pa.Table]) -> str:
    """Return a short digest of a model, which model.json and each of its tables have."""
    digest = sha256(json.dumps(about, default=str).encode())
    for name, table in tables.items():
        digest.update(f"{name} {table.num_rows}".encode())
    for name in _WORDS:
        digest.update("\n".join(tables[name]["word"].to_pylist()).encode())
    return digest.hexdigest()[:16]


def load(folder: str | PathLike[str]) -> Model:
    """Read a saved model.

    Raises
    ------
    InputError
        If the folder does not exist, has no model or one of another version, or a file is missing,
        damaged or of another model.

    Examples
    --------
    >>> from alignframe import aligners
    >>> aligners.fit(["the house"], ["das Haus"], model="ibm1").save("model")
    >>> aligners.load("model").kind
    'ibm1'
    """
    home = Path(folder)
    about = read_about(home)
    names = [*about["tables"], *_WORDS]
    tables = {name: _read_table(home / f"{name}.parquet", about.get("mark")) for name in names}
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
        with in_file(home):
            parameters = kind_module(about["kind"]).Parameters.from_tables(tables, turned)
    except KeyError as error:
        raise InputError(f"a model without the table {error}", path=home / _JSON) from None
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


def read_about(home: Path) -> Row:
    """Return the contents of a folder's ``model.json``; an InputError if it is not a model's."""
    path = home / _JSON
    if not home.is_dir():
        raise InputError("no such folder", path=home, expected="the folder of a saved model")
    with in_file(path):
        try:
            about = json.loads(path.read_text("utf-8-sig"))
        except FileNotFoundError:
            raise InputError("holds no model.json", path=home, expected="a saved model") from None
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be read ({error})") from None
        if not isinstance(about, dict) or "version" not in about:
            raise InputError("does not describe a model")
        if about["version"] != VERSION:
            raise InputError(
                f"a model of the version {about['version']!r}",
                expected=f"the version {VERSION}",
                todo="train it again",
            )
        for name, kind in _ABOUT.items():
            if not isinstance(about.get(name), kind):
                raise InputError(f"{name} is {about.get(name)!r}", expected=kind.__name__)
        check_known("model", about["kind"], KINDS)
    return about


def _read_table(path: Path, mark: str | None) -> pa.Table:
    """Read a table; tables of models from before there were marks have none."""
    with in_file(path):
        if not path.is_file():
            raise InputError("a file of the model is missing")
        try:
            table = pq.read_table(path)
        except PermissionError:
            raise InputError("cannot be read (no permission)") from None
        except DAMAGED as error:
            raise InputError(
                f"the Parquet file is damaged ({error})", todo="train the model again"
            ) from None
        found = option_of(table.schema, "model")
        if found != mark:
            raise InputError(
                "a table of another model",
                expected=f"the one saved with {_JSON}",
                todo="copy whole folders, or train the model again",
            )
    return table


def kind_module(kind: str) -> ModuleType:
    """Return the module of a kind of model, or raise an InputError."""
    check_known("model", kind, KINDS)
    return import_module(f"alignframe.aligners.{kind}")


def _plain(value: object) -> Any:
    """Return an option if JSON can store it, or else its type."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else f"{type(value)}"
