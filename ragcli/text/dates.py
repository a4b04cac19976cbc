"""Months, and full dates as they are written: "8 October 2022", "March 3, 2021", "2021-03-03"."""

from __future__ import annotations

import re

MONTHS = (
    "january february march april may june july august september october november december"
).split()

_MONTH = (
    r"(?:Jan(?:uary|\.)?|Feb(?:ruary|\.)?|Mar(?:ch|\.)?|Apr(?:il|\.)?|May|June?|July?"
    r"|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Oct(?:ober|\.)?|Nov(?:ember|\.)?|Dec(?:ember|\.)?)"
)
DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}"
    rf"|\d{{4}}(?P<joint>[-/])\d{{1,2}}(?P=joint)\d{{1,2}}(?:[T ]\d\d:\d\d(?::\d\d)?)?)\b"
)
