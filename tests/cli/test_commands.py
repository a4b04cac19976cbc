"""The command line as a user meets it: output, exit codes, messages."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE, Run
from typer.main import get_command

from ragcli.cli import usage
from ragcli.cli.commands import app
from ragcli.config import EVAL_MODES, MODES

QUESTION = "What caused the radar's false alarms on sunny afternoons?"
SURE, SURE_ANSWER = "How long is Tomme de Têtu ripened?", "120 days"
"""A question of the sample corpus whose short answer is sure enough to be shown."""


def lines(text: str) -> list[dict[str, Any]]:
    """JSON Lines as records."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="session")
def documents() -> dict[str, str]:
    """Document id -> text of the sample corpus, read independently of the program."""
    found = {}
    for path in SAMPLE.rglob("*"):
        name = path.relative_to(SAMPLE).as_posix()
        if path.suffix in (".md", ".txt"):
            found[name] = path.read_text(encoding="utf-8")
        elif path.suffix == ".jsonl" and path.parent != SAMPLE:
            for record in lines(path.read_text(encoding="utf-8")):
                found[f"{name}#{record['_id']}"] = record["text"]
    return found


def test_ask_answers_with_a_true_citation(called: Run, sample_store: Path) -> None:
    """The answer names its source and line; exit code 0; progress stays off stdout."""
    done = called("ask", SURE, "--store", sample_store)
    assert done.returncode == 0
    first, _, rest = done.stdout.partition("\n\n")
    assert first.startswith(SURE_ANSWER) and ", confidence " in first
    assert rest.startswith("[1] sample_corpus/") and "\n> " in rest
    assert "sample_corpus/valley/dairy-saint-orrin.md:17" in done.stdout


@pytest.mark.parametrize("mode", MODES)
def test_every_offset_is_true(
    called: Run, sample_store: Path, documents: dict[str, str], mode: str
) -> None:
    """Hits and citations of every mode stand in the files where they say they do."""
    done = called("ask", QUESTION, "--json", "--mode", mode, "--store", sample_store)
    found = json.loads(done.stdout)
    assert found["mode"] == mode and found["hits"]
    for hit in found["hits"]:
        assert documents[hit["doc"]][hit["start"] : hit["end"]] == hit["text"]
    assert found["passages"]
    for passage in found["passages"]:
        text = documents[passage["doc"]]
        assert text[passage["start"] : passage["end"]] == passage["text"]
    for cited in (*found["citations"], *found["also"]):
        text = documents[cited["doc"]]
        assert text[cited["start"] : cited["end"]] == cited["quote"]
        if "#" not in cited["doc"]:
            assert cited["line_start"] == text.count("\n", 0, cited["start"]) + 1


def test_ask_json_has_the_promised_fields(called: Run, sample_store: Path) -> None:
    """The contract of ``ask --json``."""
    found = json.loads(called("ask", QUESTION, "--json", "--store", sample_store).stdout)
    assert {
        *("question", "mode", "answer", "abstained", "answer_by", "citations", "hits"),
        *("entities", "context_tokens", "timings_ms", "generation", "passages", "also"),
    } <= found.keys()
    assert found["sentences"] == {"written": 0, "kept": 0}  # nobody wrote, the answer is quoted
    assert {"open", "retrieve", "answer", "total"} <= found["timings_ms"].keys()
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))


def test_top_k_and_answer_none(called: Run, sample_store: Path) -> None:
    """--top-k limits the hits; --answer none prints passages and no answer."""
    args = ("--top-k", 3, "--answer", "none", "--json", "--store", sample_store)
    found = json.loads(called("ask", QUESTION, *args).stdout)
    assert len(found["hits"]) == 3 and found["answer"] == "" and found["answer_by"] == "none"


@pytest.mark.parametrize("explained", [False, True])
def test_times_are_told_only_on_request(called: Run, sample_store: Path, explained: bool) -> None:
    """With --explain, on stderr."""
    done = called("ask", QUESTION, *["--explain"] * explained, "--store", sample_store)
    assert ("retrieve" in done.stderr and " ms" in done.stderr) == explained


