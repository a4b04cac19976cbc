"""Output. stdout is data, stderr is progress and notes; only this module imports rich."""

from __future__ import annotations

import os
import sys
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

import orjson

from ragcli.cli.lines import ProgressLines
from ragcli.text.terminal import harmless, harmless_json
from ragcli.types import Event

# Importing rich takes 0.1 s, so functions import it when they need it.
if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

# Parts of a line with their styles, as rich names them: "" for none, "link ADDRESS" for a link.
Styled = Sequence[tuple[str, str]]

_ENDLESS = 10_000

_LONG_LINE = 200

MARGIN, MARK = "  ", "> "
"""Before the lines of a passage, and before those that answer where there are no bold letters."""


def _console(**options: Any) -> Console:
    """A console on which no text can steer the terminal, whatever it holds."""
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class HarmlessConsole(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                if segment.control is None:
                    segment = Segment(harmless(segment.text), segment.style)
                yield segment

    return HarmlessConsole(**options)


def width() -> int:
    """Width for tables in columns: that of the terminal; unlimited in a pipe or a file."""
    console = _console()
    return console.width if console.is_terminal else _ENDLESS


def is_pipe() -> bool:
    """Whether stdout is no terminal for rich either, which obeys variables."""
    forced = any(os.environ.get(name) for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))
    return not forced and not sys.stdout.isatty()


def _terminal(soft_wrap: bool = False) -> Console | None:
    """A console for styled lines; None if stdout is no terminal, without importing rich in a
    pipe."""
    console = None if is_pipe() else _console(highlight=False, soft_wrap=soft_wrap)
    return console if console is not None and console.is_terminal else None


def paragraph(parts: Styled, before: str = "") -> None:
    """Print text with styles; on a terminal it is broken between words.

    ``before`` begins each line. In a pipe it stays one line. Links become links of the
    terminal (OSC 8) if it is one.
    """
    plain = f"{before}{''.join(text for text, _ in parts)}".rstrip()
    console = _terminal()
    if console is None:
        line(plain)
        return
    from rich.text import Text

    # No padding: it fills lines with spaces, which a copy would contain.
    for broken in Text.assemble(*parts).wrap(console, max(console.width - len(before), 1)):
        broken.rstrip()
        console.print(Text(before if broken else "").append(broken), markup=False)


def marked(parts: Styled) -> None:
    """Print a line of a passage that has words in bold; without styles a mark is before it."""
    bold = not is_pipe() and _console().color_system is not None
    if bold:
        paragraph(parts, MARGIN)
        return
    # A paragraph on one line is too long to be marked as a whole.
    apart = sum(len(text) for text, _ in parts) > _LONG_LINE
    pieces = [[(text.strip(), style)] for text, style in parts if text.strip()]
    for line in pieces if apart else [parts]:
        answers = any(style == "bold" for _, style in line)
        paragraph(line, MARK if answers else MARGIN)


@dataclass(frozen=True, slots=True)
class LinkedLine:
    """A line that begins with a name; ``link`` is its address, "" for none.

    ``cut``: on a terminal the line ends at its width.
    """

    name: str
    link: str
    rest: str
    cut: bool = False

    def print(self) -> None:
        """Write the line to stdout; in a pipe as plain text."""
        console = _terminal(soft_wrap=not self.cut)
        if console is None:
            line(f"{self.name}{self.rest}")
            return
        from rich.text import Text

        made = Text(self.name, style=f"link {self.link}" if self.link else "").append(self.rest)
        if self.cut:
            made.truncate(console.width, overflow="ellipsis")
        console.print(made, markup=False)


def line(text: str) -> None:
    """Write a line of data to stdout without formatting."""
    sys.stdout.write(f"{harmless(text)}\n")


def note(text: str) -> None:
    """Write a note for the user to stderr; on a terminal it is broken between words."""
    text = harmless(text)
    if sys.stderr.isatty() and (columns := _columns(sys.stderr)):
        text = "\n".join(_broken(line, columns) for line in text.split("\n"))
    sys.stderr.write(f"{text}\n")


def _columns(stream: TextIO) -> int:
    """The width of a terminal; 0 if it is unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def _broken(line: str, columns: int) -> str:
    """A line as several of at most ``columns`` characters; commands to be copied stay whole.

    >>> _broken("  Ada met Jon in Rome", 12)
    '  Ada met\\n  Jon in\\n  Rome'
    """
    if len(line) <= columns or "run: " in line:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")))
    words = textwrap.TextWrapper(
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return words.fill(line)


def print_json(value: Any) -> None:
    """One JSON object on one line."""
    sys.stdout.write(harmless_json(orjson.dumps(value, default=str).decode()) + "\n")


def print_lines(values: Iterable[Any]) -> None:
    """JSON Lines."""
    for value in values:
        print_json(value)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table with right-aligned numbers, or each row as a paragraph if it is too wide."""
    from rich.table import Table

    rows = [list(row) for row in rows]
    if _least_width(columns, rows) > width():
        _paragraphs(title, columns, rows)
        return
    made = Table(box=None, pad_edge=False, show_header=any(columns))
    for i, (column, most) in enumerate(zip(columns, _widths(columns, rows), strict=True)):
        numeric = bool(rows) and all(isinstance(row[i], int | float) for row in rows)
        side: Literal["left", "right"] = "right" if numeric else "left"
        made.add_column(column, justify=side, overflow="fold", max_width=most)
    for row in rows:
        made.add_row(*map(_plain, row))
    console = _console(highlight=False, width=width())
    if title:
        line(title)
    if console.is_terminal:
        console.print(made, markup=False)
        return
    # In a pipe, one long cell would fill the lines of all other rows with spaces.
    with console.capture() as captured:
        console.print(made, markup=False)
    sys.stdout.write("".join(f"{text.rstrip()}\n" for text in captured.get().splitlines()))


