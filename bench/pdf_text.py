"""How much of a text comes back from the PDF files that programs made of it, and how fast.

    python bench/pdf_text.py FOLDER

The folder holds ``NAME.PROGRAM.pdf`` beside ``NAME.txt``. The ratio compares words in their order;
1 is equal. pypdf is measured beside the reader of ragcli.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import pypdf

from ragcli.corpus.read import read
from ragcli.types import ParsedDocument, Source


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def _ragcli(path: Path) -> str:
    source = Source(path.name, str(path), path.stat().st_size, 0)
    return "\n".join(found.text for found in read(source) if isinstance(found, ParsedDocument))


def _pypdf(path: Path) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def _measured(reader: Callable[[Path], str], path: Path, wanted: list[str]) -> str:
    begin = time.process_time()
    text = reader(path)
    seconds = time.process_time() - begin
    ratio = SequenceMatcher(None, wanted, _words(text), autojunk=False).ratio()
    return f"{ratio:.3f} | {seconds:.2f}"


def main() -> None:
    """Print a table of the files in a folder."""
    print("| file | words | ragcli | s | pypdf | s |\n|---|---:|---:|---:|---:|---:|")
    for path in sorted(Path(sys.argv[1]).glob("*.*.pdf")):
        wanted = _words(path.with_name(f"{path.name.split('.')[0]}.txt").read_text("utf-8"))
        columns = (_measured(reader, path, wanted) for reader in (_ragcli, _pypdf))
        print(f"| {path.name} | {len(wanted)} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