def test_a_question_from_standard_input(called: Run, sample_store: Path) -> None:
    """``-`` reads the question from stdin."""
    done = called("ask", "-", "--store", sample_store, input=QUESTION)
    assert done.returncode == 0 and "paragliders" in done.stdout


def test_abstaining_is_a_negative_outcome(called: Run, sample_store: Path) -> None:
    """What the documents do not tell: exit code 1, a note, no answer on stdout."""
    question = "What is the boiling point of tungsten hexafluoride?"
    done = called("ask", question, "--store", sample_store, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["abstained"] and not found["citations"]


def test_a_missing_store_is_trouble_with_a_hint(called: Run, tmp_path: Path) -> None:
    """Exit code 2, one line what, one line how to mend it, no traceback."""
    done = called("ask", "anything?", cwd=tmp_path)
    assert done.returncode == 2 and "ragcli index FOLDER" in done.stderr
    assert "Traceback" not in done.stderr and not done.stdout


@pytest.mark.parametrize(
    "args",
    [
        ("ask", "x?", "--mode", "magic"),
        ("ask", "x?", "--answer", "magic"),
        ("ask", "x?", "--answer", "llm", "--llm", "nowhere.gguf"),
        ("ask", "x?", "--embedder", "nowhere"),
        ("ask", "   "),
        ("inspect", "doc", "nowhere.md"),
        ("index", "nowhere"),
        ("index", ""),
        ("update", ""),
        ("extract", ""),
        ("eval", ""),
        ("ask", "x?", "--html", ""),
        ("inspect", "graph", "--html", ""),
        ("inspect", "graph", "--graphml", ""),
        ("models", "add", ""),
        ("bundle", "export", ""),
        ("ask", "x?", "--store", ""),
        ("index", "--mode", "magic", "."),
        ("ask", "x?", "--top-k", "0"),
        ("frobnicate",),
    ],
)
def test_wrong_arguments_are_trouble(called: Run, own_store: Path, args: tuple[str, ...]) -> None:
    """Exit code 2 and a message that a person understands."""
    done = called(*args, cwd=own_store.parent)
    assert done.returncode == 2, done.stdout
    assert done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (
            ("inspect", "graph", "--html", "nowhere/x.html"),
            "the folder of an output file must exist",
        ),
        (("bundle", "import", "nowhere.rag", "--store", "other"), "check the spelling"),
        (("update", "--extractions", "."), "JSON Lines"),
        (("update", "/nowhere"), "the store indexes"),
    ],
)
def test_every_error_has_a_hint_that_helps(
    called: Run, own_store: Path, args: tuple[str, ...], hint: str
) -> None:
    """A file that is missing is no question of space; a path beside the store is told so."""
    done = called(*args, cwd=own_store.parent)
    assert done.returncode == 2 and hint in done.stderr.splitlines()[-1], done.stderr


def test_the_store_is_found_upward(called: Run, own_store: Path) -> None:
    """From a folder below, as git finds .git."""
    below = own_store.parent / "a" / "b"
    below.mkdir(parents=True)
    assert called("inspect", "digest", cwd=below).returncode == 0


def test_inspect_stats_json(called: Run, sample_store: Path) -> None:
    """The fields that the contract names, with sensible figures."""
    found = json.loads(called("inspect", "stats", "--json", "--store", sample_store).stdout)
    assert found["documents"] == 39 and found["failed_documents"] == 0
    assert found["entities"] > 500 and found["relations"] > found["entities"]
    assert found["bytes"] > 100_000 and found["generation"] == 1 and found["llm_calls"] == 0
    assert {"tree_nodes", "hierarchy_levels", "models", "llm_tokens", "stages"} <= found.keys()
    assert found["stages"]["embed"] > 0


def test_inspect_docs_json(called: Run, sample_store: Path, documents: dict[str, str]) -> None:
    """A record per document with status, times and summary."""
    found = lines(called("inspect", "docs", "--json", "--store", sample_store).stdout)
    assert {d["doc"] for d in found} == documents.keys()
    fields = {"doc", "status", "chunks", "sha256", "size", "created_at", "updated_at", "error"}
    assert all(fields <= d.keys() and d["status"] == "ok" and d["summary"] for d in found)


