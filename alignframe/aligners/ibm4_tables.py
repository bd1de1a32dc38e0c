"""Saving the parameters of Model 4, except translations, as tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from alignframe.aligners.fertility import FLOOR, Distortion
from alignframe.aligners.translations import Vocabularies
from alignframe.core.arrays import F64, I32
from alignframe.errors import InputError
from alignframe.kernels.aligners.cepts import MAX_JUMP
from alignframe.kernels.aligners.fertility import MAX_FERTILITY
from alignframe.kernels.ragged import frozen

_COLUMNS = {
    "fertilities": "p",
    "src_classes": "class",
    "tgt_classes": "class",
    "heads": "p",
    "mores": "p",
    "nulls": "p0",
}


def to_tables(distortion: Distortion, vocabularies: Vocabularies) -> dict[str, pa.Table]:
    """Return the tables of a model's distortion; a null word is the unknown word."""
    n_src = distortion.src_classes.size
    of_src, of_tgt, widths = distortion.heads.shape
    classes = np.arange(of_src, dtype=np.int32), np.arange(of_tgt, dtype=np.int32)
    jumps = np.arange(-MAX_JUMP, MAX_JUMP + 1, dtype=np.int32)
    fertilities = np.arange(MAX_FERTILITY + 1, dtype=np.int32)
    words = np.repeat(np.arange(n_src, dtype=np.int32), fertilities.size)
    return {
        "fertilities": pa.table(
            {
                "src": _words(vocabularies[0], words),
                "fertility": np.tile(fertilities, n_src),
                "p": distortion.fertilities.ravel(),
            }
        ),
        "src_classes": _class_table(vocabularies[0], distortion.src_classes),
        "tgt_classes": _class_table(vocabularies[1], distortion.tgt_classes),
        # The last src_class is the sentence start; jumps are in positions, clipped to 100.
        "heads": pa.table(
            {
                "src_class": np.repeat(classes[0], of_tgt * widths),
                "tgt_class": np.tile(np.repeat(classes[1], widths), of_src),
                "jump": np.tile(jumps, of_src * of_tgt),
                "p": distortion.heads.ravel(),
            }
        ),
        "mores": pa.table(
            {
                "tgt_class": np.repeat(classes[1], MAX_JUMP),
                "jump": np.tile(np.arange(1, MAX_JUMP + 1, dtype=np.int32), of_tgt),
                "p": distortion.mores[:, 1:].ravel(),
            }
        ),
        "nulls": pa.table({"p0": [distortion.p0]}),
    }


def _words(vocabulary: pa.Array, numbers: I32) -> pa.DictionaryArray:
    indices = pa.array(numbers, mask=numbers >= len(vocabulary))
    return pa.DictionaryArray.from_arrays(indices, vocabulary)


def _class_table(vocabulary: pa.Array, classes: I32) -> pa.Table:
    words = _words(vocabulary, np.arange(classes.size, dtype=np.int32))
    return pa.table({"word": words, "class": classes})


def from_tables(tables: Mapping[str, pa.Table], vocabularies: Vocabularies) -> Distortion:
    """Restore from what ``to_tables`` returned, with rows in that order."""
    values_of = {}
    for name, column in _COLUMNS.items():
        table = tables[name]
        numbers = column in table.column_names and table.column(column).null_count == 0
        kind = table.schema.field(column).type if numbers else pa.null()
        if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
            raise InputError(f"a table {name} without numbers {column}")
        values_of[name] = table.column(column).to_numpy()
    n_src, n_tgt = (len(words) + 1 for words in vocabularies)
    of_tgt = values_of["mores"].size // MAX_JUMP
    of_src = values_of["heads"].size // max(of_tgt * (2 * MAX_JUMP + 1), 1)
    sizes = {
        "fertilities": n_src * (MAX_FERTILITY + 1),
        "src_classes": n_src,
        "tgt_classes": n_tgt,
        "heads": of_src * of_tgt * (2 * MAX_JUMP + 1),
        "mores": of_tgt * MAX_JUMP,
        "nulls": 1,
    }
    fits = all(values_of[name].size == size for name, size in sizes.items()) and all(
        ((values >= 0.0) & (values <= 1.0)).all()
        for name, values in values_of.items()
        if not name.endswith("classes")
    )
    for name, most in (("src_classes", of_src - 1), ("tgt_classes", of_tgt)):
        fits = fits and ((values_of[name] >= 0) & (values_of[name] < most)).all()
    if not fits:
        raise InputError("tables of a Model 4 that do not fit together")
    mores = np.zeros((of_tgt, MAX_JUMP + 1))
    mores[:, 1:] = _probabilities(values_of["mores"]).reshape(of_tgt, -1)
    return Distortion(
        _probabilities(values_of["fertilities"]).reshape(n_src, -1),
        frozen(values_of["src_classes"].astype(np.int32)),
        frozen(values_of["tgt_classes"].astype(np.int32)),
        _probabilities(values_of["heads"]).reshape(of_src, of_tgt, -1),
        mores,
        float(values_of["nulls"][0]),
    )


def _probabilities(values: F64) -> F64:
    least: F64 = np.maximum(values, FLOOR).astype(np.float64)
    return least
