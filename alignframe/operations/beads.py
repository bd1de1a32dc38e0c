"""Commands of sentence alignment."""

from __future__ import annotations

from functools import partial

from alignframe.choices import TEST_RESAMPLES
from alignframe.operation import JSON, Group, Op, drawn
from alignframe.options import beads

_op = partial(Op, areas=(beads,))

BEADS = Group(
    "files",
    "beads_score:Given",
    (
        "gold hyp one_sided sentences_src sentences_tgt gold_format gold_base",
        "gold_as_written hyp_format hyp_base encoding",
    ),
    beads,
)

SENTENCE_ALIGNER = Group(
    "settings",
    "beads_align:AlignSettings",
    ("method skip merge two_two band unit words smoothing largest",),
    beads,
)

FILTERING_ALIGNER = Group(
    "settings",
    "beads_filter:FilterSettings",
    ("filter_method filter_skip merge two_two filter_band unit words smoothing",),
    beads,
)

OPERATIONS = (
    _op(
        "beads align",
        "beads_align:align",
        "Align the sentences of two texts, or of many documents.",
        (
            SENTENCE_ALIGNER,
            "documents_src documents_tgt beads_file to bitext doc languages model threshold",
            "src_vectors tgt_vectors src_overlaps tgt_overlaps encoding",
        ),
        JSON,
    ),
    _op(
        "beads model",
        "beads_align:model",
        "Train Model 1 on line-parallel text, for mre+.",
        ("src tgt model_folder words iterations encoding",),
        JSON,
    ),
    _op(
        "beads score",
        "beads_score:score",
        "Score sentence alignments against gold. The scores are precision and recall of beads "
        "and of sentence pairs, and the alignment rate.",
        (BEADS, "by_doc by_type average", drawn(0), "output"),
    ),
    _op(
        "beads counts",
        "beads_score:counts",
        "Count the beads of each document. Every score is a ratio of sums over this table.",
        (BEADS, "output"),
    ),
    _op(
        "beads compare",
        "beads_score:compare",
        "Compare systems with a baseline by the paired bootstrap. Documents are resampled.",
        (BEADS, "baseline average", drawn(TEST_RESAMPLES), "output"),
    ),
    _op(
        "beads noise",
        "beads_noise:noise",
        "Add noise to a parallel text. The correct alignment is written as well.",
        (
            "src tgt noise_folder scenario rate src_rate tgt_rate noise_seed other noise_unit "
            "words encoding",
        ),
        JSON,
    ),
    _op(
        "beads convert",
        "beads_convert:convert",
        "Convert beads between formats. With --src and --tgt, sentence numbers are checked as "
        "well.",
        (
            "source target from_format to_format text_src sentences_tgt languages doc base",
            "encoding",
        ),
        JSON,
    ),
    _op(
        "beads study",
        "beads_study:study",
        "Compare aligners on noisy documents. These are made from a parallel text as in Zaidan "
        "& Chowdhary 2013.",
        (
            "src tgt scenarios methods model other scored_threshold study_skip words unit "
            "smoothing corpus noise_seed encoding threads output",
        ),
    ),
    _op(
        "beads tune",
        "beads_study:tune",
        "Tune an aligner on noisy parallel text. It is tuned on one part, and evaluated on "
        "another.",
        (
            "src tgt tuned_method tuned_scenario tuned_rate tuned_model parameters min_precision "
            "words unit noise_seed encoding threads settings_file tried corpus",
        ),
    ),
    _op(
        "beads filter",
        "beads_filter:filter",
        "Filter line-parallel text. Keeps the lines whose sides translate each other, according "
        "to a classifier trained on synthetic noise, or to a sentence aligner. For aligners, "
        "the columns moved and merged count beads that are not kept: those that pair sentences "
        "of two different lines, and those of more than two sentences.",
        (
            FILTERING_ALIGNER,
            "src tgt prefix kept_threshold clean_src clean_tgt filter_seed filter_model groups "
            "only max_lines line_scores encoding threads",
        ),
    ),
)
