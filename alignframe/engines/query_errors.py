"""Errors of queries, reworded for users of this package."""

from __future__ import annotations

import re
from pathlib import Path

from alignframe.errors import InputError

_OF_FUNCTIONS = re.compile(r"^Invalid Input Error: (Python exception .* the UDF: \w+: )?")
_NO_READER = re.compile(r'No extension found that is capable of reading the file "(.+)"')
NO_TABLE = re.compile(r'(?:Table with name "?(.+?)"? does not exist|Catalog "(\w+:.*)" does not)')
_NO_LIST = re.compile(
    r"Type VARCHAR with value '(.*)' can't be cast to .*VARCHAR\[\]|'list_aggr\(VARCHAR,", re.DOTALL
)
_OWN = re.compile(r"alignframe\.errors\.\w+: (.+)")
_NO_BRACKETS = re.compile(r"Unimplemented type for cast \((?!VARCHAR)(\w+).* -> .*\[\]\)")
_NO_NUMBER = re.compile(r"Unimplemented type for cast \((\w+).*\[\] -> (?:DOUBLE|BIGINT)\)")
_NO_COLUMN = re.compile(r'(?:Referenced column|Failed to bind) "(\w+)"')
_NO_ONE_TYPE = re.compile(r"Cannot mix values of type (\w+) and (\w+) in COALESCE")
_NO_SUMS = re.compile(r'Could not find key "totals" in struct.*"bleu_', re.DOTALL)
_NO_TEXT = re.compile(r"Cannot concatenate types (\S+\[\w*\]) and VARCHAR")
_VIEW_OF_MACROS = re.compile(r"infinite recursion detected: .* expand table macro")
_NO_LINKS = re.compile(r"(?:value '(.*)' can't be cast|Unimplemented type for cast).*STRUCT\(i US")
_NO_POSITION = re.compile(r"value (\S+) can't be cast .*UINT16 .*column (\w+)", re.DOTALL)
_NO_ARGUMENTS = re.compile(r"Macro \"?(\w+)\"?\(\) does not support the supplied arguments")
_NO_ACCESS = re.compile(r'Cannot access (?:file|directory) "(.+?)" - file system operations')
_NO_EXTENSION = re.compile(r'Failed to download extension "(\w+)"')

# Extras that replace DuckDB's extensions.
_EXTRAS = {"delta": "delta", "iceberg": "iceberg"}


def reason(said: str, sql: str = "") -> str:
    """Return DuckDB's message on a query, without the prefixes of errors in macros."""
    if own := _OWN.search(said):  # of a stream, with the traceback
        return own[1]
    # Advice to download an extension, or about a missing table, is replaced by our own.
    if file := _NO_READER.search(said):
        return str(unread(Path(file[1])))
    if extension := _NO_EXTENSION.search(said):
        return str(_without_extension(extension[1]))
    if table := NO_TABLE.search(said):
        return str(_no_table(table[1] or table[2]))
    if (column := _NO_COLUMN.search(said)) and (found := _in_call(column[1], sql)):
        return str(found)
    for pattern, reworded in _OF_VALUES.items():
        if matched := pattern.search(said):
            return str(reworded(matched))
    return _OF_FUNCTIONS.sub("", said)


def _in_call(name: str, sql: str) -> InputError | None:
    """Return the error of a name that the call of a macro has where it takes texts."""
    from alignframe.engines.scripts import macros

    call = re.compile(
        rf"""\b(\w+)\s*\((?:[^()']|'[^']*')*?(?<![\w'])"?{name}"?(?![\w'(])\s*(=?)""", re.IGNORECASE
    )
    tables = {macro.name: macro for macro in macros() if macro.is_table}
    for found in call.finditer(sql):
        macro = tables.get(found[1].lower())
        if macro and found[2] and name in macro.parameters:
            return InputError(f"{name} = in {macro.name}()", expected=f"{name} := ")
        if macro:
            return InputError(
                f"{name} without single quotes in {macro.name}()",
                expected="names of tables and columns as texts",
                todo=f"write '{name}'",
            )
    return None


def unread(path: Path) -> InputError:
    """Return the error of a file that is no table, but can be made one."""
    table = path.with_name(f"{path.name.partition('.')[0]}.parquet")
    return InputError(
        "a file that SQL cannot read",
        path=path,
        expected="a table such as Parquet or CSV",
        todo=f"convert it with: alignframe convert {path} {table}",
    )


