"""Encoded data in texts: blanked in place, with everything else where it was."""

from __future__ import annotations

import base64
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_bytes import every

from ragcli.corpus.encoded import LEAST, blanked
from ragcli.types import ParsedDocument, Skipped

DATA = random.Random(7).randbytes(3000)
BASE64 = base64.b64encode(DATA).decode()
LINES = [BASE64[at : at + 76] for at in range(0, len(BASE64), 76)]


@pytest.mark.parametrize(
    "data",
    [
        BASE64,
        base64.urlsafe_b64encode(DATA).decode(),
        DATA.hex(),
        DATA.hex().upper(),
        "\n".join(LINES),
        "\r\n".join(f"> {line}" for line in LINES),
        "\n ".join(LINES),
        "\\n".join(LINES),
        '" +\n    "'.join(LINES),
        ", ".join(f"0x{byte:02x}" for byte in DATA) + ",",
        ",\n  ".join(f"0x{byte:02X}u" for byte in DATA) + ",",
    ],
)
def test_data_is_blanked_and_nothing_else(data: str) -> None:
    before, after = "The harbour, a picture:\n", "\nIt shows the crane.\n"
    found = blanked(before + data + after)
    assert found.startswith(before) and found.endswith(after)
    assert len(found) == len(before + data + after)
    inside = found[len(before) : -len(after)]
    assert re.fullmatch(r"""[\s"+\\n>,]*""", inside), inside[:200]
    assert inside.count("\n") == data.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "A" * 2000,
        "=" * 2000,
        "_" * 70 + "\n" + "-" * 2000,
        "31415926535897932384626433832795028841971693993751058209749445923" * 40,
        "ACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGT\n" * 40,
        "internationalisation/of/very/long/paths/that/go/on/and/on/" * 40,
        BASE64[: LEAST - 100],
        "\n".join(f"commit {DATA[at : at + 20].hex()} of the tree" for at in range(0, 2900, 20)),
        "\n".join(f"{DATA[at : at + 32].hex()}  file-{at}.txt" for at in range(0, 2900, 32)),
        "\n".join(f"{at}, {at * 7}, {at * 13}," for at in range(500)),
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert blanked(text) == text


@given(st.text(alphabet="aB3/+= \n\\\"'>,0xff", max_size=300).map(lambda t: t * 12))
def test_length_and_lines_stay(text: str) -> None:
    found = blanked(text)
    assert len(found) == len(text)
    assert [i for i, c in enumerate(found) if c == "\n"] == [
        i for i, c in enumerate(text) if c == "\n"
    ]
    assert all(b in (a, " ") for a, b in zip(text, found, strict=True))


def test_a_document_keeps_its_places() -> None:
    (found,) = every("a.md", f"# Harbour\n\n![](data:image/png;base64,{BASE64})\n\nRibe is near.\n")
    assert isinstance(found, ParsedDocument) and BASE64[:80] not in found.text
    assert found.text.index("Ribe") == len("# Harbour\n\n![](data:image/png;base64,)\n\n") + len(
        BASE64
    )


def test_a_file_of_data_alone_is_no_text() -> None:
    (found,) = every("a.b64", "\n".join(LINES))
    assert isinstance(found, Skipped) and found.reason == "binary file"
