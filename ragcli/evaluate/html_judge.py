"""What the judge found, for report.html."""

from __future__ import annotations

from html import escape

from ragcli.evaluate.verdicts import Judged, MarkSummary, Tally


def judge_section(judged: Judged) -> str:
    """Build the section; "" when nothing was judged."""
    parts = (_pairs(judged), _marks(judged))
    return f"<section><h2>Judge</h2>{''.join(parts)}</section>" if any(parts) else ""


def _pairs(judged: Judged) -> str:
    if not judged.tallies:
        return ""
    rows = "".join(map(_pair_row, judged.tallies))
    note = (
        "Two answers compared in both orders; a verdict that changes with the order is a flip and "
        "counts as a tie, and a tie counts as half a win. Invalid: a verdict could not be read."
    )
    heads = ("modes", "criterion", "wins", "ties", "flips", "invalid", "share of wins")
    return f'<p class="soft">{note}</p>{_table("Comparison of answers", heads, rows)}'


def _pair_row(tally: Tally) -> str:
    share = tally.right_rate
    cells = (
        f"{tally.criterion}",
        f"{tally.right} : {tally.left}",
        f"{tally.ties}",
        f"{tally.flips} ({tally.flip_rate:.0%})",
        f"{tally.invalid}",
        "–" if share is None else f"{share:.0%} : {1 - share:.0%}",
    )
    return _row(f"{tally.right_mode} : {tally.left_mode}", cells)


def _marks(judged: Judged) -> str:
    if not judged.marks:
        return ""
    criteria = [mark.criterion for mark in next(iter(judged.marks.values()))]
    rows = "".join(
        _row(mode, tuple(map(_mark_cell, marks))) for mode, marks in judged.marks.items()
    )
    note = "Marks from 1 to 10: mean with 95 % interval, and how many could not be read."
    return f'<p class="soft">{note}</p>{_table("Marks", ("mode", *criteria), rows)}'


def _mark_cell(mark: MarkSummary) -> str:
    unread = f", {mark.invalid} invalid" if mark.invalid else ""
    if mark.mean is None:
        return f"–{unread}"
    return f"{mark.mean:.2f} [{mark.low:.2f}, {mark.high:.2f}]{unread}"


def _table(label: str, heads: tuple[str, ...], rows: str) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in heads)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table class="all">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(name: str, cells: tuple[str, ...]) -> str:
    shown = "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)
    return f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>'
