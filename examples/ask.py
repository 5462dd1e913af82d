"""Read turns in the terminal, ask for what is missing, and show the plan: the loop of an agent.

    python examples/ask.py [VOCABULARY] [en|pt-BR]

An agent does the same with its own ways of listening and answering; here, an empty line ends.
"""

import sys

from stalwart_lang import Language, Plan, Selector


def answered(selector: Selector, language: Language) -> None:
    """Read a turn a line from standard input, until an empty one."""
    pending: Plan | None = None
    for line in sys.stdin:
        turn = line.strip()
        if not turn:
            return
        plan = selector.plan(turn, language=language, pending=pending)
        for call in plan.calls:
            arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
            print(f"{call.tool}({arguments})")
        for reason in plan.reasons:
            print(reason.message)
        # An unread answer leaves the question open: its plan is the pending one as well.
        pending = plan if plan.missing else None


def main() -> None:
    """Run the loop with the vocabulary and the language named on the command line."""
    name = sys.argv[1] if len(sys.argv) > 1 else "shop"
    answered(Selector.load(name), "pt-BR" if sys.argv[2:] == ["pt-BR"] else "en")


if __name__ == "__main__":
    main()
