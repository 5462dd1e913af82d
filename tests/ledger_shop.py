"""The shop of the run E6, with tools that write what they do in a ledger beside them.

Run as a program it is a process of its own that says one thing to the agent: what is said and what
came of it are JSON, on its standard input and output.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stalwart_lang import Agent

TURNS = {
    "en": "charge order 4411 40.00, then update the crm for order 4411, "
    "then provision the account for order 4411",
    "pt-BR": "cobre o pedido 4411 no valor de 40,00, depois atualize o CRM do pedido 4411 "
    "e então provisione a conta do pedido 4411",
}
REPLIES = {
    "en": "This run stopped: provision_account failed (RuntimeError). Undone, latest first: "
    "update_crm (by restore_crm), charge_card (by refund_card).",
    "pt-BR": "Esta execução parou: provision_account falhou (RuntimeError). Desfeito, do mais "
    "recente ao mais antigo: update_crm (por restore_crm), charge_card (por refund_card).",
}
TIMELINE = """\
Run: thread desk/u-17
step -1
  node      input
step 0
  node      run
step 1
  node      run
step 2
  node      run
  check     charge_card -> confirm
  interrupt charge_card [write] (confirm)
step 3
  node      run
  check     charge_card -> allow
step 4
  node      run
  call      charge_card
step 5
  node      run
step 6
  node      run
step 7
  node      run
  check     update_crm -> confirm
  interrupt update_crm [write] (confirm)
step 8
  node      run
  check     update_crm -> allow
step 9
  node      run
  call      update_crm
step 10
  node      run
step 11
  node      run
step 12
  node      run
  check     provision_account -> confirm
  interrupt provision_account [write] (confirm)
step 13
  node      run
  check     provision_account -> allow
step 14
  node      run
  call      provision_account
step 15
  node      run
  undo      restore_crm -> allow undoes step 3
step 16
  node      run
step 17
  node      run
  undo      refund_card -> allow undoes step 1
step 18
  node      run
step 19
  node      run
step 20
  node      run
"""

TOOLS = '''
import json
import os
from pathlib import Path

from stalwart_lang import Money, tool

LEDGER = Path(__file__).with_name("ledger")


def did(tool, **arguments):
    """Write one line, at once and on the disk."""
    ledger = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, f"{tool} {json.dumps(arguments, sort_keys=True)}\\n".encode())
    os.fsync(ledger)
    os.close(ledger)


def get_order(order_id: int):
    did("get_order", order_id=order_id)
    return {"order": order_id, "status": "open"}


def charge_card(order_id: int, amount: Money):
    did("charge_card", order_id=order_id, amount=str(amount.value))


def refund_card(order_id: int, amount: Money | None = None):
    did("refund_card", order_id=order_id, amount=amount and str(amount.value))


def update_crm(order_id: int):
    did("update_crm", order_id=order_id)


def restore_crm(order_id: int):
    did("restore_crm", order_id=order_id)


def provision_account(order_id: int):
    did("provision_account", order_id=order_id)
    raise RuntimeError("the account service does not answer")


def cancel_order(order_id: int):
    did("cancel_order", order_id=order_id)
'''

DESK = (
    "get_order",
    "charge_card",
    "refund_card",
    "update_crm",
    "restore_crm",
    "provision_account",
    "cancel_order",
)
AGENT = """\
agents:
  desk:
    tools: [{tools}]
vocabulary: shop
storage: {storage}
runs: {runs}
facts: {{card_on_file: true}}
tools:
  - python: tools
{more}
"""


class Shop:
    """A folder with an agent file, its tools, and the ledger of what these did."""

    def __init__(
        self,
        folder: Path,
        storage: str = "sqlite:///runs.db",
        *,
        runs: str = "atomic",
        more: str = "",
        tools: str = "",
        also: tuple[str, ...] = (),
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.file = folder / "agent.yaml"
        self.store = f"sqlite:///{folder}/runs.db" if storage.startswith("sqlite") else storage
        tools_of_desk = ", ".join([*DESK, *also])
        text = AGENT.format(tools=tools_of_desk, storage=storage, runs=runs, more=more)
        self.file.write_text(text, "utf-8")
        (folder / "tools.py").write_text(TOOLS + tools, "utf-8")

    @property
    def ledger(self) -> list[str]:
        """The names of the tools that did something, in order."""
        ledger = self.folder / "ledger"
        lines = ledger.read_text("utf-8").splitlines() if ledger.exists() else []
        return [line.partition(" ")[0] for line in lines]

    def open(self, **given: Any) -> Agent:
        """Open the agent in this process."""
        return Agent.from_file(self.file, **given)

    def say(self, **said: Any) -> dict[str, Any]:
        """Say it in a new process: `chat` or `confirm`, `user`, and more for Agent."""
        done = subprocess.run(
            [sys.executable, __file__, str(self.file)],
            input=json.dumps({"user": "u-17", **said}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        made: dict[str, Any] = json.loads(done.stdout)
        return made


def say(agent: Agent, said: dict[str, Any]) -> dict[str, Any]:
    said = dict(said)
    user = said.pop("user")
    if "chat" in said:
        reply = agent.chat(said.pop("chat"), user=user, **said)
    else:
        reply = agent.confirm(user, said.pop("confirm"), **said)
    return asdict(reply)


if __name__ == "__main__":
    with Agent.from_file(sys.argv[1]) as opened:
        print(json.dumps(say(opened, json.load(sys.stdin))))
