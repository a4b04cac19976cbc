"""How long a question takes to embed, in a fresh process and after.

    python bench/encoder.py [--runs 9] [--heavy]

Each run is a new Python process that imports the light encoder, maps the model and embeds one
question. ``--heavy`` measures sentence-transformers beside it, and the cosine between the two.
Medians are printed; on a busy machine the least times say more about the program.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
QUESTION = "Who wrote the letters that were found in the observatory?"

LIGHT = """
import json, time
start = time.perf_counter()
from ragcli.models.encoder import LightEncoder
from ragcli.models.locate import embedder_folder, fingerprint
imported = time.perf_counter()
encoder = LightEncoder(embedder_folder())
loaded = time.perf_counter()
encoder.encode([{question!r}])
first = time.perf_counter()
for _ in range(20):
    encoder.encode([{question!r}])
later = time.perf_counter()
fingerprint(embedder_folder())
printed = time.perf_counter()
print(json.dumps(dict(imports=imported - start, load=loaded - imported, first=first - loaded,
    start_to_vector=first - start, next=(later - first) / 20, fingerprint=printed - later)))
"""

HEAVY = """
import json, time
start = time.perf_counter()
from ragcli.models.embed import Embedder
from ragcli.models.locate import embedder_folder
encoder = Embedder(embedder_folder(), dtype="float32")
loaded = time.perf_counter()
vector = encoder.encode([{question!r}])
first = time.perf_counter()
from ragcli.models.encoder import LightEncoder
same = (vector * LightEncoder(embedder_folder()).encode([{question!r}])).sum()
print(json.dumps(dict(start_to_vector=first - start, first=first - loaded, cosine=float(same))))
"""


def run(code: str) -> dict[str, float]:
    """Run ``code`` in a new process; the figures it prints, and the whole process's seconds."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    script = code.format(question=QUESTION)
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Print a table: figure, median, least, in milliseconds (the cosine as it is)."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--heavy", action="store_true", help="sentence-transformers too")
    options = parser.parse_args()
    jobs = [("light", LIGHT, options.runs)]
    if options.heavy:
        jobs.append(("sentence-transformers", HEAVY, 1))
    for name, code, runs in jobs:
        results = [run(code) for _ in range(runs)]
        for key in results[0]:
            values = [result[key] for result in results]
            if key == "cosine":
                print(f"{name:22} {key:16} {values[0]:9.7f}")
            else:
                median, least = statistics.median(values) * 1e3, min(values) * 1e3
                print(f"{name:22} {key:16} {median:9.1f} ms median {least:9.1f} ms least")


if __name__ == "__main__":
    main()
