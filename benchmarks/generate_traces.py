"""Traces of any size, as the JSON-lines tracer writes them.

    python benchmarks/generate_traces.py --spans 1000000 --starts FILE

A run is a loop of model calls, each with its tools below it, or the steps of an agent of ours, each
call checked before it runs. Four runs are under way at a time, so that their records interleave.
"""

import random
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path

from stalwart_lang.tracing.jsonlines import rfc3339

_BEGAN = 1_798_794_000_000_000_000  # 2027-01-01T09:00:00Z
_TOOLS = ("list_files", "read_file", "write_file", "search_orders", "charge_card", "send_mail")
_AT_ONCE = 4


@dataclass(slots=True)
class _Writer:
    """The clock and the chance of one run, and the records it made; a later one has a later key."""

    chance: random.Random
    trace_id: str
    starts: bool
    now: int
    spans: int = 0
    called: tuple[str, str] = ("list_files", "43d9fc7c625db79e")
    records: list[tuple[int, int, str]] = field(default_factory=list)

    def span(
        self,
        name: str,
        attributes: str,
        took: int,
        parent: str | None = None,
        *,
        more: str = "",
        error: str | None = None,
        events: str = "",
        start: int | None = None,
        span_id: str | None = None,
    ) -> str:
        """Write one span and move the clock to its end; give its id."""
        own = span_id or self.new_id()
        start = self.now if start is None else start
        self.now = max(self.now, start + took) + 40_000
        above = f'"{parent}"' if parent else "null"
        record = (
            f'"trace_id":"{self.trace_id}","span_id":"{own}","parent_id":{above},'
            f'"name":"{name}","start":"{rfc3339(start)}"'
        )
        if self.starts:
            self.records.append(
                (
                    start,
                    len(self.records),
                    f'{{"type":"start",{record},"attributes":{{{attributes}}}}}\n',
                )
            )
        status = f'"error","error":{{"type":"{error}"}}' if error else '"ok","error":null'
        if error:
            more += f',"error.type":"{error}"'
        end = start + took
        self.records.append(
            (
                end,
                len(self.records),
                f'{{"type":"span",{record},"end":"{rfc3339(end)}","duration_ms":{took / 1_000_000},'
                f'"status":{status},"attributes":{{{attributes}{more}}},"events":[{events}]}}\n',
            )
        )
        self.spans += 1
        return own

    def new_id(self) -> str:
        return f"{self.chance.getrandbits(64):016x}"


def _model_call(run: _Writer, root: str, turn: int, wants: str = "tool_use") -> str:
    chance = run.chance
    return run.span(
        "chat claude-sonnet-4-5",
        '"gen_ai.operation.name":"chat","gen_ai.request.model":"claude-sonnet-4-5",'
        f'"stalwart.step_name":"turn-{turn}"',
        chance.randrange(200_000_000, 4_000_000_000),
        root,
        more=f',"gen_ai.usage.input_tokens":{chance.randrange(500, 9000)},'
        f'"gen_ai.usage.output_tokens":{chance.randrange(20, 900)},'
        f'"gen_ai.response.finish_reasons":["{wants}"]',
    )


def _tool(run: _Writer, parent: str) -> None:
    chance = run.chance
    failed = chance.random() < 0.04
    if chance.random() >= 0.05:  # else the last call once more
        run.called = chance.choice(_TOOLS), run.new_id()
    tool, arguments = run.called
    run.span(
        "stalwart.tool",
        f'"gen_ai.tool.name":"{tool}","gen_ai.tool.type":"function",'
        f'"gen_ai.tool.call.id":"toolu_{chance.getrandbits(32):08x}",'
        f'"stalwart.arguments_digest":"{arguments}"',
        chance.randrange(100_000, 60_000_000),
        parent,
        more="" if failed else f',"stalwart.result_digest":"{run.new_id()}"',
        error="FileNotFoundError" if failed else None,
    )


