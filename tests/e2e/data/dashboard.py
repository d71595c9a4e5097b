"""dashboard.py DASHBOARD PROMETHEUS-URL: asks Prometheus each query of a Grafana dashboard, as Grafana would with all selected, and prints those
without a number; nothing when each has one. What is wrong with the dashboard itself is printed too."""
import json
import math
import re
import sys
import urllib.parse
import urllib.request

DATA_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def ask(base, path, **query):
    with urllib.request.urlopen(f"{base}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
        return json.load(answer)["data"]


def variables(dash, base):
    """The variables' values, and complaints about those that have none."""
    values, complaints = {"__rate_interval": "1m", "__interval": "1m", "__range": "5m", "__range_s": "300"}, []
    for v in dash["templating"]["list"]:
        if v["type"] == "datasource":
            continue
        metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", v["definition"]).groups()
        found = sorted({s["metric"].get(label, "") for s in ask(base, "query", query=replace(metric, values))["result"]})
        if not found or v["query"]["query"] != v["definition"]:
            complaints.append(f"variable {v['name']}: {v['definition']}: {found}")
        values[v["name"]] = v.get("allValue") or (found or [""])[0]
    return values, complaints


def replace(text, values):
    return re.sub(r"\$(\w+)", lambda m: values[m[1]], text)


def queries(dash):
    for panel in dash["panels"]:
        for target in panel.get("targets", []):
            yield f"{panel['title']} {target['refId']}", target
    for annotation in dash["annotations"]["list"]:
        yield annotation["name"], annotation


def layout(dash):
    """Panels that have the id of another, or lie upon one."""
    taken, ids = {}, set()
    for p in dash["panels"]:
        pos = p["gridPos"]
        cells = [(x, y) for x in range(pos["x"], pos["x"] + pos["w"]) for y in range(pos["y"], pos["y"] + pos["h"])]
        if p["id"] in ids or pos["x"] + pos["w"] > 24 or any(c in taken for c in cells):
            yield f"{p['title']}: id or place"
        ids.add(p["id"])
        taken.update(dict.fromkeys(cells, p["id"]))


def main(path, base):
    with open(path, encoding="utf-8") as f:
        dash = json.load(f)
    values, complaints = variables(dash, base)
    complaints += layout(dash)
    asked = 0
    for name, target in queries(dash):
        asked += 1
        if target["datasource"] != DATA_SOURCE:
            complaints.append(f"{name}: another data source")
        result = ask(base, "query", query=replace(target["expr"], values))["result"]
        if not any(math.isfinite(float(sample["value"][1])) for sample in result):
            complaints.append(f"{name}: {target['expr']}: no number")
    if not asked:
        complaints.append("no query")
    print("\n".join(complaints), end="")


main(*sys.argv[1:])
