"""``citeloom verify`` and ``evaluate --claims`` with a language model as judge."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import Done, inside
from support.models.llm_double import LlmDouble, a_language_model, refuses, says

from citeloom.application.verification.language_model_judge import CONTROL

PONDS = "szelkutiEveningCoolingSmall2022"
EXACT = "The effect decays exponentially with a length of about 59 m"
FREE = "Close to the banks one felt noticeably fresher after sunset than in town"


@pytest.fixture
def double() -> Iterator[LlmDouble]:
    with a_language_model() as made:
        yield made


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "draft.md"
    path.write_text(f"{EXACT} [@{PONDS}].\n\n{FREE} [@{PONDS}].\n")
    return path


def run(double: LlmDouble, workspace: Path, *arguments: str | Path) -> Done:
    env = {
        "CITELOOM_VERIFY__JUDGE": "language-model",
        "CITELOOM_LLM__URL": double.url,
        "CITELOOM_LLM__MODEL": "small",
    }
    done = inside(*arguments, "--json", workspace=workspace, **env)
    assert done.code == 0, done.err
    return done


def quoting(asked: dict[str, list[dict[str, str]]]) -> object:
    """Supports any claim but the control by the first sentence that it got."""
    got = json.loads(asked["messages"][-1]["content"])
    if got["claim"] == CONTROL:
        return says({"verdict": "NOT_ESTABLISHED", "sentence": ""})
    return says({"verdict": "SUPPORTED", "sentence": got["source"][0]["sentence"]})


def test_what_rules_cannot_tell_is_judged_once_and_kept(
    samples: Path, draft: Path, double: LlmDouble
) -> None:
    double.always = quoting
    done = run(double, samples, "verify", draft, "-p", "samples")
    assert "sending claims and the sentences of their sources to small at http://127" in done.err
    exact, free = done.json["findings"]
    assert (exact["verdict"], exact["basis"]) == ("SUPPORTED", "exact")
    assert (free["verdict"], free["basis"], free["confidence"]) == ("SUPPORTED", "judged", None)
    first = json.loads(double.prompts[0])["source"][0]["sentence"]
    assert free["evidence"][0]["text"] == first
    assert all(PONDS not in prompt and str(draft) not in prompt for prompt in double.prompts)
    asked = len(double.asked)
    again = run(double, samples, "verify", draft, "-p", "samples")
    assert (again.json["cached"], len(double.asked)) == (2, asked)


def test_a_model_that_does_not_answer_leaves_the_rules_verdict_for_now(
    samples: Path, draft: Path, double: LlmDouble
) -> None:
    double.always = refuses(404, "no such model")
    done = run(double, samples, "verify", draft, "-p", "samples", "--fresh")
    exact, free = done.json["findings"]
    assert (exact["verdict"], exact["provisional"]) == ("SUPPORTED", False)
    assert (free["verdict"], free["provisional"]) == ("NOT_ESTABLISHED", True)
    assert "no such model" in " ".join(free["reasons"])
    assert "1 verdict is by rules alone" in done.err
    double.always = quoting
    again = run(double, samples, "verify", draft, "-p", "samples")
    assert [one["verdict"] for one in again.json["findings"]] == ["SUPPORTED", "SUPPORTED"]


def test_the_model_is_measured_on_labelled_claims(tmp_path: Path, double: LlmDouble) -> None:
    claims = tmp_path / "claims.jsonl"
    row = {"claim": FREE, "evidence": [f"{EXACT}."], "label": "SUPPORT"}
    claims.write_text(json.dumps(row))
    double.always = quoting
    done = run(double, tmp_path / "w", "evaluate", "--claims", claims)
    assert (done.json["macro_f1"], done.json["warnings"]) == (1.0, [])
    assert "small at http://127" in done.json["judge"]
    double.always = refuses(404)
    failed = run(double, tmp_path / "w", "evaluate", "--claims", claims)
    assert "1 verdicts are by rules alone" in failed.json["warnings"][0]
