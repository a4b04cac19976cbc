"""Gather technical documents that Debian and Python packages install, for ``questions.jsonl``.

    python bench/technical/collect.py DEST

Python packages: the long descriptions of the project's locked packages (``constraints.txt``),
from the environment that runs this. Debian packages: downloaded with ``apt-get download`` and
unpacked with ``dpkg -x``; man pages are rendered with ``groff``. What is missing is skipped and
named on stderr. ``DEST/SOURCES`` lists the versions. No text becomes part of this project.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

CONSTRAINTS = Path(__file__).parent.parent.parent / "constraints.txt"

PYTHON = "os subprocess json csv zipfile shutil tempfile hashlib http.client http.server random"
PYTHON += (
    " gzip tarfile signal uuid secrets smtplib zoneinfo configparser glob functools heapq venv"
)
WHATSNEW = "3.9 3.10 3.11"
SQLITE = "pragma limits faq wal rescode compile datatype3 whentouse foreignkeys howtocorrupt"
SQLITE += " autoinc withoutrowid stricttables gencol"
POSTGRES = (
    "runtime-config-* release-15* limits errcodes-appendix routine-vacuuming datatype-numeric"
)
POSTGRES += " datatype-datetime datatype-character auth-password auth-pg-hba-conf indexes-types"
POSTGRES += " app-pgdump app-pgbasebackup app-vacuumdb sql-vacuum wal-configuration backup-dump"
CURL = "ALTSVC BUG-BOUNTY CURL-DISABLE DEPRECATE EARLY-RELEASE EXPERIMENTAL FEATURES GOVERNANCE"
CURL += " HISTORY HSTS HTTP-COOKIES HTTP3 MQTT RELEASE-PROCEDURE SECURITY-PROCESS SSL-PROBLEMS"
CURL += " SSLCERTS URL-SYNTAX VERSIONS"
CURLOPTS = "TIMEOUT CONNECTTIMEOUT MAXREDIRS BUFFERSIZE DNS_CACHE_TIMEOUT FOLLOWLOCATION VERBOSE"
CURLOPTS += " SSL_VERIFYHOST SSL_VERIFYPEER USERAGENT UPLOAD_BUFFERSIZE TCP_KEEPALIVE TCP_KEEPIDLE"
CURLOPTS += " TCP_KEEPINTVL LOW_SPEED_LIMIT LOW_SPEED_TIME MAXCONNECTS MAXAGE_CONN MAXLIFETIME_CONN"
CURLOPTS += " EXPECT_100_TIMEOUT_MS HAPPY_EYEBALLS_TIMEOUT_MS PROXY PROXYTYPE NOPROXY COOKIEFILE"
CURLOPTS += " COOKIEJAR HSTS ALTSVC RESOLVE CONNECT_TO IPRESOLVE HTTP_VERSION SSLVERSION NETRC"

FEWEST, MOST = 6000, 40_000
"""Characters of a long description: shorter ones say little, longer ones are change logs."""

DOC = "usr/share/doc"
MAN = "usr/share/man"
PG = f"{DOC}/postgresql-doc-15/html"
PY = f"{DOC}/python3.11/html"
LITE = f"{DOC}/sqlite3"

DEBIAN: dict[str, list[tuple[str, str]]] = {
    "python3.11-doc": [
        *((f"{PY}/library/{name}.html", "python") for name in PYTHON.split()),
        *((f"{PY}/whatsnew/{name}.html", "python/whatsnew") for name in WHATSNEW.split()),
        (f"{PY}/using/cmdline.html", "python"),
        (f"{PY}/howto/unicode.html", "python"),
        *((f"{PY}/faq/{name}.html", "python/faq") for name in ("design", "general", "windows")),
    ],
    "sqlite3-doc": [
        (f"{LITE}/releaselog/3_3?_*.html", "sqlite/releaselog"),
        (f"{LITE}/releaselog/3_40_*.html", "sqlite/releaselog"),
        *((f"{LITE}/{name}.html", "sqlite") for name in SQLITE.split()),
    ],
    "postgresql-doc-15": [(f"{PG}/{name}.html", "postgresql") for name in POSTGRES.split()],
    "libcurl4-doc": [
        *((f"{DOC}/libcurl4/{name}.md*", "curl") for name in CURL.split()),
        (f"{DOC}/libcurl4/FAQ*", "curl"),
        (f"{DOC}/libcurl4/KNOWN_BUGS*", "curl"),
        *((f"{MAN}/man3/CURLOPT_{name}.3*", "curl/options") for name in CURLOPTS.split()),
    ],
    "curl": [(f"{MAN}/man1/curl.1*", "curl")],
    "nginx": [(f"{DOC}/nginx/changelog.gz", "nginx"), (f"{MAN}/man8/nginx.8*", "nginx")],
    "rsync": [
        (f"{MAN}/man5/rsyncd.conf.5*", "rsync"),
    ],
    "sudo": [
        (f"{DOC}/sudo/*.md*", "sudo"),
    ],
    "openssh-client": [
        (f"{DOC}/openssh-client/OVERVIEW*", "openssh"),
        (f"{DOC}/openssh-client/NEWS.Debian*", "openssh"),
        *((f"{MAN}/man{n}/{name}.{n}*", "openssh") for n, name in ((5, "ssh_config"),)),
        (f"{MAN}/man1/ssh-keygen.1*", "openssh"),
    ],
    "chrony": [
        (f"{DOC}/chrony/FAQ*", "chrony"),
        (f"{DOC}/chrony/NEWS*", "chrony"),
    ],
    "nano": [
        (f"{DOC}/nano/faq.html", "nano"),
        (f"{MAN}/man5/nanorc.5*", "nano"),
    ],
    "tmux": [(f"{DOC}/tmux/README", "tmux")],
    "logrotate": [(f"{MAN}/man8/logrotate.8*", "logrotate")],
    "tar": [(f"{DOC}/tar/NEWS*", "tar"), (f"{MAN}/man1/tar.1*", "tar")],
    "xz-utils": [
        *(
            (f"{DOC}/xz-utils/{name}*", "xz")
            for name in ("NEWS", "faq.txt", "history.txt", "README.gz")
        ),
    ],
    "debian-policy": [
        (f"{DOC}/debian-policy/{name}.txt.gz", "debian-policy")
        for name in ("upgrading-checklist", "perl-policy", "menu-policy", "debconf_specification")
    ],
}

_OVERSTRUCK = re.compile(r".\x08")
_PAGE = re.compile(r".+\.[1-8]")


def skip(what: str, why: object) -> None:
    """Say on stderr what is missing."""
    print(f"skipped: {what}: {why}", file=sys.stderr)


def python_packages(dest: Path) -> Iterator[str]:
    """Write the long descriptions of the locked packages; yield names and versions."""
    for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines():
        name, mark, locked = line.split(";")[0].strip().partition("==")
        if not mark:
            continue
        try:
            found = metadata(name)
        except PackageNotFoundError as error:
            skip(name, error)
            continue
        text = found.get_payload() or found.get("Description", "")  # type: ignore[attr-defined]
        if found["Version"] != locked:
            print(f"{name} is {found['Version']}, locked is {locked}", file=sys.stderr)
        if FEWEST <= len(text) <= MOST:
            markdown = "markdown" in str(found.json.get("description_content_type", ""))
            path = dest / "pypi" / f"{name}{'.md' if markdown else '.rst'}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text.strip()}\n", encoding="utf-8")
            yield f"{name} {found['Version']}"


def debian_packages(dest: Path) -> Iterator[str]:
    """Download, unpack and pick from the Debian packages; yield names and versions."""
    with tempfile.TemporaryDirectory() as temporary:
        for package, wanted in DEBIAN.items():
            folder = Path(temporary) / package
            folder.mkdir()
            try:
                done = subprocess.run(
                    ["apt-get", "download", package],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                )
                archives = list(folder.glob("*.deb"))
                if not archives:
                    skip(package, done.stderr.strip())
                    continue
                subprocess.run(["dpkg", "-x", archives[0], folder], check=True)
            except FileNotFoundError as error:
                skip(package, error)
                continue
            for pattern, into in wanted:
                found = sorted(path for path in folder.glob(pattern) if path.is_file())
                if not found:
                    skip(package, f"no {pattern}")
                for path in found:
                    take(path, dest / into)
            yield archives[0].stem.rpartition("_")[0].replace("_", " ").replace("%3a", ":")


def take(path: Path, into: Path) -> None:
    """Copy one document: unpacked, a man page rendered, with an ending that ragcli reads."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    name = path.name.removesuffix(".gz")
    if f"/{MAN}/" in str(path):
        try:
            raw = rendered(raw)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            skip(name, error)
            return
    if name == "changelog" or Path(name).suffix not in (".html", ".md", ".txt"):
        name += ".txt"
    into.mkdir(parents=True, exist_ok=True)
    (into / name).write_bytes(raw)


def rendered(page: bytes) -> bytes:
    """Return a man page as text of 78 columns."""
    done = subprocess.run(
        [
            "groff",
            "-t",
            "-mandoc",
            "-Tutf8",
            "-Kutf8",
            "-rLL=78n",
            "-rHY=0",
            "-dAD=l",
            "-P-c",
            "-P-b",
            "-P-u",
        ],
        input=page,
        capture_output=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    return _OVERSTRUCK.sub("", done.stdout.decode()).encode()


def main() -> int:
    """Fill the folder anew."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    dest = Path(sys.argv[1])
    if dest.exists():
        if not (dest / "SOURCES").exists():
            print(f"{dest} is there and was not made by this: name another", file=sys.stderr)
            return 2
        shutil.rmtree(dest)
    dest.mkdir(parents=True)
    sources = [*python_packages(dest), *debian_packages(dest)]
    (dest / "SOURCES").write_text("\n".join(sources) + "\n", encoding="utf-8")
    files = [path for path in dest.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    print(f"{len(files) - 1} documents, {size / 1e6:.1f} MB, from {len(sources)} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
