"""Runs the notebooks of docs/notebooks in a kernel; ``tests/test_site.py`` checks what they show.

``ALIGNFRAME_TRANSCRIPTS=write python tests/notebooks.py`` makes them hold what they show. They hold
outputs so that they can be read without being run, but only as text and PNG, so that a difference
shows figures and not the HTML of tables.
"""

import os
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
KEPT = ("text/plain", "image/png")


def main():
    """Run every notebook."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        book = nbformat.read(path, 4)
        where = {"metadata": {"path": str(FOLDER)}}
        NotebookClient(book, resources=where, record_timing=False).execute()
        print(f"{path.name} runs")
        if os.environ.get("ALIGNFRAME_TRANSCRIPTS") == "write":
            for cell in (one for one in book.cells if one.cell_type == "code"):
                cell.execution_count = None
                # Warnings on standard error name files of this machine.
                cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
                for data in (one.data for one in cell.outputs if "data" in one):
                    for kind in data.keys() - KEPT:
                        del data[kind]
            nbformat.write(book, path)


if __name__ == "__main__":
    main()
