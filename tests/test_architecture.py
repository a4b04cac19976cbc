"""The plan of the house, held against the code."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ragcli

ROOT = Path(ragcli.__file__).parent
# Rooms from the bottom up; a file may import from its own row or any row below.
ROWS = [
    {
        *("types", "errors", "stage_timer", "ending", "html_page", "text", "version"),
        *("overwriting", "worker_process", "user_data", "trust"),
    },
    {"config"},
    {"models", "store"},
    {"corpus", "graph", "search", "extract"},
    {"retrieve"},
    {"answer", "mapping"},
    {"papers"},
    {"explore"},
    {"enriching"},
    {"indexing"},
    {"asking"},
    {"evaluate", "maintaining"},
    {"api"},
    {"serve"},
    {"cli", "__init__", "__main__"},
]
LEVEL = {room: level for level, row in enumerate(ROWS) for room in row}
# Algorithms that must stay free of files, models, databases and clocks.
PURE = [
    "text",
    "types",
    "graph",
    "papers/fuse.py",
    "retrieve/context.py",
    "corpus/chunk.py",
    "corpus/units.py",
    "extract/llm",
    "extract/recorded.py",
]
IMPURE = {"os", "pathlib", "sqlite3", "time", "datetime", "random", "torch", "spacy", "faiss"}
HEAVY = {
    "torch": "models/torch_trunk.py models/embed.py",
    "sentence_transformers": "models/embed.py",
    "spacy": "models/english_pipeline.py",
    "llama_cpp": "models/llm",
    "faiss": "search/vectors.py",
    "sklearn": "graph/clustering.py",
    "igraph": "search/entity_graph.py search/communities.py",
    "ray": "indexing/ray_engine.py",
}


def modules() -> list[Path]:
    return sorted(p for p in ROOT.rglob("*.py"))


def room(path: Path) -> str:
    """The room a file belongs to: its first folder, or itself at the top."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else path.stem


def imported(path: Path) -> list[str]:
    """All modules that a file imports, wherever in the file it does."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
    return found


def test_imports_only_point_downward() -> None:
    """cli -> serve -> evaluate -> asking -> indexing -> ... -> types, errors; never up."""
    wrong = []
    for path in modules():
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != "ragcli" or len(parts) < 2 or parts[1] not in LEVEL:
                continue
            if LEVEL[parts[1]] > LEVEL[room(path)]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert not wrong


def test_every_room_has_its_place() -> None:
    """A new folder must be given a row above."""
    assert {room(p) for p in modules()} <= LEVEL.keys()


def test_the_picture_shows_the_floors() -> None:
    """ARCHITECTURE.md draws each row, the highest first; a long row takes several lines."""
    page = (ROOT.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    lines = [m[1].split() for m in re.finditer(r"^  \|([ \w]+)\|", page, re.MULTILINE)]
    levels = [{LEVEL[name] for name in line} for line in lines]
    assert {name for line in lines for name in line} == LEVEL.keys()
    assert all(len(level) == 1 for level in levels)
    assert levels == sorted(levels, key=max, reverse=True)


def module_name(path: Path) -> str:
    """The dotted name of a file; a package's is that of its ``__init__``."""
    return ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")


def file_graph() -> dict[str, set[str]]:
    """Module -> modules of the package that it imports, inside functions and for types, too."""
    names = {module_name(path) for path in modules()}
    graph = {}
    for path in modules():
        # "from a import b" names a and a.b; where a.b is a module, a itself is only its package.
        found = set(imported(path)) & names
        packages = {name.rpartition(".")[0] for name in found}
        direct = {n for n in found if n not in packages or uses_package(path, n)}
        graph[module_name(path)] = direct - {module_name(path)}
    return graph


