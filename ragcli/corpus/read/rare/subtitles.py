"""Reads subtitles (.srt, .vtt): what is said, one sentence after another, with its time.

A sentence that goes on in the next cues is on the line of the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragcli.corpus.read.file_text import FileText, lines_of
from ragcli.corpus.read.line_text import LineText

_TIME = re.compile(
    r"[ \t]*(?:(?P<hour>\d{1,3}):)?(?P<minute>\d\d):(?P<second>\d\d)[.,]\d{1,3}[ \t]+-->"
)
_MARKUP = re.compile(r"</?[a-zA-Z][^>\n]{0,200}>|\{\\[^}\n]{0,200}\}|<\d[\d:.]{0,12}>")
_SENTENCE_END = re.compile(r"""[.!?…。！？؟।]["'”’»)\]]*\Z|[♪♫]\Z""")
_LONGEST = 600  # characters of joined cues: speech recognition often writes no full stops


def read(content: bytes, _path: str) -> FileText:
    """What is said."""
    text = LineText()
    pending: list[str] = []
    began, begun_at = 0, ""
    for line, time, said in _cues(lines_of(content)):
        if not pending:
            began, begun_at = line, time
        pending.append(said)
        if _SENTENCE_END.search(said) or sum(map(len, pending)) > _LONGEST:
            text.write(began, f"[{begun_at}] {' '.join(pending)}")
            pending.clear()
    text.write(began, f"[{begun_at}] {' '.join(pending)}" if pending else "")
    return text.file_text()


def _cues(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield (line on which the words begin, time as h:mm:ss, words) for each cue with words."""
    at = 0
    while at < len(lines):
        time = _TIME.match(lines[at])
        at += 1
        if time is None:
            continue
        first = at
        while at < len(lines) and lines[at].strip() and not _TIME.match(lines[at]):
            at += 1
        words = " ".join(" ".join(_MARKUP.sub("", line) for line in lines[first:at]).split())
        if words:
            shown = f"{int(time['hour'] or 0)}:{time['minute']}:{time['second']}"
            yield first + 1, shown, words
