"""What operators are given: alert rules, dashboard, compose file, image, bill of materials."""

import asyncio
import json
import os
import re
import runpy
import shutil
import subprocess
import tomllib

import pytest
import yaml
from fastmcp import FastMCP

from pit_memory.cli.serve import command as serve
from pit_memory.core.serving.metrics import METRICS
from pit_memory.core.settings.server_settings import ServerSettings
from pit_memory.core.settings.settings import KEYS
from pit_memory.operations.meter import Meter
from pit_memory.server.http import http_application
from pit_memory.workspace.places import places
from pit_memory.workspace.settings_files import load
from tests.mcp.asgi import HERE, request, running
from tests.shared_material import PROJECT

OPS = PROJECT / "ops"
RULES = yaml.safe_load((OPS / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((OPS / "dashboard.json").read_text())
COMPOSE = yaml.safe_load((OPS / "compose.yml").read_text())
IMAGE = (OPS / "Dockerfile").read_text()


def unknown(expression):
    """Names and labels in an expression that the server doesn't give."""
    for name, labels in re.findall(r"(pit_memory_\w+)(?:\{([^}]*)\})?", expression):
        metric = METRICS.get(re.sub(r"_(bucket|sum|count)$", "", name)) or METRICS.get(name)
        if metric is None:
            yield name
            continue
        for label in re.findall(r"(\w+)\s*[=!]", labels):
            if label not in {*metric.labels, "instance", "job", "le"}:
                yield f"{name}{{{label}}}"
    for labels in re.findall(r"by \(([^)]*)\)", expression):
        known = {label for metric in METRICS.values() for label in metric.labels}
        yield from {it.strip() for it in labels.split(",")} - known - {"instance", "le"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_an_alert_speaks_of_metrics_there_are_and_says_what_to_do(rule):
    assert list(unknown(rule["expr"])) == []
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["action"]
    assert rule["labels"]["severity"] in ("warning", "critical")


def test_an_unknown_metric_in_an_expression_is_seen():
    assert list(unknown('rate(pit_memory_nothing_total[5m]) + pit_memory_canary{let="x"}')) == [
        "pit_memory_nothing_total",
        "pit_memory_canary{let}",
    ]


def test_every_alert_fires_and_stays_quiet():
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed (Debian: prometheus)")
    tested = yaml.safe_load((OPS / "alerts.test.yml").read_text())["tests"]
    names = {test["name"] for test in tested}
    assert names == {
        f"{rule['alert']} {what}" for rule in RULES for what in ("fires", "stays quiet")
    }
    for arguments in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts.test.yml"]):
        ran = subprocess.run(
            [promtool, *arguments], cwd=OPS, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_dashboard_shows_metrics_there_are_side_by_side():
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= DASHBOARD.keys()
    taken = set()
    for panel in DASHBOARD["panels"]:
        assert panel["title"]
        for target in panel["targets"]:
            assert list(unknown(target["expr"])) == [], panel["title"]
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not taken & cells
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_every_metric_is_on_the_dashboard_or_in_an_alert():
    text = json.dumps(DASHBOARD) + json.dumps(RULES)
    assert [name for name in METRICS if name not in text] == ["pit_memory_generation"]


def test_the_server_runs_without_rights_in_its_container():
    service = COMPOSE["services"]["pit-memory"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["user"] == "10001"
    assert "no-new-privileges:true" in service["security_opt"]
    assert "\nUSER 10001\n" in IMAGE
    assert "HEALTHCHECK" in IMAGE
    assert "/health/ready" in IMAGE
    assert "--require-hashes" in IMAGE


def instructions():
    """What the Dockerfile says, one instruction with its whole text each."""
    text = re.sub(r"^ *#.*\n", "", IMAGE, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line.strip()]


def test_the_image_copies_what_there_is_and_starts_what_is_installed():
    said = instructions()
    names = [name for name, _ in said]
    assert names[0] == "FROM"
    assert re.fullmatch(r"python:3\.\d+-slim", said[0][1])
    copied = [source for name, text in said if name == "COPY" for source in text.split()[:-1]]
    assert all((PROJECT / source).exists() for source in copied), copied
    locks = {source for source in copied if source.endswith(".lock")}
    installed = {lock for _, text in said for lock in re.findall(r"requirement (\S+\.lock)", text)}
    assert locks == installed
    assert names.index("USER") < names.index("ENTRYPOINT")
    (entry,) = (json.loads(text) for name, text in said if name == "ENTRYPOINT")
    (command,) = (json.loads(text) for name, text in said if name == "CMD")
    scripts = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["scripts"]
    assert entry == ["pit-memory"]
    assert entry[0] in scripts
    options = {option for each in serve.params for option in each.opts}
    assert command[0] == "serve"
    assert {it for it in command if it.startswith("--")} <= options
    assert ("EXPOSE", str(ServerSettings().port)) in said


def test_the_compose_file_names_settings_files_and_volumes_there_are():
    variables = {key.environment for key in KEYS.values()}
    environment = COMPOSE["services"]["pit-memory"]["environment"]
    assert set(environment) <= variables
    volumes = [it for service in COMPOSE["services"].values() for it in service.get("volumes", ())]
    for volume in volumes:
        source = volume.partition(":")[0]
        if source.startswith("./"):
            assert (OPS / source).is_file()
        elif not source.startswith("${"):
            assert source in COMPOSE["volumes"]
    assert "PIT_MEMORY_SERVER_METRICS_TOKEN" in variables


def test_prometheus_and_the_healthcheck_ask_by_names_that_the_server_answers_to():
    environment = COMPOSE["services"]["pit-memory"]["environment"]
    hosts = load(None, places(os.environ), environment).settings.server.allowed_hosts
    targets = yaml.safe_load((OPS / "prometheus.yml").read_text())["scrape_configs"][0]
    (target,) = targets["static_configs"][0]["targets"]
    app = http_application(FastMCP("empty"), ServerSettings(allowed_hosts=hosts), None, Meter())

    async def ask(host):
        async with running(app):
            return (await request(app, "GET", "/metrics", client=HERE, host=host)).status

    (checked,) = re.findall(r"http://([^/]+)/health/ready", IMAGE)
    for host in (target, checked):
        assert asyncio.run(ask(host)) == 404, "let through; there is no such route in this one"
    assert asyncio.run(ask("elsewhere:8484")) == 421


def test_every_version_in_the_compose_file_is_fixed():
    images = [it["image"] for it in COMPOSE["services"].values() if "image" in it]
    assert all(re.fullmatch(r"[a-z]+/[a-z]+:v?\d+\.\d+\.\d+", image) for image in images)


def test_the_bill_of_materials_holds_every_pin_with_its_hashes():
    make = runpy.run_path(str(PROJECT / "scripts/sbom.py"))["bill_of_materials"]
    bill = make()

    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    refs = [component["bom-ref"] for component in bill["components"]]
    assert len(set(refs)) == len(refs)
    pins = {
        pin
        for lock in ("requirements.lock", "requirements-model.lock", "requirements-team.lock")
        for pin in re.findall(r"^\S+==\S+[^\\\n]*", (PROJECT / lock).read_text(), re.MULTILINE)
    }
    assert len(refs) == len(pins)
    assert all(component["hashes"] for component in bill["components"])
    assert all(component["purl"].startswith("pkg:pypi/") for component in bill["components"])
    assert json.dumps(make()) == json.dumps(bill)