def uses_package(path: Path, package: str) -> bool:
    """Whether a file takes something from a package that is no module in it."""
    folder = ROOT.parent.joinpath(*package.split("."))
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == package
        and not all(
            (folder / a.name).is_dir() or (folder / f"{a.name}.py").exists() for a in node.names
        )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node (Tarjan 1972)."""
    found: list[list[str]] = []
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for after in sorted(graph[node]):
            if after not in number:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in stack:
                low[node] = min(low[node], number[after])
        if low[node] == number[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return [component for component in found if len(component) > 1]


def test_circles_are_found() -> None:
    """A circle of three behind a chain; a node that imports itself is none."""
    graph = {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}, "e": {"e", "a"}}
    assert circles(graph) == [["b", "c", "d"]]


def test_no_circles_between_files() -> None:
    """Imports inside functions and under TYPE_CHECKING count as well."""
    assert circles(file_graph()) == []


def test_no_circles_between_rooms() -> None:
    """Rooms of one row may use each other in one direction only."""
    rooms: dict[str, set[str]] = {}
    graph = file_graph()
    for path in modules():
        for name in graph[module_name(path)]:
            parts = name.split(".")
            other = parts[1] if len(parts) > 1 else "__init__"
            rooms.setdefault(room(path), set()).add(other)
            rooms.setdefault(other, set())
    assert circles(rooms) == []


def test_algorithms_are_pure() -> None:
    """No files, clocks, databases or models where arrays and records are all there is."""
    wrong = []
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        if any(name == p or name.startswith(p + "/") for p in PURE):
            wrong += [f"{name}: {m}" for m in imported(path) if m.split(".")[0] in IMPURE]
    assert not wrong


def test_only_two_rooms_know_sql() -> None:
    """Queries stand in ``store`` and ``search``; everybody else calls what has a name.

    Nobody else takes hold of a connection, either: a query over it would not stand out.
    """
    verbs = {"execute", "executemany", "executescript"}
    wrong = []
    for path in modules():
        if room(path) in ("store", "search"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in verbs | {"db", "connection"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: .{node.attr}")
        wrong += [f"{path.relative_to(ROOT)}: {m}" for m in imported(path) if m == "sqlite3"]
    assert not wrong


def test_every_heavy_library_has_one_owner() -> None:
    """torch, spaCy, FAISS, igraph and llama.cpp are each imported by one file or one room."""
    wrong = []
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        for module in imported(path):
            owners = HEAVY.get(module.split(".")[0], "").split()
            if owners and not any(name == x or name.startswith(f"{x}/") for x in owners):
                wrong.append(f"{name} imports {module}, owned by {owners}")
    assert not wrong


def loaded_by(code: str) -> set[str]:
    """Which heavy libraries a fresh Python has loaded after ``code``."""
    probe = (
        f"{code}\nimport sys\n"
        "print(*[m for m in ('torch', 'transformers', 'sentence_transformers', 'spacy', 'faiss',"
        " 'igraph', 'llama_cpp', 'scipy', 'sklearn', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split()[-10:]) if done.stdout.split() else set()


def test_help_loads_nothing_heavy() -> None:
    """``ragcli --help`` must answer at once."""
    code = (
        "import sys; sys.argv = ['ragcli', '--help']\n"
        "import contextlib, io\n"
        "from ragcli.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()"
    )
    assert loaded_by(code) == set()


@pytest.mark.parametrize("path", [str(p.relative_to(ROOT)) for p in modules()])
def test_functions_stay_short(path: str) -> None:
    """A function fits a screen."""
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and not path.startswith("cli/"):
            assert (node.end_lineno or 0) - node.lineno < 60, f"{path}:{node.name} is too long"


def test_a_class_name_has_one_meaning() -> None:
    """No two classes of the package share a name."""
    homes: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name.lstrip("_"), []).append(room(path))
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def test_what_is_live_is_said_once() -> None:
    """Which documents a generation holds: no other query compares generations."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if "born <=" in path.read_text(encoding="utf-8")
    ]
    assert found == ["store/generations.py"]


def test_temporary_tables_are_declared_in_one_place() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if "CREATE TEMP TABLE" in path.read_text(encoding="utf-8")
    ]
    assert found == ["store/scratch.py"]


def test_arguments_are_written_one_by_one() -> None:
    """No tuple or list is taken apart where it is written, only to fill lines."""
    wrong = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple | ast.List):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not wrong


ASKED = {"question", "questions", "asked"}
TEXTS = {"str", "str | None", "Sequence[str]", "Iterable[str]", "list[str]", "tuple[str, ...]"}


def takes_question(function: ast.FunctionDef) -> bool:
    """Whether a parameter is a question as text."""
    given = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return any(
        one.arg in ASKED and one.annotation is not None and ast.unparse(one.annotation) in TEXTS
        for one in given
    )


def functions(path: Path) -> list[ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def test_a_question_is_parsed_once() -> None:
    """Who finds or answers takes an ``AskedQuestion``; models read its text."""
    rooms = {name for name, level in LEVEL.items() if level < LEVEL["asking"]} - {"text", "models"}
    wrong = [
        f"{path.relative_to(ROOT)}: {function.name}"
        for path in modules()
        if room(path) in rooms
        for function in functions(path)
        if takes_question(function)
    ]
    assert not wrong


def test_only_an_asked_question_knows_its_parsers() -> None:
    """What takes a question as text stays in ``text``, below ``AskedQuestion``."""
    parsers = {
        f"{module_name(path)}.{function.name}"
        for path in modules()
        if room(path) == "text"
        for function in functions(path)
        if takes_question(function)
    }
    assert "ragcli.text.two_things.two_things" in parsers
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules()
        if room(path) != "text"
        for name in imported(path)
        if name in parsers
    ]
    assert not wrong
