"""A process that holds a database as Zotero does; started by the tests beside it.

usage: python zotero_writer.py DATABASE (wal|delete) (commit|leave|spill|loop)

Locks the database exclusively, adds an item (R0000000, R0000001, …), then says "ready" and
holds on until its input ends. ``commit`` finishes the transaction, ``leave`` does not,
``spill`` also lets half of it go into the file; ``loop`` goes on committing.
"""

import select
import sqlite3
import sys


def main(database: str, journal: str, what: str) -> None:
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    if what == "spill":
        connection.execute("PRAGMA cache_size = 1")
    for number in range(1_000_000):
        connection.execute("BEGIN EXCLUSIVE")
        row = (f"R{number:07}",)
        connection.execute(
            "INSERT INTO items (itemTypeID, libraryID, key) "
            "SELECT itemTypeID, libraryID, ? FROM items LIMIT 1", row,
        )  # fmt: skip
        if what == "spill":
            connection.execute("UPDATE itemDataValues SET value = value || ' (edited)'")
            connection.execute("UPDATE items SET version = version + 1")
        if what in ("commit", "loop"):
            connection.execute("COMMIT")
        if number == 0:
            print("ready", flush=True)  # noqa: T201
        if what != "loop":
            break
        if select.select([sys.stdin], [], [], 0.002)[0]:
            break
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
