"""Slow and obvious versions of what readers of beads and sentences do."""


def sentences_of(text):
    """Lines of a text: cut at line feeds, without a carriage return before one."""
    lines = text.removeprefix("\ufeff").split("\n")
    last = lines.pop()
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return [*lines, last] if last else lines


def repaired(beads):
    """Spans of beads given as pairs of sorted lists, and the number that skipped something.

    None where a bead skips a sentence of another bead with two sides.
    """
    beads = [(set(src), set(tgt)) for src, tgt in beads if src or tgt]
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
                for other, rival in enumerate(beads):
                    if number in rival[side]:
                        if whole[other]:
                            return None
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
    return sorted(spans, key=lambda span: (span[0], span[2])), len(skipping)
