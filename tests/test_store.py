"""The cache of compiled vocabularies: used when it holds, done without when it does not."""

import ast
import hashlib
import inspect
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stalwart_lang import Selector, Vocabulary, VocabularyError
from stalwart_lang.selector import store

NOW = "2026-11-30T09:00:00-03:00"
TEXT = """\
vocabulary: small
include: [things.yaml]
tools:
  cancel_order: {takes: {order_id: order}, say: {en: [cancel], pt-BR: [cancelar]}}
  charge_card: {takes: {order_id: order, amount: money}, say: {en: [charge], pt-BR: [cobrar]}}
"""
THINGS = "vocabulary: small\nthings: {order: {en: [order], pt-BR: [pedido]}}\n"
TURNS = ("cancel order 5", "charge order 5 40.00", "charge order 5", "don't", "cancele o pedido 5")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "stalwart-lang"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(TEXT, encoding="utf-8")
    (tmp_path / "things.yaml").write_text(THINGS, encoding="utf-8")
    return file


def plans(selector: Selector) -> list[str]:
    return [selector.plan(turn, language="en", now=NOW).to_json() for turn in TURNS] + [
        selector.plan(turn, language="pt-BR", now=NOW).to_json() for turn in TURNS
    ]


def kept(cache: Path) -> Path:
    """The one file of the cache."""
    (file,) = cache.iterdir()
    return file


def form(file: Path) -> dict[str, Any]:
    """The JSON of a kept form, which stands behind its checksum."""
    made = json.loads(file.read_bytes().partition(b"\n")[2])
    assert isinstance(made, dict)
    return made


def keep(file: Path, made: object) -> None:
    """Write a kept form with a checksum that fits."""
    text = json.dumps(made)
    file.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}", encoding="utf-8")


def assert_recompiles(small: Path, cache: Path, spoil: Callable[[Path], object]) -> None:
    """A kept form that is spoilt is compiled again and kept again, without a word."""
    Selector.load(small)
    expected = plans(Selector(Vocabulary.load(small)))
    good = kept(cache).read_bytes()
    spoil(kept(cache))
    assert plans(Selector.load(small)) == expected
    assert kept(cache).read_bytes() == good


def test_the_first_load_keeps_the_compiled_form(small: Path, cache: Path) -> None:
    assert not cache.exists()
    Selector.load(small)
    assert kept(cache).suffix == ".json"
    assert form(kept(cache))["name"]


def test_a_kept_form_is_used(small: Path, cache: Path) -> None:
    """A tool renamed in the kept form is the proof that the kept form was read."""
    Selector.load(small)
    file = kept(cache)
    keep(file, json.loads(json.dumps(form(file)).replace('"cancel_order"', '"kept_tool"')))
    (call,) = Selector.load(small).plan("cancel order 5", language="en").calls
    assert call.tool == "kept_tool"


@pytest.mark.parametrize("name", ["shop", "pix", "agenda"])
def test_a_kept_form_gives_the_same_plans(name: str, cache: Path) -> None:
    vocabulary = Vocabulary.load(name)
    compiled, first, again = Selector(vocabulary), Selector.load(name), Selector.load(name)
    for turn in vocabulary.turns:
        for language, phrases in turn.say.items():
            for phrase in phrases:
                made = compiled.plan(phrase.text, language, NOW).to_json()
                assert first.plan(phrase.text, language, NOW).to_json() == made
                assert again.plan(phrase.text, language, NOW).to_json() == made
    assert (first.name, first.digest) == (again.name, again.digest) == (name, vocabulary.digest)


def test_a_damaged_form_is_not_used(small: Path, cache: Path) -> None:
    def spoil(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content.replace(b"cancel_order", b"delete_order"))

    assert_recompiles(small, cache, spoil)


def test_a_file_named_otherwise_has_its_own_form(
    small: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small.parent)
    by_path, by_name = Selector.load(small), Selector.load(small.name)
    assert by_path.plan("cancel order 5").calls[0].file == str(small)
    assert by_name.plan("cancel order 5").calls[0].file == small.name
    assert Selector.load(small.name).plan("cancel order 5").calls[0].file == small.name


