"""Words of lines of text, as the buffers of an Arrow column of lists."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from alignframe.kernels.jit import jit
from alignframe.kernels.ragged import U8

I32 = npt.NDArray[np.int32]


@jit
def _is_blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@jit
def split_words(text: U8) -> tuple[I32, I32, U8]:
    """Split lines at ASCII blanks, as ``bytes.split`` does.

    Parameters
    ----------
    text
        Whole lines of less than 2 GB; the last one may lack its newline.

    Returns
    -------
    lines, words, data
        Line r has the words ``lines[r] <= k < lines[r + 1]``; word k the bytes
        ``data[words[k] : words[k + 1]]``.
    """
    n_lines, n_words, n_bytes = 0, 0, 0
    inside = False
    for byte in text:
        if _is_blank(byte):
            inside = False
            n_lines += byte == 10
        else:
            n_words += not inside
            n_bytes += 1
            inside = True
    if text.size and text[-1] != 10:
        n_lines += 1
    lines = np.zeros(n_lines + 1, np.int32)
    words = np.zeros(n_words + 1, np.int32)
    data = np.empty(n_bytes, np.uint8)
    line, word, at = 0, 0, 0
    inside = False
    for byte in text:
        if _is_blank(byte):
            if inside:
                words[word] = at
                inside = False
            if byte == 10:
                line += 1
                lines[line] = word
        else:
            if not inside:
                word += 1
                inside = True
            data[at] = byte
            at += 1
    words[word] = at
    lines[n_lines] = word
    return lines, words, data
