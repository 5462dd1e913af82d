"""The token of a history: what changes it, who can make it, where its keys are."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_shop import Shop

from stalwart_lang.runs.history_token import (
    KEY_VARIABLE,
    BadKeys,
    Keys,
    key_file,
    key_id,
    known_keys,
    load_keys,
    next_token,
    verify,
)
from stalwart_lang.runs.stored_history import read_history

KEY, OTHER = b"k" * 32, b"o" * 32
KEYS = {key_id(KEY): KEY}
STORE, THREAD = "store-1", "desk/u-17"


def history(length: int, key: bytes = KEY) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for step in range(length):
        made.append(signed({"step": step, "kind": "call", "tool": f"t{step}"}, made, key))
    return made


def signed(
    entry: Mapping[str, Any], before: list[dict[str, Any]], key: bytes = KEY
) -> dict[str, Any]:
    keys = Keys(key_id(key), {key_id(key): key})
    last = before[-1]["token"] if before else None
    return {**entry, "token": next_token(keys, THREAD, STORE, last, entry)}


def test_a_history_as_it_was_written_is_verified() -> None:
    assert verify(history(5), THREAD, STORE, KEYS).verdict == "verified"


@given(st.integers(1, 6), st.data())
def test_each_change_is_found_where_it_was_made(length: int, data: st.DataObject) -> None:
    entries = history(length + 1)
    at = data.draw(st.integers(0, length - 1))
    how = data.draw(st.sampled_from(["edit", "add", "drop", "swap", "repeat", "insert", "untoken"]))
    changed = [dict(entry) for entry in entries]
    if how == "edit":
        changed[at]["tool"] = "other"
    elif how == "add":
        changed[at]["more"] = None
    elif how == "drop":
        del changed[at]
    elif how == "swap":
        changed[at], changed[at + 1] = changed[at + 1], changed[at]
    elif how == "repeat":
        changed.insert(at, dict(changed[at]))
        at += 1
    elif how == "insert":
        changed.insert(at, {"step": at, "kind": "call", "token": changed[at]["token"]})
    else:
        del changed[at]["token"]
    found = verify(changed, THREAD, STORE, KEYS)
    assert (found.verdict, found.at) == ("broken", at)


def test_a_history_is_of_its_thread_and_its_store() -> None:
    assert verify(history(2), "desk/other", STORE, KEYS).at == 0
    assert verify(history(2), THREAD, "store-2", KEYS).at == 0


def test_without_the_key_nothing_is_said_to_be_verified() -> None:
    found = verify(history(3), THREAD, STORE, {})
    assert (found.verdict, found.at) == ("not verified", 0)
    assert found.message == f"the key {key_id(KEY)} is not here"
    assert verify([], THREAD, STORE, KEYS).verdict == "not verified"
    # Who has no key can only make tokens of another.
    forged = history(3, OTHER)
    assert verify(forged, THREAD, STORE, KEYS).verdict == "not verified"
    named = [{**entry, "token": f"{key_id(KEY)}:{entry['token'][9:]}"} for entry in forged]
    assert verify(named, THREAD, STORE, KEYS).verdict == "broken"


@pytest.mark.parametrize("token", [None, 5, "", "no-colon", ":", "é:é", f"{key_id(KEY)}:\udc80"])
def test_any_token_can_be_looked_at(token: Any) -> None:
    entries = [{**history(1)[0], "token": token}]
    assert verify(entries, THREAD, STORE, KEYS).verdict in ("broken", "not verified")
    assert verify([{}], THREAD, STORE, KEYS).verdict == "broken"


def test_keys_are_rotated() -> None:
    entries = history(2)
    entries.append(signed({"step": 2, "kind": "rewind", "to_step": 0}, entries, OTHER))
    both = {**KEYS, key_id(OTHER): OTHER}
    assert verify(entries, THREAD, STORE, both).verdict == "verified"
    assert verify(entries, THREAD, STORE, KEYS).at == 2
    only_new = {key_id(OTHER): OTHER}
    assert verify(entries, THREAD, STORE, only_new).verdict == "not verified"
    # What the new key signed is checked although the old one is missing.
    entries[2]["to_step"] = 1
    assert verify(entries, THREAD, STORE, only_new).verdict == "broken"


# --- keys


@pytest.fixture(autouse=True)
def _own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def test_the_file_of_keys_is_made_once_and_only_its_owner_reads_it() -> None:
    assert known_keys() == {}
    assert not key_file().exists()
    made = load_keys()
    assert load_keys() == made
    assert key_file().stat().st_mode & 0o777 == 0o600
    assert key_file().parent.stat().st_mode & 0o777 == 0o700
    assert len(made.by_id[made.current]) == 32
    assert known_keys() == made.by_id


def test_a_line_more_rotates_the_key() -> None:
    first = load_keys()
    with key_file().open("a") as file:
        file.write("ab" * 32 + "\n")
    second = load_keys()
    assert second.current == key_id(bytes.fromhex("ab" * 32)) != first.current
    assert first.current in second.by_id


def test_the_environments_key_is_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY.decode())
    assert load_keys() == Keys(key_id(KEY), KEYS)
    assert not key_file().exists()
    monkeypatch.setenv(KEY_VARIABLE, f"{KEY.decode()}\n{OTHER.decode()}")
    assert load_keys().current == key_id(OTHER)
    assert set(load_keys().by_id) == {key_id(KEY), key_id(OTHER)}
    # What the file's key signed before is verified still.
    monkeypatch.delenv(KEY_VARIABLE)
    of_file = load_keys().current
    monkeypatch.setenv(KEY_VARIABLE, KEY.decode())
    assert set(known_keys()) == {of_file, key_id(KEY)}


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("short", f"{KEY_VARIABLE} has a key of 5 characters: give it 32 or more, without blanks"),
        ("correct horse battery staple and so on and on", f"{KEY_VARIABLE} has a key of 7"),
        ("", f"{KEY_VARIABLE} holds no key"),
        ("  ", f"{KEY_VARIABLE} holds no key"),
    ],
)
def test_a_weak_key_is_refused(key: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    with pytest.raises(BadKeys) as wrong:
        load_keys()
    assert str(wrong.value).startswith(why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no key"),
        ("abcd\n", "has a key of 4 characters"),
        ("x" * 64, "has a line that is no key: a key is 32 or more hex digits"),
        ("é" * 64, "cannot be read or made"),
    ],
)
def test_a_file_that_holds_no_keys_is_told(text: str, why: str) -> None:
    load_keys()
    key_file().write_text(text, "utf-8")
    with pytest.raises(BadKeys, match=why) as wrong:
        load_keys()
    assert str(key_file()) in str(wrong.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_a_file_that_others_can_read_is_refused(mode: int) -> None:
    load_keys()
    key_file().chmod(mode)
    for have in (load_keys, known_keys):
        with pytest.raises(BadKeys, match="can be read by others: run chmod 600"):
            have()


def test_where_no_file_can_be_made_the_variable_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(BadKeys, match=f"in the environment, as {KEY_VARIABLE}"):
        load_keys()


def test_many_processes_make_one_key() -> None:
    program = "from stalwart_lang.runs.history_token import load_keys; print(load_keys().current)"
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=os.environ)
        for _ in range(8)
    ]
    assert len({process.communicate()[0] for process in started}) == 1
    assert [path.name for path in key_file().parent.iterdir()] == ["history.keys"]


# --- in a store


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path / "shop")
    with shop.open() as agent:
        agent.chat("show order 5, then show order 6", user="u-17")
        agent.chat("show order 7", user="ana")
    return shop


def edit(shop: Shop, sql: str, *values: object) -> None:
    with sqlite3.connect(shop.folder / "runs.db") as store:
        assert store.execute(sql, values).rowcount > 0
    store.close()


def entries_of(shop: Shop, thread: str) -> list[tuple[str, list[dict[str, Any]]]]:
    with sqlite3.connect(shop.folder / "runs.db") as store:
        rows = store.execute(
            "SELECT checkpoint_id, value FROM writes WHERE thread_id = ? AND channel = 'entries' "
            "ORDER BY checkpoint_id",
            (thread,),
        ).fetchall()
    store.close()
    return [(checkpoint, ormsgpack.unpackb(value)) for checkpoint, value in rows]


def put(shop: Shop, thread: str, checkpoint: str, entries: list[dict[str, Any]]) -> None:
    edit(
        shop,
        "UPDATE writes SET value = ? "
        "WHERE thread_id = ? AND checkpoint_id = ? AND channel = 'entries'",
        ormsgpack.packb(entries),
        thread,
        checkpoint,
    )


def test_a_history_is_read_back_from_its_store(shop: Shop) -> None:
    found = read_history(shop.store, "desk/u-17")
    assert [entry["kind"] for entry in found.entries] == ["check", "call"] * 2
    assert found.verify().verdict == "verified"
    assert found.verify({}).verdict == "not verified"


def test_an_edited_entry_of_a_store_is_found(shop: Shop) -> None:
    checkpoint, [entry] = entries_of(shop, "desk/u-17")[1]
    put(shop, "desk/u-17", checkpoint, [{**entry, "tool": "charge_card"}])
    found = read_history(shop.store, "desk/u-17").verify()
    assert (found.verdict, found.at) == ("broken", 1)


def test_a_dropped_entry_of_a_store_is_found(shop: Shop) -> None:
    checkpoint, _ = entries_of(shop, "desk/u-17")[2]
    put(shop, "desk/u-17", checkpoint, [])
    assert read_history(shop.store, "desk/u-17").verify().verdict == "broken"


def test_entries_that_changed_places_are_found(shop: Shop) -> None:
    (one, first), (two, second), *_ = entries_of(shop, "desk/u-17")
    put(shop, "desk/u-17", one, second)
    put(shop, "desk/u-17", two, first)
    assert read_history(shop.store, "desk/u-17").verify().at == 0


def test_entries_of_another_thread_are_found(shop: Shop) -> None:
    own, others = entries_of(shop, "desk/ana"), entries_of(shop, "desk/u-17")
    for (checkpoint, _), (_, moved) in zip(own, others, strict=False):
        put(shop, "desk/ana", checkpoint, moved)
    assert read_history(shop.store, "desk/ana").verify().at == 0


def test_a_thread_in_another_store_is_found(shop: Shop) -> None:
    edit(shop, "UPDATE stalwart_store SET id = 'another'")
    assert read_history(shop.store, "desk/u-17").verify().at == 0


def test_a_missing_checkpoint_is_found(shop: Shop) -> None:
    checkpoint, _ = entries_of(shop, "desk/u-17")[1]
    edit(shop, "DELETE FROM checkpoints WHERE checkpoint_id = ?", checkpoint)
    assert read_history(shop.store, "desk/u-17").verify().verdict == "broken"


def test_the_histories_of_branches_are_apart(shop: Shop) -> None:
    """Who uses the graph directly may go on from an earlier checkpoint."""
    with shop.open() as agent:
        graph = agent.graph()
        config: Any = {"configurable": {"thread_id": "desk/u-17"}}
        earlier = [s for s in graph.get_state_history(config) if s.values.get("phase") == "check"]
        graph.invoke(None, earlier[0].config)
    found = read_history(shop.store, "desk/u-17")
    assert found.verify().verdict == "verified"
    assert [entry["step"] for entry in found.entries] == list(range(4))


def test_no_key_is_in_the_store(shop: Shop) -> None:
    keys = load_keys()
    for path in shop.folder.iterdir():
        if path.is_file():
            held = path.read_bytes()
            assert keys.by_id[keys.current] not in held
            assert keys.by_id[keys.current].hex().encode() not in held