def _no_table(name: str) -> InputError:
    is_place = "/" in name or ":" in name or Path(name).exists()
    return InputError(
        f"a place is given as a table: {name}" if is_place else f"no table is called {name}",
        expected="a table or view, a Python frame, a Parquet file or a glob of such",
        todo=f"name it with {_tables('NAME', name)}, and use 'NAME' in the query"
        if is_place
        else f"give its location with {_tables(name, 'PLACE')}",
    )


def _tables(name: str, place: str) -> str:
    return f'`tables={{"{name}": "{place}"}}`'


def _without_extension(name: str) -> InputError:
    todo = f"name the table with {_tables('NAME', 'PLACE')}, and query NAME"
    if name in _EXTRAS:
        todo += f"; this needs: pip install 'alignframe[{_EXTRAS[name]}]'"
    elif name != "httpfs":
        todo = "write the table as Parquet or CSV"
    return InputError(f"DuckDB's extension {name} is not installed, and not downloaded", todo=todo)


def _without_list(match: re.Match[str]) -> InputError:
    return InputError(
        f"{f'the text {match[1]!r}' if match[1] else 'a text'} where a list of texts is expected",
        todo="split it into words, string_split(text, ' '), or write one text in brackets, [text]",
    )


def _without_brackets(match: re.Match[str]) -> InputError:
    return InputError(
        f"a single {match[1]} where a list is expected",
        todo="write it in brackets, such as [0.5], or pass a column of lists",
    )


def _without_number(match: re.Match[str]) -> InputError:
    return InputError(
        f"a list of the type {match[1]} where a number is expected",
        todo="name what it is, such as key := ['domain', 'sid']"
        if match[1] == "VARCHAR"
        else "call the macro once for each number",
    )


def _without_one_type(match: re.Match[str]) -> InputError:
    return InputError(
        f"columns of the same name with the types {match[1]} and {match[2]}",
        expected="the same type in both tables",
        todo="cast the text, such as select * replace (sid::bigint as sid)",
    )


def _without_sums(_: re.Match[str]) -> InputError:
    return InputError("bleu() of counts", expected="their sums", todo="bleu(bleu_sums(counts))")


def _without_text(match: re.Match[str]) -> InputError:
    return InputError(
        f"a list of the type {match[1]} where a text is expected",
        todo="join its words: array_to_string(words, ' ')",
    )


def _with_view(_: re.Match[str]) -> InputError:
    return InputError(
        "a view whose query calls macros is passed to a macro",
        todo="name it in a common table expression, with t as (from VIEW), and pass 't'; "
        "or make it a table",
    )


def _without_links(match: re.Match[str]) -> InputError:
    return InputError(
        "links that are not a list of positions" + (f": {match[1]!r}" if match[1] else ""),
        expected="a list of {'i': ..., 'j': ...}",
        todo="convert text with parse_links(links), or name the file in `tables`, which does",
    )


def _without_position(match: re.Match[str]) -> InputError:
    return InputError(
        f"{match[1]} in the column {match[2]}", expected="a position from 0 to 65,535"
    )


def _without_arguments(match: re.Match[str]) -> InputError:
    from alignframe.engines.scripts import macros

    calls = [macro.call for macro in macros() if macro.name == match[1]]
    return InputError(
        f"{match[1]} with arguments that it does not take", expected=calls[0] if calls else ""
    )


def _without_access(match: re.Match[str]) -> InputError:
    return InputError(
        "the connection reads no files but its tables",
        path=match[1],
        expected="the name of a table",
    )


# DuckDB's messages about values and arguments that a macro cannot take.
_OF_VALUES = {
    _NO_ACCESS: _without_access,
    _NO_ARGUMENTS: _without_arguments,
    _NO_LINKS: _without_links,
    _NO_LIST: _without_list,
    _NO_BRACKETS: _without_brackets,
    _NO_NUMBER: _without_number,
    _NO_ONE_TYPE: _without_one_type,
    _NO_SUMS: _without_sums,
    _NO_TEXT: _without_text,
    _VIEW_OF_MACROS: _with_view,
    _NO_POSITION: _without_position,
}
