"""Edits of a stored run of ours, such as somebody makes who can write its file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

Edit: TypeAlias = Callable[[sqlite3.Connection], None]


def edit_file(path: Path, edit: Edit) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        edit(database)


def sql(*statements: str) -> Edit:
    def edit(database: sqlite3.Connection) -> None:
        for statement in statements:
            assert database.execute(statement).rowcount, statement

    return edit


def of_acts(change: Callable[[dict[str, Any]], Any], *, copies: bool = True) -> Edit:
    """Change the acts that `change` returns something else for; their copies in states too."""

    def edit(database: sqlite3.Connection) -> None:
        found = 0
        rows = database.execute("SELECT rowid, value FROM writes WHERE channel = 'act'").fetchall()
        for row, value in rows:
            act = msgspec.msgpack.decode(value)
            changed = change(act)
            found += changed != act
            packed = msgspec.msgpack.encode(changed)
            database.execute("UPDATE writes SET value = ? WHERE rowid = ?", (packed, row))
        assert found
        if copies:
            in_states("act", change)(database)

    return edit


def in_states(channel: str, change: Callable[[Any], Any]) -> Edit:
    """Change a channel in all the states that keep it."""

    def edit(database: sqlite3.Connection) -> None:
        found = 0
        for row, blob in database.execute("SELECT rowid, checkpoint FROM checkpoints").fetchall():
            state = msgspec.msgpack.decode(blob)
            values = state["channel_values"]
            if values.get(channel):
                changed = change(values[channel])
                found += changed != values[channel]
                values[channel] = changed
                packed = msgspec.msgpack.encode(state)
                database.execute(
                    "UPDATE checkpoints SET checkpoint = ? WHERE rowid = ?", (packed, row)
                )
        assert found

    return edit


def in_writes(channel: str, change: Callable[[Any], Any]) -> Edit:
    def edit(database: sqlite3.Connection) -> None:
        found = 0
        of = "SELECT rowid, value FROM writes WHERE channel = ?"
        for row, value in database.execute(of, (channel,)).fetchall():
            held = msgspec.msgpack.decode(value)
            changed = change(held)
            found += changed != held
            packed = msgspec.msgpack.encode(changed)
            database.execute("UPDATE writes SET value = ? WHERE rowid = ?", (packed, row))
        assert found

    return edit


def both(channel: str, change: Callable[[Any], Any]) -> Edit:
    return together(in_states(channel, change), in_writes(channel, change))


def together(*edits: Edit) -> Edit:
    def edit(database: sqlite3.Connection) -> None:
        for each in edits:
            each(database)

    return edit


def where(held: dict[str, Any], **more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Give mappings that hold what `held` does other values."""

    def change(found: dict[str, Any]) -> dict[str, Any]:
        fits = all(found.get(name) == value for name, value in held.items())
        return {**found, **more} if fits else found

    return change


def each(change: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda values: [change(value) for value in values]


def cheaper(call: dict[str, Any]) -> dict[str, Any]:
    """Another amount in what was planned, or is to be undone."""
    arguments = call["arguments"]
    if "amount" not in arguments:
        return call
    amount = {**arguments["amount"], "value": "4000.00"}
    return {**call, "arguments": {**arguments, "amount": amount}}


def unsigned(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: entry[name] for name in entry if name != "token"} for entry in entries]


def _cycle(database: sqlite3.Connection) -> None:
    """Have the checkpoints go on from each other, the last from the first and back."""
    ids = [row[0] for row in database.execute("SELECT checkpoint_id FROM checkpoints ORDER BY 1")]
    for one, other in zip(ids, [*ids[1:], ids[0]], strict=True):
        database.execute(
            "UPDATE checkpoints SET parent_checkpoint_id = ? WHERE checkpoint_id = ?", (other, one)
        )


