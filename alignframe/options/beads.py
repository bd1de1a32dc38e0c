"""Options of beads."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from alignframe.choices import (
    AVERAGES,
    BASES,
    BEAD_FORMATS,
    BEAD_METHODS,
    LINE_FILTERS,
    ONE_SIDED,
    SCENARIOS,
    SENTENCE_ALIGNERS,
    TABLES_SAID,
    UNITS,
    WORDS,
)
from alignframe.errors import InputError, is_number, make_plain
from alignframe.options.option import (
    REQUIRED,
    Limited,
    analysis,
    argument,
    inputs,
    limited,
    outputs,
)
from alignframe.signatures import whole_signature

METHODS = SENTENCE_ALIGNERS
"""The aligners that need only text, simplest first."""

BY_LENGTHS = ("len", "gale-church")
"""The aligners that need only lengths."""

ANY_SIZE = ("lex", "vectors")
"""The aligners with beads of more than two sentences per side."""

NOISE_SMOOTHING = {"mre+": 0.3}
"""The defaults under noise that differ. With more, mre+ pairs more unrelated sentences of matching
length, and finds fewer pairs where sentences are deleted."""


@dataclass(frozen=True)
class Priors:
    """Prior probabilities of bead types.

    Parameters
    ----------
    skip
        Of a sentence without translation, on either side: 1-0 and also 0-1.
    merge
        Of two sentences with one translation: 2-1 and also 1-2.
    two_two
        Of two sentences with two that cannot be split: 2-2. At 0 there are none.

    Examples
    --------
    >>> from alignframe.beads import Priors
    >>> Priors(skip=0.05).merge
    0.02
    """

    skip: float = 0.01
    merge: float = 0.02
    two_two: float = 0.0

    def __post_init__(self) -> None:
        make_plain(self)

    @property
    def one_one(self) -> float:
        """The prior of 1-1: the rest."""
        return 1.0 - 2.0 * self.skip - 2.0 * self.merge - self.two_two


def _own(usual: Any, **others: Any) -> dict[str, Any]:
    """Return the default of each aligner of text."""
    return dict.fromkeys(METHODS, usual) | {
        name.replace("_", "-"): value for name, value in others.items()
    }


@dataclass(frozen=True)
class Options(Limited):
    """Options of a sentence aligner.

    Parameters
    ----------
    method
        ``lex``: by lengths, similarly spelt words, and words learnt from the beads found so far, in
        rounds, with beads of up to 6 sentences per side; ``len``: by lengths (Brown et al. 1991, in
        Moore's form); ``mre``: by lengths, and by words learnt from sentences that lengths align
        reliably (Moore 2002); ``mre+``: by lengths and a model; ``gale-church``: by lengths in
        characters; ``vectors``: by sentence embeddings alone (Thompson & Koehn 2019).
    threshold
        Keep only beads with both sides that are more probable than this; by default the best path,
        which covers every sentence.
    skip
        Prior probability of an untranslated sentence, on either side; 0.01 by default (gale-church:
        0.00495; lex: 0.02 initially).
    merge
        Prior probability of a 2-1 bead, and of a 1-2 bead; 0.02 by default (gale-church: 0.0445;
        lex: 0.06 initially).
    two_two
        Prior probability of a 2-2 bead; 0 by default (gale-church: 0.011; lex: 0.006 initially).
    band
        Initial half-width of the search band around the diagonal, in sentences; it is widened by
        half until the best path keeps a quarter of it clear.
    unit
        Unit of length, words or characters; words by default (gale-church: characters).
    words
        What counts as a word: words (lower-cased runs of letters and digits, single punctuation
        marks, single Chinese or Japanese characters), spaces (split at spaces), characters.
    smoothing
        For mre, mre+ and lex: share of a word's probability that comes from its frequency alone;
        0.5 by default (lex: 0.4). A lower one finds fewer wrong pairs, and often fewer right ones.
    largest
        For lex and vectors: maximum number of sentences of a bead on one side, up to 6; 6 by
        default. Both sides together have at most one more.

    Examples
    --------
    >>> from alignframe.beads import Options
    >>> Options("mre", threshold=0.99).skip
    0.01
    """

    # A field is all that an option needs. ``own`` has the defaults of the methods that take it, if
    # not all do, and ``tried`` the values that are tried in tuning.
    method: str = limited("lex", choices=BEAD_METHODS)
    threshold: float | None = limited(
        None, low=0, below=1, tried=(0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
    )
    # The priors of gale-church are those of Gale & Church (1993), table 5; later, lex uses the
    # frequencies in the document itself.
    skip: float | None = limited(
        None,
        above=0,
        below=1,
        own=_own(0.01, gale_church=0.00495, lex=0.02),
        tried=(0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    )
    merge: float | None = limited(
        None,
        low=0,
        below=1,
        own=_own(0.02, gale_church=0.0445, lex=0.06),
        tried=(0.01, 0.02, 0.04, 0.06, 0.1),
    )
    two_two: float | None = limited(
        None,
        low=0,
        below=1,
        own=_own(0.0, gale_church=0.011, lex=0.006),
        tried=(0.0, 0.003, 0.006, 0.012, 0.05),
    )
    band: float = limited(20.0, low=1, own=_own(20.0), tried=(5.0, 10.0, 20.0, 40.0, 80.0))
    unit: str | None = limited(None, choices=UNITS, own=_own("words", gale_church="characters"))
    words: str = limited("words", choices=WORDS, own=_own("words"))
    # The best values on real documents.
    smoothing: float | None = limited(
        None,
        low=0,
        below=1,
        own={"mre": 0.5, "mre+": 0.5, "lex": 0.4},
        tried=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
    )
    largest: int | None = limited(
        None, low=1, high=6, own=dict.fromkeys(ANY_SIZE, 6), tried=(2, 3, 4, 6)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for one in fields(self):
            value, own = getattr(self, one.name), one.metadata.get("own")
            if own is None:
                continue
            if value is None:
                object.__setattr__(self, one.name, own.get(self.method))
            elif self.method not in own and value != one.default:
                raise InputError(
                    f"{one.name} for {self.method}",
                    expected=f"{one.name} only with {', '.join(own)}",
                )
        p = self.priors
        if p.one_one <= 0.0:
            raise InputError(
                f"priors of {p.skip} (1-0), {p.merge} (2-1) and {p.two_two} (2-2)",
                expected="2 skip + 2 merge + two_two below 1",
            )

    @property
    def priors(self) -> Priors:
        """The priors of bead types; vectors have none."""
        return Priors(self.skip or 0.0, self.merge or 0.0, self.two_two or 0.0)

    @property
    def signature(self) -> str:
        """Every choice that can change a bead."""
        parts = [
            f"beads:{self.method}",
            f"threshold:{'best-path' if self.threshold is None else self.threshold}",
        ]
        values = {name: getattr(self, name) for name in taken_by(self.method)[2:]}
        if "skip" in values:
            skip, merge, two_two = (values.pop(name) for name in ("skip", "merge", "two_two"))
            parts.append(f"priors:skip-{skip:g},merge-{merge:g},two-two-{two_two:g}")
        for name, value in values.items():
            parts.append(f"{name}:{value:g}" if is_number(value) else f"{name}:{value}")
        return whole_signature(*parts)


def taken_by(*methods: str) -> list[str]:
    """Return the options that all of some methods take, in order."""
    return [
        one.name for one in fields(Options) if {*methods} <= {*one.metadata.get("own", methods)}
    ]


def for_noise(method: str, **options: Any) -> Options:
    """Return options with the smoothing for noisy text, unless it is given."""
    if options.get("smoothing") is None:
        options["smoothing"] = NOISE_SMOOTHING.get(method)
    return Options(method, **options)


average = analysis(
    "--average",
    str,
    "micro: scores from sums over all documents; macro: the mean of the documents' scores.",
    "micro",
    choices=AVERAGES,
)
band = analysis(
    "--band",
    float,
    "Initial half-width of the search band around the diagonal, in sentences.",
    20.0,
)
bitext = outputs(
    "--bitext",
    Path,
    "Also write the text of beads with both sides, as Parquet: doc, src, tgt, score, src_start, "
    "..., type.",
    None,
    metavar="FILE",
    writes="parquet",
)
by_doc = analysis("--by-doc", bool, "Score each document separately.", False)
by_type = outputs("--by-type", bool, "Also show a table by bead type; JSON always has it.", False)
corpus = outputs(
    "--corpus",
    str,
    "Name of the corpus in the table; by default that of SRC.",
    None,
    metavar="NAME",
)


base = inputs(
    "--base",
    int,
    "Number of the first sentence (vecalign, ces, intertext); by default 0, or 1 in ids if "
    "none is 0.",
    None,
    choices=BASES,
)
doc = outputs("--doc", str, "Name of the document; 'document' by default.", None, metavar="NAME")
documents_src = argument(
    "SRC",
    str,
    "Source sentences, one per line; or several documents: a folder or a quoted glob of such "
    f"files, @FILE with a list of them, or a table (text, doc[, sid]) as {TABLES_SAID}.",
    REQUIRED,
    name="src",
)
documents_tgt = argument(
    "TGT",
    str,
    "Target sentences, as SRC. The two files of a document must have the same name apart from "
    "the language.",
    REQUIRED,
    name="tgt",
)
clean_src = inputs(
    "--clean-src",
    str,
    "Clean source sentences from which the classifier learns words and spellings; by default "
    "the text itself.",
    None,
    metavar="FILE",
)
clean_tgt = inputs("--clean-tgt", str, "Their translations.", None, metavar="FILE")
filter_band = analysis(
    "--band",
    float,
    "For aligners: initial half-width of the search band around the diagonal; 20 by default.",
    None,
)
filter_method = analysis(
    "--method",
    str,
    "classifier: by features of each line pair, trained on synthetic noise; or keep the pairs "
    "that an aligner confirms: mre+ (by lengths and words learnt from the text itself or given "
    "with --model), mre (by lengths and words learnt from sentences that lengths align "
    "reliably), len (by lengths), gale-church (by lengths in characters), lex (as in beads "
    "align).",
    "classifier",
    choices=LINE_FILTERS,
)
filter_seed = analysis("--seed", int, "Random seed of the classifier's noise.", 1, low=0)
filter_skip = analysis(
    "--skip",
    float,
    "For aligners: prior probability of an untranslated sentence, on either side; by default "
    "0.2 for mre+, 0.05 for others. A lower one keeps more wrong lines.",
    None,
)
filter_model = inputs(
    "--model",
    str,
    "For mre+: a saved model or a lexicon. By default, Model 1 is learnt from the text, for "
    "each quarter from the others.",
    None,
    metavar="PATH",
)
from_format = inputs(
    "--from",
    str,
    "Format of the beads in IN; detected by default.",
    None,
    choices=BEAD_FORMATS,
    name="from_format",
)
gold = inputs(
    "--gold",
    str,
    "Gold beads, in any format; for several documents: Parquet, a folder or a quoted glob with "
    "one file each, or @FILE with a list of files.",
    REQUIRED,
    metavar="FILE",
)
gold_as_written = inputs(
    "--gold-as-written",
    bool,
    "Accept gold with a sentence in two beads, as some published gold has by mistake: beads count "
    "as they stand, and a warning names the lines.",
    False,
)
gold_base = replace(base, flags="--gold-base")
gold_format = inputs(
    "--gold-format",
    str,
    "Format of the gold beads; detected by default.",
    None,
    choices=BEAD_FORMATS,
)
groups = inputs(
    "--groups",
    str,
    "One name per line: lines with the same name form a document and are reported together. "
    "Words are still learnt from all lines.",
    None,
    metavar="FILE",
)
hyp = inputs(
    "--hyp",
    list[str],
    "Beads of a system, as --gold; files of the same document must have the same name. Repeatable.",
    REQUIRED,
    metavar="[NAME=]FILE",
)
hyp_base = inputs(
    "--hyp-base",
    list[str],
    "Number of the first sentence in --hyp, for all systems or for one. Repeatable.",
    None,
    metavar="[NAME=]0|1",
)
hyp_format = inputs(
    "--hyp-format", str, "Format of every --hyp; detected by default.", None, choices=BEAD_FORMATS
)
iterations = analysis("--iterations", int, "Iterations of Model 1.", 5, low=1)
kept_threshold = analysis(
    "--threshold",
    float,
    "Keep lines that are more probable than this; by default 0.5 for aligners, and for the "
    "classifier the threshold with the fewest errors if wrong lines are like its synthetic "
    "noise.",
    None,
)
largest = analysis(
    "--largest",
    int,
    "For lex: maximum number of sentences of a bead on one side, up to 6; 6 by default.",
    None,
    low=1,
)
languages = inputs(
    "--languages",
    str,
    "Languages to read from TMX or to name in it, such as en,fr; by default the suffixes of the "
    "two texts if they look like languages, or else those of the TMX.",
    None,
    metavar="SRC,TGT",
)
line_scores = outputs(
    "--lines",
    Path,
    "Write a table of all lines, with line (from 1), kept, score, group, text and the "
    f"classifier's features, as {TABLES_SAID}.",
    None,
    metavar="FILE",
    writes="table",
)
max_lines = analysis("--max-lines", int, "Maximum number of lines aligned at a time.", 10000, low=1)
merge = analysis(
    "--merge",
    float,
    "Prior probability of a 2-1 bead, and of a 1-2 bead; 0.02 by default (gale-church: 0.0445; "
    "lex: 0.06 initially).",
    None,
)
method = analysis(
    "--method",
    str,
    "lex: by lengths, similarly spelt words, and words learnt from the text in rounds, with "
    "beads of up to 6 sentences per side; len: by lengths; mre: by lengths and words learnt "
    "from sentences that lengths align reliably; mre+: by lengths and a model; gale-church: by "
    "lengths in characters; vectors: by embeddings alone.",
    "lex",
    choices=BEAD_METHODS,
)
methods = analysis(
    "--methods",
    str,
    "Aligners to compare, comma-separated: len, mre, mre+ (with --model), gale-church, lex.",
    "len,mre",
    listed=str,
)
min_precision = analysis(
    "--min-precision",
    float,
    "Choose the setting with the highest recall among those with at least this precision.",
    0.98,
)
model = inputs(
    "--model",
    str,
    "For mre+: the folder of a saved model, or a lexicon in Parquet (src, tgt[, p]).",
    None,
    metavar="PATH",
)
model_folder = outputs(
    "-o --output", Path, "Folder for the model.", REQUIRED, metavar="FOLDER", writes="folder"
)
noise_folder = outputs(
    "-o --output",
    Path,
    "Folder for src.txt, tgt.txt and gold.beads.",
    REQUIRED,
    metavar="FOLDER",
    writes="folder",
)
noise_seed = analysis("--seed", int, "Random seed of the noise.", 1, low=0)
noise_unit = analysis("--unit", str, "Unit of length in length-aligned.", "words", choices=UNITS)
one_sided = analysis(
    "--one-sided",
    str,
    "Where one-sided beads count: precision (as in published scores), count (in precision and "
    "recall), ignore (in neither).",
    "precision",
    choices=ONE_SIDED,
)
only = analysis(
    "--only",
    str,
    "Groups to filter, comma-separated; all lines of other groups are kept.",
    None,
    listed=str,
)
other = inputs("--other", str, "Target side of another document.", None, metavar="FILE")
beads_file = outputs(
    "-o --output",
    str,
    "File to write the beads to; '-' is standard output. For several documents: a .parquet "
    "file, or a folder for one file each.",
    "-",
    metavar="FILE",
)
parameters = analysis(
    "--parameters",
    str,
    "Parameters to tune, comma-separated: skip, band, threshold, merge, two_two, smoothing, "
    "largest.",
    "skip,band,threshold",
    listed=str,
)
prefix = outputs(
    "-o --output",
    Path,
    "Prefix of the output: with 'kept', text.en and text.fr become kept.en and kept.fr, or "
    "kept.src.txt and kept.tgt.txt if their suffixes are equal or missing.",
    REQUIRED,
    metavar="PREFIX",
)
rate = analysis(
    "--rate", float, "Share of sentences to delete, or of pairs to merge, on each side.", None
)
scenario = analysis(
    "--scenario", str, "Kind of noise; different needs --other.", "delete", choices=SCENARIOS
)
scenarios = analysis(
    "--scenarios",
    str,
    "paper (its 53 scenarios); or comma-separated: clean, delete:0.05:0.1 (rates of source and "
    "target), combine:0.05, delete and combine (at all of the paper's rates), randomize, "
    "length-aligned, different (with --other).",
    "paper",
    listed=str,
)
scored_threshold = analysis(
    "--threshold", float, "Score only beads that are more probable than this.", 0.99
)
sentences_src = inputs(
    "--src", str, "Source sentences, for the alignment rate.", None, metavar="FILE"
)
sentences_tgt = inputs("--tgt", str, "Target sentences, as --src.", None, metavar="FILE")
settings_file = outputs(
    "-o --output",
    Path,
    f"Write the table of settings, as {TABLES_SAID}; report beads --tuning reads Parquet.",
    None,
    metavar="FILE",
    writes="table",
)
skip = analysis(
    "--skip",
    float,
    "Prior probability of an untranslated sentence, on either side; 0.01 by default "
    "(gale-church: 0.00495; lex: 0.02 initially).",
    None,
)
smoothing = analysis(
    "--smoothing",
    float,
    "For mre, mre+ and lex: share of a word's probability that comes from its frequency alone; "
    "0.5 by default (lex: 0.4; mre+: 0.3 in study and tune; mre: 0.1, mre+: 0.2 in filter). A "
    "lower one finds fewer wrong pairs, and often fewer right ones.",
    None,
)
source = argument(
    "IN",
    str,
    "Beads, or 'parallel' for --src and --tgt line by line; '-' is standard input. A folder, a "
    "quoted glob or @FILE with a list joins files, each of one document, into Parquet.",
    REQUIRED,
    name="source",
)
src = argument("SRC", str, "Source sentences, one per line.", REQUIRED, name="src")
src_vectors = inputs(
    "--src-vectors",
    str,
    "An embedding per source sentence: .npy, Parquet with one column of lists, or 32-bit numbers "
    "without a header (.emb). For the methods vectors and lex, which uses words and lengths too.",
    None,
    metavar="FILE",
)
tgt_vectors = inputs(
    "--tgt-vectors",
    str,
    "Embeddings of the target sentences, by the same model.",
    None,
    metavar="FILE",
)
src_overlaps = inputs(
    "--src-overlaps",
    str,
    "The texts of the source embeddings, if these are of runs of 1, 2, ... sentences, joined by "
    "spaces (as Vecalign makes them), one per line.",
    None,
    metavar="FILE",
)
tgt_overlaps = inputs(
    "--tgt-overlaps", str, "The texts of the target embeddings.", None, metavar="FILE"
)
src_rate = analysis("--src-rate", float, "Rate of the source side alone; 0 by default.", None)
study_skip = analysis(
    "--skip", float, "Prior probability of an untranslated sentence, on either side.", 0.02
)
text_src = inputs(
    "--src",
    str,
    "Source sentences, one per line, or XML with ids; if IN is TMX, a new file for them.",
    None,
    metavar="FILE",
)
tgt = argument("TGT", str, "Their translations, one per line.", REQUIRED, name="tgt")
tgt_rate = analysis("--tgt-rate", float, "Rate of the target side alone; 0 by default.", None)
threshold = analysis(
    "--threshold",
    float,
    "Write only beads with both sides that are more probable than this; by default the best "
    "path, which covers every sentence.",
    None,
)
to = outputs(
    "--to",
    str,
    "Format of the output; by default from its suffix: .beads (vecalign), .ladder, .xml (ces), "
    ".tmx, .parquet.",
    None,
    choices=BEAD_FORMATS,
)
to_format = outputs(
    "--to",
    str,
    "Format of OUT; by default from its suffix: .beads (vecalign), .ladder, .xml (ces), .tmx, "
    ".parquet.",
    None,
    choices=BEAD_FORMATS,
    name="to_format",
)
tried = outputs(
    "--tried",
    Path,
    "Write all settings that were tried, with their scores.",
    None,
    metavar="FILE",
    writes="table",
)
tuned_method = analysis("--method", str, "The aligner to tune.", "mre+", choices=SENTENCE_ALIGNERS)
tuned_model = inputs(
    "--model",
    str,
    "For mre+: a saved model or a lexicon. By default Model 1 is learnt from the first "
    "third of the text.",
    None,
    metavar="PATH",
)
tuned_rate = analysis(
    "--rate", float, "Rate of delete and combine, on both sides; 0.2 by default.", None
)
tuned_scenario = analysis("--scenario", str, "Kind of noise.", "delete", choices=SCENARIOS[:-1])
two_two = analysis(
    "--two-two",
    float,
    "Prior probability of a 2-2 bead; 0 by default (gale-church: 0.011; lex: 0.006 initially).",
    None,
)
unit = analysis(
    "--unit",
    str,
    "Unit of length; words by default (gale-church: characters).",
    None,
    choices=UNITS,
)
words = analysis(
    "--words",
    str,
    "What counts as a word: words (lower-cased runs of letters and digits, single punctuation "
    "marks, single Chinese or Japanese characters), spaces (split at spaces), characters.",
    "words",
    choices=("words", "spaces", "characters"),
)
