"""The figures of two runs side by side."""

from dataclasses import dataclass

from stalwart_lang.timeline.diff.fold import Figures


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure of both runs; tokens and times come with the change in percent.

    `percent` is None where it is not given, or the first run has none to take it of.
    """

    name: str
    a: float
    b: float
    percent: float | None = None
    tool: bool = False

    @property
    def difference(self) -> float:
        """How much more the second run has."""
        return self.b - self.a

    @property
    def shown_difference(self) -> str:
        """The difference with its sign, empty for none."""
        shown = self.shown(abs(self.difference))
        if self.difference == 0 or float(shown) == 0:
            return ""
        return ("+" if self.difference > 0 else "-") + shown

    def shown(self, value: float) -> str:
        """Return a value of this figure as text."""
        return f"{value:.1f}" if isinstance(value, float) else str(value)


def figure_rows(a: Figures, b: Figures) -> list[FigureRow]:
    """Return the figures of two runs, and their calls by tool: 0 where one never called it."""
    rows = [
        FigureRow("rounds", a.rounds, b.rounds),
        FigureRow("model_calls", a.model_calls, b.model_calls),
        FigureRow("tool_calls", a.tool_calls, b.tool_calls),
        FigureRow("errors", a.errors, b.errors),
        _with_percent("tokens_in", a.tokens_in, b.tokens_in),
        _with_percent("tokens_out", a.tokens_out, b.tokens_out),
        _with_percent("tokens_total", a.tokens_total, b.tokens_total),
        _with_percent("wall_ms", a.wall_ms, b.wall_ms),
    ]
    tools = sorted(a.tools.keys() | b.tools.keys())
    return rows + [
        FigureRow(f"calls of {tool}", a.tools.get(tool, 0), b.tools.get(tool, 0), tool=True)
        for tool in tools
    ]


def _with_percent(name: str, a: float, b: float) -> FigureRow:
    return FigureRow(name, a, b, round((b - a) / a * 100, 1) if a else None)
