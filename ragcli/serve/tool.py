"""A tool for clients: its schemas, the check of its arguments, and its result as a message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragcli.errors import InputError
from ragcli.serve.call import Call
from ragcli.serve.jsonrpc import Json

# Characters of a client's text that an error message repeats.
_REPEATED = 60


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: ``run`` takes the call and the checked arguments and returns a JSON object.

    ``output`` is the schema of that object; a tool without one returns text only. ``brief`` makes
    the text for clients and models that do not read structured results. ``aliases`` are other
    names of arguments.
    """

    name: str
    title: str
    description: str
    properties: Mapping[str, Json]
    required: tuple[str, ...]
    run: Callable[..., Json]
    brief: Callable[[Json], str]
    output: Json | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)

    def listed(self) -> Json:
        """The tool as ``tools/list`` returns it."""
        schema: Json = {"type": "object", "properties": dict(self.properties)}
        schema |= {"required": list(self.required), "additionalProperties": False}
        found: Json = {"name": self.name, "title": self.title, "description": self.description}
        found["inputSchema"] = schema
        if self.output is not None:
            found["outputSchema"] = self.output
        hints = {"readOnlyHint": True, "openWorldHint": False, "idempotentHint": True}
        return found | {"annotations": {"title": self.title, **hints}}

    def result(self, call: Call, arguments: Any) -> Json:
        """The result of a call. Raises InputError for arguments that do not match the schema."""
        found = self.run(call, **self._checked(arguments))
        result: Json = {"content": [{"type": "text", "text": self.brief(found)}]}
        if self.output is not None:
            result["structuredContent"] = found
        return result | {"isError": False}

    def _checked(self, arguments: Any) -> Json:
        """The arguments under their own names, checked."""
        if not isinstance(arguments, dict):
            raise InputError("the arguments must be a JSON object")
        given = {self._name(name, arguments): value for name, value in arguments.items()}
        if missing := [name for name in self.required if name not in given]:
            raise InputError(f"the tool {self.name} needs the argument {missing[0]!r}")
        for name, value in given.items():
            schema = self.properties.get(name)
            if schema is None:
                known = ", ".join(self.properties) or "none"
                short = name[:_REPEATED]
                raise InputError(f"{self.name} has no argument {short!r}", f"it has: {known}")
            if problem := misfit(schema, value):
                raise InputError(f"the argument {name!r} {problem}")
        return given

    def _name(self, given: str, arguments: Json) -> str:
        own = self.aliases.get(given, given)
        return given if own in arguments else own


def misfit(schema: Json, value: Any) -> str:
    """Why a value does not match its schema (string, integer, enum, array); "" if it does."""
    kind = schema["type"]
    if kind == "integer":
        return _misfit_number(schema, value)
    if kind == "array":
        return _misfit_list(schema, value)
    if not isinstance(value, str):
        return "must be a string"
    if len(value) > schema.get("maxLength", len(value)):
        return f"has {len(value)} characters; at most {schema['maxLength']} are allowed"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of {', '.join(schema['enum'])}"
    return ""


def _misfit_number(schema: Json, value: Any) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return "must be an integer"
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        return f"must be from {schema.get('minimum')} to {schema.get('maximum')}"
    return ""


def _misfit_list(schema: Json, value: Any) -> str:
    if not isinstance(value, list):
        return "must be a list"
    if len(value) > schema.get("maxItems", len(value)):
        return f"has {len(value)} items; at most {schema['maxItems']} are allowed"
    return next((f"item {problem}" for v in value if (problem := misfit(schema["items"], v))), "")
