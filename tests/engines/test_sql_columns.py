"""Every macro that takes a table refuses other tables, and says how to make the right one."""

import re

import duckdb
import pytest
from helpers.sql import connected

from alignframe.engines.scripts import sql_folder

WIDE = "select 'French' as srclang, 1 as srcIndex, 'a' as system1Id, 2 as system1rank"
FOUND = "a table with the columns srclang, srcIndex, system1Id, system1rank; expected "

TABLES = {
    "links": "select 'a' as system, 0 as sid, 0 as i, 0 as j, true as sure",
    "text": "select 0 as sid, ['a'] as src, ['x'] as tgt",
    "entries": "from phrase_entries('links', 'text')",
    "counts": "from link_counts('links', 'links')",
    "several": "from counts union all select * replace ('b' as system) from counts",
    "measures": "select * from (values ('a', 'f', null, null, 0.5), ('b', 'f', null, null, 0.6), "
    "('c', 'f', null, null, 0.4)) as t(system, measure, annotation, alpha, value)",
    "external": "select * from (values ('a', 1), ('b', 2), ('c', 4)) as t(system, score)",
    "candidates": "from cooccurrence('text')",
    "lexicon": "select 'a' as src, 'x' as tgt, 1 as rank",
    "lexicons": "select 1 as place, * from lexicon",
    "alignments": "select 'a' as system, 0 as sid, [{'i': 0, 'j': 0}] as links, "
    "[0.5::float] as probabilities",
    "translations": "select 'a' as src, 'x' as tgt, 0.5 as p",
    "beads": "select 'd' as doc, 0 as src_start, 1 as src_end, 0 as tgt_start, 1 as tgt_end",
    "sentences": "select 'd' as doc, 0 as sid, 'a' as text",
    "lengths": "select 'd' as doc, 1 as n_src, 1 as n_tgt",
    "sums": "from bead_counts('beads', 'beads')",
    "segments": "select 'a' as system, 0 as sid, 0.5 as score, 0.1 as ms union all "
    "select 'b', 0, 0.4, 0.2",
    "phrases": "select ['a'] as src, ['x'] as tgt, 1 as n_both, 2 as n_src, 1 as n_tgt, "
    "0.5 as lex_src, 0.5 as lex_tgt",
    "groups": "select 0 as sid, 'g' as \"group\"",
    "rankings": "select * from (values (1, 0, 'a', 1), (1, 0, 'b', 2)) "
    "as t(ranking, sid, system, rank)",
    "figures": "select *, 2 as units "
    "from (values ('a', 0, 0.5), ('b', 0, 0.4), ('a', 1, 0.5), ('b', 1, 0.4)) "
    "as t(system, resample, figure)",
}

CALLS = """
link_rows(links)
long_links(links) where i > 0
link_counts(links, links)
link_scores(links, links)
single_links(links)
worst_sentences(links, links)
system_agreement(links)
link_differences(links, links)
missing_links(links, links, text)
text_rows(text)
entry_rows(entries)
phrase_pairs(links, text)
phrase_entries(links, text)
entry_words(entries, text)
text_dictionary(links, text)
align_dic1(links, text)
text_dic1(links, text)
text_dic2(links, text)
link_sizes(links, text)
entry_counts(entries, entries)
entry_scores(entries, entries)
dictionary_scores(entries, entries)
entry_shares(entries, entries)
entry_classes(entries, entries, text)
measure_values(counts)
measured_rows(measures)
external_rows(external)
correlations(measures, external)
correlations_left_out(measures, external)
pair_rows(text)
lexicon_rows(lexicon)
cooccurrence(text)
n_best(candidates, 1)
hit_rates(lexicon, text, 1) where hits > 0
bible(lexicon, text, 1)
bible_by_token(lexicon, text, 1)
back_off(lexicons)
merge_lexicons(lexicon, lexicon)
changed_words(lexicon, lexicon)
alignment_rows(alignments)
confident_links(alignments)
sentence_confidence(alignments, text)
link_calibration(alignments, links)
best_translations(translations, 1)
bead_rows(beads)
bead_faults(beads)
checked_beads(beads)
bead_types(beads)
bead_pairs(beads)
bead_crossings(beads)
sentence_rows(sentences)
bead_bitext(beads, sentences, sentences)
bead_type_counts(beads, beads)
bead_counts(beads, beads, lengths := lengths)
bead_hits(sums)
bead_measures(sums)
bead_scores(beads, beads, lengths := lengths)
bead_type_scores(beads, beads)
tesla_segments(segments) where score > 0.5
tesla_scores(segments)
tesla_scores_by(segments, groups)
tesla_features(segments)
tesla_feature_means(segments)
tesla_differences(segments, 'a', 'b')
tesla_wins(segments)
ranking_pairs(rankings)
ranking_wins(rankings)
human_scores(rankings)
segment_scores(segments) where score > 0.5
agreement_counts(rankings, segments)
resampled_counts(counts)
counted_links(counts)
phrase_probabilities(phrases)
scores(counts)
scores_with_intervals(counts)
score_differences(several, 'a')
figure_rows(figures)
figure_intervals(figures)
paired_differences(figures, 'a')
""".strip().splitlines()

UNTRIED = {
    "checked_folders",  # takes files
    "files_of",
    "drawn_sums",  # a step of resampled_counts
    "checked_columns",  # the check itself
    "checked_groups",
    "checked_once",
    "column_names",
    "rows_of",  # takes any table
    "noted_rows",  # so does this
    "alignframe_notes",
    "scores_of_counts",  # takes counts that were checked: link_scores and scores call it
    "ratio_intervals",  # their ratios name columns, and DuckDB names a missing one
    "ratio_differences",
    "same_units",  # takes counts that resampled_counts checks
}


@pytest.fixture(scope="module")
def connection():
    with connected() as con:
        for name, made in TABLES.items():
            con.execute(f"create table {name} as {made}")
        for rows in (0, 1):
            con.execute(f"create table wide{rows} as {WIDE} limit {rows}")
        yield con


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.partition("(")[0])
def test_other_tables_are_refused(connection, call):
    places = list(re.finditer(rf"(?<=[ (])({'|'.join(TABLES)})(?=[,)])", call))
    quoted = re.sub(rf"(?<=[ (])({'|'.join(TABLES)})(?=[,)])", r"'\1'", call)
    connection.execute(f"from {quoted}").fetchall()
    assert places
    for rows, at in enumerate(places):
        wrong = f"{call[: at.start()]}wide{rows % 2}{call[at.end() :]}"
        wrong = re.sub(rf"(?<=[ (])({'|'.join(TABLES)}|wide.)(?=[,)])", r"'\1'", wrong)
        # The expected columns, and what to do. DuckDB 1.5 refuses some before, by the type of a
        # missing column.
        said = rf"{FOUND}\w[^;]*; \w" if duckdb.__version__ >= "2" else FOUND + "|Binder Error"
        with pytest.raises(Exception, match=said):
            connection.execute(f"from {wrong}").fetchall()


def test_every_macro_that_takes_tables_is_tested():
    text = " ".join(file.read_text("utf-8") for file in sql_folder().glob("*.sql"))
    macros = set(re.findall(r"temp macro (\w+)\([^)]*\)\s+as table", text))
    assert macros - {call.partition("(")[0] for call in CALLS} == UNTRIED
