"""The scrape configuration and the alerts in config/, against what a server tells."""

import re
from pathlib import Path
from typing import Any

import yaml
from support.http_client import request
from support.http_server import serving
from support.paths import ROOT
from support.world import World

_FUNCTIONS = {"sum", "rate", "increase", "histogram_quantile", "by", "le", "kind", "lane"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / "config" / name).read_text("utf-8"))


def rules() -> list[dict[str, Any]]:
    (group,) = read("prometheus-rules.yml")["groups"]
    return list(group["rules"])


def test_alerts_ask_for_figures_and_labels_that_there_are(tmp_path: Path) -> None:
    with serving(World(tmp_path)) as address:
        request("GET", f"{address}/api/v1/projects")
        text = request("GET", f"{address}/metrics").text
    told = set(re.findall(r"^# TYPE (\S+) ", text, re.M))
    for rule in rules():
        expression = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
        named = set(re.findall(r"\bciteloom_\w+", expression))
        assert named or "up" in expression, rule["alert"]
        for name in named:
            assert {name, name.removesuffix("_bucket")} & told, name
        words = set(re.findall(r"[a-z_]+", expression)) - _FUNCTIONS - named
        assert words <= {"up", "job", "status", "route", "state"}, rule["alert"]
        assert rule["annotations"]["summary"].endswith(".")


def test_the_scrape_configuration_asks_where_figures_are() -> None:
    (job,) = read("prometheus.yml")["scrape_configs"]
    assert (job["job_name"], job["metrics_path"]) == ("citeloom", "/metrics")
    assert read("prometheus.yml")["rule_files"] == ["prometheus-rules.yml"]
    assert 'job="citeloom"' in rules()[0]["expr"]
