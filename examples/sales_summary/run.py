"""Sum up sales by region with a scripted agent, and trace what it does.

python examples/sales_summary/run.py --version v-good|v-bug|v-fixed --trace FILE
                                     [--workspace DIR] [--no-capture-content]

A tracer captures no content unless it is told to. This one is: the data are public, and what the
agent misread is the point.
"""

import argparse
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from loop import TooManyRounds, run_agent
from model import SCRIPTS, ScriptedModel
from tools import workspace_tools

from stalwart_lang.tracing import JsonLinesTracer

DATA = Path(__file__).parent / "data"
TASK = "Some as vendas dos CSV de data/ por região e grave em summary.md só o que está neles."


def main() -> int:
    """Run one version; return 0, or 1 where the agent came to no answer."""
    parser = argparse.ArgumentParser(description="Sum up sales by region, traced.")
    parser.add_argument("--version", required=True, choices=SCRIPTS, help="which script to follow")
    parser.add_argument(
        "--trace", required=True, type=Path, metavar="FILE", help="append the spans to FILE"
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="work in DIR, and write over its data/ and summary.md (default: a new folder)",
    )
    parser.add_argument(
        "--capture-content",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="trace paths, files and results, or only digests of them",
    )
    given = parser.parse_args()
    try:
        given.trace.open("ab").close()
        workspace = given.workspace or Path(tempfile.mkdtemp(prefix="sales-summary-"))
        shutil.copytree(DATA, workspace / "data", dirs_exist_ok=True)
        summary = workspace / "summary.md"
        summary.unlink(missing_ok=True)  # what is there afterwards is of this run
        tracer = JsonLinesTracer(given.trace, capture_content=given.capture_content)
    except (OSError, ImportError) as error:
        parser.error(str(error))

    tools = workspace_tools(workspace, helpful_errors=given.version == "v-fixed")
    with tracer:
        try:
            answer = run_agent(TASK, ScriptedModel(SCRIPTS[given.version]), tools, tracer)
        except TooManyRounds as error:
            print(f"The agent was stopped: {error}", file=sys.stderr)
            return 1
    trace = shlex.quote(str(given.trace))
    print(
        f"{answer}\n\n"
        f"summary: {summary}\n"
        f"trace:   {given.trace}\n\n"
        f"stalwart trace tree {trace}\n"
        f"stalwart trace stats {trace}\n"
        f"stalwart trace diff {trace} OTHER   (the trace of another version)"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