@pytest.mark.parametrize("what", ["docs", "chunks", "entities", "tree", "stats", "digest", "check"])
def test_inspect_prints_for_people_too(called: Run, own_store: Path, what: str) -> None:
    """Every listing has a plain form that ends well."""
    done = called("inspect", what, "--store", own_store)
    assert done.returncode == 0 and done.stdout.strip() and not done.stderr


def test_inspect_relations(called: Run, sample_store: Path) -> None:
    """All of them, or those of one entity; exit code 1 for a name nobody knows."""
    where = ("--store", sample_store)
    every = lines(called("inspect", "relations", "--json", "--limit", 5, *where).stdout)
    assert len(every) == 5 and all(r["sentences"] >= 1 for r in every)
    own = lines(called("inspect", "relations", "Ravoire Bridge", "--json", *where).stdout)
    assert own and all("Ravoire Bridge" in (r["a"], r["b"]) for r in own)
    assert "strength" in called("inspect", "relations", *where).stdout
    assert called("inspect", "relations", "Zzyzx", *where).returncode == 1


def test_inspect_entity_by_any_spelling(called: Run, sample_store: Path) -> None:
    """A name shows its spellings, neighbours and chunks; an unknown one is a negative outcome."""
    found = lines(
        called("inspect", "entity", "Ravoire Bridge", "--json", "--store", sample_store).stdout
    )
    assert found[0]["name"] == "Ravoire Bridge" and found[0]["related"] and found[0]["chunks"]
    done = called("inspect", "entity", "Xyzzy Quux", "--store", sample_store)
    assert done.returncode == 1


def test_inspect_doc_shows_chunks_true_to_the_text(
    called: Run, sample_store: Path, documents: dict[str, str]
) -> None:
    """The chunks of one document lie in its text where they say."""
    name = "incidents/2019-01-17-ravoire-bridge.md"
    done = called("inspect", "doc", name, "--json", "--store", sample_store)
    for chunk in json.loads(done.stdout)["chunks"]:
        assert documents[name][chunk["start"] : chunk["end"]] == chunk["text"]


def test_inspect_doc_shows_several(
    called: Run, sample_store: Path, documents: dict[str, str]
) -> None:
    """In the given order: an object a line, or each text below its id; a wrong id shows none."""
    names = ["incidents/2019-01-17-ravoire-bridge.md", "valley/dairy-saint-orrin.md"]
    store = ("--store", sample_store)
    lines = called("inspect", "doc", *names, "--json", *store).stdout.splitlines()
    assert [json.loads(line)["doc"] for line in lines] == names
    texts = called("inspect", "doc", *names, "--text", *store).stdout
    first, second = (documents[name] for name in names)
    assert texts == f"==> {names[0]} <==\n{first}\n==> {names[1]} <==\n{second}"
    wrong = called("inspect", "doc", *names, "nowhere.md", *store)
    assert wrong.returncode == 2 and not wrong.stdout


def test_dry_run_changes_nothing(called: Run, tmp_path: Path) -> None:
    """Files, chunks, tokens and time are told; no store comes to be."""
    done = called("index", SAMPLE, "--dry-run", "--json", cwd=tmp_path)
    plan = json.loads(done.stdout)
    assert plan["documents"] == 39 and plan["tokens"] > 20_000 and plan["llm_calls"] == 0
    assert plan["seconds"] > 0 and not (tmp_path / ".ragcli").exists()