def _other_branch(database: sqlite3.Connection) -> None:
    """Put a branch in that hides what the timeline shows: its own entry fits the edited act."""
    of_acts(where({"kind": "call", "tool": "charge_card"}, tool="show_order"))(database)
    rows = database.execute(
        "SELECT checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints"
    ).fetchall()
    for identity, parent, kind, blob, metadata in rows:
        state = msgspec.msgpack.decode(blob)
        entries = state["channel_values"].get("entries") or [{}]
        if entries[0].get("step") == 1:
            entries[0]["tool"] = "show_order"
            database.execute(
                "INSERT OR IGNORE INTO checkpoints VALUES ('desk/u-17', '', ?, ?, ?, ?, ?)",
                (identity[:-1] + "!", parent, kind, msgspec.msgpack.encode(state), metadata),
            )
            return
    raise AssertionError


def _from_another_thread(database: sqlite3.Connection) -> None:
    for table in ("checkpoints", "writes"):
        database.execute(f"UPDATE {table} SET thread_id = 'desk/u-18'")
    database.execute("UPDATE stalwart_calls SET thread = 'desk/u-18'")
    database.execute("UPDATE stalwart_answers SET thread = 'desk/u-18'")


def _pause_of_another_amount(database: sqlite3.Connection) -> None:
    found = 0
    of = "SELECT rowid, value FROM writes WHERE channel = '__interrupt__'"
    for row, value in database.execute(of).fetchall():
        changed = bytes(value).replace(b"\xa540.00", b"\xa541.00")
        found += changed != value
        database.execute("UPDATE writes SET value = ? WHERE rowid = ?", (changed, row))
    assert found


def _asking_for_another(message: dict[str, Any]) -> dict[str, Any]:
    if not message.get("tool_calls"):
        return message
    first, *others = message["tool_calls"]
    return {**message, "tool_calls": [{**first, "args": {"order_id": 1}}, *others]}


def _without_tables(database: sqlite3.Connection) -> None:
    database.execute("DROP TABLE stalwart_store")
    database.execute("DROP TABLE stalwart_calls")


_CHARGE = {"kind": "call", "tool": "charge_card"}
_ONE = "rowid = (SELECT MIN(rowid) FROM writes WHERE channel = '{}')"

