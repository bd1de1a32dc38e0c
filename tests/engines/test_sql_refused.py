"""Values and tables that would give wrong figures are refused with what is wrong."""

import re

import duckdb
import pytest
from helpers.sql import connected

from alignframe.engines.session import asking
from alignframe.errors import QueryError

TABLES = {
    "hyp": "select * from (values ('a', 0, 0, 1), ('a', 1, 1, 1), ('b', 0, 1, 1), ('b', 1, 0, 1)) "
    "as t(system, sid, i, j)",
    "noted": "select *, sid + i + j + row_number() over () as note from (from hyp union all "
    "select system, sid, i + 1, j from hyp)",
    "gold": "select sid, 0 as i, 1 as j from range(2) as t(sid)",
    "numbered_by_text": "select * replace (sid::varchar as sid) from hyp where system = 'a'",
    "in_two_ways": "from numbered_by_text union all select system, '0' || sid, i, j "
    "from numbered_by_text where sid = '1'",
    "text": "select sid, ['x', 'y'] as src, ['u', 'v'] as tgt from range(2) as t(sid)",
    "wordless": "select * replace (if(sid = 1, null, src) as src) from text",
    "counts": "from link_counts('hyp', 'gold')",
    "uncounted": "select * replace (if(sid = 1, null, n_hyp) as n_hyp) from counts",
    "negative": "select * replace (-1 as n_hyp_possible, 0 as n_hyp_sure) from counts",
    "too_many": "select * replace (2 as n_hyp_possible) from counts",
    "doubled": "from counts union all from counts",
    "doubled_for_another": "select system, unnest([0, 2, 2]) as sid, columns('n_') "
    "from counts where sid = 0",
    "doubled_name": "select * replace ('x' as sid) from counts",
    "doubled_beside": "select *, 'x' as genre from doubled_for_another union all "
    "select *, 'y' from counts",
    "unnumbered": "select * replace (nullif(sid, 1) as sid) from counts",
    "nameless": "select * replace (nullif(system, 'a') as system) from counts",
    "placeless": "select * replace (if(sid = 1, null, i) as i) from hyp",
    "entries": "from phrase_entries('hyp', 'text')",
    "golden": "from phrase_entries('gold', 'text')",
    "unsplit": "select 'x y' as src, 'u v' as tgt",
    "short": "from text where sid = 0",
    "wordless_entry": "select null as src, 'u' as tgt, 1 as rank",
    "rankless": "select 'x' as src, 'u' as tgt, null as rank",
    "ranks_from_0": "select 'x' as src, 'u' as tgt, 0 as rank",
    "translated": "select 'a' as system, 0 as sid, unnest(bleu_counts(['x'], [['x', 'y']])), "
    "unnest(chrf_counts('x', ['xy']))",
    "matched": "select * replace (9 as bleu_match_1, 9 as chrf_match_2) from translated",
    "lost": "select * replace (-1 as bleu_match_2, -1 as chrf_hyp_1) from translated",
    "endless": "select * replace ('nan'::double as bleu_hyp, 'nan'::double as chrf_ref_1) "
    "from translated",
    "translated_twice": "from translated union all from translated",
    "alignments": "select 'a' as system, sid, [{'i': 0, 'j': 0}] as links, [0.5] as probabilities "
    "from range(2) as t(sid)",
    "repeated": "from alignments union all from alignments",
    "doubtful": "select * replace ([null::double] as probabilities) from alignments",
    "certain": "select * replace ([2.0] as probabilities) from alignments",
    "beads": "select 'd' as doc, sid as src_start, sid + 1 as src_end, sid as tgt_start, "
    "sid + 1 as tgt_end from range(2) as t(sid)",
    "between": "select * replace (src_start + 0.6 as src_start) from beads",
    "missed": "select 1 as n_hyp, 1 as n_gold, 2 as n_hyp_strict, 1 as n_gold_strict, "
    "1 as n_hyp_lax, 1 as n_gold_lax",
    "two_golds": "select 's' as system, * from beads union all select 't', * from beads",
    "sentences": "select 'd' as doc, sid, 'x' as text from range(2) as t(sid)",
    "sentences_twice": "from sentences union all from sentences",
    "segments": "select system, sid, i + 0.5 as score from hyp",
    "segments_twice": "from segments union all from segments",
    "rankings": "select sid as ranking, sid, system, i + 1 as rank from hyp",
    "rankings_twice": "from rankings union all from rankings",
    "rankings_from_0": "select * replace (rank - 1 as rank) from rankings",
    "unranked": "select * replace (if(sid = 0, -1, null) as rank) from rankings",
}

