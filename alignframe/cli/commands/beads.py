"""Commands of sentence alignment."""

from __future__ import annotations

from alignframe.cli.beads import NOISE_OUT
from alignframe.cli.beads_align import Texts
from alignframe.cli.beads_study import TUNED_OUT
from alignframe.cli.command import Command, Way, flags_of
from alignframe.cli.scored import Scored, ranks
from alignframe.cli.showing import PRINTED, Shown
from alignframe.cli.sources import KEPT
from alignframe.options.beads import FOREIGN, TRIED

NOISE_SEED = {"seed": {"panel": "Analysis"}}
RESUMED = NOISE_SEED | {"folder": KEPT}

COMMANDS = (
    Command(
        "beads align",
        "Align the sentences of two texts, or of many documents.",
        (
            Way("beads.align:align", Shown("beads_align:write_aligned", ())),
            Way(
                "beads.learning:word_model",
                Shown("beads_align:save_model", ()),
                flags_of(Texts)["save_model"],
            ),
        ),
        ("beads_align:Texts",),
        flags={
            "model": {"panel": "Input", "metavar": "PATH"},
            **{
                f"{side}_{kind}": {"panel": "Input", "metavar": "FILE"}
                for side in ("src", "tgt")
                for kind in ("vectors", "overlaps")
            },
            "doc": {"panel": "Output", "metavar": "NAME"},
        },
    ),
    Command(
        "beads score",
        "Score sentence alignments against gold. The scores are precision and recall of beads "
        "and of sentence pairs, and the alignment rate.",
        (
            Way(
                "beads.score:score",
                Scored(
                    "Beads against gold",
                    "Bead counts",
                    "document",
                    (ranks,),
                    in_terminal="beads:score_rows",
                ),
            ),
        ),
        ("beads:Given",),
    ),
    Command(
        "beads noise",
        "Add noise to a parallel text. The correct alignment is written as well.",
        (Way("beads.noise:noise", Shown("beads:write_noise", NOISE_OUT)),),
        ("beads_study:Noised",),
        flags=NOISE_SEED,
    ),
    Command(
        "beads study",
        "Compare aligners on noisy documents. These are made from a parallel text as in Zaidan "
        "& Chowdhary 2013.",
        (Way("beads.study:study", Shown("beads_study:show_study", main="scores")),),
        ("beads_study:Studied",),
        left_out=("method", "merge", "two_two", "band", "largest", *FOREIGN),
        flags=RESUMED,
    ),
    Command(
        "beads tune",
        "Tune an aligner on noisy parallel text. It is tuned on one part, and evaluated on "
        "another.",
        (Way("beads.tune:tune", Shown("beads_study:show_tuned", TUNED_OUT, "best")),),
        ("beads_study:Tuning",),
        left_out=("grid", *TRIED, *FOREIGN),
        flags=RESUMED,
    ),
    Command(
        "beads filter",
        "Filter line-parallel text. Keeps the lines whose sides are translations of each other, "
        "according to a classifier trained on synthetic noise, or to a sentence aligner. For "
        "aligners, the columns moved and merged count beads that are not kept: those that pair "
        "sentences of two different lines, and those of more than two sentences.",
        (Way("beads.filter:filter", Shown("beads_filter:show_filtered", PRINTED)),),
        ("beads_filter:Lines",),
        left_out=("largest", *FOREIGN),
        flags=NOISE_SEED | {"model": {"panel": "Input", "metavar": "PATH"}},
    ),
)
