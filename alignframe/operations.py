"""Every command: what it does, what it takes, and what runs it.

The commands of the shell are built from this table, and help needs nothing else.
"""

from __future__ import annotations

from alignframe.operation import JSON, NOTHING, Group, Op
from alignframe.options import beads, common, lake, lexicon, links, mt, report, tesla

ALIGNER = Group(
    "given",
    "align_given:AlignGiven",
    (
        "text_src text_tgt model direction symmetrize threshold model_from prior strength "
        "max_sentence option training_seed encoding threads",
    ),
    links,
)
LINKS = Group(
    "files",
    "sources:Given",
    (
        "gold hyp src tgt encoding gold_format gold_base hyp_format hyp_base hyp_order "
        "min_probability possible_as_sure sids where strict threads",
    ),
    links,
)
MEASURED = Group(
    "files",
    "correlate:Measured",
    (
        links.gold(""),
        links.hyp([]),
        "src tgt encoding gold_format gold_base hyp_format hyp_base hyp_order min_probability "
        "possible_as_sure sids where strict threads vary",
    ),
    links,
)
DOING = Group(
    "doing",
    "lake:Doing",
    (lake.out, lake.on, lake.lake_format, "commit_every threads prune dry_run check"),
    lake,
)
STUDY = Group(
    "given",
    "lexicon_study:StudyGiven",
    (
        "src test_src tgt test_tgt cascade tags mrbd sizes sets n_best count unsigned average "
        "confidence seed tagged tag_column encoding threads",
    ),
    lexicon,
)
BEADS = Group(
    "files",
    "beads_score:Given",
    ("gold hyp one_sided sentences_src sentences_tgt gold_format hyp_format encoding",),
    beads,
)
SENTENCE_ALIGNER = Group(
    "settings",
    "beads_align:Settings",
    ("method skip merge two_two band unit words smoothing",),
    beads,
)
FILTERING_ALIGNER = Group(
    "settings",
    "beads_filter:FilterSettings",
    ("filter_method skip merge two_two band unit words smoothing",),
    beads,
)
SCORED = Group(
    "files",
    "mt:Given",
    (
        "ref hyp metrics tokenize lowercase smooth smooth_value effective_order char_order "
        "word_order beta whitespace sids where encoding",
    ),
    mt,
)
METRIC = Group(
    "metric",
    "tesla_metric:MetricOptions",
    ("metric pivot lm model references recall_weight empty_order function_weight threads",),
    tesla,
)
ANALYSIS = Group(
    "options",
    "tesla_given:AnalysisOptions",
    ("language tokens tagger lemmas wordnet synonyms content",),
    tesla,
)
TRANSLATIONS = Group(
    "given",
    "report_tesla:TeslaGiven",
    (
        "ref hyp",
        report.rankings,
        "pair",
        report.segments,
        report.similarity,
        "bootstrap sids where confidence seed encoding",
    ),
    tesla,
)


def to_page(title: str | None) -> Group:
    """Return the options of a page; without a title, its own names the measure."""
    titled = report.metric_title if title is None else common.title(title)
    return Group("to", "report:PageGiven", ("page", titled, "figures figure_format"), common)


