"""dashboard_schema.py FOLDER RULES: checks FOLDER/examples/grafana/driftd.json for what Grafana 9.4 and later want of a dashboard, without one:
prints what is wrong, nothing when nothing is. Every expression is written into the file RULES as a rule, for promtool to parse."""
import json
import re
import sys
from pathlib import Path

DATA_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# What Grafana itself sets, and what stands for it in an expression.
BUILT_IN = {"__rate_interval": "1m", "__interval": "1m", "__range": "1h", "__range_s": "3600"}
PANEL_KEYS = {"id": int, "type": str, "title": str, "gridPos": dict}
PANEL_TYPES = {"row", "stat", "table", "timeseries", "bargauge"}
# A counter of what happens every second somewhere; of others people want to know how often.
FREQUENT = re.compile(r"_seconds|driftd_watch_events|driftd_kube_(requests|answers)_total|driftd_evaluations|driftd_inspections|process_")


def targets(dash):
    for panel in dash["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['id']} {target['refId']}", target["expr"], target["datasource"]
    for annotation in dash["annotations"]["list"]:
        yield annotation["name"], annotation["expr"], annotation["datasource"]


def names(text):
    return re.findall(r"\$\{?(\w+)\}?", text)


def panels(dash):
    """Of each panel: its keys, its place, its id and those of its queries."""
    taken, ids = set(), set()
    for p in dash["panels"]:
        what = f"panel {p.get('id')}"
        for key, kind in PANEL_KEYS.items():
            if not isinstance(p.get(key), kind):
                yield f"{what}: {key} is missing or no {kind.__name__}"
        if p["type"] not in PANEL_TYPES:
            yield f"{what}: type {p['type']}"
        at = p["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        if at["x"] < 0 or at["x"] + at["w"] > 24 or at["h"] < 1 or cells & taken:
            yield f"{what}: {at} is outside or on another panel"
        taken |= cells
        if p["id"] in ids:
            yield f"{what}: another has the id"
        ids.add(p["id"])
        refs = [t["refId"] for t in p.get("targets", [])]
        if len(set(refs)) != len(refs) or bool(refs) != (p["type"] != "row"):
            yield f"{what}: queries {refs}"
        if refs and not isinstance(p["fieldConfig"]["defaults"].get("unit", ""), str):
            yield f"{what}: unit"


def expressions(dash, known, metrics):
    for what, expr, source in targets(dash):
        if source != DATA_SOURCE:
            yield f"{what}: another data source"
        for name in set(names(expr)) - known:
            yield f"{what}: no variable {name}"
        for metric in re.findall(r"\b(?:driftd|process)_\w+", expr):
            if metric.startswith("driftd_") and re.sub(r"_(bucket|sum|count)$", "", metric) not in metrics:
                yield f"{what}: docs/metrics.md has no {metric}"
        for metric in re.findall(r"\brate\((\w+)", expr):
            if not FREQUENT.search(metric):
                yield f"{what}: {metric} is rare: count it"


def dashboard(dash, metrics):
    variables = dash["templating"]["list"]
    known = {v["name"] for v in variables} | set(BUILT_IN)
    if not isinstance(dash.get("schemaVersion"), int) or not dash.get("title") or not dash.get("uid") or dash.get("id") is not None:
        yield "schemaVersion, title, uid or id"
    seen = {"datasource"}
    for v in variables:
        if v["type"] == "query" and (set(names(v["definition"])) - seen or v["query"]["query"] != v["definition"] or v["datasource"] != DATA_SOURCE):
            yield f"variable {v['name']}: {v['definition']}"
        seen.add(v["name"])
    used = {n for _, expr, _ in targets(dash) for n in names(expr)} | {n for v in variables for n in names(v.get("definition", ""))}
    for name in {v["name"] for v in variables} - used - {"datasource"}:
        yield f"variable {name} is not used"
    yield from panels(dash)
    yield from expressions(dash, known, metrics)


def main(folder, rules):
    folder = Path(folder)
    dash = json.loads((folder / "examples/grafana/driftd.json").read_text(encoding="utf-8"))
    metrics = set(re.findall(r"`(driftd_\w+)`", (folder / "docs/metrics.md").read_text(encoding="utf-8")))
    print("\n".join(dashboard(dash, metrics)), end="")
    parsed = [{"record": f"q{i}", "expr": re.sub(r"\$(\w+)", lambda m: BUILT_IN.get(m[1], "x"), expr)} for i, (_, expr, _) in enumerate(targets(dash))]
    Path(rules).write_text(json.dumps({"groups": [{"name": "dashboard", "rules": parsed}]}), encoding="utf-8")


main(*sys.argv[1:])
