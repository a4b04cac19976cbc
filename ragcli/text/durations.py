"""Durations in words."""

from __future__ import annotations


def about(seconds: float) -> str:
    """Write roughly how long something takes.

    >>> about(3.2), about(80), about(4210), about(30_000)
    ('about 3 s', 'about 80 s', 'about 70 min', 'about 8.3 h')
    """
    if seconds < 100:
        return f"about {seconds:.0f} s"
    if seconds < 100 * 60:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:,.1f} h"
