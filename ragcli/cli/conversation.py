"""A conversation on the terminal: questions, and commands that begin with a slash."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import ragcli
from ragcli.cli import inputs, render
from ragcli.cli.answer_text import as_markdown, as_org, show_answer, show_citation
from ragcli.cli.opening_files import open_command
from ragcli.cli.places import Place
from ragcli.cli.session import Session
from ragcli.cli.streaming import StreamedAnswer
from ragcli.config import MODES
from ragcli.errors import InputError, RagcliError
from ragcli.text.words import counted
from ragcli.types import Answer, Citation, Scope

PROMPT = "> "
LEAVING = frozenset(("exit", "quit", ":q", "bye"))
HELPING = frozenset(("help", "?", "/?", "/h"))

HELP = """\
Ask a question, or a follow-up ("And when was it built?").
  /sources       show the sources of the last answer with their quotes
  /open N        open source N in your editor or viewer
  /mode [MODE]   show or change how passages are found
  /scope ...     search only some documents: /scope docs --type md; /scope off
  /save FILE     write the conversation to a file: .md, .org or .jsonl
  /quit          leave; so do an empty line and Ctrl-D"""


@dataclass
class Chat:
    """The state of a conversation: the store, the turns so far, and how to show them."""

    store: ragcli.Store | ragcli.Stores
    talk: ragcli.Conversation
    session: Session
    explain: bool = False
    quiet: bool = False
    stream: Callable[[], StreamedAnswer | None] = lambda: None
    turns: list[Answer] = field(default_factory=list)

    def run(self) -> int:
        """Answer until the user leaves."""
        if not self.quiet:
            render.note("Ask a question; /help lists commands; an empty line ends.")
        for text in lines(self.session.questions()):
            try:
                if not self._handle(text):
                    break
            except RagcliError as error:
                render.note(f"{error.message}\n{error.hint}".rstrip())
            except KeyboardInterrupt:
                render.note("\nstopped")
        return 0

    def _handle(self, text: str) -> bool:
        """Answer a question or obey a command; False if the user leaves."""
        name, _, argument = text.partition(" ")
        if text.casefold() in LEAVING or name in ("/quit", "/exit", "/q"):
            return False
        if text.casefold() in HELPING:
            render.note(HELP)
        elif name in COMMANDS:
            COMMANDS[name](self, argument.strip())
        elif name.startswith("/") and "/" not in name[1:]:
            near = get_close_matches(name, COMMANDS, 1)
            hint = f"did you mean {near[0]}?" if near else "/help lists the commands"
            render.note(f"{name} is not a command; {hint}")
        else:
            self._ask(text)
        return True

    def _ask(self, text: str) -> None:
        written = self.stream()
        result = self.talk.ask(text, on_text=written)
        shown = written.text if written else ""
        if result.question != text and not self.quiet:
            gap = "\n" if shown else ""
            render.note(f"{gap}understood as: {result.question}")
        show_answer(result, self.store.file_of, self.explain, shown)
        self.turns.append(result)
        self.session.add(result)

    def help(self, _argument: str) -> None:
        """Show the commands."""
        render.note(HELP)

    def sources(self, _argument: str) -> None:
        """Show the citations of the last answer with their quotes."""
        for citation in self._citations():
            show_citation(citation, self.store.file_of)

    def open(self, argument: str) -> None:
        """Open a source of the last answer."""
        cited = {str(citation.n): citation for citation in self._citations()}
        citation = cited.get(argument or "1")
        if citation is None:
            raise InputError(f"there is no source {argument!r}", f"sources: {', '.join(cited)}")
        file = self.store.file_of(citation)
        if file is None:
            raise InputError(f"{citation.path} is not on this machine", "/sources shows its quote")
        place = Place.of(citation)
        command = open_command(file, place.line_start, bool(place.named), os.environ)
        if command[-1] == str(file.parent):
            render.note(f"opening the folder of {place}, which may be a program")
        else:
            render.note(f"opening {place}")
        try:
            code = subprocess.run(command).returncode
        except OSError as error:
            raise InputError(
                f"{command[0]} cannot be started: {error.strerror}",
                "name your editor in the variable EDITOR",
            ) from error
        if code:
            render.note(f"{command[0]} ended with code {code}")

    def mode(self, argument: str) -> None:
        """Show or change the retrieval mode."""
        if argument:
            self.talk.mode = argument
        render.note(f"mode: {self.talk.mode}" + ("" if argument else f" (of {', '.join(MODES)})"))

    def scope(self, argument: str) -> None:
        """Show or change the documents that are searched."""
        if argument:
            self.talk.scope = Scope() if argument in ("off", "all") else parse_scope(argument)
        render.note(f"scope: {self.talk.scope or 'all documents'}")

    def save(self, argument: str) -> None:
        """Write the conversation so far to a new file."""
        if not self.turns:
            raise InputError("nothing to save yet", "ask a question first")
        if not argument:
            raise InputError("no file given", "for example: /save answers.md")
        file = Path(argument).expanduser()
        if file.exists():
            raise InputError(f"{file} exists", "choose another name")
        if file.suffix == ".jsonl":
            for turn in self.turns:
                Session(file).add(turn)
        else:
            write = as_org if file.suffix == ".org" else as_markdown
            text = "\n".join(x for turn in self.turns for x in write(turn, self.store.file_of))
            try:
                file.write_text(f"{text}\n", encoding="utf-8")
            except OSError as error:
                raise InputError(f"{file} cannot be written: {error.strerror}") from error
        render.note(f"wrote {counted(len(self.turns), 'answer')} to {file}")

    def _citations(self) -> tuple[Citation, ...]:
        """The sources of the last answer. Raises InputError if there are none."""
        if not self.turns:
            raise InputError("there are no sources yet", "ask a question first")
        if not (found := self.turns[-1].reply.citations):
            raise InputError("the last question was not answered, so there are no sources")
        return found


COMMANDS: dict[str, Callable[[Chat, str], None]] = {
    "/help": Chat.help,
    "/sources": Chat.sources,
    "/open": Chat.open,
    "/mode": Chat.mode,
    "/scope": Chat.scope,
    "/save": Chat.save,
}


def parse_scope(text: str) -> Scope:
    """A scope as on the command line; words without an option are folders or patterns.

    >>> str(parse_scope("docs --type md --where author=Ada"))
    '--in docs --type md --where author=Ada'
    """
    try:
        words = iter(shlex.split(text))
    except ValueError as error:
        raise InputError(f"cannot read this: {error}", "close the quotes") from error
    given: dict[str, list[str]] = {"--in": [], "--type": [], "--since": [], "--where": []}
    for word in words:
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            given["--in"].append(word)
        elif name not in given:
            raise InputError(f"{name} is not part of a scope", f"known: {', '.join(given)}")
        else:
            given[name].append(value if equals else next(words, ""))
    if any("" in values for values in given.values()):
        raise InputError("an option without a value", "for example: /scope --type md")
    return Scope.of(
        given["--in"], given["--type"], (given["--since"] or [""])[-1], given["--where"]
    )


def lines(former: list[str]) -> Iterator[str]:
    """The lines that the user enters, until an empty one, Ctrl-D, or Ctrl-C twice.

    ``former``: earlier lines, for the arrow keys.
    """
    _prepare(former)
    interrupted = False
    while True:
        try:
            text = _line()
        except KeyboardInterrupt:
            if interrupted:
                render.note("")
                return
            interrupted = True
            render.note("\nCtrl-C again, an empty line or Ctrl-D ends the conversation")
            continue
        except EOFError:
            render.note("")
            return
        interrupted = False
        text = (inputs.as_text(text) or "").strip()
        if not text:
            return
        yield text


def _line() -> str:
    """One line from the terminal, with editing and history if stdout is a terminal, too."""
    if sys.stdout.isatty():
        sys.stdout.write("\n")
        return input(PROMPT)
    # input() would write its prompt among the answers.
    sys.stderr.write(f"\n{PROMPT}")
    sys.stderr.flush()
    text = sys.stdin.readline()
    if not text:
        raise EOFError
    return text


def _prepare(former: list[str]) -> None:
    """Give the arrow keys earlier lines, and the tab key the commands."""
    try:
        import readline
    except ImportError:  # Windows, whose console has its own history
        return
    for text in former:
        readline.add_history(text)
    readline.set_completer_delims(" ")
    readline.set_completer(_complete)
    readline.parse_and_bind("tab: complete")


def _complete(text: str, state: int) -> str | None:
    found = [name for name in (*COMMANDS, "/quit") if text and name.startswith(text)]
    return found[state] if state < len(found) else None
