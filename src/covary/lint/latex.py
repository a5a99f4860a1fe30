"""Rules on LaTeX: dollar signs, braces, environments, scraps of lists, markup of other kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from covary.lint.row import Fault, Row, around

_ESCAPED = re.compile(r"\\[\\{}$]")
_LIST = re.compile(r"\\item(?![a-z])|\\(?:begin|end)\{(?:enumerate|itemize|tasks|description)\}|\\task(?![a-z])")
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([^{}]*)\}")
_MARKUP = re.compile(
    r"</?(?:math|mrow|mi|mn|mo|msup|msub|mfrac|msqrt|semantics|annotation|sup|sub|span|div|p|br|b|i|strong|em|html|body|table|tr|td)"
    r"(?:\s[^<>]*)?/?>|&(?:nbsp|lt|gt|amp|quot|times|minus|radic|#\d+);"
)
_BYTES = re.compile(r"<0x[0-9A-Fa-f]{2}>|\\x[0-9a-f]{2}(?![A-Za-z0-9])|<\|[a-z_]+\|>|</?s>|\[UNK\]|<unk>|<pad>")
_BARE = re.compile(r"\\[A-Za-z]{2,}")
_DOCUMENT = re.compile(r"\\documentclass|\\usepackage|\\(?:begin|end)\{document\}")


def dollars(row: Row) -> Iterator[Fault]:
    r"""odd-dollars: an odd number of $ (\$ is a sign of money, not counted)."""
    for field, text in row.texts():
        if "$" in text and text.replace("\\$", "").count("$") % 2:
            at = text.rfind("$")
            yield row.fault(
                "odd-dollars",
                "error",
                field,
                text[max(0, at - 60) : at + 20],
                "dollar signs in pairs",
                "close or drop the last one",
            )


def braces(row: Row) -> Iterator[Fault]:
    r"""unbalanced-braces: braces that don't pair, or pair in the wrong order (\{ and \} are signs, not counted)."""
    for field, text in row.texts():
        if "{" not in text and "}" not in text:
            continue
        bare = _ESCAPED.sub("  ", text)
        if (at := _unpaired(bare)) is not None:
            yield row.fault(
                "unbalanced-braces",
                "error",
                field,
                text[max(0, at - 40) : at + 40],
                "braces in pairs",
                "close it, or drop the odd one",
            )


def _unpaired(text: str) -> int | None:
    """Place of the first brace without its twin."""
    opened: list[int] = []
    for found in re.finditer(r"[{}]", text):
        if found.group() == "{":
            opened.append(found.start())
        elif opened:
            opened.pop()
        else:
            return found.start()
    return opened[-1] if opened else None


def environments(row: Row) -> Iterator[Fault]:
    r"""unpaired-environment: \begin without its \end, or crossed ones. list-scrap: \item and list environments in a question or
    target. document-scrap: the frame of a whole document."""
    for field, text in row.texts():
        if "\\" not in text:
            continue
        if field != "solution" and (found := _LIST.search(text)):
            yield row.fault(
                "list-scrap",
                "warning",
                field,
                around(text, found),
                "one problem, without list commands",
                "take the list's scraps out",
            )
        if found := _DOCUMENT.search(text):
            yield row.fault(
                "document-scrap", "warning", field, around(text, found), "a text, no document", "keep the body only"
            )
        if "\\begin" in text or "\\end" in text:
            open_names: list[str] = []
            for found in _ENVIRONMENT.finditer(text):
                if found.group(1) == "begin":
                    open_names.append(found.group(2))
                elif not open_names or open_names.pop() != found.group(2):
                    open_names = [found.group(2)]
                    break
            if open_names:
                yield row.fault(
                    "unpaired-environment",
                    "warning",
                    field,
                    open_names[-1],
                    "every environment begun and ended",
                    "complete it",
                )


def markup(row: Row) -> Iterator[Fault]:
    """markup: MathML, HTML. byte-token: tokens of a vocabulary left in the text."""
    for field, text in row.texts():
        if ("<" in text or "&" in text) and (found := _MARKUP.search(text)):
            yield row.fault(
                "markup", "error", field, around(text, found), "LaTeX or plain text", "write the formula in LaTeX"
            )
        if ("<" in text or "\\x" in text or "[" in text) and (found := _BYTES.search(text)):
            yield row.fault(
                "byte-token", "error", field, around(text, found), "the character itself", "decode the bytes"
            )


def bare_targets(rows: Sequence[Row]) -> Iterator[Fault]:
    """bare-latex: a target with LaTeX commands and no $, in a language with other targets that have them."""
    dollars = {row.language for row in rows if "$" in row.answer}
    for row in rows:
        text = row.answer
        if row.language not in dollars or "$" in text or "\\(" in text or "\\[" in text:
            continue
        if found := _BARE.search(text):
            yield row.fault(
                "bare-latex",
                "note",
                "target",
                around(text, found),
                "dollar signs in all targets or in none",
                "put $ around it",
            )
