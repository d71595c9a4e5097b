"""alert_rules.py complaints FOLDER FILE: what the alerts of FOLDER/examples/prometheus lack, also into FILE; the status is 1 where they do.
alert_rules.py table FOLDER FILE: makes FILE, tests for promtool: findings of each type and severity in the source fire the alert that the
table of docs/guide/runbook.md has for them, and no other."""
import itertools
import re
import sys
from pathlib import Path

import yaml

URL = "http://localhost:19470/runbook"
# The family in which findings of a type are without metrics.by_namespace, and whether it has their severity.
FAMILIES = {
    "drift": ("driftd_objects_drifted", True),
    "component": ("driftd_components_unsatisfied", True),
    "validation": ("driftd_validation_failures_current", True),
    "inspection": ("driftd_inspection_failures_current", True),
    "error": ("driftd_evaluation_errors_current", False),
    "gap": ("driftd_watch_gaps_current", False),
    "accepted": ("driftd_accepted_deviations", False),
}


def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def alerts(path):
    return [r for g in load(path)["groups"] for r in g["rules"]]


def complaints(folder):
    for path in sorted((folder / "examples/prometheus").glob("*.rules.yaml")):
        cases = [c for t in load(path.with_suffix(".test.yaml"))["tests"] for c in t["alert_rule_test"]]
        names = [a["alert"] for a in alerts(path)]
        for name in {c["alertname"] for c in cases} - set(names):
            yield f"{path.name}: a test of {name}, which is none"
        for alert in alerts(path):
            of_it = [bool(c["exp_alerts"]) for c in cases if c["alertname"] == alert["alert"]]
            if sorted(set(of_it)) != [False, True]:
                yield f"{path.name}: {alert['alert']} has no test in which it fires, or none in which it does not"
            if alert["annotations"]["runbook_url"] != f"{URL}#{alert['alert'].lower()}":
                yield f"{path.name}: {alert['alert']}: runbook_url"


def source_lists(folder):
    """The types and severities that driftd has."""
    types = re.search(r"\btypes\[\] = \{(.*?)\};", (folder / "daemon/findings/finding.c").read_text(encoding="utf-8"), re.S)[1]
    severities = (folder / "engine/base/severity.c").read_text(encoding="utf-8")
    return re.findall(r'"(\w+)"', types), re.findall(r'\{ "(\w+)", SEVERITY_', severities)


def table(folder):
    """(type, severity) -> the alert, or "-"."""
    section = (folder / "docs/guide/runbook.md").read_text(encoding="utf-8").split("## Types and severities\n")[1].split("\n## ")[0]
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| ")]
    return {(row[0], severity): cell for row in rows[1:] for severity, cell in zip(rows[0][1:], row[1:])}


def make_test(kind, severity, alert):
    """More than a day with one finding."""
    family, graded = FAMILIES[kind]
    labels = 'kube_cluster="c"' + (f', severity="{severity}"' if graded else "")
    series = [{"series": f"{family}{{{labels}}}", "values": "1x400"}, {"series": 'driftd_cluster_up{kube_cluster="c"}', "values": "1x400"}]
    if kind == "drift":
        series.append({"series": f"driftd_oldest_drift_timestamp_seconds{{{labels}}}", "values": "0x400"})
    fired = {alert} - {"-"} | ({"DriftdDriftPersisting"} if kind == "drift" else set())
    return {
        "interval": "5m",
        "name": f"{kind} {severity}",
        "input_series": series,
        "promql_expr_test": [{
            "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
            "eval_time": "25h",
            "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(fired)],
        }],
    }


def tests_of_table(folder):
    known, cells = set(itertools.product(*source_lists(folder))), table(folder)
    assert set(cells) == known, f"the table has not exactly what driftd has: {set(cells) ^ known}"
    assert {kind for kind, _ in known} == set(FAMILIES)
    files = [str(folder / "examples/prometheus" / name) for name in ("driftd.rules.yaml", "driftd-findings.rules.yaml")]
    return {"rule_files": files, "evaluation_interval": "5m", "tests": [make_test(k, s, alert) for (k, s), alert in sorted(cells.items())]}


def main(what, folder, file):
    if what == "table":
        Path(file).write_text(yaml.safe_dump(tests_of_table(Path(folder)), width=1000), encoding="utf-8")
        return 0
    found = list(complaints(Path(folder)))
    Path(file).write_text("".join(f"{c}\n" for c in found), encoding="utf-8")
    print("\n".join(found), end="")
    return len(found) > 0


sys.exit(main(*sys.argv[1:]))
