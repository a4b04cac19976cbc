"""Names found in texts, whatever the spelling's case, space and punctuation."""

import pytest

from ragcli.extract.occur import folded, occurs


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("Ysolde Hut", "at the YSOLDE\n  hut.", True),
        ("the Ysolde-Hut", "Ysolde hut's keeper", True),
        ("Édith", "edith came", True),
        ("hut", "huts", False),
        ("The Who", "Who sang?", True),
        ("the", "the end", True),
        ("", "text", False),
        ("...", "text ...", False),
        ("St. Orrin", "Saint Orrin", False),
        ("Linde", "Linde’s ferry", True),
    ],
)
def test_occurs(name: str, text: str, there: bool) -> None:
    """Whole words only; a name without words is nowhere."""
    assert occurs(name, folded(text)) is there
