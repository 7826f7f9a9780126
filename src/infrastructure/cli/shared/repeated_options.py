"""Options that are given twice."""

from typing import Any

import typer


def refuse_repeats(command: Any) -> None:
    """Make a command, and those below it, refuse an option of one value that is given twice: the
    last one would win without a word."""
    for below in getattr(command, "commands", {}).values():
        refuse_repeats(below)
    parse = command.parse_args

    def parse_args(context: Any, arguments: list[str]) -> Any:
        check_repeats(command, context, arguments)
        return parse(context, arguments)

    command.parse_args = parse_args


def check_repeats(command: Any, context: Any, arguments: list[str]) -> None:
    """Raise a usage error where an option of one value is given twice to ``command`` itself. While
    the shell completes a line nothing is refused."""
    if context.resilient_parsing:
        return
    _, _, given = command.make_parser(context).parse_args(list(arguments))
    for option in given:
        if _has_one_value(option) and given.count(option) > 1:
            raise typer.BadParameter("is given twice; name one", ctx=context, param=option)


def _has_one_value(option: Any) -> bool:
    if option.param_type_name != "option":
        return False
    return not (option.is_flag or option.count or option.multiple)