def test_index_json_and_exit_code_for_failures(called: Run, tmp_path: Path) -> None:
    """A bad record makes exit code 1; the rest is there."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "r.jsonl").write_text('{"_id": "1", "text": "Ann met Bob."}\n{"_id": "2"}\n')
    done = called("index", "docs", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["added"] == 1 and found["generation"] == 1
    assert [f["doc"] for f in found["failed"]] == ["r.jsonl:2"]
    assert {"changed", "renamed", "removed", "unchanged", "llm_calls", "seconds"} <= found.keys()
    current = called("update", "--check", "--json", cwd=tmp_path)
    waiting = {"chunks": 0, "profiles": 0}
    assert json.loads(current.stdout) == {
        "stale": False,
        "changes": [],
        "failed_before": ["r.jsonl:2"],
        "waiting": waiting,
    }
    assert current.returncode == 0
    (docs / "new.txt").write_text("Something new.")
    checked = called("update", "--check", cwd=tmp_path)
    assert checked.returncode == 1 and "added new.txt" in checked.stdout


def test_config_show_tells_where_values_come_from(called: Run, tmp_path: Path) -> None:
    """Defaults < file < environment."""
    (tmp_path / "ragcli.toml").write_text("top_k = 7\nbudget = 500\n")
    done = called("config", "show", "--json", cwd=tmp_path, env={"RAGCLI_BUDGET": "900"})
    found = json.loads(done.stdout)
    assert found["top_k"] == {"value": 7, "from": str(tmp_path / "ragcli.toml")}
    assert found["budget"] == {"value": 900, "from": "RAGCLI_BUDGET"}
    assert found["mode"]["from"] == "default"
    (tmp_path / "ragcli.toml").write_text("topk = 7\n")
    assert called("config", "show", cwd=tmp_path).returncode == 2


def test_ask_is_light(sample_store: Path) -> None:
    """A whole question imports nothing that takes seconds, and little that takes milliseconds.

    A store of this size is searched without FAISS, its text is printed into a pipe without rich,
    and plain arguments are read without Typer.
    """
    code = (
        "import sys; from ragcli.cli import main\n"
        f"sys.argv = ['ragcli', 'ask', {QUESTION!r}, '--store', {str(sample_store)!r},"
        " '--answer', 'extractive', '--quiet']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = ('torch', 'spacy', 'thinc', 'sentence_transformers', 'transformers', 'jinja2',"
        " 'igraph', 'llama_cpp', 'scipy', 'sklearn', 'faiss', 'rich', 'typer', 'click', 'pydantic',"
        " 'filelock', 'numpy.ma', 'email', 'ssl', 'socket', 'asyncio', 'subprocess', 'tempfile',"
        " 'importlib.resources', 'importlib.metadata', 'multiprocessing', 'ragcli.cli.commands',"
        " 'ragcli.corpus.read', 'ragcli.store.hierarchy', 'ragcli.graph.cluster_text',"
        " 'ragcli.answer.claim_check', 'ragcli.search.scope')\n"
        "sys.stderr.write('HEAVY ' + ' '.join(m for m in heavy if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip()
    assert done.stderr.strip().endswith("HEAVY")


@pytest.mark.parametrize(
    "command",
    ["inspect chunks --json", "inspect stats", "inspect tree", "--help"],
)
def test_a_closed_pipe_is_no_error(sample_store: Path, command: str) -> None:
    """``ragcli inspect stats | head -1`` ends without a complaint, and so do pages of help."""
    where = f"--store {sample_store}" if command.startswith("inspect") else ""
    line = f"{sys.executable} -m ragcli {command} {where} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_question_needs_no_quotes(called: Run, sample_store: Path) -> None:
    """Its words are joined."""
    words = ("Who", "signed", "the", "resin", "letter?")
    done = called("ask", *words, "--json", "--store", sample_store)
    assert json.loads(done.stdout)["question"] == " ".join(words)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("aks", "x"), "Did you mean 'ask'?"),
        (("ask", "x", "--topk", "3"), "--top-k"),
        (("ask", "x", "--debug"), "Put it before the command: ragcli --debug ask ..."),
        (("--store", "s", "ask", "x"), "after the command: ragcli COMMAND --store ..."),
        (("Who is it?",), 'To ask a question: ragcli ask "Who is it?"'),
        (("Who", "is", "it?"), 'To ask a question: ragcli ask "Who is it?"'),
        (("ask", "x", "--mode", "wlak"), "did you mean walk?"),
        (("status", "--store", "s"), "Try: ragcli inspect stats"),
        (("list", "of", "towns"), 'To ask a question: ragcli ask "list of towns"'),
        (("ask", "--retries default?"), 'begins with "-": ragcli ask -- "--retries default?"'),
        (("ask", "-v or -q?"), 'ragcli ask -- "-v or -q?"'),
        (("inspect", "--store", "s"), "after the command: ragcli inspect COMMAND --store ..."),
    ],
)
def test_usage_errors_say_what_was_meant(called: Run, args: tuple[str, ...], message: str) -> None:
    """The nearest name, or where an option belongs."""
    done = called(*args, env={"COLUMNS": "200"})
    assert done.returncode == 2 and message in done.stderr, done.stderr


def test_hints_name_commands_that_exist() -> None:
    """Every command that is proposed for another tool's name; no name is one of ours."""
    known: Any = get_command(app)
    assert not usage.MEANT.keys() & known.commands.keys()
    for proposed in usage.MEANT.values():
        words = [word for word in proposed.split() if word.islower() and word[0] != "-"]
        group = known
        for word in words:
            group = group.commands[word]
        options = {name for p in group.params for name in p.opts} | {"--help"}
        assert options.issuperset(w for w in proposed.split() if w.startswith("-")), proposed