def _root(run: _Writer, name: str, root: str, began: int, thread: str) -> None:
    run.span(
        f"invoke_agent {name}",
        f'"gen_ai.operation.name":"invoke_agent","gen_ai.agent.name":"{name}",'
        f'"gen_ai.conversation.id":"{thread}"',
        run.now - began,
        start=began,
        span_id=root,
        error="TimeoutError" if run.chance.random() < 0.03 else None,
    )


def loop(run: _Writer, spans: int) -> None:
    """A loop of model calls that ask for one to four tools each, as `examples/sales_summary`."""
    root, began, turn = run.new_id(), run.now, 0
    while run.spans < spans - 2:
        turn += 1
        call = _model_call(run, root, turn)
        for _ in range(min(run.chance.randint(1, 4), spans - 2 - run.spans)):
            _tool(run, call)
    if run.spans < spans - 1:
        _model_call(run, root, turn + 1, "end_turn")
    _root(run, "sales-summary", root, began, f"{run.trace_id[:6]}/weekly")


def checked(run: _Writer, spans: int) -> None:
    """Steps that check a call, ask a person where the check says so, and run it."""
    root, began, step = run.new_id(), run.now, 0
    chance = run.chance
    while run.spans < spans - 1:
        node, node_began = run.new_id(), run.now
        tool, digest = chance.choice(_TOOLS), run.new_id()
        outcome = chance.choice(("allow", "allow", "allow", "confirm", "refuse"))
        known = f'"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"{tool}"'
        decided = (
            f'"stalwart.outcome":"{outcome}","stalwart.decided_by":"rulebook",'
            f'"stalwart.reasons":[],"stalwart.rule":"rule-{chance.randrange(12)}"'
        )
        run.span(
            "stalwart.tool_check",
            f'{known},"stalwart.labels":[],"stalwart.arguments_digest":"{digest}",'
            f'"stalwart.args_digest":"{digest}"',
            chance.randrange(20_000, 90_000),
            node,
            more=f",{decided}",
            events=f'{{"name":"stalwart.decision","time":"{rfc3339(run.now)}","attributes":'
            f"{{{known},{decided}}}}}",
        )
        if outcome == "confirm" and run.spans < spans - 3:
            about = f'"gen_ai.tool.name":"{tool}"'
            run.span("stalwart.interrupt", f'{about},"stalwart.waits_for":"write"', 10_000, node)
            answer = chance.choice(("approve", "approve", "decline"))
            run.span("stalwart.resume", f'{about},"stalwart.answer":"{answer}"', 10_000, node)
        if outcome == "allow" and run.spans < spans - 2:
            _tool(run, node)
        took = run.now - node_began
        run.span(
            "stalwart.node",
            f'"stalwart.step_name":"run","stalwart.step":{step}',
            took,
            root,
            start=node_began,
            span_id=node,
        )
        step += 1
    _root(run, "desk", root, began, f"desk/u-{chance.randrange(2000)}")


Shape = Callable[[_Writer, int], None]


def runs(
    spans: int, *, starts: bool = False, seed: int = 1, shapes: Iterable[Shape] = (loop, checked)
) -> Iterator[str]:
    """Yield the lines of runs of 10 to 40 spans, `spans` in all, in the order of their moments."""
    chance = random.Random(seed)
    kinds = tuple(shapes)
    clocks = [_BEGAN + lane * 1_000_000_000 for lane in range(_AT_ONCE)]
    held: list[tuple[int, int, int, str]] = []
    made = 0
    while made < spans:
        lane = min(range(_AT_ONCE), key=clocks.__getitem__)
        # What is before the start of the run to come is complete.
        while held and held[0][0] < clocks[lane]:
            yield heappop(held)[3]
        size = min(chance.randint(10, 40), spans - made)
        run = _Writer(chance, f"{chance.getrandbits(128):032x}", starts, clocks[lane])
        chance.choice(kinds)(run, size)
        for moment, number, line in run.records:
            heappush(held, (moment, made, number, line))
        made += run.spans
        clocks[lane] = run.now + 1_000_000_000
    while held:
        yield heappop(held)[3]


