"""Queries for questions whose words all name something in a table."""

from __future__ import annotations

import pytest

from ragcli.answer.table_plan import planned
from ragcli.search.tables import TableContent
from ragcli.text.asked_question import AskedQuestion
from ragcli.text.cells import typed
from ragcli.types.tables import TableColumn

HEADS = ("Town", "Region", "People", "Mean age (years)", "Founded")
ROWS = (
    ("Ribe", "South", "8,257", "41.5", "3 May 710"),
    ("Skive", "North", "20,190", "44", "1 June 1326"),
    ("Old Mors", "North", "310", "50", "2 July 1299"),
    ("Mors", "West", "9,001", "39", "9 July 1500"),
)


def table() -> TableContent:
    """Towns, as they are loaded."""
    columns = [typed([row[n] for row in ROWS]) for n in range(len(HEADS))]
    names = ("town", "region", "people", "mean_age_years", "founded")
    heads = zip(names, HEADS, columns, strict=True)
    made = tuple(TableColumn(name, head, one.kind, one.unit) for name, head, one in heads)
    return TableContent(made, [list(one.values) for one in columns], [(n, n) for n in range(4)])


def plan(question: str) -> str:
    """The query for a question, without what all have; "" for none."""
    intent = AskedQuestion(question).of_table
    made = intent and planned(intent, table(), "t", "towns.csv Towns of the coast")
    return (made or "").replace(' FROM "t"', "").removeprefix("SELECT ")


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many towns are there?", ""),
        ("How many towns have more than 8,000 people?", 'count(*) WHERE "people" > 8000'),
        ("How many towns of the north are on the coast?", ""),
        (
            "How many towns of the north on the coast have under 9,000 people?",
            'count(*) WHERE "region" = \'North\' AND "people" < 9000',
        ),
        ("How many people are in Old Mors?", 'sum("people") WHERE "town" = \'Old Mors\''),
        ("What is the average number of people?", 'avg("people")'),
        ("What is the total of people in the North?", 'sum("people") WHERE "region" = \'North\''),
        ("What is the lowest mean age?", ""),  # two aggregates
        (
            "Which town has the most people?",
            '"town", "people" WHERE "people" = (SELECT max("people"))',
        ),
        (
            "Which North town has the fewest people?",
            '"town", "people" WHERE "region" = \'North\' AND "people" ='
            ' (SELECT min("people") WHERE "region" = \'North\')',
        ),
        ("How many people live in Ribe?", ""),  # live
        ("Which town has the second most people?", ""),
        ("Which mayor has the most people?", ""),
        ("How many regions are there?", ""),  # two towns of the north
        ("How many boats are in Ribe?", ""),
        ("How many coasts are there?", ""),  # not a column
        ("How many towns people?", ""),
        ("How many towns have more people than Ribe?", ""),
        ("How many people are in Ribe and Skive?", ""),
        ("How many towns are not in the North?", ""),
        ("Who has the most people?", ""),
        ("What is the total of people and mean age?", ""),
        ("What is Ribe?", ""),
        ("Wie viele Leute hat Ribe?", ""),
    ],
)
def test_every_word_names_something(question: str, query: str) -> None:
    assert plan(question) == query