def test_a_pipe_is_read_once(cache: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = "vocabulary: p\ntools: {go: {say: {en: [leave], pt-BR: [sair]}}}\n"
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    assert [call.tool for call in Selector.load(pipe).plan("leave").calls] == ["go"]
    writer.join()
    assert not cache.exists()


def test_a_load_leaves_the_kept_form_alone(small: Path, cache: Path) -> None:
    Selector.load(small)
    before = kept(cache).stat().st_mtime_ns
    Selector.load(small)
    assert kept(cache).stat().st_mtime_ns == before


def test_a_changed_file_is_compiled_again(small: Path, cache: Path) -> None:
    Selector.load(small)
    small.write_text(TEXT.replace("[cancel]", "[annul]"), encoding="utf-8")
    selector = Selector.load(small)
    assert selector.plan("annul order 5", language="en").verdict == "read"
    assert selector.plan("cancel order 5", language="en").verdict == "unread"


def test_a_changed_include_is_compiled_again(small: Path, cache: Path) -> None:
    Selector.load(small)
    include = small.with_name("things.yaml")
    include.write_text(THINGS.replace("[order]", "[parcel]"), encoding="utf-8")
    selector = Selector.load(small)
    assert selector.plan("cancel parcel 5", language="en").verdict == "read"
    assert selector.plan("cancel order 5", language="en").verdict == "unread"
    assert plans(Selector.load(small)) == plans(selector)


def test_a_file_that_goes_back_is_read_as_it_was(small: Path, cache: Path) -> None:
    expected = plans(Selector.load(small))
    small.write_text(TEXT.replace("[cancel]", "[annul]"), encoding="utf-8")
    Selector.load(small)
    small.write_text(TEXT, encoding="utf-8")
    assert plans(Selector.load(small)) == expected


def test_a_vocabulary_that_breaks_is_not_read_from_the_cache(small: Path, cache: Path) -> None:
    Selector.load(small)
    small.write_text("vocabulary: [", encoding="utf-8")
    with pytest.raises(VocabularyError):
        Selector.load(small)


def test_an_include_that_is_gone(small: Path, cache: Path) -> None:
    Selector.load(small)
    small.with_name("things.yaml").unlink()
    with pytest.raises(VocabularyError):
        Selector.load(small)


def test_the_same_text_elsewhere_has_its_own_places(
    small: Path, cache: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in (small, small.with_name("things.yaml")):
        (other / file.name).write_bytes(file.read_bytes())
    Selector.load(small)
    (call,) = Selector.load(other / "small.yaml").plan("cancel order 5", language="en").calls
    assert Path(call.file) == other / "small.yaml"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\xfe",
        b"not json",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"3",
        b'"x"',
        b'{"files": []}',
        b'{"files": null}',
        b'{"files": {}, "lexicons": {}}',
        b'{"files": {}, "lexicons": []}',
        b'{"files": {}, "lexicons": {"en": 1, "pt-BR": 1}}',
        b'{"files": {"/nowhere": "00"}}',
        b'{"files": {"stalwart_lang/vocabularies/none.yaml": "00"}}',
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b'{"a":' * 100_000, id="deeper"),
        pytest.param(b"1" * 10_000, id="long"),
        b"\x80\x04K\x01.",  # a pickle
    ],
)
def test_a_foreign_file(small: Path, cache: Path, content: bytes) -> None:
    assert_recompiles(small, cache, lambda file: file.write_bytes(content))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file(small: Path, cache: Path, share: float) -> None:
    def spoil(file: Path) -> None:
        content = file.read_bytes()
        file.write_bytes(content[: int(len(content) * share)])

    assert_recompiles(small, cache, spoil)


def without(name: str) -> Callable[[Path], None]:
    def spoil(file: Path) -> None:
        made = form(file)
        del made[name]
        keep(file, made)

    return spoil