REFUSED = [
    ("link_scores('placeless', 'gold')", "null i of sentence 1; expected i and j"),
    ("link_counts('in_two_ways', 'gold')", "gives a sentence of gold in two ways, such as 7 and"),
    ("phrase_pairs('hyp', 'wordless')", "null src of sentence 1; expected an empty list"),
    ("scores('uncounted')", "a row without a count"),
    ("scores('negative')", "the counts n_hyp 1, .* n_hyp_possible -1; expected counts from 0"),
    ("scores('too_many')", "the counts n_hyp 1, .* n_hyp_possible 2; .* n_hyp_possible at most n"),
    ("scores('doubled')", "the system a has counts of sid 0 more than once; expected one row"),
    ("scores('doubled_for_another')", "the system a has counts of sid 2 more than once"),
    ("scores('doubled_name')", "the system a has counts of sid x more than once"),
    ("scores('doubled_beside')", "the system a has counts of sid 2 more than once"),
    ("scores('unnumbered')", "a row without sid"),
    ("scores('nameless')", "a row without system"),
    ("measure_values('doubled')", "the system a has counts of sid 0 more than once"),
    ("measure_values('negative')", "n_hyp_possible -1; expected counts from 0"),
    ("scores_with_intervals('too_many')", "n_hyp_possible at most n_hyp"),
    ("(select alignment_precision(2, -1))", "-1 hits of 2; expected counts from 0"),
    ("(select alignment_recall(1, 2))", "2 hits of 1; expected counts from 0, and no more hits"),
    ("(select aer(2, 2, 5, 5))", "n_hyp_sure 5, .*; expected counts from 0"),
    ("(select link_figures(0.5, 3, 3, 2, 1))", "n_hyp_sure 2, n_hyp_possible 1; expected counts"),
    ("(select f_alpha(0.5, 2, 2, 1, 3))", "n_hyp_possible 3; expected counts from 0"),
    (
        "(select bleu_sums(bleu_counts(src, [tgt])) from wordless)",
        "counts of 1 of 2 translations; expected those of each",
    ),
    *(
        (f"(select {name}_sums(c) from {given} as c)", said)
        for name in ("bleu", "chrf")
        for given, said in (
            (
                "matched",
                "counts of n-grams from 9 to 9, of [01] to [01]; expected counts from 0, and",
            ),
            ("lost", "counts of n-grams from -1 to -1, of"),
            ("endless", "counts of n-grams from (nan|0) to (nan|0), of"),
            ("translated_twice", "counts of a sentence more than once; expected one row"),
        )
    ),
    ("bible('ranks_from_0', 'text', 1)", "'u' as a translation of 'x' the rank 0; expected whole"),
    ("merge_lexicons('ranks_from_0', 'ranks_from_0')", "the rank 0; expected whole numbers from 1"),
    ("bead_hits('missed')", "2 hits of 1; expected counts from 0"),
    ("bead_rows('between')", "sentence numbers that are not whole numbers"),
    ("cooccurrence('wordless')", "wordless: null src; expected an empty list if it has no words"),
    ("cooccurrence('unsplit')", "a text where a list of texts is expected; split it"),
    ("cooccurrence([['x', 'y']])", r"a list given as a table: .*; expected the name of a table"),
    ("link_scores('noted', 'gold')", "more than once.*columns that differ from link to link"),
    ("link_sizes('hyp', 'wordless')", "wordless: null src of sentence 1"),
    ("link_sizes('hyp', 'short')", "has a sentence that the text lacks"),
    ("merge_lexicons('wordless_entry', 'wordless_entry')", "an entry without a word"),
    ("changed_words('rankless', 'rankless')", "an entry without a rank"),
    ("confident_links('doubtful')", "different numbers of links and probabilities"),
    ("phrase_pairs('hyp', 'text', key := ['system', 'sid'])", "a key that names system; omit it"),
    ("confident_links('alignments', key := ['system', 'sid'])", "a key that names system"),
    ("measure_values('uncounted')", "a row without a count"),
    ("worst_sentences('hyp', 'gold', n := null)", "n is null; expected 0 or more"),
    ("scores_with_intervals('counts', confidence := 95)", "confidence is 95; expected 0 to 1"),
    (
        "scores_with_intervals('counts', bootstrap := 10.7)",
        "bootstrap is 10.7; expected the number",
    ),
    (
        "scores_with_intervals('counts', bootstrap := null)",
        "bootstrap is null; expected the number",
    ),
    ("scores_with_intervals('counts', seed := null)", "the seed is null; expected a number"),
    ("bible('rankless', 'text', 1)", "an entry without a rank"),
    ("entry_shares('entries', 'golden', n_systems := 1)", "n_systems is 1, but 2 systems"),
    ("confident_links('alignments', threshold := null)", "the threshold is null; expected 0 to 1"),
    ("confident_links('certain')", "sentence 0 has a probability that is not from 0 to 1"),
    ("sentence_confidence('repeated', 'text')", "the system a gives sentence 0 more than once"),
    (
        "link_calibration('alignments', 'gold', bins := 2.5)",
        "2.5 bins; expected an integer of 1 or more",
    ),
    ("bead_scores('beads', 'two_golds')", "gold holds the systems s, t; expected one"),
    ("bead_bitext('beads', 'sentences_twice', 'sentences')", "document 'd' gives a sentence more"),
    ("tesla_differences('segments', 'a', null)", "the systems a and null; expected two of a, b"),
    ("tesla_differences('segments', 'x', 'b')", "the systems x and b; expected two of a, b"),
    ("tesla_differences('segments_twice', 'a', 'b')", "sentence 0 more than once; give each"),
    ("tesla_wins('segments_twice')", "sentence 0 more than once; give each sentence once"),
    ("agreement_counts('rankings', 'segments_twice')", "of the system . more than once"),
    ("agreement_counts('rankings_from_0', 'segments')", "the rank 0; expected ranks from 1, and"),
    ("human_scores('rankings_from_0')", "gives the system a the rank 0; expected ranks from 1"),
    ("human_scores('rankings_twice')", "ranking 0 has the system a more than once; give each"),
    ("(select length_band(src, tgt, bands := [2.5]) from text)", r"the bands \[2.5\]; expected"),
    ("(select length_band(src, tgt, bands := null) from text)", "the bands null; expected"),
    ("(select length_band(3, 4))", "INTEGER where a list is expected; write it in brackets"),
    ("measure_values('counts', alphas := 0.5)", "where a list is expected; write it in brackets"),
    ("scores('counts', alpha := [0.1, 0.5])", "DECIMAL where a number is expected; call .* once"),
    (
        "(select bleu(bleu_counts(src, [tgt])) from text)",
        r"their sums; bleu\(bleu_sums\(counts\)\)",
    ),
    ("(select chrf_counts('a b', 'a c'))", r"split it into words, .*in brackets, \[text\]"),
    ("link_differences('numbered_by_text', 'gold')", "VARCHAR and BIGINT; .* type in both .*cast"),
    ("link_scores(hyp, gold)", r"hyp without single quotes in link_scores\(\); .*write 'hyp'"),
    ('link_scores("hyp", \'gold\', key := ["sid"])', "sid without single quotes in link_scores"),
    ("link_scores('hyp', 'gold', key = ['sid'])", r"key = in link_scores\(\); expected key :="),
    ("link_scores('hyp', 'gold', ['sid'])", "VARCHAR where a number .* such as key := "),
    ("(select aer(none, 1, 1, 1) from hyp)", 'Referenced column "none" not found'),
    ("link_scores('hyp', 'gold') where none", 'Referenced column "none" not found'),
    # A list as a text would be '[x, y]'.
    ("(select chrf_counts(src, tgt) from text)", "a list of the type .* where a text is expected"),
    ("(select bleu_counts([src], [tgt]) from text)", "where a text is expected; join its words"),
    ("(select align_sentences([src], [tgt]) from text)", "where a text is expected; join"),
    ("(select lcsr(['a'], 'b'))", "where a text is expected; join its words"),
]


