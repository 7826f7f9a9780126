"""Words that reports and messages share."""


def counted(number: int, thing: str) -> str:
    """``1 source``, ``2 sources``."""
    return f"{number} {thing}{'s' * (number != 1)}"


def on_one_line(text: str) -> str:
    return " ".join(text.split())