def rows(values: Iterable[dict[str, Any]], columns: tuple[str, ...], json: bool) -> None:
    """A list as JSON Lines or as a table of some of its columns."""
    if json:
        print_lines(values)
    else:
        table("", columns, ([row[c] for c in columns] for row in values))


# Least width of a long cell in columns; longer text is folded.
_FOLDED = 20


def _least_width(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> int:
    """The least readable width of a table; 0 for two columns or fewer, which always fit."""
    if len(columns) <= 2:
        return 0
    return sum(min(each[-1], _FOLDED) + 2 for each in _lengths(columns, rows)) - 2


def _widths(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[int]:
    """The most characters of each column: what is free goes where it spares most rows a fold, so
    one long cell does not narrow the others."""
    lengths = _lengths(columns, rows)
    widths = [min(each[-1], _FOLDED) for each in lengths]
    for _ in range(width() - sum(widths) - 2 * (len(widths) - 1)):
        folded = [
            len(all_) - bisect_right(all_, w) for all_, w in zip(lengths, widths, strict=True)
        ]
        if not any(folded):
            break
        widths[folded.index(max(folded))] += 1
    return widths


def _lengths(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[list[int]]:
    """The lengths of each column's cells, its head included, in ascending order."""
    return [sorted(len(_plain(v)) for v in each) for each in zip(columns, *rows, strict=True)]


def _paragraphs(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows for a narrow terminal: the first cell on its own line, the others below it."""
    if title:
        line(title)
    for first, *rest in rows:
        line(as_text(first))
        known = [f"{c} {t}" for c, v in zip(columns[1:], rest, strict=True) if (t := as_text(v))]
        line(f"  {', '.join(known)}")


def _plain(value: object) -> Any:
    from rich.text import Text

    return Text(as_text(value))


def as_text(value: object) -> str:
    """Format a value for people: thousands separated, fractions rounded.

    >>> as_text(1234567), as_text(7.085600009304471e-05), as_text(1234.5678), as_text(None)
    ('1,234,567', '0.000', '1,234.6', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.3f}" if abs(value) < 10 else f"{value:,.1f}"


class ProgressBar:
    """A progress display on stderr: stage, share, rate and time left. Use as a context manager.

    If stderr is not a terminal, long runs write a plain line at intervals (``lines``).
    """

    def __init__(self, quiet: bool) -> None:
        self._progress = None if quiet or not sys.stderr.isatty() else _progress()
        self._tasks: dict[str, TaskID] = {}
        self._lines = None if quiet or self._progress else ProgressLines(note)

    def __enter__(self) -> ProgressBar:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the display from the terminal; a second call has no effect."""
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        if self._lines is not None:
            self._lines(event)
        if self._progress is None:
            return
        if event.notice:
            self._progress.console.print(f"{event.stage}: {event.note}", markup=False)
            return
        if event.stage not in self._tasks:
            self._tasks[event.stage] = self._progress.add_task(event.stage, total=None, note="")
        rate = self._rate(self._progress, event)
        self._progress.update(
            self._tasks[event.stage],
            completed=event.done,
            total=event.total or None,
            note=" ".join(part for part in (event.note, rate) if part),
        )

    def _rate(self, progress: Progress, event: Event) -> str:
        speed = progress.tasks[self._tasks[event.stage]].speed
        if not speed or event.stage != "index":
            return ""
        return f"{speed / 1000:,.0f} kB/s"


def _progress() -> Progress:
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description:<8}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
        console=_console(stderr=True),
        transient=True,
    )


# Number of member names shown for a cluster of entities.
_SHOWN_MEMBERS = 8


def hierarchy(nodes: Sequence[dict[str, Any]]) -> None:
    """Print aggregated entities from the top down; the lowest level shows its first members."""
    from rich.markup import escape
    from rich.tree import Tree

    top = Tree("", hide_root=True)
    branches: dict[int | None, Tree] = {None: top}
    for node in nodes:
        branch = branches.get(node["parent"], top)
        twig = branch.add(f"[bold]{escape(node['name'])}[/bold]")
        branches[node["id"]] = twig
        if names := node["members"]:
            rest = len(names) - _SHOWN_MEMBERS
            shown = ", ".join(names[:_SHOWN_MEMBERS]) + (f" and {rest} more" if rest > 0 else "")
            twig.add(escape(shown))
    _console(highlight=False, soft_wrap=True).print(top)


def tree(nodes: Sequence[dict[str, Any]]) -> None:
    """Print a summary tree; each node shows the first 100 characters of its text."""
    from rich.markup import escape
    from rich.tree import Tree

    by_id = {node["id"]: node for node in nodes}
    below = {child for node in nodes for child in node["children"]}
    top = Tree("", hide_root=True)
    # Not recursive: folders may be nested more deeply than Python calls functions.
    waiting = [(top, node) for node in reversed(nodes) if node["id"] not in below]
    while waiting:
        branch, node = waiting.pop()
        name = node["title"] or node["doc"] or "everything"
        text = " ".join(node["text"].split())[:100]
        twig = branch.add(f"[bold]{escape(name)}[/bold] {escape(text)}")
        waiting += [(twig, by_id[c]) for c in reversed(node["children"]) if c in by_id]
    _console(highlight=False, soft_wrap=True).print(top)
