"""Small pieces of Markdown: text made safe, and the title of a card."""

from __future__ import annotations


def escaped(text: str) -> str:
    """Text with nothing in it that Markdown would read as mark-up.

    >>> escaped("a_b [c]")
    'a\\\\_b \\\\[c\\\\]'
    """
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#+|~$:!" else c for c in text)


def titled(title: str, note: str) -> str:
    """The head of a card: its title, and small beneath it of what it speaks.

    >>> titled("Stages", "Mean of 3")
    '**Stages**  \\n:small[:gray[Mean of 3]]'
    """
    return f"**{title}**  \n:small[:gray[{note}]]"


def short(text: str, most: int) -> str:
    """Text of at most so many characters.

    >>> short("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
