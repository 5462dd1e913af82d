"""The tools of the shop's desk: a plain function for each tool of the vocabulary `shop`.

They work on `shop.db` beside this file, which the first call makes of `orders.json`. The service
that opens accounts is down today: `provision_account` fails.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from stalwart_lang import Money

HERE = Path(__file__).parent

TABLES = """
    CREATE TABLE IF NOT EXISTS orders (
        id INTEGER PRIMARY KEY,
        customer INTEGER NOT NULL,
        item TEXT NOT NULL,
        total TEXT NOT NULL,
        status TEXT NOT NULL,
        charged TEXT,
        currency TEXT,
        crm TEXT,
        crm_before TEXT,
        delivery TEXT,
        notes TEXT
    );
    CREATE TABLE IF NOT EXISTS closed_accounts (customer INTEGER PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS outbox (address TEXT NOT NULL, month TEXT);
"""
"""Amounts are decimals as text, in `currency` (ISO 4217)."""


def get_order(order_id: int) -> dict[str, Any]:
    """Show what is known of an order."""
    with _shop() as shop:
        return {name: value for name, value in _order(shop, order_id).items() if value is not None}


def list_orders(status: str, limit: int | None = None) -> list[str]:
    """List the orders of a status."""
    with _shop() as shop:
        found = shop.execute("SELECT * FROM orders WHERE status = ? ORDER BY id", (status,))
        return [f"{row['id']} {row['item']}" for row in found.fetchall()[:limit]]


def charge_card(order_id: int, amount: Money) -> None:
    """Charge the customer's card."""
    with _shop() as shop:
        if _order(shop, order_id)["charged"] is not None:
            raise ValueError(f"order {order_id} has been charged")
        _set(shop, order_id, charged=str(amount.value), currency=amount.currency)


def refund_card(order_id: int, amount: Money | None = None) -> None:
    """Give back what was charged, or a part of it."""
    with _shop() as shop:
        order = _order(shop, order_id)
        charged = Decimal(order["charged"] or 0)
        back = charged if amount is None else amount.value
        if not 0 < back <= charged or (amount and amount.currency != order["currency"]):
            raise ValueError(f"of order {order_id}, {charged} {order['currency']} is charged")
        if back == charged:
            _set(shop, order_id, charged=None, currency=None)
        else:
            _set(shop, order_id, charged=str(charged - back))


def update_crm(order_id: int) -> None:
    """Tell the CRM that the customer has ordered."""
    with _shop() as shop:
        before = _order(shop, order_id)["crm"]
        _set(shop, order_id, crm="ordered", crm_before=before)


def restore_crm(order_id: int) -> None:
    """Put back what the CRM said before."""
    with _shop() as shop:
        _set(shop, order_id, crm=_order(shop, order_id)["crm_before"], crm_before=None)


def provision_account(order_id: int) -> None:
    """Open the customer's account for what was ordered."""
    raise RuntimeError(f"order {order_id}: the account service does not answer")


def cancel_order(order_id: int) -> None:
    """Cancel an order."""
    with _shop() as shop:
        _order(shop, order_id)
        _set(shop, order_id, status="cancelled")


def send_statement(customer_email: str, month: str | None = None) -> None:
    """Put a statement in the outbox."""
    with _shop() as shop:
        shop.execute("INSERT INTO outbox VALUES (?, ?)", (customer_email, month))


def close_account(customer_id: int) -> None:
    """Close a customer's account for good."""
    with _shop() as shop:
        shop.execute("INSERT INTO closed_accounts VALUES (?)", (customer_id,))


def schedule_delivery(
    order_id: int,
    date: date,  # the vocabulary's name for the argument
    time: time | None = None,
) -> None:
    """Set the day of a delivery, and the hour."""
    with _shop() as shop:
        _order(shop, order_id)
        moment = f"{date} {time:%H:%M}" if time else str(date)
        _set(shop, order_id, delivery=moment)


def add_note(order_id: int, text: str) -> None:
    """Add a line to an order's notes."""
    with _shop() as shop:
        notes = _order(shop, order_id)["notes"]
        _set(shop, order_id, notes=f"{notes}\n{text}" if notes else text)


@contextmanager
def _shop() -> Iterator[sqlite3.Connection]:
    """Open the shop: what is done inside is done as a whole, or not at all."""
    with closing(sqlite3.connect(HERE / "shop.db", isolation_level=None)) as shop:
        shop.row_factory = sqlite3.Row
        shop.execute("BEGIN IMMEDIATE")
        try:
            _fill(shop)
            yield shop
        except BaseException:
            shop.execute("ROLLBACK")
            raise
        shop.execute("COMMIT")


def _fill(shop: sqlite3.Connection) -> None:
    for statement in TABLES.split(";"):
        shop.execute(statement)
    if shop.execute("SELECT 1 FROM orders").fetchone() is None:
        shop.executemany(
            "INSERT INTO orders (id, customer, item, total, status) "
            "VALUES (:id, :customer, :item, :total, :status)",
            json.loads((HERE / "orders.json").read_text("utf-8")),
        )


def _order(shop: sqlite3.Connection, order_id: int) -> dict[str, Any]:
    row = shop.execute("SELECT * FROM orders WHERE id = ?", (order_id,)).fetchone()
    if row is None:
        raise LookupError(f"there is no order {order_id}")
    return dict(row)


def _set(shop: sqlite3.Connection, order_id: int, **values: str | None) -> None:
    columns = ", ".join(f"{name} = :{name}" for name in values)
    shop.execute(f"UPDATE orders SET {columns} WHERE id = :id", {**values, "id": order_id})