EDITS: dict[str, tuple[Edit, str]] = {
    "another tool is shown to have been called": (
        of_acts(where(_CHARGE, tool="show_order")),
        "the timeline shows something else than the history has: tool",
    ),
    "in the writes alone": (
        of_acts(where(_CHARGE, tool="show_order"), copies=False),
        "act: the step wrote another value than the one that is kept",
    ),
    "in the states alone": (
        in_states("act", where(_CHARGE, tool="show_order")),
        "act: the step wrote another value than the one that is kept",
    ),
    "a failure is shown to have worked": (
        of_acts(where({"error": "RuntimeError"}, error=None)),
        "the timeline shows something else than the history has: error",
    ),
    "an approval is shown as the default": (
        of_acts(where({"decided_by": "approval"}, decided_by="default")),
        "the timeline shows something else than the history has: decided_by",
    ),
    "a check of another call": (
        of_acts(where({"outcome": "allow", "tool": "update_crm"}, call_id="x")),
        "the timeline shows something else than the history has: call_id",
    ),
    "other arguments are shown to have been asked about": (
        of_acts(where({"outcome": "confirm", "tool": "charge_card"}, args_digest="0" * 16)),
        "the timeline shows something else than the history has: args_digest",
    ),
    "a call at another step": (
        of_acts(where(_CHARGE, history=3)),
        "the timeline shows something else than the history has: history",
    ),
    "an undo of something else": (
        of_acts(where({"kind": "undo", "undoes": 3}, undoes=1)),
        "the timeline shows something else than the history has: undoes",
    ),
    "an undo is shown as refused": (
        of_acts(where({"kind": "undo", "undoes": 3}, outcome="refuse")),
        "the timeline does not show it: restore_crm (undo)",
    ),
    "a question is shown as allowed": (
        of_acts(where({"outcome": "confirm", "tool": "charge_card"}, outcome="allow")),
        "the timeline shows charge_card (check), and the history has no entry of it",
    ),
    "an act is no mapping": (
        of_acts(lambda act: 3 if act["kind"] == "call" else act),
        "the timeline does not show it: charge_card (call)",
    ),
    "an act is not shown": (
        sql(f"DELETE FROM writes WHERE {_ONE.format('act')}"),
        "act: the step wrote another value than the one that is kept",
    ),
    "all acts are gone": (
        together(sql("DELETE FROM writes WHERE channel = 'act'"), in_states("act", lambda _: None)),
        "the timeline does not show it: charge_card (call)",
    ),
    "a pause is not shown": (
        sql("DELETE FROM writes WHERE channel = '__interrupt__'"),
        "a person was asked about charge_card, and the timeline shows no pause",
    ),
    "a pause is put in elsewhere": (
        sql(
            "UPDATE writes SET channel = '__interrupt__' WHERE rowid = "
            "(SELECT MAX(rowid) FROM writes WHERE channel = 'messages')"
        ),
        "__interrupt__: the timeline shows a pause that no check asked for",
    ),
    "a step is hidden as an input": (
        sql("UPDATE checkpoints SET metadata = REPLACE(metadata, '\"loop\"', '\"input\"')"),
        "the timeline does not show it: charge_card (check)",
    ),
    "steps change places": (
        sql(
            "UPDATE checkpoints SET metadata = REPLACE(metadata, '\"step\": 5', '\"step\": 9') "
            "WHERE CAST(metadata AS TEXT) LIKE '%\"step\": 5%'"
        ),
        "its step is 9, and step 5 comes there",
    ),
    "another amount is on record": (
        sql("UPDATE stalwart_calls SET arguments = REPLACE(arguments, '40.00', '4000.00')"),
        "the record of the call {} is not what the history says: arguments",
    ),
    "another tool is on record": (
        sql("UPDATE stalwart_calls SET tool = 'refund_card' WHERE step = 3"),
        "the record of the call {} is not what the history says: tool",
    ),
    "an undone call is on record as done": (
        sql("UPDATE stalwart_calls SET status = 'done' WHERE step = 1"),
        "the record of the call {} is not what the history says: status",
    ),
    "a call is taken off the record": (
        sql("DELETE FROM stalwart_calls WHERE step = 1"),
        "the call {} is in the history and not on the record of calls",
    ),
    "a call is put on record": (
        sql(
            "INSERT INTO stalwart_calls SELECT thread, 'new', tool, arguments, status, step, NULL, "
            "NULL, NULL FROM stalwart_calls WHERE step = 1"
        ),
        "the call new is on record as step 1 of the history, which has no such entry",
    ),
    "another amount is planned": (
        both("calls", each(cheaper)),
        "calls[0]: the tool or the arguments are not those that the history has for ",
    ),
    "another amount is to be undone": (
        both("to_undo", each(cheaper)),
        "to_undo[0]: the tool or the arguments are not those that the history has for ",
    ),
    "another amount in the pause": (
        _pause_of_another_amount,
        "the pause is about something else than the check that asked for it: arguments",
    ),
    "a message asks for another amount": (
        both("messages", each(_asking_for_another)),
        "is not the one that was planned",
    ),
    "tokens are taken away": (
        together(both("entries", unsigned), in_states("history_token", lambda _: None)),
        "the entry has no token",
    ),
    "the store has another id": (
        sql("UPDATE stalwart_store SET id = 'another'"),
        "its token does not fit it: it, or an entry before it, was changed",
    ),
    "the run has another thread": (
        _from_another_thread,
        "its token does not fit it: it, or an entry before it, was changed",
    ),
    "the agent's tables are gone": (
        _without_tables,
        "the store lacks what an agent keeps beside it: stalwart_store, stalwart_calls",
    ),
    "a branch that fits what is shown": (
        _other_branch,
        "its token does not fit it: it, or an entry before it, was changed",
    ),
    "a value is damaged": (
        both("to_undo", lambda _: msgspec.Raw(b"\xc7\x01\x05\xff")),
        "to_undo: its value is damaged, or of a format that is not read",
    ),
    "a step is of another node": (
        sql("UPDATE writes SET task_path = task_path || 's' WHERE task_path LIKE '%, run'"),
        "task_path: the timeline shows the node runs, which no agent's run has",
    ),
    "the parents go round": (_cycle, "which does not come before it"),
    "a checkpoint goes on from itself": (
        sql("UPDATE checkpoints SET parent_checkpoint_id = checkpoint_id"),
        "which does not come before it",
    ),
}
"""By what they do; and what is said of the store then."""
