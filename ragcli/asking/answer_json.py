"""Records as the JSON that the contract promises: the same from ``ask --json`` and a server."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragcli.types import (
    Answer,
    Citation,
    Hit,
    Located,
    MapPart,
    PassageHead,
    Reply,
    ScanPlace,
    ShortAnswer,
    ShownPassage,
    WholeMap,
)
from ragcli.types.places import place_of

_CITATION = tuple("n doc path start end line_start line_end page quote heading".split())
_ITEM = "text doc start end n".split()
_PASSAGE = tuple(
    "n doc path start end line_start line_end page heading text highlights goes_on".split()
)
_HEAD = "start end text".split()
SHORT_NAMES = tuple("text doc start end confidence n".split())
"""The members of a short answer."""
HIT_NAMES = tuple(
    "doc path chunk title start end line_start line_end page score rank reply_to".split()
)
"""The members of a hit that are its fields."""


def answer_json(result: Answer) -> dict[str, Any]:
    """An answer with its citations, hits and times."""
    reply = result.reply
    return {
        "question": result.question,
        "mode": result.mode,
        "answer": reply.text,
        "short": None if reply.short is None else _short(reply.short),
        "abstained": reply.abstained,
        "answer_by": reply.by,
        "note": reply.note,
        "sentences": {"written": reply.written, "kept": reply.kept},
        "citations": [citation_json(citation) for citation in reply.citations],
        "passages": [_passage(passage) for passage in reply.passages],
        "also": [citation_json(citation) for citation in reply.also],
        "maps": [map_json(found) for found in reply.maps],
        "hits": [hit_json(hit) for hit in result.hits],
        "entities": list(result.entities),
        "facts": list(result.facts),
        "context_tokens": result.context_tokens,
        "timings_ms": result.timings_ms,
        "generation": result.generation,
        **_stores(result),
    }


def _stores(result: Answer) -> dict[str, Any]:
    """The stores that were asked, if there were several."""
    listed = [{"store": name, "generation": generation} for name, generation in result.stores]
    return {"stores": listed} if listed else {}


def citation_json(citation: Citation) -> dict[str, Any]:
    """A citation with its place as people name it."""
    value: dict[str, Any] = {name: getattr(citation, name) for name in _CITATION}
    value["scan"] = citation.scan and asdict(citation.scan)
    value["place"] = _place(citation)
    return value | _store(citation)


def map_reply_json(reply: Reply) -> dict[str, Any]:
    """The maps of a reply with what they cite."""
    return {
        "maps": [map_json(found) for found in reply.maps],
        "citations": [citation_json(citation) for citation in reply.citations],
    }


def map_json(found: WholeMap) -> dict[str, Any]:
    """A map; its numbers are those of the citations."""
    value = asdict(found)
    value["types"] = [{"suffix": suffix, "documents": n} for suffix, n in found.types]
    for name in ("dates", "figures"):
        value[name] = [citation_json(one) for one in getattr(found, name)]
    return value


def _map(found: dict[str, Any]) -> WholeMap:
    values = {name: _tuple(value) for name, value in found.items()}
    values["types"] = tuple((one["suffix"], one["documents"]) for one in found["types"])
    values["parts"] = tuple(
        MapPart(**{name: _tuple(value) for name, value in part.items()}) for part in found["parts"]
    )
    for name in ("dates", "figures"):
        values[name] = tuple(_cited(one) for one in found[name])
    return WholeMap(**values)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def reply_of(found: dict[str, Any]) -> Reply:
    """The reply of an answer as ``answer_json`` writes it, as far as it is shown."""
    short = found["short"]
    return Reply(
        found["answer"],
        tuple(_cited(one) for one in found["citations"]),
        found["answer_by"],
        found["abstained"],
        found["note"],
        short=short and ShortAnswer(**{name: short[name] for name in SHORT_NAMES}),
        passages=tuple(_shown(one) for one in found["passages"]),
        also=tuple(_cited(one) for one in found["also"]),
        maps=tuple(_map(one) for one in found["maps"]),
    )


def maps_of(found: dict[str, Any]) -> Reply:
    """The reply whose maps and citations ``map_reply_json`` writes."""
    cited = tuple(_cited(one) for one in found["citations"])
    return Reply("", cited, "extractive", maps=tuple(_map(one) for one in found["maps"]))


def _cited(found: dict[str, Any]) -> Citation:
    scan = found["scan"] and ScanPlace(tuple(found["scan"]["box"]), found["scan"]["confidence"])
    values = {name: found[name] for name in _CITATION}
    return Citation(**values, store=found.get("store", ""), scan=scan)


def _shown(found: dict[str, Any]) -> ShownPassage:
    values = {name: found[name] for name in _PASSAGE}
    values["highlights"] = tuple((start, end) for start, end in found["highlights"])
    head = PassageHead(**found["head"]) if found["head"] else None
    return ShownPassage(**values, head=head, store=found.get("store", ""))


def _passage(passage: ShownPassage) -> dict[str, Any]:
    value: dict[str, Any] = {name: getattr(passage, name) for name in _PASSAGE}
    head = passage.head
    value["head"] = head and {name: getattr(head, name) for name in _HEAD}
    value["place"] = _place(passage)
    return value | _store(passage)


def _store(found: Located) -> dict[str, str]:
    """The store that it is from, if several were asked."""
    return {"store": found.store} if found.store else {}


def _place(found: Located) -> str:
    return place_of(found.doc, found.page, found.line_start, found.line_end)


def _short(short: ShortAnswer) -> dict[str, Any]:
    value: dict[str, Any] = {name: getattr(short, name) for name in SHORT_NAMES}
    if short.kind != "words":
        value["kind"] = short.kind
        value["items"] = [{name: getattr(item, name) for name in _ITEM} for item in short.items]
    return value


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit, as in the list ``hits`` of an answer."""
    value: dict[str, Any] = {name: getattr(hit, name) for name in HIT_NAMES}
    value["place"] = _place(hit)
    value["via"] = [via.strategy for via in hit.via]
    value["why"] = [via.note for via in hit.via]
    value["text"] = hit.text
    return value | _store(hit)
