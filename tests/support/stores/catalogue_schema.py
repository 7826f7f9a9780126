"""The catalogue's tables as the first eight migrations made them, and how tables are compared."""

from typing import Any

from sqlalchemy import Connection, inspect
from support.paths import CASES

#: The statements of ``sqlite_master`` at revision 0008, made by migrations 0001 to 0008.
OLD_SCHEMA = (CASES / "catalogue_0008.sql").read_text("utf-8")


def described(connection: Connection) -> dict[str, Any]:
    """By table: columns in order, keys, constraints and indexes with their names."""
    inspector = inspect(connection)
    return {
        table: {
            "columns": [
                (column["name"], _type(column["type"]), column["nullable"], column["default"])
                for column in inspector.get_columns(table)
            ],
            "primary": inspector.get_pk_constraint(table)["constrained_columns"],
            "primary_name": inspector.get_pk_constraint(table)["name"],
            "references": sorted(
                (
                    str(key["name"]),
                    key["constrained_columns"],
                    key["referred_table"],
                    key["referred_columns"],
                    key["options"],
                )
                for key in inspector.get_foreign_keys(table)
            ),
            "unique": sorted(
                (str(one["name"]), one["column_names"])
                for one in inspector.get_unique_constraints(table)
            ),
            "indexes": sorted(
                (str(one["name"]), one["column_names"], bool(one["unique"]))
                for one in inspector.get_indexes(table)
                if "duplicates_constraint" not in one
            ),
        }
        for table in inspector.get_table_names()
    }


def _type(column_type: object) -> str:
    return str(column_type).replace("DOUBLE PRECISION", "FLOAT")