@pytest.mark.parametrize("name", ["files", "name", "digest", "currency", "timezone", "lexicons"])
def test_a_file_that_lacks_something(small: Path, cache: Path, name: str) -> None:
    assert_recompiles(small, cache, without(name))


def changed(name: str, value: Any) -> Callable[[Path], None]:
    def spoil(file: Path) -> None:
        made = form(file)
        made["lexicons"]["en"][name] = value
        keep(file, made)

    return spoil


@pytest.mark.parametrize("name", ["words", "frames", "index", "codes", "particles"])
def test_a_lexicon_that_lacks_something(small: Path, cache: Path, name: str) -> None:
    def spoil(file: Path) -> None:
        made = form(file)
        del made["lexicons"]["en"][name]
        keep(file, made)

    assert_recompiles(small, cache, spoil)


@pytest.mark.parametrize("value", [None, [], 3, "x"])
@pytest.mark.parametrize("name", ["frames"])
def test_a_lexicon_of_another_shape(small: Path, cache: Path, name: str, value: Any) -> None:
    assert_recompiles(small, cache, changed(name, value))


def test_a_kept_form_that_is_a_folder(small: Path, cache: Path) -> None:
    Selector.load(small)
    expected = plans(Selector(Vocabulary.load(small)))
    file = kept(cache)
    file.unlink()
    file.mkdir()
    assert plans(Selector.load(small)) == expected


def test_a_cache_that_is_a_file(small: Path, cache: Path) -> None:
    expected = plans(Selector(Vocabulary.load(small)))
    cache.parent.mkdir()
    cache.write_text("in the way", encoding="utf-8")
    assert plans(Selector.load(small)) == expected
    assert cache.read_text(encoding="utf-8") == "in the way"


def test_a_cache_that_cannot_be_made(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below a file no folder can be made, whoever runs the tests."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file" / "cache"))
    assert plans(Selector.load(small)) == plans(Selector(Vocabulary.load(small)))


def test_a_home_of_nobody(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere" / "home"))
    expected = plans(Selector(Vocabulary.load(small)))
    assert plans(Selector.load(small)) == expected
    assert list((tmp_path / "nowhere/home/.cache/stalwart-lang").iterdir())


def test_a_relative_cache_home_is_ignored(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The XDG base directory specification says so."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.chdir(tmp_path)
    Selector.load(small)
    assert not (tmp_path / "relative").exists()
    assert (tmp_path / "home/.cache/stalwart-lang").is_dir()


def test_the_cache_is_its_owners_alone(small: Path, cache: Path) -> None:
    Selector.load(small)
    assert cache.stat().st_mode & 0o077 == 0
    assert kept(cache).stat().st_mode & 0o077 == 0


def test_no_more_than_some_are_kept(small: Path, cache: Path) -> None:
    for number in range(40):
        small.write_text(TEXT + f"# {number}\n", encoding="utf-8")
        Selector.load(small)
    names = [file.name for file in cache.iterdir()]
    assert len(names) <= 32
    assert all(name.endswith(".json") for name in names)


def test_nothing_on_disk_can_run() -> None:
    """Only JSON is read back: no module that could run what it loads."""
    tree = ast.parse(inspect.getsource(store))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported.isdisjoint({"pickle", "marshal", "shelve", "dill", "runpy", "importlib"})
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert names.isdisjoint({"eval", "exec", "compile", "__import__"})


def test_the_kept_form_is_plain_json(small: Path, cache: Path) -> None:
    Selector.load(small)
    made = form(kept(cache))
    assert isinstance(made, dict)
    assert str(small) in made["files"]
    assert str(small.with_name("things.yaml")) in made["files"]


def test_two_loads_at_once(small: Path, cache: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: plans(Selector.load(small)), range(16)))
    assert made == [made[0]] * 16
    assert not [file for file in cache.iterdir() if file.suffix != ".json"]
