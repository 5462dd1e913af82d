"""A line of a benchmark's table, with its target."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """`value` must be at most, or at least, what is given of the two."""

    what: str
    value: float
    unit: str
    note: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def failed(self) -> bool:
        return (self.at_most is not None and self.value > self.at_most) or (
            self.at_least is not None and self.value < self.at_least
        )

    def __str__(self) -> str:
        mark, target = "FAIL" if self.failed else "pass", ""
        if self.at_most is not None:
            target = f"≤ {self.at_most:g} {self.unit}"
        elif self.at_least is not None:
            target = f"≥ {self.at_least:g} {self.unit}"
        else:
            mark = ""
        value = f"{self.value:.3g} {self.unit}"
        return f"{mark:<5} {self.what:<54} {value:>9}  {target:<9} {self.note}".rstrip()
