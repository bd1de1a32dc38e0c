"""What tests of dashboards do in a browser."""

import base64
import gzip
import json


def unpacked(data):
    """Return the bytes of a block of data."""
    return gzip.decompress(base64.b64decode(data))


def settled(chromium, address=None):
    """Wait until the page shows its address."""
    where = "(location.hash || '#')" if address is None else json.dumps(address)
    chromium.wait(f"document.body && document.body.dataset.shown === {where}")


def table(chromium, place):
    """Return the texts of a table's cells, as rows of (text, small)."""
    return chromium.run(
        f"[...document.querySelectorAll('{place} tbody tr')].map((row) => [...row.cells].map("
        "(cell) => [cell.firstChild ? cell.firstChild.textContent : '', "
        "cell.querySelector('small')?.textContent || '']))"
    )


def chosen(chromium, name, text):
    """Choose an option by its text."""
    chromium.run(
        f"(() => {{ const select = document.getElementById('{name}'); select.value = "
        f"[...select.options].find((one) => one.textContent.startsWith({json.dumps(text)})).value; "
        "select.dispatchEvent(new Event('change', {bubbles: true})); "
        "select.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )
