"""`stalwart trace html`: the page, in a real browser with scripting and network blocked."""

import base64
import hashlib
import html
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import sample_runs as samples
from browser.pages import opened, started_browser
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser

from stalwart_lang.cli import stalwart
from stalwart_lang.timeline import Run, Span, gather_runs
from stalwart_lang.timeline.page import ROWS, html_page
from stalwart_lang.timeline.page.strings import WORDS, duration

SAMPLES = {
    "failed": samples.failed_order(),
    "refused": samples.refused_refund(),
    "misread": samples.misread_file(),
    "killed": samples.killed_run(),
    "waiting": samples.waiting_run(),
}
STORIES = {
    ("failed", "en"): "provision_account failed (RuntimeError); "
    "update_crm and charge_card were undone.",
    ("refused", "en"): "Refused: refund_card (big-refund).",
    ("misread", "en"): "Finished, but read_file failed (FileNotFoundError) on the way.",
    ("killed", "en"): "Open: it was in the middle of read_file when its records end.",
    ("waiting", "en"): "Waiting for a person to confirm charge_card.",
    ("failed", "pt-BR"): "provision_account falhou (RuntimeError); "
    "update_crm e charge_card foram desfeitas.",
    ("refused", "pt-BR"): "Recusado: refund_card (big-refund).",
    ("misread", "pt-BR"): "Concluída, mas read_file falhou (FileNotFoundError) no caminho.",
    ("killed", "pt-BR"): "Em aberto: estava no meio de read_file quando os registros acabam.",
    ("waiting", "pt-BR"): "Esperando que uma pessoa confirme charge_card.",
}

