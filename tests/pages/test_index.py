"""The list of pages: each with its path and the sentences that conclude."""

from alignframe.pages.index import index_page
from alignframe.pages.page import Page


def test_pages_are_listed_with_the_sentences_that_conclude(tmp_path):
    shown = "a & b cannot be told apart by X: a has 1.50 (p = 0.300). Y can tell b from a."
    rest = f"{'The rest of a long lead that is left out ' * 8}."
    (tmp_path / "of a").mkdir()
    Page("<One>", f"{shown} {rest}", None, [], about="2 systems.").write(tmp_path / "one.html")
    Page("Two", "", None, [], about="2 tables.").write(tmp_path / "of a" / "two.html")
    Page("Three", rest, None, []).write(tmp_path / "three.html")
    listed = {page.title: page for page in index_page(tmp_path).pages}
    assert {title: page.lead for title, page in listed.items()} == {
        "<One>": shown,
        "Two": "2 tables.",
        "Three": rest,
    }
    assert (listed["Two"].path, listed["Two"].href) == ("of a/two.html", "of%20a/two.html")
    html = index_page(tmp_path).html()
    assert "&lt;One&gt;</a><small>one.html</small>" in html
    assert '<p class="lead"></p>' not in (tmp_path / "of a" / "two.html").read_text("utf-8")