OPERATIONS = (
    Op(
        "align",
        "align:align",
        "Align the words of a text: learn a model from it, in both directions, or take a "
        "saved one.",
        (ALIGNER, "links_file to posterior save_model system"),
        JSON,
    ),
    Op(
        "bitext",
        "bitext:bitext",
        "Write line-parallel text as a table of sid, src and tgt, which SQL can read.",
        ("line_src line_tgt parquet=text.parquet encoding",),
        JSON,
    ),
    Op(
        "convert",
        "convert:convert",
        "Convert links between formats; with --src and --tgt their positions are checked as well.",
        (
            "source target from_format to_format base_of_input to_base order_of_input "
            "first_sentence min_probability_of_input src tgt encoding system_of_input",
        ),
        JSON,
    ),
    Op(
        "sql",
        "sql:sql",
        "Run SQL over links: tables, Parquet files and globs, with link_scores() and its like.",
        ("query file database memory_limit threads limit output",),
    ),
    Op(
        "links score",
        "links:score",
        "Score systems against gold: precision, recall, AER and F at every alpha.",
        (LINKS, "alpha=0.5 by bands bootstrap=0 confidence seed output"),
    ),
    Op(
        "links counts",
        "links:counts",
        "Count each sentence's links: the additive table that every score is made of.",
        (LINKS, "by bands output"),
    ),
    Op(
        "links compare",
        "links:compare",
        "Test whether systems differ from a baseline, by the paired bootstrap over sentences.",
        (LINKS, "baseline alpha=0.5 bootstrap=10000 confidence seed output"),
    ),
    Op(
        "links symmetrize",
        "links:symmetrize",
        "Join the alignments of two directions into one.",
        ("forward reverse links_file method reverse_is both_format to first_word system",),
        JSON,
    ),
    Op(
        "links vary",
        "vary:vary",
        "Make alignments of varying quality with any aligner, and measure them.",
        (
            "bitext_src bitext_tgt gold_src gold_tgt gold aligner folder extra_src extra_tgt "
            "fractions multiples symmetrizations alpha gold_apart gold_format gold_base encoding "
            "jobs dry_run",
        ),
    ),
    Op(
        "links correlate",
        "correlate:correlate",
        "Correlate measures of systems with an external score, such as BLEU.",
        (MEASURED, "scores alpha by_group bootstrap confidence seed lower_is_better output"),
    ),
    Op(
        "phrases extract",
        "phrases:extract",
        "List the phrase pairs of every sentence as spans: 0-based, the end not included.",
        ("links kind max_phrase_of_kind src tgt words encoding links_format base order output",),
    ),
    Op(
        "phrases dictionary",
        "phrases:dictionary",
        "Build the phrase dictionary of a system: pairs of word strings, most frequent first.",
        (
            "links src tgt dictionary max_phrase encoding links_format base order memory_limit "
            "output",
        ),
    ),
    Op(
        "phrases compare",
        "phrases:compare",
        "Score the phrase dictionaries of systems against gold's.",
        (LINKS, "dictionaries by_sentence max_phrase sure_only memory_limit output"),
    ),
    Op(
        "phrases study",
        "phrases:study",
        "Study systems as Carl & Fissaha 2003 did: sizes, scores, lengths, easy and hard entries.",
        (LINKS, "by_sentence max_phrase sure_only top memory_limit tables"),
    ),
    Op(
        "lexicon induce",
        "lexicon:induce",
        "Induce the N best translations of every source word of a text.",
        (
            "src tgt n_best filters count unsigned min_both tagged tag_column encoding "
            "memory_limit threads output",
        ),
    ),
    Op(
        "lexicon lookup",
        "lexicon:lookup",
        "Show the translations of words, and the words that they are translations of.",
        ("words lexicon limit",),
    ),
    Op(
        "lexicon evaluate",
        "lexicon:evaluate",
        "Judge lexicons by a test text: precision and percent correct at every depth (BIBLE).",
        (
            "lexicons src tgt k average by bootstrap=0 confidence seed compare tagged tag_column "
            "encoding output",
        ),
    ),
    Op(
        "lexicon back-off",
        "lexicon:back_off",
        "Join lexicons: the first that knows a word gives its translations.",
        ("lexicons output",),
    ),
    Op(
        "lexicon upper-bound",
        "lexicon:upper_bound",
        "Measure how well two translations of one text agree: more no lexicon could reach.",
        ("first second confidence encoding",),
    ),
    Op(
        "lexicon study",
        "lexicon_study:study",
        "Study filter cascades as Melamed 1995 did: by size of training text, with back-off.",
        (STUDY, "tables"),
    ),
    Op(
        "lexicon merge",
        "lexicon_merge:merge",
        "Merge an induced lexicon with a dictionary, and judge it beside each of them (BIBLE).",
        (
            "lexicon dictionary ahead n_best_or_all judge_src test_tgt depth bootstrap=0 "
            "confidence seed encoding output",
        ),
    ),
    Op(
        "lexicon changes",
        "lexicon_merge:changes",
        "List words whose best translation is another than in the first lexicon.",
        ("lexicons judge_src test_tgt most_words encoding output",),
    ),
    Op(
        "beads align",
        "beads_align:align",
        "Align the sentences of two texts.",
        (
            SENTENCE_ALIGNER,
            "src document_tgt beads_file to bitext doc languages model threshold encoding",
        ),
        JSON,
    ),
    Op(
        "beads model",
        "beads_align:model",
        "Learn from line-parallel text what mre+ can be told of words: Model 1.",
        ("src tgt model_folder words iterations encoding",),
        JSON,
    ),
    Op(
        "beads score",
        "beads_score:score",
        "Score sentence alignments against gold: beads, pairs of sentences and the alignment rate.",
        (BEADS, "by_doc by_type bootstrap=0 confidence seed output"),
    ),
    Op(
        "beads counts",
        "beads_score:counts",
        "Count the beads of each document: the additive table that every score is made of.",
        (BEADS, "output"),
    ),
    Op(
        "beads compare",
        "beads_score:compare",
        "Test whether systems differ from a baseline, by the paired bootstrap over documents.",
        (BEADS, "baseline bootstrap=10000 confidence seed output"),
    ),
    Op(
        "beads noise",
        "beads_noise:noise",
        "Make a noisy document of a parallel one, with the alignment it must be given.",
        (
            "src tgt noise_folder scenario rate src_rate tgt_rate noise_seed other noise_unit "
            "words encoding",
        ),
        JSON,
    ),
    Op(
        "beads convert",
        "beads_convert:convert",
        "Convert beads between formats; with --src and --tgt their numbers are checked as well.",
        ("source target from_format to_format text_src sentences_tgt languages doc encoding",),
        JSON,
    ),
    Op(
        "beads study",
        "beads_study:study",
        "Compare aligners on noisy documents made of a parallel text, as Zaidan & Chowdhary 2013.",
        (
            "src tgt scenarios methods model other scored_threshold study_skip words unit corpus "
            "noise_seed encoding threads output",
        ),
    ),
    Op(
        "beads tune",
        "beads_study:tune",
        "Tune an aligner on one part of a parallel text with noise, and evaluate it on another.",
        (
            "src tgt tuned_method tuned_scenario tuned_rate tuned_model parameters min_precision "
            "words unit noise_seed encoding threads settings_file tried corpus",
        ),
    ),
    Op(
        "beads filter",
        "beads_filter:filter",
        "Filter line-parallel text: keep the lines that an aligner of sentences finds again. "
        "If left out, the prior --skip is 0.2 with mre+, else 0.05; a lower one keeps more "
        "wrong lines. The table's columns moved and merged count what is found but not kept: "
        "sentences of two different lines that translate each other, and beads of more than "
        "two sentences.",
        (
            FILTERING_ALIGNER,
            "src tgt prefix kept_threshold filter_model groups only max_lines line_scores "
            "encoding threads",
        ),
    ),
    Op(
        "mt score",
        "mt:score",
        "Score translations by BLEU and chrF, as sacrebleu does.",
        (SCORED, "by bootstrap=0 confidence seed segments output"),
    ),
    Op(
        "mt counts",
        "mt:counts",
        "Count what each sentence adds to BLEU and chrF: the additive table behind every score.",
        (SCORED, "by output"),
    ),
    Op(
        "mt compare",
        "mt:compare",
        "Test whether translations differ from a baseline's, by the paired bootstrap over "
        "sentences.",
        (SCORED, "baseline bootstrap=10000 confidence seed output"),
    ),
    Op(
        "mt train",
        "mt_table:train",
        "Make a phrase table of a word-aligned text.",
        ("links src tgt only longest_phrase phrase_table_file links_format base order encoding",),
        JSON,
    ),
    Op(
        "mt convert",
        "mt_table:convert",
        "Convert a phrase table: between Parquet and Moses's text table.",
        ("given_table phrase_table_file",),
        JSON,
    ),
    Op(
        "tesla score",
        "tesla_score:score",
        "Score translations by TESLA: systems, and with -o their segments and features.",
        (METRIC, ANALYSIS, "ref hyp bootstrap baseline sids where confidence seed encoding output"),
    ),
    Op(
        "tesla stream",
        "tesla_stream:stream",
        "Score candidates from standard input as they come, one score per line: for tuners. A "
        "line 'N ||| text' is scored against line N of the references, counted from 0; other "
        "lines take the references in turn, and start over after the last.",
        (METRIC, ANALYSIS, "ref encoding"),
        NOTHING,
    ),
    Op(
        "tesla explain",
        "tesla_explain:explain",
        "Tell which n-gram of a segment is matched with which of its reference, and how much "
        "of it.",
        (
            ANALYSIS,
            "ref one_hyp segment which ngram_length similarity recall_weight function_weight "
            "encoding output",
        ),
    ),
    Op(
        "tesla analyse",
        "tesla_analyse:analyse",
        "Part sentences into tokens, with their tags and lemmas. Prints one line per sentence, or "
        "writes it; of Parquet, the columns sid and tokens.",
        (ANALYSIS, "source tokens_file show encoding"),
        JSON,
    ),
    Op(
        "tesla pivot-table",
        "tesla_pivot:pivot_table",
        "Build the pivot table that TESLA-B takes, of a bitext whose words are aligned.",
        (
            "src pivot_text links parquet name src_language pivot_tagger pivot_language "
            "pivot_content case max_length max_pivot_length min_count min_probability top_k "
            "renormalise links_format base order encoding",
        ),
        JSON,
    ),
    Op(
        "tesla train",
        "tesla_train:train",
        "Train TESLA-F: weigh features by a ranking SVM on human rankings.",
        (
            ANALYSIS,
            "rankings model_file systems",
            tesla.ref(None),
            "pivot lm features pair cost folds",
        ),
    ),
    Op(
        "tesla lm",
        "tesla_lm:lm",
        "Estimate a language model: interpolated modified Kneser-Ney smoothing, as ARPA.",
        ("text arpa lm_order tokens keep_case encoding",),
    ),
    Op(
        "tesla rankings",
        "tesla_rankings:rankings",
        "Count human rankings by language pair, and write those of one as a row a "
        "translation. What is written has the columns ranking, sid (from 0), judge, system "
        "and rank, for SQL.",
        ("rankings_file pair output",),
    ),
    Op(
        "tesla meta",
        "tesla_meta:meta",
        "Evaluate metrics against human rankings: consistency, Kendall's tau, correlation.",
        (
            "rankings segments pair column lower ties human bootstrap sids where confidence seed "
            "output comparisons",
        ),
    ),
    Op(
        "lake score",
        "lake:score",
        "Count the links of a lake against gold, partition by partition: what is done is skipped.",
        (lake.hyp, lake.gold, DOING, "possible_as_sure strict"),
        JSON,
    ),
    Op(
        "lake scores",
        "lake:scores",
        "Score systems by the counts that a job has written.",
        (lake.place, "by alpha bootstrap confidence seed output"),
    ),
    Op(
        "lake status",
        "lake:status",
        "Say which units of a job's output are done, and how its last run ended.",
        (lake.place,),
    ),
    Op(
        "lake runs",
        "lake:runs",
        "List the runs of a job: what each did, how long it took, and its memory.",
        (lake.place,),
    ),
    Op(
        "report links",
        "report:links",
        "Report word-alignment quality: scores, charts and browsable alignment grids.",
        (LINKS, "alpha=0.5 bands bootstrap seed sentences", to_page("Word alignment quality")),
        JSON,
    ),
    Op(
        "report phrases",
        "report:phrases",
        "Report phrase dictionaries: scores, sizes, sentence lengths, easy and hard entries.",
        (
            LINKS,
            "max_phrase sure_only memory_limit",
            to_page("Phrase dictionaries of word alignments"),
        ),
        JSON,
    ),
    Op(
        "report correlation",
        "report:correlation",
        "Report how well measures predict an external score, such as BLEU.",
        (
            LINKS,
            links.scores,
            "alpha bootstrap confidence seed lower_is_better score_name",
            to_page("Which alignment measure predicts translation quality"),
        ),
        JSON,
    ),
    Op(
        "report vary",
        "report:vary",
        "Report alignments of varying quality, and how well measures predict what they are worth.",
        (
            "folders scores sids where alpha bootstrap confidence seed lower_is_better score_name",
            to_page("Alignments of varying quality"),
        ),
        JSON,
    ),
    Op(
        "report lexicon",
        "report:lexicon",
        "Report a study of filter cascades: precision and percent correct by training text.",
        (STUDY, "upper_bound", to_page("Cascades of filters for translation lexicons")),
        JSON,
    ),
    Op(
        "report align",
        "report:align",
        "Report an alignment that is made: training, probabilities, and quality where gold is.",
        (
            ALIGNER,
            links.gold(None),
            "gold_format gold_base",
            to_page("Word alignments and their probabilities"),
        ),
        JSON,
    ),
    Op(
        "report beads",
        "report:beads",
        "Report a study of sentence aligners: precision, recall and alignment rate under noise.",
        ("study tuning", to_page("Sentence alignment under noise")),
        JSON,
    ),
    Op(
        "report mt",
        "report:mt",
        "Report BLEU and chrF of translations, with intervals and significance.",
        (SCORED, common.baseline(None), "bootstrap confidence seed", to_page(None)),
        JSON,
    ),
    Op(
        "report tesla",
        "report:tesla",
        "Report scores of translations: systems, segments, features, matchings, human rankings.",
        (TRANSLATIONS, METRIC, ANALYSIS, to_page(None)),
        JSON,
    ),
    Op(
        "warmup",
        "warmup:warmup",
        "Compile every kernel now, so that no command has to: for images of machines, and "
        "clusters.",
        ("processes",),
        JSON,
    ),
)

GROUPS = {
    "links": "Measure and join word alignments.",
    "phrases": "Evaluate word alignments by their phrase dictionaries.",
    "lake": "Run jobs over lakes of tables: resumable, incremental, in Parquet, Delta or Iceberg.",
    "lexicon": "Induce translation lexicons and evaluate them.",
    "beads": "Align sentences, and evaluate the result under noise.",
    "mt": "Translate by phrases, and score translations by BLEU and chrF.",
    "tesla": "Evaluate translations by linear programming (TESLA).",
    "report": "Write self-contained HTML reports.",
}
"""What the groups of commands are about."""


def operation(name: str) -> Op:
    """Return an operation by its name."""
    return next(op for op in OPERATIONS if op.name == name)
