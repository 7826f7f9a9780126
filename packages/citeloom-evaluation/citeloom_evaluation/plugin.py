"""The plugin of this package."""

from collections.abc import Mapping

from citeloom.infrastructure.plugins import CommandEntry, Plugin


class EvaluationPlugin(Plugin):
    """The command ``evaluate``."""

    def commands(self) -> Mapping[str, Mapping[str, CommandEntry]]:
        sentence = "Measure the search on judged questions."
        place = "citeloom_evaluation.cli.evaluate:evaluate"
        return {"Check": {"evaluate": CommandEntry(place, sentence)}}
