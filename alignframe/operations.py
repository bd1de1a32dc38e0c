"""Every command: what it does, what it takes, and what runs it.

The commands of the shell are built from this table, and help needs nothing else.
"""

from __future__ import annotations

from alignframe.operation import JSON, NOTHING, UNSIGNED, Group, Op
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
    (lake.out, lake.on, lake.lake_format, "commit_every engine threads prune dry_run check"),
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
_BLEU_AND_CHRF = (
    "tokenize lowercase smooth smooth_value effective_order char_order word_order beta whitespace"
)
SCORED = Group("files", "mt:Given", ("ref hyp metrics", _BLEU_AND_CHRF, "sids where encoding"), mt)
METRIC = Group(
    "metric",
    "tesla_metric:MetricOptions",
    ("metric pivot lm model references recall_weight empty_order function_weight threads",),
    tesla,
)
TUNED_FOR = Group(
    "metric",
    "mt_metric:TunedFor",
    (
        mt.tuning_metric,
        mt.tokenize("none"),
        mt.lowercase,
        "pivot",
        mt.metric_lm,
        lake.tesla_model,
        "references recall_weight empty_order function_weight",
    ),
    tesla,
)
OF_WORDS = Group(
    "analysis",
    "tesla_given:AnalysisOptions",
    ("language tokens=spaces tagger lemmas wordnet synonyms content",),
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


AGAINST = Group(
    "how",
    "report:Against",
    ("alpha bootstrap confidence seed lower_is_better", report.score_name),
    links,
)


def to_page(title: str | None) -> Group:
    """Return the options of a page; without a title, its own names the measure."""
    titled = report.metric_title if title is None else common.title(title)
    return Group("to", "report:PageGiven", ("page", titled, "figures figure_format"), common)


OPERATIONS = (
    Op(
        "align",
        "align:align",
        "Align the words of a text. Learns a model from it, in both directions, or takes a "
        "saved one.",
        (ALIGNER, "links_file to posterior save_model system"),
        JSON,
    ),
    Op(
        "bitext",
        "bitext:bitext",
        "Write line-parallel text as a table of sid, src and tgt. SQL can read it.",
        ("line_src text_tgt parquet=text.parquet encoding",),
        JSON,
    ),
    Op(
        "convert",
        "convert:convert",
        "Convert links between formats. With --src and --tgt, positions are checked as well.",
        (
            "source target from_format to_format base_of_input to_base order_of_input "
            "first_sentence min_probability_of_input src tgt encoding system_of_input",
        ),
        JSON,
    ),
    Op(
        "sql",
        "sql:sql",
        "Run SQL over links, texts, lexicons and scores. Tables, Parquet files and globs can be"
        " queried, and folders and Delta by --table, with all macros, such as link_scores().",
        ("query file sql_tables list_macros database memory_limit threads limit output",),
        UNSIGNED,
    ),
    Op(
        "links score",
        "links:score",
        "Score systems: precision, recall, AER and F at every alpha.",
        (LINKS, "alpha=0.5 by bands bootstrap=0 confidence seed output"),
    ),
    Op(
        "links counts",
        "links:counts",
        "Count each sentence's links. Every score is a ratio of sums of this table.",
        (LINKS, "by bands output"),
    ),
    Op(
        "links compare",
        "links:compare",
        "Compare systems with a baseline by the paired bootstrap. Sentences are resampled.",
        (LINKS, "baseline alpha=0.5 bootstrap=10000 confidence seed output"),
    ),
    Op(
        "links symmetrize",
        "links:symmetrize",
        "Combine the alignments of two directions into one.",
        ("forward reverse links_file method reverse_is both_format to first_word system",),
        JSON,
    ),
    Op(
        "links vary",
        "vary:vary",
        "Make alignments of varying quality, and score them. Any aligner can be used.",
        (
            "bitext_src bitext_tgt gold_src gold_tgt gold aligner folder extra_src extra_tgt "
            "fractions multiples symmetrizations alpha gold_apart gold_format gold_base encoding "
            "jobs dry_run",
        ),
    ),
    Op(
        "links correlate",
        "correlate:correlate",
        "Correlate measures of systems with an external score. For example with BLEU.",
        (MEASURED, "scores alpha by_group bootstrap confidence seed lower_is_better output"),
    ),
    Op(
        "phrases extract",
        "phrases:extract",
        "List the phrase pairs of every sentence as spans. Spans count from 0 and exclude their"
        " end.",
        ("links kind max_phrase_of_kind src tgt words encoding links_format base order output",),
        UNSIGNED,
    ),
    Op(
        "phrases dictionary",
        "phrases:dictionary",
        "Build the phrase dictionary of a system. The most frequent pairs come first.",
        (
            "links src tgt dictionary max_phrase encoding links_format base order memory_limit "
            "output",
        ),
        UNSIGNED,
    ),
    Op(
        "phrases compare",
        "phrases:compare",
        "Score systems' phrase dictionaries against gold's.",
        (LINKS, "dictionaries by_sentence max_phrase sure_only memory_limit output"),
    ),
    Op(
        "phrases study",
        "phrases:study",
        "Study phrase dictionaries as in Carl & Fissaha 2003. Sizes, scores, sentence lengths, "
        "easy and hard entries.",
        (LINKS, "by_sentence max_phrase sure_only top memory_limit tables"),
    ),
    Op(
        "lexicon induce",
        "lexicon:induce",
        "Induce the N best translations of every source word.",
        (
            "src tgt n_best filters count unsigned min_both tagged tag_column encoding "
            "memory_limit threads output",
        ),
    ),
    Op(
        "lexicon lookup",
        "lexicon:lookup",
        "Show the translations of words, in both directions.",
        ("words lexicon limit",),
        UNSIGNED,
    ),
    Op(
        "lexicon evaluate",
        "lexicon:evaluate",
        "Evaluate lexicons on a test text. Precision and percent correct at every depth (BIBLE).",
        (
            "lexicons src tgt k average by bootstrap=0 confidence seed compare tagged tag_column "
            "encoding output",
        ),
    ),
    Op(
        "lexicon back-off",
        "lexicon:back_off",
        "Join lexicons: the first that has a word translates it.",
        ("lexicons output",),
    ),
    Op(
        "lexicon upper-bound",
        "lexicon:upper_bound",
        "Measure how well two translations of one text agree. No lexicon can be expected to do "
        "better.",
        ("first second confidence encoding",),
    ),
    Op(
        "lexicon study",
        "lexicon_study:study",
        "Study cascades of filters as in Melamed 1995. By size of the training text, with back-"
        "off.",
        (STUDY, "tables"),
    ),
    Op(
        "lexicon merge",
        "lexicon_merge:merge",
        "Merge an induced lexicon with a dictionary. With --test-src, all three are evaluated "
        "(BIBLE).",
        (
            "lexicon dictionary ahead n_best_or_all judge_src test_tgt depth bootstrap=0 "
            "confidence seed encoding output",
        ),
    ),
    Op(
        "lexicon changes",
        "lexicon_merge:changes",
        "List words whose best translation differs between lexicons. They are compared with the"
        " first.",
        ("lexicons judge_src test_tgt most_words encoding output",),
    ),
    Op(
        "beads align",
        "beads_align:align",
        "Align the sentences of two texts, or of many documents.",
        (
            SENTENCE_ALIGNER,
            "documents_src documents_tgt beads_file to bitext doc languages model threshold",
            "src_vectors tgt_vectors encoding",
        ),
        JSON,
    ),
    Op(
        "beads model",
        "beads_align:model",
        "Learn Model 1 from line-parallel text, for mre+.",
        ("src tgt model_folder words iterations encoding",),
        JSON,
    ),
    Op(
        "beads score",
        "beads_score:score",
        "Score sentence alignments against gold. By beads, pairs of sentences and the alignment"
        " rate.",
        (BEADS, "by_doc by_type average bootstrap=0 confidence seed output"),
    ),
    Op(
        "beads counts",
        "beads_score:counts",
        "Count the beads of each document. Every score is a ratio of sums of this table.",
        (BEADS, "output"),
    ),
    Op(
        "beads compare",
        "beads_score:compare",
        "Compare systems with a baseline by the paired bootstrap. Documents are resampled.",
        (BEADS, "baseline average bootstrap=10000 confidence seed output"),
    ),
    Op(
        "beads noise",
        "beads_noise:noise",
        "Add noise to a parallel text. The correct alignment is written as well.",
        (
            "src tgt noise_folder scenario rate src_rate tgt_rate noise_seed other noise_unit "
            "words encoding",
        ),
        JSON,
    ),
    Op(
        "beads convert",
        "beads_convert:convert",
        "Convert beads between formats. With --src and --tgt, sentence numbers are checked as "
        "well.",
        ("source target from_format to_format text_src sentences_tgt languages doc encoding",),
        JSON,
    ),
    Op(
        "beads study",
        "beads_study:study",
        "Compare aligners on noisy documents. They are made of a parallel text as in Zaidan & "
        "Chowdhary 2013.",
        (
            "src tgt scenarios methods model other scored_threshold study_skip words unit corpus "
            "noise_seed encoding threads output",
        ),
    ),
    Op(
        "beads tune",
        "beads_study:tune",
        "Tune an aligner on noisy parallel text. It is tuned on one part, and evaluated on "
        "another.",
        (
            "src tgt tuned_method tuned_scenario tuned_rate tuned_model parameters min_precision "
            "words unit noise_seed encoding threads settings_file tried corpus",
        ),
    ),
    Op(
        "beads filter",
        "beads_filter:filter",
        "Filter line-parallel text. Keeps the lines whose sides translate each other, as a "
        "classifier taught by synthetic noise says, or a sentence aligner. The columns "
        "moved and merged count what is found but not kept: sentences of two different lines that "
        "translate each other, and beads of more than two sentences, by an aligner.",
        (
            FILTERING_ALIGNER,
            "src tgt prefix kept_threshold clean_src clean_tgt filter_seed filter_model groups "
            "only max_lines line_scores encoding threads",
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
        "Count what each sentence adds to BLEU and chrF. Scores are made of the sums of this "
        "table.",
        (SCORED, "by output"),
    ),
    Op(
        "mt compare",
        "mt:compare",
        "Compare systems with a baseline by the paired bootstrap. Sentences are resampled.",
        (SCORED, "baseline bootstrap=10000 confidence seed output"),
    ),
    Op(
        "mt train",
        "mt_table:train",
        "Make a phrase table of a word-aligned text.",
        (
            "links src tgt only leave_out longest_phrase phrase_table_file links_format base "
            "order encoding",
        ),
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
        "mt translate",
        "mt_translate:translate",
        "Translate sentences with a phrase table and a language model.",
        (
            "to_translate table target_lm weights pop distortion translation_options n_best "
            "n_best_format threads encoding translations_file",
        ),
        JSON,
    ),
    Op(
        "mt mert",
        "mt_tune:mert",
        "Find the weights at which candidates score best (MERT).",
        (
            "n_best_list refs_or_counts statistics",
            TUNED_FOR,
            OF_WORDS,
            "weights restarts tuning_seed encoding weights_file",
        ),
    ),
    Op(
        "mt tune",
        "mt_tune:tune",
        "Tune the weights of a translation system on a development set.",
        (
            "table target_lm dev_src refs_or_counts weights",
            TUNED_FOR,
            OF_WORDS,
            "reordering pop distortion translation_options pool_n_best rounds restarts "
            "tuning_seed threads encoding work weights_file",
        ),
    ),
    Op(
        "mt study",
        "mt_study:study",
        "Judge word alignments by the translations made from them.",
        (
            "alignments links_format base order src tgt target_lm gold gold_format gold_base sids "
            "where dev test weights tuned tune_on tesla_m",
            OF_WORDS,
            "reordering pop distortion translation_options rounds restarts tuning_seed "
            "bootstrap confidence threads encoding study_folder",
        ),
    ),
    Op(
        "tesla score",
        "tesla_score:score",
        "Score translations by TESLA. With -o, segments and their features are written.",
        (
            METRIC,
            ANALYSIS,
            "ref hyp by bootstrap baseline sids where confidence seed encoding output",
        ),
    ),
    Op(
        "tesla stream",
        "tesla_stream:stream",
        "Score candidates from standard input as they come. One score per line, for tuners. A "
        "line 'N ||| text' is scored against line N of the references, counted from 0; other "
        "lines take the references in turn, and start over after the last.",
        (METRIC, ANALYSIS, "ref encoding"),
        NOTHING,
    ),
    Op(
        "tesla explain",
        "tesla_explain:explain",
        "Show which n-grams of a segment match. Each is shown with its match in the reference, "
        "and the weight that the two share.",
        (
            ANALYSIS,
            "ref one_hyp segment which ngram_length similarity recall_weight function_weight "
            "encoding output",
        ),
    ),
    Op(
        "tesla analyse",
        "tesla_analyse:analyse",
        "Split sentences into tokens, with tags and lemmas. Prints one line per sentence, or "
        "writes it; of Parquet, the columns sid and tokens.",
        (ANALYSIS, "source tokens_file show encoding"),
        JSON,
    ),
    Op(
        "tesla pivot-table",
        "tesla_pivot:pivot_table",
        "Build the pivot table for TESLA-B. It is made of a word-aligned bitext.",
        (
            "src pivot_text links parquet name src_language pivot_tagger pivot_language "
            "pivot_content case max_length max_pivot_length min_count min_probability top_k "
            "renormalise links_format base "
            "order encoding",
        ),
        JSON,
    ),
    Op(
        "tesla train",
        "tesla_train:train",
        "Train TESLA-F on human rankings. A ranking SVM learns the weights of the features.",
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
        "Estimate a language model. Interpolated modified Kneser-Ney smoothing, written as ARPA.",
        ("text arpa lm_order tokens keep_case encoding",),
    ),
    Op(
        "tesla rankings",
        "tesla_rankings:rankings",
        "Count human rankings by language pair. With -o, those of one pair are written as one "
        "row per translation: ranking, sid (from 0), judge, system and rank, for SQL.",
        ("rankings_file pair output",),
    ),
    Op(
        "tesla meta",
        "tesla_meta:meta",
        "Evaluate metrics against human rankings. By consistency, Kendall's tau and correlation.",
        (
            "rankings segments pair column lower ties human bootstrap sids where confidence seed "
            "output comparisons",
        ),
    ),
    Op(
        "lake score",
        "lake:score",
        "Count the links of a lake against gold, by partitions. What is done is skipped.",
        (lake.hyp, lake.gold, DOING, "possible_as_sure strict"),
        JSON,
    ),
    Op(
        "lake beads",
        "lake:beads",
        "Count the beads of a lake against gold. Documents are counted partition by partition.",
        (lake.hyp, lake.gold, DOING, beads.one_sided),
        JSON,
    ),
    Op(
        "lake tesla",
        "lake:tesla",
        "Count what TESLA, BLEU or chrF are made of. Translations are a lake of sid and text.",
        (
            lake.hyp,
            lake.ref,
            DOING,
            lake.metric,
            ANALYSIS,
            Group(
                "tesla_options",
                "tesla_metric:TeslaOptions",
                ("pivot lm", lake.tesla_model, "recall_weight empty_order function_weight"),
                tesla,
            ),
            Group("mt_options", "mt:TextOptions", (_BLEU_AND_CHRF,), mt),
        ),
        JSON,
    ),
    Op(
        "lake symmetrize",
        "lake:symmetrize",
        "Join the links of two directions, partition by partition.",
        (lake.forward, lake.reverse, DOING, "method reverse_is system"),
        JSON,
    ),
    Op(
        "lake align",
        "lake:align",
        "Align the words of a lake of text with a saved model.",
        (lake.text, lake.model, DOING, "method threshold system"),
        JSON,
    ),
    Op(
        "lake phrases",
        "lake:phrases",
        "List the phrase pairs of a lake of links.",
        (lake.links, lake.lake_text, DOING, "kind max_phrase_of_kind words"),
        JSON,
    ),
    Op(
        "lake apply",
        "lake_apply:apply",
        "Apply a Python function to the partitions of a lake.",
        (lake.function, lake.places, DOING, lake.measure, lake.unit),
        JSON,
    ),
    Op(
        "lake scores",
        "lake:scores",
        "Score systems by the counts that a job has written.",
        (lake.place, "by alpha", lake.measure, "bootstrap confidence seed output"),
    ),
    Op(
        "lake history",
        "lake:history",
        "Compare the scores of all runs of a job. Each with the run before, or with a baseline.",
        (lake.place, lake.baseline, "alpha", common.bootstrap, "confidence seed", lake.top),
    ),
    Op(
        "lake status",
        "lake:status",
        "Show the units of a job. How its last run ended stands below them.",
        (lake.place,),
    ),
    Op(
        "lake runs",
        "lake:runs",
        "List the runs of a job. What each did, how long it took, and its memory.",
        (lake.place,),
    ),
    Op(
        "report links",
        "report:links",
        "Report word-alignment quality. Scores, charts and browsable alignment grids.",
        (LINKS, "alpha=0.5 bands bootstrap seed sentences", to_page("Word alignment quality")),
        JSON,
    ),
    Op(
        "report phrases",
        "report:phrases",
        "Report phrase dictionaries. Scores, sizes, sentence lengths, easy and hard entries.",
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
        "Report how well measures predict an external score.",
        (
            LINKS,
            links.scores,
            AGAINST,
            to_page("Which alignment measure predicts translation quality"),
        ),
        JSON,
    ),
    Op(
        "report vary",
        "report:vary",
        "Report alignments of varying quality. With --scores, also how well measures predict them.",
        (
            "folders scores sids where",
            AGAINST,
            to_page("Alignments of varying quality"),
        ),
        JSON,
    ),
    Op(
        "report lexicon",
        "report:lexicon",
        "Report a study of cascades of filters. Precision and percent correct by size of "
        "training text.",
        (STUDY, "upper_bound", to_page("Cascades of filters for translation lexicons")),
        JSON,
    ),
    Op(
        "report align",
        "report:align",
        "Align a text, and report the alignment. Training, probabilities, and quality where "
        "there is gold.",
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
        "Report sentence alignment. A study of aligners under noise; or an alignment, its texts "
        "side by side.",
        ("study study_src sentences_tgt study_gold shown tuning encoding", to_page(None)),
        JSON,
    ),
    Op(
        "report lake",
        "report_lake:lake",
        "Report a lake over time, down to the sentence. One page, of all runs of a job.",
        (
            lake.place,
            "text baseline alpha top",
            common.bootstrap,
            "confidence seed page",
            common.title("Quality over time"),
            "max_mb watch",
        ),
        JSON,
    ),
    Op(
        "report index",
        "report_lake:index",
        "List the reports of a folder on a page.",
        ("folder", report.index_page, common.title("Reports")),
        JSON,
    ),
    Op(
        "report filter",
        "report:line_filter",
        "Report what was filtered from line-parallel text. The worst lines kept, the best ones "
        "dropped.",
        ("filtered lines_shown", to_page("Lines kept and dropped")),
        JSON,
    ),
    Op(
        "report mt",
        "report:mt",
        "Report BLEU and chrF, with intervals and significance.",
        (SCORED, common.baseline(None), "bootstrap confidence seed", to_page(None)),
        JSON,
    ),
    Op(
        "report mt-study",
        "report:mt_study",
        "Report a study of word alignments judged by translation. Translation scores against "
        "measures of the alignments.",
        (
            mt.judged,
            "alpha bootstrap confidence seed",
            to_page("Alignment quality and translation quality"),
        ),
        JSON,
    ),
    Op(
        "report tesla",
        "report:tesla",
        "Report TESLA's scores of translations. Systems, segments, features, matchings, human "
        "rankings.",
        (TRANSLATIONS, METRIC, ANALYSIS, to_page(None)),
        JSON,
    ),
    Op(
        "warmup",
        "warmup:warmup",
        "Compile all kernels now. No command has to later: for images of machines, and clusters.",
        ("processes",),
        JSON,
    ),
)

GROUPS = {
    "links": "Measure and join word alignments.",
    "phrases": "Evaluate word alignments by their phrase dictionaries.",
    "lake": "Run jobs over lakes of tables (Parquet, Delta, Iceberg).",
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