def test_debug_logs_every_step(
    ragcli: Run, called: Run, sample_store: Path, tmp_path: Path
) -> None:
    """To stderr, with the module that logs; an error has its traceback."""
    done = ragcli("--debug", "ask", QUESTION, "--store", sample_store, "--quiet")
    assert done.returncode == 0 and "ragcli.api: opened" in done.stderr
    quiet = called("ask", QUESTION, "--store", sample_store, "--quiet")
    assert quiet.stdout == done.stdout and quiet.stderr == ""
    assert "Traceback" in ragcli("--debug", "ask", "x", "--store", tmp_path / "none").stderr


def test_version(called: Run) -> None:
    """The version of the package."""
    from ragcli import __version__

    assert called("--version").stdout == f"ragcli {__version__}\n"


@pytest.mark.parametrize(
    "args",
    [
        ("bundle", "export", "mine"),
        ("inspect", "graph", "--html", "mine"),
        ("inspect", "graph", "--graphml", "mine"),
        ("ask", QUESTION, "--html", "mine"),
    ],
)
def test_files_of_others_are_not_replaced(
    called: Run, sample_store: Path, tmp_path: Path, args: tuple[str, ...]
) -> None:
    """Unless --force is given; what ragcli wrote itself is replaced."""
    mine = tmp_path / "mine"
    mine.write_text("my thesis")
    command = (*args, "--store", sample_store)
    refused = called(*command, cwd=tmp_path)
    assert refused.returncode == 2 and "--force" in refused.stderr
    assert mine.read_text() == "my thesis"
    assert called(*command, "--force", cwd=tmp_path).returncode == 0
    assert b"my thesis" not in mine.read_bytes()
    assert called(*command, cwd=tmp_path).returncode == 0


def test_figures_for_people_are_rounded(called: Run, own_store: Path) -> None:
    """JSON keeps them as they are."""
    db = sqlite3.connect(own_store / "store.sqlite")
    stages = json.dumps({"embed": 7.085600009304471e-05, "write": 12.345678})
    db.execute("UPDATE meta SET value = ? WHERE key = 'stages'", (stages,))
    db.commit()
    db.close()
    shown = called("inspect", "stats", "--store", own_store).stdout
    assert "e-05" not in shown and "12.3" in shown and "12.34" not in shown
    found = json.loads(called("inspect", "stats", "--json", "--store", own_store).stdout)
    assert found["stages"]["embed"] == 7.085600009304471e-05


def test_help_names_every_mode(called: Run) -> None:
    """The modes that help and settings name are the strategies there are."""
    from ragcli.papers.modes import PAPERS, PROMPTS
    from ragcli.retrieve import OWN

    assert {*MODES, *EVAL_MODES} == {*OWN, *PAPERS, "graphrag"}
    assert set(EVAL_MODES) == {*PROMPTS, "graphrag"}
    text = called("ask", "--help", env={"COLUMNS": "200"}).stdout
    assert all(mode in text for mode in MODES)