@pytest.fixture(scope="module")
def connection():
    with connected() as con:
        for name, made in TABLES.items():
            con.execute(f"create table {name} as {made}")
        yield con


@pytest.mark.parametrize(("asked", "said"), REFUSED, ids=[asked for asked, _ in REFUSED])
def test_refused(connection, asked, said):
    sql = f"from {asked}"
    with pytest.raises(QueryError) as caught, asking(sql):
        connection.execute(sql).fetchall()
    assert re.search(said, str(caught.value).partition("The query was:")[0])


def test_translations_without_a_rank_are_left_out(connection):
    assert connection.execute("from human_scores('unranked')").fetchall() == []


def test_a_group_that_names_a_sentence_twice_counts_it_once(connection):
    sql = """
        with groups as (select sid, 'g' as "group" from gold union all select sid, 'g' from gold)
        select segments from tesla_scores_by('segments', 'groups')
    """
    assert connection.execute(sql).fetchall() == [(2,), (2,)]


@pytest.mark.skipif(duckdb.__version__ < "2", reason="DuckDB 1.5 takes the view itself")
def test_a_view_made_with_macros_goes_through_a_common_table_expression(connection):
    connection.execute("create or replace temp view counted as from link_counts('hyp', 'gold')")
    sql = "from scores('counted')"
    with (
        pytest.raises(QueryError, match=r"a view whose query calls macros .*with t as .* pass 't'"),
        asking(sql),
    ):
        connection.execute(sql).fetchall()
    through = "with t as (from counted) from scores('t')"
    assert (
        connection.execute(through).fetchall()
        == connection.execute("from scores('counts')").fetchall()
    )
