"""Cells of separated values (.csv, .tsv; RFC 4180): where each begins and ends.

A row is one pass of a small automaton over bytes. A cell in quotes goes on over marks and line
breaks to its closing quote, a doubled quote inside it is one quote, and only blanks may follow it.
Unlike in the RFC, white space around a cell does not belong to it. Cells are not copied here, but
gathered by column afterwards.
"""

from __future__ import annotations

import numpy as np

from alignframe.core.arrays import I64, U8, Bools
from alignframe.kernels.jit import jit

SOUND, NARROW, UNCLOSED, TEXT_AFTER = 0, 1, 2, 3
"""Faults: a row has another number of cells, a quote does not close, or text follows it."""


@jit
def _blank(byte: int, mark: int) -> bool:
    """Whether a byte is white space within a line, other than the mark between cells."""
    return byte != mark and byte != 10 and (byte == 32 or 9 <= byte <= 13)


@jit
def scan_cells(
    text: U8, at: int, line: int, mark: int, quoting: bool, width: int, cells: I64, rows: I64
) -> I64:
    """Find the cells of whole rows, up to the capacity of ``cells`` and ``rows``.

    ``text`` has all bytes of a table, ``at`` is the first one to read, in line ``line``; ``mark``
    is the byte between cells, and with ``quoting``, quotes around a cell do not belong to it. Rows
    have ``width`` cells; 0 is for the header, of which only the first row is read. ``cells``
    receives begin and end of each cell, the end as ``-end - 1`` in quotes, and ``rows`` the line of
    each row.

    Return the number of rows; the byte and the line after them; the fault, its line, and the number
    of cells in its row; the numbers of rows of several lines, of cells in quotes, and of doubled
    quotes.
    """
    # Bytes: 10 newline, 34 quote, 32 and 9 to 13 blanks.
    size = text.size
    n, n_cells, joined, quoted, doubled = 0, 0, 0, 0, 0
    fault, fault_line, count = SOUND, 0, 0
    while at < size and n < rows.size and n_cells + 2 * max(width, 1) <= cells.size:
        first, begin_row = line, n_cells
        count = 0
        while True:
            while at < size and _blank(text[at], mark):
                at += 1
            inside = quoting and at < size and text[at] == 34
            if inside:
                opened = line
                at += 1
                begin = at
                closed = False
                while at < size:
                    # Line breaks belong to the cell, but are counted.
                    if text[at] == 10:
                        line += 1
                    elif text[at] == 34:
                        if at + 1 < size and text[at + 1] == 34:
                            doubled += 1
                            at += 1
                        else:
                            closed = True
                            break
                    at += 1
                end = at
                at += 1
                if not closed:
                    fault, fault_line = UNCLOSED, opened
                while at < size and _blank(text[at], mark):
                    at += 1
                if at < size and text[at] != mark and text[at] != 10:
                    fault, fault_line = TEXT_AFTER, line
                quoted += 1
            else:
                begin = at
                while at < size and text[at] != mark and text[at] != 10:
                    at += 1
                end = at
            # Blanks at the end, and within quotes at the beginning, too: those before a cell are
            # skipped above.
            while begin < end and (text[end - 1] == 32 or 9 <= text[end - 1] <= 13):
                end -= 1
            while inside and begin < end and (text[begin] == 32 or 9 <= text[begin] <= 13):
                begin += 1
            # Cells beyond the width are counted for the message, not stored.
            if n_cells + 2 <= cells.size and (width == 0 or count < width):
                cells[n_cells] = begin
                cells[n_cells + 1] = -end - 1 if inside else end
                n_cells += 2
            count += 1
            if fault != SOUND or at >= size or text[at] == 10:
                break
            at += 1
        at += 1
        if fault != SOUND:
            break
        blank = count == 1 and not inside and begin == end
        # A blank line is no row, unless in a table of one column, where it is an empty cell.
        if blank and (width != 1 or at >= size):
            n_cells = begin_row
        elif width and count != width:
            fault, fault_line = NARROW, first
            break
        else:
            # The row goes over several lines.
            joined += line > first
            rows[n] = first
            n += 1
            if width == 0:
                line += 1
                break
        line += 1
    return np.array([n, at, line, fault, fault_line, count, joined, quoted, doubled])


@jit
def gather_cells(text: U8, cells: I64, column: int, width: int) -> tuple[I64, U8, Bools, int]:
    """Return one column of the cells of ``scan_cells``: offsets, bytes, and which have a value.

    A cell without a byte has none, unless it is in quotes. The last result is 1 if a cell begins
    like ``007``, plus 2 if one has 17 digits or more and nothing else: numbers forget the zeros, or
    the last digits.
    """
    n = cells.size // (2 * width)
    offsets = np.zeros(n + 1, np.int64)
    has_value = np.empty(n, np.bool_)
    size = 0
    for row in range(n):
        k = 2 * (row * width + column)
        end = cells[k + 1]
        size += (-end - 1 if end < 0 else end) - cells[k]
    data = np.empty(size, np.uint8)
    to = 0
    padded, long_number = False, False
    for row in range(n):
        k = 2 * (row * width + column)
        begin, end = cells[k], cells[k + 1]
        inside = end < 0
        if inside:
            end = -end - 1
        has_value[row] = inside or end > begin
        at = begin
        while at < end:
            data[to] = text[at]
            to += 1
            # A quote within quotes is doubled: one of both is skipped.
            at += 2 if inside and text[at] == 34 else 1
        offsets[row + 1] = to
        # ``0.5`` and ``0e5`` are numbers without padding; ``| 32`` makes a letter lower-case.
        if end - begin > 1 and text[begin] == 48:
            padded = padded or (text[begin + 1] != 46 and text[begin + 1] | 32 != 101)
        if end - begin >= 17 and not long_number:
            digits = 0
            while begin + digits < end and 48 <= text[begin + digits] <= 57:
                digits += 1
            long_number = digits == end - begin
    return offsets, data[:to], has_value, padded + 2 * long_number
