"""Generate the alignments of the bundled systems from the bundled gold.

``forward`` links every target word to at most one source word; ``reverse`` links every source word
to at most one target word (written target first, as aligners do); ``cautious`` makes few wrong
links and misses many; ``eager`` links whole blocks and neighbouring words. To regenerate:
``python -m datasets.make_systems``; the result depends only on the gold and the seeds. The
translation scores next to them, ``scores.csv``, are invented.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from alignframe import formats
from alignframe.formats import read_bitext

FOLDER = Path(__file__).parent / "en-fr"

Links = set[tuple[int, int]]


def main() -> None:
    """Write the four systems next to the gold."""
    text = read_bitext(FOLDER / "text.en", FOLDER / "text.fr")
    gold = formats.read(FOLDER / "gold.talp", bitext=text)["links"].to_pylist()
    sizes = list(
        zip(map(len, text["src"].to_pylist()), map(len, text["tgt"].to_pylist()), strict=True)
    )
    makers = {"forward": _forward, "reverse": _reverse, "cautious": _cautious, "eager": _eager}
    for seed, (name, make) in enumerate(makers.items(), start=1):
        rng = np.random.default_rng(seed)
        lines = []
        for links, size in zip(gold, sizes, strict=True):
            sure = {(link["i"], link["j"]) for link in links if link["sure"]}
            possible = {(link["i"], link["j"]) for link in links} - sure
            made = sorted(make(sure, possible, size, rng))
            pairs = ((j, i) for i, j in made) if name == "reverse" else iter(made)
            lines.append(" ".join(f"{one}-{two}" for one, two in pairs))
        (FOLDER / f"{name}.talp").write_text("\n".join(lines) + "\n", "utf-8")


def _forward(
    sure: Links, possible: Links, size: tuple[int, int], rng: np.random.Generator
) -> Links:
    """Link each target word to one of its source words, sometimes to a neighbour or to none."""
    made: Links = set()
    for j in range(size[1]):
        right = sorted(i for i, other in sure if other == j)
        right = right or sorted(i for i, other in possible if other == j)
        chance = rng.random()
        if right and chance < 0.86:
            made.add((int(rng.choice(right)), j))
        elif chance < 0.95:
            near = rng.choice(right) if right else j * size[0] / size[1]
            made.add((_beside(near, size[0], rng), j))
    return made


def _reverse(
    sure: Links, possible: Links, size: tuple[int, int], rng: np.random.Generator
) -> Links:
    """Do the same with the sides swapped."""
    swapped = _forward(_swap(sure), _swap(possible), size[::-1], rng)
    return _swap(swapped)


def _cautious(
    sure: Links, possible: Links, size: tuple[int, int], rng: np.random.Generator
) -> Links:
    """Keep three quarters of the Sure links, and hardly any others."""
    made = _share(sure, 0.76, rng) | _share(possible, 0.06, rng)
    wrong = {(_beside(i, size[0], rng), j) for i, j in _share(sure, 0.02, rng)}
    return made | wrong


def _eager(sure: Links, possible: Links, size: tuple[int, int], rng: np.random.Generator) -> Links:
    """Keep nearly all correct links, and add many of their neighbours."""
    made = _share(sure, 0.95, rng) | _share(possible, 0.62, rng)
    wrong = {(_beside(i, size[0], rng), j) for i, j in _share(made, 0.2, rng)}
    return made | wrong


def _swap(links: Links) -> Links:
    return {(j, i) for i, j in links}


def _share(links: Links, share: float, rng: np.random.Generator) -> Links:
    return {link for link in sorted(links) if rng.random() < share}


def _beside(position: float | npt.NDArray[np.int64], length: int, rng: np.random.Generator) -> int:
    step = int(rng.choice([-2, -1, 1, 2]))
    return int(np.clip(int(position) + step, 0, length - 1))


if __name__ == "__main__":
    main()
