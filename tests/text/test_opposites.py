"""Words of opposite meaning."""

from __future__ import annotations

from ragcli.text.opposites import opposites
from ragcli.text.yes_no import roots


def test_both_ways() -> None:
    """Of a word in any form, given by its root."""
    (opened,), (disabled,) = roots("opened"), roots("disabled")
    assert "closed" in opposites(opened)
    assert "enabled" in opposites(disabled)
    assert not opposites("bread")
