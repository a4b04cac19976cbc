"""Are questions about options and settings answered from the manual pages of this machine?

    python bench/technical/terms.py [FOLDER]

The manual pages that ``terms.jsonl`` asks about are copied from /usr/share/man into ``FOLDER`` (a
temporary one by default) and indexed. Each question is asked with the default settings and no
language model. *short*: the short answer holds an accepted answer; *cited*: a quote or its heading
does; *refused*: of the questions without an answer, those without a short answer. A miss is printed
with what was said instead. Pages that are not installed are named on stderr.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import ragcli

PAGES = (
    "apt-get.8 apt.conf.5 bzip2.1 chmod.1 chown.1 cp.1 curl.1 cut.1 df.1 diff.1 du.1 find.1 fsck.8"
    " fstab.5 grep.1 gzip.1 head.1 ip.8 ip-address.8 ip-link.8 ip-route.8 jq.1 kill.1 less.1 ln.1"
    " login.defs.5 make.1 mawk.1 mount.8 mv.1 passwd.5 patch.1 ps.1 rm.1 scp.1 sed.1 sftp.1"
    " shadow.5 sort.1 sources.list.5 ssh-agent.1 ssh-keygen.1 ssh.1 ssh_config.5 swapon.8 tail.1"
    " tar.1 tmux.1 top.1 uniq.1 unzip.1 useradd.8 usermod.8 wc.1 wget.1 xargs.1 xz.1 zip.1"
)
MAN = Path("/usr/share/man")


def copy_pages(folder: Path) -> None:
    """Copy the pages that are installed; tell which are not."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PAGES.split():
        source = MAN / f"man{name[-1]}" / f"{name}.gz"
        if source.exists():
            shutil.copy(source, folder / f"{name}.gz")
        else:
            print(f"not installed: {name}", file=sys.stderr)


def holds(text: str, answers: list[str]) -> bool:
    """Whether a text holds one of the answers; options in their case, not inside others."""
    return any(
        re.search(rf"(?<![\w-]){re.escape(answer)}(?!\w)", text)
        if answer.startswith("-") or len(answer) < 3
        else answer.lower() in text.lower()
        for answer in answers
    )


def main() -> None:
    """Copy, index, ask and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    folder = parser.parse_args().folder or Path(tempfile.mkdtemp())
    copy_pages(folder / "pages")
    ragcli.index(folder / "pages", folder / "store")
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with ragcli.Store.open(folder / "store") as store:
        for line in Path(__file__).with_name("terms.jsonl").read_text().splitlines():
            row = json.loads(line)
            reply = store.ask(row["question"]).reply
            short = reply.short.text if reply.short else ""
            if not row["answers"]:
                asked["refused"] += 1
                right["refused"] += not short
                good = not short
            else:
                cited = "\n".join(f"{c.heading}\n{c.quote}" for c in reply.citations)
                good = holds(short, row["answers"])
                asked.update(("short", "cited"))
                right["short"] += good
                right["cited"] += holds(f"{cited}\n{short}", row["answers"])
            if not good:
                print(f"{row['id']} {row['question']}\n    {short or reply.text[:100]!r}")
    for kind, count in asked.items():
        print(f"{kind}: {right[kind]} of {count}")


if __name__ == "__main__":
    main()
