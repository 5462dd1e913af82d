import subprocess
import sys
from pathlib import Path

ASK = Path(__file__).parents[1] / "examples" / "ask.py"


def run(turns: str, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, ASK, *arguments],
        input=turns,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", "HOME": "/nonexistent"},
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_asks_until_it_knows():
    assert run("charge order 5\nabout forty\n40.00\ncancel it\n\nnever read") == [
        "How much should be charged?",
        "“about forty” gives no exact value.",
        "charge_card(order_id=5, amount={'value': '40.00', 'currency': 'USD'})",
        "It is not clear what “it” refers to.",
    ]


def test_asks_in_portuguese():
    assert run("agende a entrega do pedido 5\n3 de março de 2027\n", "shop", "pt-BR") == [
        "Para que dia?",
        "schedule_delivery(order_id=5, date=2027-03-03)",
    ]
