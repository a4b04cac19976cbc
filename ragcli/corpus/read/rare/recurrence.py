"""Says times and rules of recurrence of calendars (RFC 5545, 3.3) in words."""

from __future__ import annotations

import re

from ragcli.text.dates import MONTHS

_TIME = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(?:\.\d+)?(Z?))?")
_DAY = re.compile(r"([+-]?\d{0,2})(MO|TU|WE|TH|FR|SA|SU)")

_UNITS = {f"{unit.upper()}LY": unit for unit in "second minute hour week month year".split()}
_UNITS["DAILY"] = "day"
_DAYS = {
    day[:2].upper(): day
    for day in "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
}
_NOT_WHEN = ("WKST", "COUNT", "UNTIL")


def shown_time(value: str, zone: str = "") -> str:
    """A date or time as people write it; what is neither stays as it is.

    >>> shown_time("20260127T180000", "Europe/Berlin"), shown_time("20260127")
    ('2026-01-27 18:00 (Europe/Berlin)', '2026-01-27')
    """
    found = _TIME.match(value.strip())
    if found is None:
        return value.strip()
    year, month, day, hour, minute, utc = found.groups()
    date = f"{year}-{month}-{day}"
    if hour is None:
        return date
    return f"{date} {hour}:{minute}{' UTC' if utc else f' ({zone})' if zone else ''}"


def recurrence(rule: str) -> str:
    """A rule of recurrence in words; parts that have no words here stay as they are.

    >>> recurrence("FREQ=MONTHLY;UNTIL=20061228;INTERVAL=1;BYDAY=4TH")
    'every month on the 4th Thursday, until 2006-12-28'
    """
    parts = dict(part.upper().split("=", 1) for part in rule.split(";") if "=" in part)
    unit = _UNITS.get(parts.pop("FREQ", ""), "")
    every = parts.pop("INTERVAL", "1")
    said = [f"every {unit}" if every == "1" else f"every {every} {unit}s"] if unit else []
    said += [_said(name, value) for name, value in parts.items() if name not in _NOT_WHEN]
    last = [_said(name, parts[name]) for name in ("COUNT", "UNTIL") if name in parts]
    return ", ".join(filter(None, (" ".join(said), *last)))


def _said(name: str, value: str) -> str:
    values = value.split(",")
    if name == "BYDAY":
        return f"on {_listed([_DAY.sub(lambda day: _weekday(day[1], day[2]), v) for v in values])}"
    if name == "BYMONTH" and all(v.isdecimal() and 1 <= int(v) <= 12 for v in values):
        return f"in {_listed([MONTHS[int(v) - 1].capitalize() for v in values])}"
    if name == "BYMONTHDAY":
        return f"on the {_listed([_ordinal(v) for v in values])} day"
    if name == "UNTIL":
        return f"until {shown_time(value)}"
    if name == "COUNT":
        return f"{value} times"
    return f"{name}={value}"


def _weekday(which: str, day: str) -> str:
    return f"the {_ordinal(which)} {_DAYS[day]}" if which else _DAYS[day]


def _ordinal(number: str) -> str:
    digits = number.lstrip("+-0")
    if number.startswith("-"):
        return "last" if digits == "1" else f"{_ordinal(digits)} to last"
    teen = digits[-2:-1] == "1"
    return digits + ("th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(digits[-1:], "th"))


def _listed(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