def one_run(spans: int, *, starts: bool = False, seed: int = 1) -> Iterator[str]:
    """Yield the lines of one run; what is written is let go, so that it may be of any size."""
    run = _Writer(random.Random(seed), "0af7651916cd43dd8448eb211c80319c", starts, _BEGAN)
    root, turn = run.new_id(), 0
    name = '"gen_ai.operation.name":"invoke_agent","gen_ai.agent.name":"sales-summary"'
    head = f'"trace_id":"{run.trace_id}","span_id":"{root}","parent_id":null,'
    head += f'"name":"invoke_agent sales-summary","start":"{rfc3339(_BEGAN)}"'
    if starts:
        yield f'{{"type":"start",{head},"attributes":{{{name}}}}}\n'
    while run.spans < spans - 1:
        turn += 1
        call = _model_call(run, root, turn)
        for _ in range(min(3, spans - 1 - run.spans)):
            _tool(run, call)
        yield from (line for *_, line in sorted(run.records))
        run.records.clear()
    took = (run.now - _BEGAN) / 1_000_000
    yield (
        f'{{"type":"span",{head},"end":"{rfc3339(run.now)}","duration_ms":{took},"status":"ok",'
        f'"error":null,"attributes":{{{name}}},"events":[]}}\n'
    )


def lone_spans(spans: int, *, starts: bool = False, seed: int = 1) -> Iterator[str]:
    """Yield runs of a single tool each; with `starts`, only their starts: all were killed."""
    chance = random.Random(seed)
    for number in range(spans):
        run = _Writer(chance, f"{chance.getrandbits(128):032x}", starts, _BEGAN + number * 1000)
        _tool(run, "")
        yield run.records[0][2]


def all_open(spans: int, *, starts: bool = True, seed: int = 1) -> Iterator[str]:
    """Yield the starts of one run, killed while its root and all its tools were under way."""
    run = _Writer(random.Random(seed), "0af7651916cd43dd8448eb211c80319c", starts, _BEGAN)
    root = run.new_id()
    _root(run, "sales-summary", root, run.now, "weekly")
    yield run.records[0][2]
    for _ in range(spans - 1):
        run.records.clear()
        _tool(run, root)
        yield run.records[0][2]


def chain(spans: int, *, starts: bool = False, seed: int = 1) -> Iterator[str]:
    """Yield one run in which each model call is below the one before it, the deepest one first."""
    run = _Writer(random.Random(seed), "0af7651916cd43dd8448eb211c80319c", starts, _BEGAN)
    for number in range(spans, 0, -1):
        run.span(
            "chat m",
            '"gen_ai.operation.name":"chat"',
            1_000_000,
            f"{number - 1:016x}" if number > 1 else None,
            span_id=f"{number:016x}",
        )
        yield from (line for *_, line in run.records)
        run.records.clear()


SHAPES: Mapping[str, Callable[..., Iterator[str]]] = {
    "runs": runs,
    "one": one_run,
    "lone": lone_spans,
    "open": all_open,
    "chain": chain,
}


def write_trace(
    file: Path, spans: int, *, shape: str = "runs", starts: bool = False, seed: int = 1
) -> Path:
    """Write `spans` spans to `file`, with their starts beside them if asked; give the file."""
    lines = SHAPES[shape](spans, starts=starts, seed=seed)
    with file.open("w", encoding="utf-8") as written:
        while some := list(islice(lines, 10_000)):
            written.writelines(some)
    return file


def main() -> None:
    """Write a trace of the size that is asked for."""
    parser = ArgumentParser(description="Write a trace.")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--spans", type=int, default=1_000_000)
    parser.add_argument("--shape", choices=SHAPES, default="runs")
    parser.add_argument("--starts", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    write_trace(asked.file, asked.spans, shape=asked.shape, starts=asked.starts, seed=asked.seed)


if __name__ == "__main__":
    main()
