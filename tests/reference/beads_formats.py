"""Slow, simple reference readers of beads and sentences."""


def sentences_of(text):
    """Return the lines of a text: cut at line feeds, without marks and carriage returns there."""
    lines = text.removeprefix("\ufeff").replace("\n\ufeff", "\n").split("\n")
    last = lines.pop()
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return [*lines, last] if last else lines


def interleaving(beads):
    """Return two two-sided beads, one of which skips a sentence of the other, or None."""
    for k, bead in enumerate(beads):
        for other, rival in enumerate(beads):
            if k != other and all((*bead, *rival)):
                for side in (0, 1):
                    if any(min(bead[side]) < n < max(bead[side]) for n in rival[side]):
                        return k, other
    return None


def repaired(beads):
    """Return the spans of beads given as pairs of sorted lists, and two counts.

    The first counts the beads that still skip a sentence after beads that skip a sentence of
    another two-sided bead were merged with it; the second counts the merged ones.
    """
    beads = [(set(src), set(tgt)) for src, tgt in beads if src or tgt]
    size = [1] * len(beads)
    while pair := interleaving(beads):
        first, second = sorted(pair)
        beads[first] = tuple(
            one | two for one, two in zip(beads[first], beads[second], strict=True)
        )
        size[first] += size[second]
        del beads[second], size[second]
    joined = sum(one for one in size if one > 1)
    whole = [bool(src and tgt) for src, tgt in beads]
    skipping = set()
    for k, bead in enumerate(beads):
        for side in (0, 1):
            if not whole[k]:
                continue
            for number in range(min(bead[side]), max(bead[side]) + 1):
                if number in bead[side]:
                    continue
                skipping.add(k)
                for rival in beads:
                    rival[side].discard(number)
    spans = []
    ends = [0, 0]
    for src, tgt in beads:
        if src and tgt:
            spans.append((min(src), max(src) + 1, min(tgt), max(tgt) + 1))
            ends = [spans[-1][1], spans[-1][3]]
            continue
        for number in sorted(src):
            if number - 1 in src:
                continue
            end = number
            while end in src:
                end += 1
            spans.append((number, end, ends[1], ends[1]))
            ends[0] = end
        for number in sorted(tgt):
            if number - 1 in tgt:
                continue
            end = number
            while end in tgt:
                end += 1
            spans.append((ends[0], ends[0], number, end))
            ends[1] = end
    return sorted(spans, key=lambda span: (span[0], span[2])), len(skipping), joined
