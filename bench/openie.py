"""Turn recorded OpenIE output (documents with entities and triples) into recorded extractions.

    python bench/openie.py $RAGCLI_DATA/musique-100/openie-gpt35.json > build/musique.jsonl
    ragcli index $RAGCLI_DATA/musique-100/corpus.jsonl --extractions build/musique.jsonl

Input: ``{"docs": [{"title", "text", "extracted_entities": [...], "extracted_triples": [[s, p, o],
...]}]}``, as HippoRAG writes it. A triple's words become the relation's description, its predicate
the keyword. A name longer than the format allows, or an empty one, is left out and counted.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ragcli.extract.recorded import MAX_NAME_CHARS


def convert(document: dict[str, Any], by: str, left_out: Counter[str]) -> dict[str, Any]:
    """One line for one document."""

    def usable(name: object) -> bool:
        good = isinstance(name, str) and bool(name.strip()) and len(name) <= MAX_NAME_CHARS
        left_out["names"] += not good
        return good

    entities = [{"name": name} for name in document["extracted_entities"] if usable(name)]
    relations = []
    for triple in document["extracted_triples"]:
        if len(triple) != 3 or not (usable(triple[0]) and usable(triple[2])):
            left_out["triples"] += 1
            continue
        source, predicate, target = triple
        words = f"{source} {predicate} {target}"
        relations.append(
            {"source": source, "target": target, "keywords": [predicate], "description": words}
        )
    return {"text": document["text"], "by": by, "entities": entities, "relations": relations}


def main() -> None:
    """Convert the file named first; what made it is called as the file is."""
    if len(sys.argv) < 2:
        print("skipped: name a file to convert")
        return
    file = Path(sys.argv[1])
    left_out: Counter[str] = Counter()
    for document in json.loads(file.read_text(encoding="utf-8"))["docs"]:
        line = convert(document, file.stem, left_out)
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
    sys.stderr.write(f"left out: {dict(left_out)}\n")


if __name__ == "__main__":
    main()
