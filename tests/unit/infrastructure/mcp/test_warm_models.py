"""Models are loaded once, ahead of the first question."""

import threading
import time
from typing import Any, cast

import pytest

from citeloom.application.ports.models import Embedder
from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.serving.jobs.pending import WarmModels


class CountingEmbedder:
    def __init__(self) -> None:
        self.loads = 0

    def __call__(self, name: str) -> Embedder:
        if name == "missing":
            raise ModelUnavailable("missing: not here")
        return cast(Embedder, self)

    @property
    def tokens(self) -> Any:
        return self

    def count(self, _text: str) -> int:
        return 1

    def embed_query(self, _text: str, _is_claim: bool = False) -> list[float]:
        self.loads += 1
        time.sleep(0.05)
        return [1.0]


def test_a_model_that_many_ask_for_at_once_is_loaded_once() -> None:
    embedder = CountingEmbedder()
    models = WarmModels(embedder)
    threads = [threading.Thread(target=models.ready, args=("m",)) for _ in range(8)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert embedder.loads == 1


def test_a_model_that_cannot_be_loaded_says_so_when_it_is_asked_for() -> None:
    embedder = CountingEmbedder()
    models = WarmModels(embedder)

    assert models.settled(0)
    models.warm_up(lambda: ["missing", "m"])

    assert models.settled(10)
    assert embedder.loads == 1
    with pytest.raises(ModelUnavailable):
        models.ready("missing")
