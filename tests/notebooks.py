"""Runs the notebooks in a kernel, and compares what their cells show with what they hold.

``ALIGNFRAME_TRANSCRIPTS=write python tests/notebooks.py`` makes them hold what they show. They hold
outputs so that they can be read without being run, but only as text and PNG, so that a difference
shows figures and not the HTML of tables.
"""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs" / "notebooks").glob("*.ipynb"))
KEPT = ("text/plain", "image/png")


def outputs(book):
    """Return the outputs of every cell that are kept."""
    return [
        [
            one | {"data": {kind: data[kind] for kind in KEPT if kind in data}} if data else one
            for one in cell.get("outputs", [])
            if one.get("name") != "stderr"  # warnings, which name files of this machine
            for data in [one.get("data")]
        ]
        for cell in book.cells
    ]


def texts(book):
    """Return the text of every output; pictures may differ from machine to machine."""
    return [
        [one.get("data", {}).get("text/plain") or one.get("text") for one in shown]
        for shown in outputs(book)
    ]


def main():
    """Run every notebook."""
    for path in NOTEBOOKS:
        held = nbformat.read(path, 4)
        book = NotebookClient(
            nbformat.from_dict(held), resources={"metadata": {"path": str(path.parent)}}
        ).execute()
        if os.environ.get("ALIGNFRAME_TRANSCRIPTS") == "write":
            for cell, found in zip(book.cells, outputs(book), strict=True):
                cell.metadata = {}
                if cell.cell_type == "code":
                    cell.outputs, cell.execution_count = nbformat.from_dict(found), None
            nbformat.write(book, path)
        elif texts(book) != texts(held):
            pairs = zip(texts(book), texts(held), strict=True)
            found, wanted = next((a, b) for a, b in pairs if a != b)
            sys.exit(f"{path} shows\n{found}\nand holds\n{wanted}")
    print(f"{len(NOTEBOOKS)} notebooks run as they are")


if __name__ == "__main__":
    main()