Records = list[dict[str, Any]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_browser() as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def call(*arguments: object) -> Result:
    return CliRunner().invoke(stalwart, ["trace", "html", *map(str, arguments)])


def write(folder: Path, *runs: Records, name: str = "run") -> Path:
    file = folder / f"{name}.jsonl"
    file.write_bytes(b"".join(samples.lines(*runs)))
    return file


def made(folder: Path, *runs: Records, language: str = "en") -> Path:
    page = folder / "page.html"
    result = call(write(folder, *runs), "-o", page, "--language", language)
    assert (result.exit_code, result.output) == (0, "")
    return page


def runs_of(*runs: Records) -> list[Run]:
    """The runs as they are in memory; half a surrogate pair cannot be in a file."""
    return gather_runs(msgspec.convert(record, Span) for run in runs for record in run)


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def stories(page: str) -> list[str]:
    return [text_of(story) for story in re.findall(r'<p class="story">(.*?)</p>', page)]


def test_the_page_says_what_happened(folder):
    for (name, language), story in STORIES.items():
        page = made(folder, SAMPLES[name], language=language).read_text(encoding="utf-8")
        assert stories(page) == [story]
        assert f'<html lang="{language}">' in page
        assert WORDS[language].timeline in page


def test_what_undid_a_call_that_is_not_known_is_not_made_up(folder):
    records = [
        record | {"attributes": {**record["attributes"], "stalwart.step": 99}}
        if record["name"] == "stalwart.tool"
        else record
        for record in SAMPLES["failed"]
    ]
    page = made(folder, records).read_text(encoding="utf-8")
    assert stories(page) == [
        "provision_account failed (RuntimeError); "
        "restore_crm and refund_card undid what was done before."
    ]
    assert "history step 3" in page


def test_an_undo_that_failed_is_told(folder):
    records = [dict(record) for record in SAMPLES["failed"]]
    records[-1] |= {"status": "error", "error": {"type": "ConnectionError"}}
    page = made(folder, records).read_text(encoding="utf-8")
    assert stories(page) == [
        "provision_account failed (RuntimeError); update_crm was undone; "
        "charge_card could not be undone."
    ]


def test_the_figures_are_those_of_the_run(folder):
    page = made(folder, SAMPLES["misread"]).read_text(encoding="utf-8")
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert figures == {
        "Duration": "11.3 s",
        "Rounds": "4",
        "Model calls": "4",
        "Tool calls": "5",
        "Errors": "1",
        "Tokens in": "5,350",
        "Tokens out": "750",
        "Confirmations": "0",
        "Refusals": "0",
    }


def test_a_decision_is_followed_to_its_rule_and_every_reason(folder):
    page = made(folder, SAMPLES["refused"]).read_text(encoding="utf-8")
    check = next(row for row in page.split("<li id=") if "kind k-check" in row)
    details = [text_of(line) for line in re.findall(r"<tr>.*?</tr>", check)]
    assert details[:5] == [
        "Decisionrefuse",
        "Decided bypolicy",
        "Rulebig-refund policies/refunds.yaml:7",
        "Reasonsamount 900.00 is over 500.00the order is older than 30 days",
        "Labelswrite",
    ]
    assert "refund order 4411 900.00" in page  # the turn, captured
    assert "repeats the step’s attributes" in page


def test_content_that_was_not_captured_is_told_as_its_digest(folder):
    page = made(folder, SAMPLES["failed"]).read_text(encoding="utf-8")
    assert "digest <bdi>b94d27b9934d3e08</bdi>; the content was not recorded" in page


def test_a_step_that_broke_the_state_is_marked(folder):
    records = [dict(record) for record in SAMPLES["misread"]]
    for place in (3, 5):
        held = {**records[place]["attributes"], "stalwart.violation": "result_without_call"}
        records[place] |= {"attributes": held}
    page = made(folder, records).read_text(encoding="utf-8")
    marks = re.findall(r'<strong class="violation">(.*?)</strong>', page)
    assert list(map(html.unescape, marks)) == ["<<< FIRST VIOLATION", "<<< violation"]
    assert stories(page)[0].startswith("First violation: result_without_call; finished, but ")
    told = "".join(
        html_page(runs_of(SAMPLES["misread"]), violations={f"{3:016x}": "history_broken"})
    )
    assert stories(told)[0].startswith("First violation: history_broken; ")


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["failed", "all", "hostile"])
def test_nothing_is_asked_for_and_nothing_overflows(browser, folder, name, scheme, width):
    several = {"all": list(SAMPLES.values()), "hostile": [samples.hostile_run()]}
    page = made(folder, *several.get(name, [SAMPLES["failed"]]))
    with opened(browser, page, width=width, scheme=scheme) as seen:
        assert seen.requests == [page.as_uri()]
        assert seen.console == []
        assert seen.page.evaluate("document.documentElement.scrollWidth") == width
        seen.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert seen.page.evaluate("document.documentElement.scrollWidth") == width
        paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(20, 22, 26)") == (scheme == "dark")


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        ("all", "light", 400),
        ("all", "dark", 400),
        ("all", "light", 1280),
        ("all", "dark", 1280),
        ("hostile", "light", 1280),
        ("long", "light", 1280),
    ],
)
def test_axe_finds_nothing(browser, folder, name, scheme, width):
    several = {"hostile": [samples.hostile_run()], "long": [samples.long_run(500)]}
    page = made(folder, *several.get(name, SAMPLES.values()))
    with opened(browser, page, width=width, scheme=scheme, script=True) as seen:
        if name == "all":
            seen.page.evaluate(
                "document.querySelectorAll('details').forEach(one => one.open = true)"
            )
        found = Axe().run(seen.page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []


def test_nothing_hostile_runs_even_without_the_policy(browser, folder):
    page = made(folder, samples.hostile_run())
    with opened(browser, page, script=True) as seen:
        seen.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert seen.page.evaluate("window.struck") is None
        assert seen.requests == [page.as_uri()]
        assert seen.page.locator("script, img, iframe, object, embed, form, base").count() == 0
        hrefs = seen.page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
        assert len(hrefs) > 10
        assert all(href.startswith("#") for href in hrefs)
        text = seen.page.inner_text("body")
        for attack in samples.HOSTILE[:5]:
            assert attack in text
        for shown in ("\\u202egnp.exe\\u2066\\u200f", "a\\x00b\\x1b[31mred", "\\x85\\u2028"):
            assert shown in text
        assert "49" not in seen.page.title()


def test_nothing_of_others_is_left_as_it_was():
    page = "".join(html_page(runs_of(samples.hostile_run())))
    assert not {char for char in page if not char.isprintable()} - {"\n"}
    assert "\\ud800 half" in text_of(page)
    page.encode()


def test_a_value_of_a_megabyte_is_cut_and_said_to_be(folder):
    page = made(folder, samples.hostile_run())
    assert page.stat().st_size < 2_000_000
    assert "more characters in the record" in page.read_text(encoding="utf-8")


def test_the_policy_allows_the_one_style_and_nothing_else(browser, folder):
    page = made(folder, SAMPLES["failed"])
    text = page.read_text(encoding="utf-8")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
    policy += "base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text
    assert '<meta name="referrer" content="no-referrer">' in text
    # With other styles, a script and an image put in, the browser complains: so it would have.
    page.write_text(
        text.replace("<style>", "<style>body { color: red }")
        .replace("<main", '<img src="https://example.org/a.png"><p style="color: red">x</p><main')
        .replace("</body>", "<script>window.struck = 1</script></body>"),
        encoding="utf-8",
    )
    with opened(browser, page) as seen:
        assert len(seen.console) >= 3
        assert all("Content Security Policy" in line for line in seen.console)


def test_an_undo_and_its_call_lead_to_each_other_without_a_script(browser, folder):
    page = made(folder, SAMPLES["failed"])
    with opened(browser, page) as seen:
        chain = seen.page.locator(".chain tbody tr")
        assert [row.split() for row in chain.all_inner_texts()] == [
            ["provision_account", "failed", "RuntimeError"],
            ["1", "update_crm", "restore_crm", "undone"],
            ["2", "charge_card", "refund_card", "undone"],
        ]
        chain.nth(2).locator(".call a").click()
        call = seen.page.locator("li:target")
        assert "charge_card" in call.inner_text()
        call.locator("a", has_text="refund_card").click()
        undo = seen.page.locator("li:target")
        assert "restore_crm" not in undo.inner_text()
        undo.locator("a", has_text="charge_card").click()
        assert seen.page.locator("li:target").inner_text() == call.inner_text()


def test_a_row_opens_by_keyboard(browser, folder):
    page = made(folder, SAMPLES["refused"])
    with opened(browser, page) as seen:
        row = seen.page.locator("li", has=seen.page.locator(".k-check")).locator("details")
        summary = row.locator("summary")
        for _ in range(10):
            seen.page.keyboard.press("Tab")
            if summary.evaluate("it => it === document.activeElement"):
                break
        assert summary.evaluate("it => getComputedStyle(it).outlineStyle") == "solid"
        assert not row.locator("table").is_visible()
        seen.page.keyboard.press("Enter")
        assert row.locator("table").is_visible()


def test_details_stand_open_in_print(browser, folder):
    page = made(folder, SAMPLES["failed"])
    with opened(browser, page, scheme="dark") as seen:
        body = seen.page.locator(".body").first
        assert not body.is_visible()
        seen.page.emulate_media(media="print")
        assert body.is_visible()
        paper = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"


def test_a_long_run_is_folded_and_its_failure_stands_open(browser, folder):
    page = made(folder, samples.long_run(3_000))
    with opened(browser, page) as seen:
        failed = seen.page.locator("li.bad > details > summary", has_text="read_file")
        assert failed.is_visible()
        shown = seen.page.locator(".rows > ol > li").count()
        assert shown < 100
        assert seen.page.locator(".rows li[id]").count() == 3_000
        seen.page.locator(".fold summary").first.click()
        assert seen.page.locator(".fold li[id]").first.is_visible()


def test_a_run_too_long_for_a_page_says_what_is_left_out():
    run = samples.long_run(ROWS + 2_000)
    page = "".join(html_page(runs_of(run)))
    assert page.count("<li id=") == ROWS
    left_out = re.findall(r"([\d,]+) rows? (?:is|are) left out", page)
    assert sum(int(count.replace(",", "")) for count in left_out) == 2_000
    assert "TimeoutError" in stories(page)[0]
    assert len(page) < 20_000_000


def test_of_many_runs_those_that_failed_are_shown():
    def numbered(place: int, spans: int, error: str | None) -> Records:
        trace = samples.Recorder(f"{place:032x}")
        root = samples.run_root(trace, f"agent-{place}", 100, error=error)
        for at in range(spans - 1):
            trace.span("stalwart.tool", at, 1, {"gen_ai.tool.name": "search"}, under=root)
        return trace.records

    runs = (
        runs_of(numbered(place, 12, "KeyError" if place == 1_199 else None))[0]
        for place in range(1, 1_200)
    )
    page = "".join(html_page(runs))
    shown = re.findall(r'<section class="run" id="run-(\d+)"', page)
    assert shown == [*map(str, range(1, ROWS // 12)), "1199"]
    assert page.count('<th scope="row">') >= 1_000
    assert "199 more runs are not on this page" in page
    assert page.count("<li id=") <= ROWS
    assert f"In this file: {1_199:,} runs" in page


def test_a_chain_of_ten_thousand_and_a_circle_are_pages_too():
    trace = samples.Recorder("a" * 32)
    above = None
    for place in range(2_000):
        above = trace.span("deep", place, 1, under=above)
    assert "".join(html_page(runs_of(trace.records))).count("<li id=") == 2_000
    circle = samples.Recorder("b" * 32)
    circle.span("one", 0, 1, under=f"{2:016x}", error="E")
    circle.span("two", 0, 1, under=f"{1:016x}", error="E")
    assert "".join(html_page(runs_of(circle.records))).count("<li id=") == 2


def test_a_long_wait_for_a_person_leaves_room_for_the_work(folder):
    page = made(folder, SAMPLES["failed"]).read_text(encoding="utf-8")
    bars = re.findall(r'<rect class="k-tool[^"]*" x="([\d.]+)%" width="([\d.]+)%"', page)
    places = [(float(x), float(width)) for x, width in bars]
    assert len(places) == 3
    assert all(width > 5 for _, width in places)  # of 128 s they took 1.5 s
    assert all(x + width <= 100.1 for x, width in places)
    assert "nothing was recorded for 31 s; nothing was recorded for 14.5 s" in page


VOID = {"meta", "link", "rect", "line", "circle", "path", "use"}


class _Strict(HTMLParser):
    """Holds that every element that opens closes, in order, and no attribute is a handler."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.targets: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            assert re.fullmatch(r"[a-zA-Z][a-zA-Z0-9:-]*", name)
            assert not name.startswith("on")
            assert name != "style"
            if name == "id":
                self.ids.append(value or "")
            if name == "href" and value != "data:,":
                assert value is not None
                assert value.startswith("#")
                self.targets.add(value[1:])
        assert tag not in ("script", "img", "base", "form", "iframe")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.stack.pop() == tag


def well_formed(page: str) -> None:
    parser = _Strict()
    parser.feed(page)
    parser.close()
    assert parser.stack == []
    assert len(set(parser.ids)) == len(parser.ids)
    assert parser.targets <= set(parser.ids)


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_the_page_is_well_formed_and_its_links_lead_somewhere(language):
    runs = [*SAMPLES.values(), samples.hostile_run(), samples.long_run(600)]
    well_formed("".join(html_page(runs_of(*runs), language=language)))
    well_formed("".join(html_page(runs_of(SAMPLES["killed"]), language=language)))
    well_formed("".join(html_page([], language=language)))


texts = st.text(st.characters(), max_size=30) | st.sampled_from(samples.HOSTILE[:10])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(texts, below, max_size=3),
    max_leaves=6,
)
known = st.sampled_from(
    [f"stalwart.{name}" for name in ("outcome", "rule", "reasons", "labels", "step", "undoes")]
    + ["gen_ai.tool.name", "stalwart.waits_for", "stalwart.verdict", "stalwart.rules"]
    + ["stalwart.rule_file", "stalwart.rule_line", "stalwart.to_step", "stalwart.violation"]
    + ["gen_ai.operation.name", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"]
)
named = st.sampled_from(
    [f"stalwart.{name}" for name in ("node", "plan", "tool_check", "tool", "compensate")]
    + [f"stalwart.{name}" for name in ("rollback", "rewind", "interrupt", "resume")]
)
records = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["span", "start"]),
        "trace_id": st.sampled_from(["a" * 32, "<b>"]),
        "span_id": st.sampled_from("12345678"),
        "parent_id": st.none() | st.sampled_from("12345678"),
        "name": named | texts,
        "start": st.datetimes().map(lambda time: time.isoformat() + "Z"),
        "duration_ms": st.none() | st.floats(),
        "status": st.sampled_from(["ok", "error"]),
        "error": st.none() | texts.map(lambda text: {"type": text}),
        "attributes": st.dictionaries(known | texts, values | texts, max_size=6),
        "events": st.lists(
            st.fixed_dictionaries(
                {
                    "name": texts,
                    "time": st.just("2027-03-01T09:00:00Z"),
                    "attributes": st.dictionaries(texts, values, max_size=3),
                }
            ),
            max_size=2,
        ),
    }
)


@settings(max_examples=60)
@given(st.lists(records, min_size=1, max_size=12), st.sampled_from(["en", "pt-BR"]))
def test_whatever_was_recorded_makes_a_page(found, language):
    page = "".join(html_page(runs_of(found), language=language))
    page.encode()
    well_formed(page)
    assert not {char for char in page if not char.isprintable()} - {"\n", "\t"}


@pytest.mark.parametrize(
    ("milliseconds", "english", "portuguese"),
    [
        (0, "0 ms", "0 ms"),
        (0.257, "0.26 ms", "0,26 ms"),
        (41.26, "41.3 ms", "41,3 ms"),
        (999.4, "999 ms", "999 ms"),
        (999.6, "1 s", "1 s"),
        (59_940, "59.9 s", "59,9 s"),
        (59_960, "1 min", "1 min"),
        (128_000, "2 min 8 s", "2 min 8 s"),
        (3_600_000, "1 h", "1 h"),
        (11_520_000, "3 h 12 min", "3 h 12 min"),
        (86_399_000, "1 d", "1 d"),
        (129_600_000, "1.5 d", "1,5 d"),
    ],
)
def test_durations(milliseconds, english, portuguese):
    assert duration(milliseconds, WORDS["en"]) == english
    assert duration(milliseconds, WORDS["pt-BR"]) == portuguese


def test_no_word_of_the_page_is_left_in_english():
    english, portuguese = WORDS["en"], WORDS["pt-BR"]
    same = {
        name
        for name in portuguese.__slots__
        if name not in ("kinds", "ids") and getattr(portuguese, name) == getattr(english, name)
    }
    assert same == {"steps"}  # "spans" in both


def test_a_language_without_words_is_refused():
    with pytest.raises(ValueError, match="'fr' is no language of the page; it has en, pt-BR"):
        next(html_page([], language="fr"))


def test_where_the_page_goes_must_be_said(folder):
    file = write(folder, SAMPLES["refused"])
    result = call(file)
    assert result.exit_code == 2
    assert "Name the page to write: -o OUT, or `-o -` for standard output." in result.stderr


def test_standard_output_and_a_file_hold_the_same(folder):
    page = made(folder, SAMPLES["refused"])
    command = [sys.executable, "-m", "stalwart_lang", "trace", "html", "-", "-o", "-"]
    given = b"".join(samples.lines(SAMPLES["refused"]))
    done = subprocess.run(command, input=given, capture_output=True, check=True)
    assert done.stdout == page.read_bytes()
    assert done.stderr == b""


def test_one_run_of_several_is_chosen(folder):
    file = write(folder, *SAMPLES.values())
    for chosen in (("--trace-id", "1bf7"), ("--thread", "desk/u-18")):
        result = call(file, "-o", "-", *chosen)
        assert stories(result.stdout) == [STORIES["refused", "en"]]


def test_the_page_takes_the_place_of_an_older_one(folder):
    page = made(folder, SAMPLES["failed"])
    page.chmod(0o640)
    link = folder / "link.html"
    link.symlink_to(page)
    assert call(write(folder, SAMPLES["refused"]), "-o", link).exit_code == 0
    assert link.is_symlink()
    assert stories(page.read_text(encoding="utf-8")) == [STORIES["refused", "en"]]
    assert stat.S_IMODE(page.stat().st_mode) == 0o640
    assert sorted(path.name for path in folder.iterdir()) == ["link.html", "page.html", "run.jsonl"]


def test_what_cannot_be_read_or_written_leaves_all_as_it_was(folder):
    page = made(folder, SAMPLES["failed"])
    before = page.read_bytes()
    empty = folder / "empty.jsonl"
    empty.write_bytes(b"")
    file = write(folder, SAMPLES["failed"])
    for arguments, said in (
        ((empty, "-o", page), f"{empty}: it holds no spans"),
        ((folder / "none", "-o", page), "none: No such file or directory"),
        ((file, "-o", page, "--trace-id", "ffff"), "it holds no run of trace ffff"),
        ((file, "-o", folder / "no" / "page.html"), "page.html: No such file or directory"),
        ((file, "-o", folder), "Is a directory"),
        ((file, "-o", file), "OUT is FILE itself"),
        ((file, "-o", page, "--language", "fr"), "'fr' is not one of 'en', 'pt-BR'"),
    ):
        result = call(*arguments)
        assert result.exit_code == 2
        assert said in result.stderr
    assert page.read_bytes() == before
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["empty.jsonl", "page.html", "run.jsonl"]


def test_damaged_lines_are_told_and_the_rest_is_shown(folder):
    file = write(folder, SAMPLES["refused"])
    file.write_bytes(file.read_bytes() + b'{"type": "spa')
    result = call(file, "-o", folder / "page.html")
    assert result.exit_code == 0
    assert result.stderr == f"{file}:4: passed over: the last line is cut short\n"
