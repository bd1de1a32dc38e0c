"""Pages and public interfaces as text."""

import base64
import gzip
import html
import importlib
import inspect
import json
import re
from pathlib import Path

CHANNEL = ("field", "aggregate", "type", "title", "sort", "bin")
"""What tells how a chart shows a column; the rest is its look."""


def page(path):
    """Return the words and tables of a page, and what its charts show of which data."""
    text = Path(path).read_text("utf-8")
    body = re.search(r"<main.*?</main>", text, re.DOTALL)[0]
    body = re.sub(r"<(script|style)\b.*?</\1>", "", body, flags=re.DOTALL)
    body = re.sub(r"</t[dh]>\s*(?=<t[dh]\b)", " | ", body)
    body = re.sub(r"<small\b[^>]*>", "/ ", body)
    plain = html.unescape(re.sub(r"<[^>]+>", "", body))
    lines = [re.sub(r"\s*\n\s*", "\n", re.sub(r" +", " ", plain)).strip()]
    specs = re.search(r"^const specs = (\{.*\});$", text, re.MULTILINE)
    for name, spec in json.loads(specs[1]).items() if specs else ():
        lines += [f"chart {name}", *_views(spec)]
        shown = set(re.findall(r'"field": "(.*?)"', json.dumps(spec)))
        for rows in spec.get("datasets", {}).values():
            lines.append(f"  data of {len(rows)} rows")
            for column in dict.fromkeys(key for row in rows for key in row if key in shown):
                lines.append(f"    {column}: {_digest([row.get(column) for row in rows])}")
    for name, packed in re.findall(r'id="block-([^"]+)">([^<]+)<', text):
        data = gzip.decompress(base64.b64decode(packed))
        if data[:1] == b"{":  # the others are numbers of single sentences
            lines.append(f"data {name}")
            lines += [
                f"  {key}: {json.dumps(value)[:300]}" for key, value in json.loads(data).items()
            ]
    return "\n".join(lines)


def drawable(chart):
    """Return the chart's specification, and the drawing."""
    import vl_convert

    spec = chart.to_json()
    svg = vl_convert.vegalite_to_svg(spec, vl_version="6.1")
    assert svg.startswith("<svg")
    return json.loads(spec), svg


def specs_of(made):
    """Return the specifications of the charts of a page."""
    return json.loads(re.search(r"const specs = (\{.*?\});\n", made, re.DOTALL)[1])


def sentences(made):
    """Return the sentences of a page, or of its text, as its script reads them."""
    text = made if isinstance(made, str) else made.html()
    blocks = dict(re.findall(r'id="block-(sentences|d-\d+)">([^<]+)<', text))
    data = {
        name: json.loads(gzip.decompress(base64.b64decode(own))) for name, own in blocks.items()
    }
    found = data.pop("sentences")
    for at, row in enumerate(found["rows"]):
        row["detail"] = data[f"d-{at // found['piece']}"][at % found["piece"]]
    return found


def links_shown(made):
    """Return the links that the grids of a page show: sid, system (empty for gold), i, j, kind."""
    data, found = sentences(made), []
    for row in data["rows"]:
        detail = row["detail"]
        for at, (own, other) in detail["at"].items():
            gold = {(i, j): sure for i, j, sure in zip(*detail["other"][other], strict=True)}
            if at == "0":
                found += [
                    (row["unit"], "", *link, "Sure" if sure else "Possible")
                    for link, sure in gold.items()
                ]
            mine = zip(*(detail["hyp"][own] or ((), ())), strict=True)
            name = data["systems"][int(at)]
            found += [(row["unit"], name, *x, "right" if x in gold else "wrong") for x in mine]
    return found


def _views(view):
    """Yield the marks of a chart, with the columns that they show."""
    if "mark" in view:
        mark = view["mark"] if isinstance(view["mark"], str) else view["mark"]["type"]
        shown = view.get("encoding", {}).items()
        yield f"  {mark}: " + ", ".join(f"{name} {_channel(said)}" for name, said in shown)
    for key in ("layer", "hconcat", "vconcat", "concat"):
        for part in view.get(key, ()):
            yield from _views(part)
    if "spec" in view:
        yield f"  facet: {_channel(view['facet'])}"
        yield from _views(view["spec"])


def _channel(said):
    if isinstance(said, list):
        return " + ".join(map(_channel, said))
    test = said.get("condition")
    said = said | test if isinstance(test, dict) and "field" in test else said
    kept = [said[key] for key in CHANNEL if said.get(key) is not None]
    return "/".join(one if isinstance(one, str) else json.dumps(one) for one in kept) or "fixed"


def _digest(values):
    """Return a column in a line: its values if they are few, or its range and mean."""
    numbers = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
    kinds = list(dict.fromkeys(_plain(one) for one in values))
    if numbers and len(kinds) > 4:
        nulls = f", {len(values) - len(numbers)} others" * (len(numbers) < len(values))
        low, high, mean = map(_plain, (min(numbers), max(numbers), sum(numbers) / len(numbers)))
        return f"{low} to {high}, mean {mean}{nulls}"
    return ", ".join(kinds[:4]) + f", ... ({len(kinds)})" * (len(kinds) > 4)


def _plain(value):
    # Rounded first, as a sum that should be 0 is not quite; there is no -0.
    return f"{round(value, 12) + 0.0:.8g}" if isinstance(value, float) else str(value)


def public(name):
    """Return the signatures of everything public in a module."""
    module, lines = importlib.import_module(name), []
    for key in module.__all__:
        value = getattr(module, key)
        if inspect.ismodule(value) or not callable(value):
            plain = isinstance(value, tuple | dict) and all(isinstance(one, str) for one in value)
            lines.append(f"{key}: {', '.join(value) if plain else type(value).__name__}")
            continue
        lines.append(key + _signature(value))
        for method, held in inspect.getmembers_static(value) if inspect.isclass(value) else ():
            if not method.startswith("_"):
                made = getattr(value, method, held)
                lines.append(f"  .{method}{_signature(made) if callable(made) else ''}")
    return "\n".join(lines)


def _signature(value):
    """Return names, kinds and defaults of parameters, without types."""
    try:
        found = inspect.signature(value)
    except ValueError:
        return "(...)"
    bare = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    return re.sub(r"(<[^>]*) at 0x\w+", r"\1", str(inspect.Signature(bare)))