def test_help_shows_defaults(called: Run) -> None:
    """Brackets in a help text are taken for markup and vanish."""
    text = " ".join(called("index", "--help", env={"COLUMNS": "200"}).stdout.split())
    assert (
        "default: those of the store" in text
        and "default: .ragcli here; if no PATH is given, also in the nearest parent" in text
    )


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("ask", "Who knows b\udcff?", "--quiet", "--min-confidence", "1"), 1),
        (("inspect", "entity", "b\udcff"), 1),
        (("inspect", "doc", "b\udcff"), 2),
        (("inspect", "chunks", "--doc", "b\udcff"), 2),
        (("inspect", "relations", "b\udcff"), 1),
        (("inspect", "path", "b\udcff", "c"), 2),
    ],
)
def test_arguments_that_are_not_utf8(
    called: Run, sample_store: Path, args: tuple[str, ...], code: int
) -> None:
    """They are looked for like any other text, and named in a way that can be printed."""
    done = called(*args, "--store", sample_store)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    assert args[0] == "ask" or "b\\xff" in done.stderr.replace("\\\\", "\\")


def test_bytes_from_standard_input_that_are_not_utf8(called: Run, sample_store: Path) -> None:
    """The rest of the question is asked."""
    command = [sys.executable, "-m", "ragcli", "ask", "-", "--json", "--store", str(sample_store)]
    question = b"What caused the radar's false alarms on sunny afternoons \xff\xfe?"
    done = subprocess.run(command, input=question, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    asked = "What caused the radar's false alarms on sunny afternoons \\xff\\xfe?"
    assert json.loads(done.stdout)["question"] == asked


def test_output_that_cannot_hold_a_character(ragcli: Run, sample_store: Path) -> None:
    """Escaped, not the end of the run."""
    words = ("inspect", "doc", "valley/dairy-saint-orrin.md", "--text", "--store", sample_store)
    done = ragcli(*words, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0 and "T\\xeatu" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "code"), [("ask - <&-", 2), ("inspect digest >&-", 0), ("ask '' 2>&-", 2)]
)
def test_closed_streams(sample_store: Path, command: str, code: int) -> None:
    """As a service or a cron job may start it."""
    line = f"cd {sample_store.parent} && {sys.executable} -m ragcli {command}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr


def test_a_fault_of_our_own_is_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a traceback to be reported, and not with the exit code of "nothing found"."""
    from ragcli import cli

    def broken(**_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("ragcli.cli.commands.app", broken)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2


def test_ctrl_c_says_that_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the exit code that shells expect."""
    import typer

    from ragcli import cli

    app = typer.Typer()

    @app.command()
    def stop() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ragcli.cli.commands.app", app)
    monkeypatch.setattr(sys, "argv", ["ragcli"])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 130 and "kept" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
def test_sigterm_ends_in_order() -> None:
    """With a message, and the exit code that shells expect."""
    script = """
        import os, signal, time
        from ragcli import cli

        def stopped():
            try:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(60)
            finally:
                print("cleared up")

        cli._run = stopped
        cli.main()
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    assert done.returncode == 143 and "completed work is kept" in done.stderr, done.stderr
    assert done.stdout == "cleared up\n"


def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no fault of ragcli, and doctor tells about all of them."""
    from ragcli import cli

    def needy(**_: object) -> None:
        raise ModuleNotFoundError("No module named 'msgpack'", name="msgpack")

    monkeypatch.setattr("ragcli.cli.commands.app", needy)
    with pytest.raises(SystemExit) as stop:
        cli.main()
    told = capsys.readouterr().err
    assert stop.value.code == 2 and "msgpack is not installed" in told and "doctor" in told


def test_the_short_answer_is_a_slice_of_its_document(called: Run, sample_store: Path) -> None:
    """``short`` has the contract's keys, and its citation holds it; null without a reader."""
    args = ("ask", SURE, "--json", "--store", sample_store)
    found = json.loads(called(*args).stdout)
    short = found["short"]
    assert list(short) == ["text", "doc", "start", "end", "confidence", "n"]
    text = json.loads(
        called("inspect", "doc", short["doc"], "--json", "--store", sample_store).stdout
    )
    assert text["doc"] == short["doc"]
    (holder,) = [c for c in found["citations"] if c["n"] == short["n"]]
    begin = short["start"] - holder["start"]
    assert holder["quote"][begin : begin + len(short["text"])] == short["text"]
    without = json.loads(called(*args, env={"RAGCLI_READER": "none"}).stdout)
    assert without["short"] is None and without["answer"]
    strict = called(*args, "--min-confidence", "0.99")
    assert strict.returncode == 0 and json.loads(strict.stdout)["short"] is None
