"""A plan brought back from the JSON it was kept as."""

from collections.abc import Mapping
from typing import Any

from stalwart_lang.selector.plan import Call, Missing, Plan, Reason


def plan_from_dict(made: Mapping[str, Any]) -> Plan:
    """Return the plan that `Plan.to_dict` gave."""
    return Plan(
        verdict=made["verdict"],
        language=made["language"],
        language_from=made["language_from"],
        calls=_calls(made.get("calls", ())),
        reasons=tuple(
            Reason(**{**reason, "expected": tuple(reason.get("expected", ()))})
            for reason in made.get("reasons", ())
        ),
        missing=tuple(Missing(**missing) for missing in made.get("missing", ())),
        readings=tuple(_calls(reading) for reading in made.get("readings", ())),
        partial=_calls(made.get("partial", ())),
    )


def _calls(made: Any) -> tuple[Call, ...]:
    return tuple(Call(**call) for call in made)
