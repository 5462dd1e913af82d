"""`stalwart vocabulary check` and `test`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from stalwart_lang.cli.vocabulary import vocabulary

GOOD = """\
vocabulary: v
things: {order: {en: [order]}}
tools:
  cancel_order: {takes: {order_id: order}, say: {en: [cancel]}}
turns:
  - say: {en: cancel order 5}
    plan: [{cancel_order: {order_id: 5}}]
  - say: {en: [cancel, cancel the order]}
    incomplete: order_id
"""
BAD = "vocabulary: v\ntools:\n  t: {says: {en: [go]}}\n"
ODD = "vocabulary: v\nthings: {x: {pt-BR: [avó]}, y: {pt-BR: [avô]}}\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(vocabulary, [str(argument) for argument in arguments])


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str, name: str = "v.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_check_of_a_good_file(file):
    result = run("check", file(GOOD))
    assert result.output == "1 vocabulary, 0 errors, 0 warnings\n"
    assert result.exit_code == 0


def test_check_shows_line_caret_and_fix(file):
    path = file(BAD)
    result = run("check", path)
    assert result.output == (
        f"{path}:3:7: error[SV021]: a tool has no key `says`\n"
        " 3 |   t: {says: {en: [go]}}\n"
        "   |       ^^^^\n"
        "  fix: did you mean `say`?\n"
        "1 vocabulary, 1 error, 0 warnings\n"
    )
    assert result.exit_code == 1


def test_warnings_are_shown_and_are_no_failure(file):
    result = run("check", file(ODD), file(GOOD, "good.yaml"))
    assert "warning[SV102]" in result.output
    assert result.output.endswith("2 vocabularies, 0 errors, 1 warning\n")
    assert result.exit_code == 0


def test_a_file_that_cannot_be_read(file, tmp_path):
    result = run("check", file(BAD), tmp_path / "none.yaml")
    assert "error[SV021]" in result.output
    assert "error[SV001]" in result.output
    assert result.exit_code == 2
    assert run("test", tmp_path).exit_code == 2


def test_no_file_is_bad_usage():
    assert run("check").exit_code == 2
    assert run("test").exit_code == 2


def test_check_by_name():
    result = run("check", "shop")
    assert result.exit_code == 0
    assert "0 errors" in result.output


def test_check_as_json(file):
    path = file(BAD)
    result = run("check", "--json", path, file(ODD, "odd.yaml"))
    assert result.exit_code == 1
    found = json.loads(result.output)
    assert (found["errors"], found["warnings"]) == (1, 1)
    assert found["diagnostics"][0] == {
        "code": "SV021",
        "severity": "error",
        "message": "a tool has no key `says`",
        "file": str(path),
        "line": 3,
        "column": 7,
        "end_line": 3,
        "end_column": 11,
        "fix": "did you mean `say`?",
        "related": [],
    }
    (related,) = found["diagnostics"][1]["related"]
    assert related["line"] == 2


def test_check_as_json_of_a_good_file(file):
    result = run("check", "--json", file(GOOD))
    assert json.loads(result.output) == {"diagnostics": [], "errors": 0, "warnings": 0}


def test_turns_that_pass(file):
    result = run("test", file(GOOD))
    assert result.output == "3 passed, 0 failed\n"
    assert result.exit_code == 0


def test_a_turn_that_fails_is_shown_with_what_was_got(file):
    path = file(GOOD.replace("{order_id: 5}}", "{order_id: 6}}"))
    result = run("test", path)
    assert result.output == (
        f"{path}:6:15: [en] cancel order 5\n"
        "    read\n"
        "  - cancel_order(order_id: 6)\n"
        "  + cancel_order(order_id: 5)\n"
        "2 passed, 1 failed\n"
    )
    assert result.exit_code == 1


def test_turns_of_several_files_are_counted_together(file):
    assert run("test", file(GOOD), file(GOOD, "w.yaml")).output == "6 passed, 0 failed\n"


def test_a_vocabulary_without_turns_passes(file):
    result = run("test", file(ODD))
    assert result.output == "0 passed, 0 failed\n"
    assert result.exit_code == 0


def test_a_vocabulary_with_errors_fails_with_its_diagnostics(file):
    result = run("test", file(BAD), file(GOOD, "good.yaml"))
    assert "error[SV021]" in result.output
    assert result.output.endswith("3 passed, 0 failed\n")
    assert result.exit_code == 1


def test_what_a_terminal_would_act_on_is_escaped(file):
    result = run(
        "test", file(GOOD + '  - say: {en: "cancel \\e[31m order 5"}\n    ambiguous: true\n')
    )
    assert "\x1b" not in result.output
    assert "1 failed" in result.output
