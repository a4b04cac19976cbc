"""Seconds and memory for large files: a 500-page PDF, a sheet of 100,000 rows, 50 MB of text.

    python bench/formats.py

Each file is made here and read in a process of its own. "processor" is the time that the process
computed, which does not depend on what else the machine does; "memory" is its peak.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

PAGES = 500
ROWS = 100_000
TEXT_BYTES = 50 << 20
_LINE = "The harbour of Ostrava has {} cranes, and keeper number {} looks after all of them."


def _pdf(path: Path) -> None:
    """Write a PDF of 40 lines a page."""
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for page in range(PAGES):
        lines = " ".join(f"({_LINE.format(page, line)}) Tj T*" for line in range(40))
        stream = f"BT /F1 10 Tf 14 TL 72 720 Td {lines} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R"
            f" /Resources << /Font << /F1 {font} >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>"
    body, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(f"{len(body):010} 00000 n \n")
        body += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{''.join(places)}"
    end = f"trailer << /Root 1 0 R /Size {len(places) + 1} >>\nstartxref\n{len(body)}\n%%EOF"
    path.write_bytes(body + table.encode() + end.encode())


def _sheet(path: Path) -> None:
    """Write a workbook with one sheet of six columns."""
    heads = ("Town", "Crane", "Tons", "Keeper", "Year", "Remark")
    rows = [heads, *((f"Town {n}", f"C-{n}", n, f"Keeper {n}", 1900 + n % 100, "in use")
                     for n in range(1, ROWS))]  # fmt: skip
    cells = []
    for row in rows:
        shown = "".join(
            f"<c><v>{value}</v></c>"
            if isinstance(value, int)
            else f'<c t="inlineStr"><is><t>{value}</t></is></c>'
            for value in row
        )
        cells.append(f"<row>{shown}</row>")
    name = "http://schemas.openxmlformats.org"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{name}/package/2006/content-types"/>')
        book.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{name}/package/2006/relationships"><Relationship Id="r1"'
            f' Type="{name}/officeDocument/2006/relationships/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{name}/spreadsheetml/2006/main"'
            f' xmlns:r="{name}/officeDocument/2006/relationships"><sheets>'
            '<sheet name="Cranes" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{name}/package/2006/relationships"><Relationship Id="r1"'
            f' Type="{name}/officeDocument/2006/relationships/worksheet"'
            ' Target="worksheets/sheet1.xml"/></Relationships>',
        )
        book.writestr(
            "xl/worksheets/sheet1.xml",
            f'<worksheet xmlns="{name}/spreadsheetml/2006/main"><sheetData>{"".join(cells)}'
            "</sheetData></worksheet>",
        )


def _csv(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("Town,Crane,Tons,Keeper,Year,Remark\n")
        for n in range(1, ROWS):
            file.write(f"Town {n},C-{n},{n},Keeper {n},{1900 + n % 100},in use\n")


def _text(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        n = 0
        while file.tell() < TEXT_BYTES:
            file.write("".join(f"{_LINE.format(n, n + i)}\n" for i in range(1000)))
            n += 1000


def _json(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("[\n")
        for n in range(ROWS):
            comma = "," if n < ROWS - 1 else ""
            crane = f'{{"name": "C-{n}", "tons": {n}}}'
            file.write(f'{{"town": "Town {n}", "crane": {crane}}}{comma}\n')
        file.write("]\n")


FILES: dict[str, Callable[[Path], None]] = {
    "pages.pdf": _pdf,
    "rows.xlsx": _sheet,
    "rows.csv": _csv,
    "rows.json": _json,
    "long.txt": _text,
}


def main() -> None:
    """Make the files, and read each in a process of its own."""
    if len(sys.argv) > 1:
        _read(Path(sys.argv[1]))
        return
    print("file            MB  seconds  processor  memory MB  characters")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in FILES.items():
            path = Path(folder) / name
            make(path)
            subprocess.run([sys.executable, __file__, str(path)], check=True)


def _read(path: Path) -> None:
    from ragcli.corpus.read import read
    from ragcli.types import ParsedDocument, Source

    size = path.stat().st_size
    before = time.process_time(), time.perf_counter()
    found = list(read(Source(path.name, str(path), size, 0)))
    processor, seconds = time.process_time() - before[0], time.perf_counter() - before[1]
    characters = sum(len(item.text) for item in found if isinstance(item, ParsedDocument))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{path.name:12} {size / 1e6:5.1f} {seconds:8.1f} {processor:10.1f} {memory:10.0f}"
        f"  {characters:10,}"
    )


if __name__ == "__main__":
    main()
