"""Saved models: folders of Parquet tables and a small model.json."""

from __future__ import annotations

import json
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq

from alignframe.aligners.model import ABOUT, KINDS, VERSION, WORDS, Model
from alignframe.core.schemas import option_of
from alignframe.errors import InputError, check_known, in_file
from alignframe.language.words import Splitting
from alignframe.stores.footers import DAMAGED
from alignframe.typing import Row


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
    names = [*about["tables"], *WORDS]
    tables = {name: _read_table(home / f"{name}.parquet", about.get("mark")) for name in names}
    words = []
    for name in WORDS:
        table = tables.pop(name)
        if table.column_names != ["word"] or table.schema.field(0).type != pa.string():
            raise InputError(
                "a vocabulary without its words", path=home / f"{name}.parquet", expected="word"
            )
        column = table.column("word")
        words.append(pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], "str"))
    vocabularies = (words[0], words[1])
    # A reverse model was trained with the sides exchanged; the folder has the text's own.
    turned = vocabularies[::-1] if about["reverse"] else vocabularies
    try:
        with in_file(home):
            parameters = kind_module(about["kind"]).Parameters.from_tables(tables, turned)
    except KeyError as error:
        raise InputError(f"a model without the table {error}", path=home / ABOUT) from None
    return Model(
        about["kind"],
        vocabularies,
        about["reverse"],
        parameters,
        about["options"],
        about["max_length"],
        about["history"],
        _splittings(about),
        about.get("pairs"),
        tuple(about.get("parts", ())),
    )


def _splittings(about: Row) -> tuple[Splitting, Splitting]:
    """Return how a model splits text; one saved without it does not."""
    try:
        src, tgt = (Splitting(**one) for one in about.get("words", [{}, {}]))
    except (TypeError, ValueError):
        raise InputError(
            f"words is {about['words']!r}", expected="how src and tgt are split"
        ) from None
    return src, tgt


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
    path = home / ABOUT
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
        if not isinstance(about.get("pairs"), (int, type(None))):  # earlier models lack it
            raise InputError(f"pairs is {about['pairs']!r}", expected="int")
        parts = about.get("parts", [])  # so do earlier merged models
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise InputError(f"parts is {parts!r}", expected="digests of the models merged")
        check_known("model", about["kind"], KINDS)
    return about


def _read_table(path: Path, mark: str | None) -> pa.Table:
    """Read a table, and check that it belongs to the model."""
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
        mark_found = option_of(table.schema, "model")
        if mark_found != mark:
            raise InputError(
                "a table of another model",
                expected=f"the one saved with {ABOUT}",
                todo="copy whole folders, or train the model again",
            )
    return table


def kind_module(kind: str) -> ModuleType:
    """Return the module of a kind of model, or raise an InputError."""
    check_known("model", kind, KINDS)
    return import_module(f"alignframe.aligners.{kind}")
