#!/usr/bin/env python3
"""helm_release.py --name NAME --namespace NAMESPACE [options] < MANIFESTS > OBJECT.json: a revision of a release as Helm 3 keeps it.

The format is Helm's own, as clusters hold it: a JSON text with the release, its chart (templates, values), what was given to it, its hooks
and the rendered manifest; gzipped, in base64, under data.release of a ConfigMap or, once more in base64, of a Secret. Templates,
values, notes and hooks all know the same password, --canary. With --list the objects of several calls, one a line, become a List.

As a module: release(manifest, name=…, namespace=…, …) returns the object, packed(text, …) what data.release would hold.
"""
import argparse
import base64
import gzip
import json
import re
import sys

PREFIX = "sh.helm.release.v1"
CANARY = "canary-of-a-release-8c1f"
FIRST, LAST = "2024-01-02T03:04:05.678901234Z", "2024-05-06T07:08:09.123456789+02:00"


def text64(text):
    return base64.b64encode(text.encode()).decode()


def documents(manifest):
    """The texts between lines of three dashes, none of them empty."""
    parts = re.split(r"^---[ \t]*\r?$\n?", manifest, flags=re.M)
    return [p for p in parts if p.strip()]


def rendered(manifest, chart):
    """As Helm joins what its templates make: each behind its dashes and the name of its template."""
    out = []
    for i, text in enumerate(documents(manifest)):
        source = "" if text.startswith("# Source: ") else f"# Source: {chart}/templates/{i:03}.yaml\n"
        out.append(f"---\n{source}{text.rstrip()}\n")
    return "".join(out)


def chart_of(name, version, app_version, manifest, values):
    templates = [{"name": f"templates/{i:03}.yaml", "data": text64("{{- if .Values.enabled }}\n" + text + "{{- end }}\n")}
                 for i, text in enumerate(documents(manifest))]
    templates += [{"name": "templates/secret.yaml", "data": text64("data:\n  password: {{ .Values.password | b64enc | quote }}\n")},
                  {"name": "templates/NOTES.txt", "data": text64("Log in with {{ .Values.password }}.\n")}]
    metadata = {"name": name, "home": "https://charts.example/", "sources": ["https://code.example/" + name], "version": version,
                "description": f"A chart <of> tests & {name}", "keywords": [name],
                "maintainers": [{"name": "nobody", "email": "nobody@mail.example"}], "apiVersion": "v2",
                "appVersion": app_version, "annotations": {"version": "not this one"}, "type": "application"}
    return {"metadata": metadata, "lock": None, "templates": templates, "values": values, "schema": None,
            "files": [{"name": "README.md", "data": text64(f"# {name}\n")}]}


def hooks_of(name, canary):
    manifest = (f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}-migrate\n  annotations:\n    helm.sh/hook: pre-upgrade\n"
                f"spec:\n  template:\n    spec:\n      containers: [{{name: m, image: m, args: [--password, {canary}]}}]\n")
    run = {"started_at": FIRST, "completed_at": LAST, "phase": "Succeeded"}
    return [{"name": f"{name}-migrate", "kind": "Job", "path": f"{name}/templates/migrate.yaml", "manifest": manifest,
             "events": ["pre-upgrade"], "last_run": run, "weight": -5, "delete_policies": ["before-hook-creation"]}]


def go_json(value):
    """As Go's encoding/json writes it, but for the order of members."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[&<>\u2028\u2029]", lambda c: f"\\u{ord(c[0]):04x}", text)


def packed(text, driver="secret", gzipped=True):
    data = text.encode() if isinstance(text, str) else text
    data = base64.b64encode(gzip.compress(data, 9, mtime=0) if gzipped else data)
    return (base64.b64encode(data) if driver == "secret" else data).decode()


def body(manifest, name, namespace, revision, status, chart, app_version="1.0", canary=CANARY, padding=0):
    """What is packed, before it is. padding: bytes of values more."""
    chart_name, chart_version = re.fullmatch(r"(.+?)-(v?\d.*)", chart).groups()
    values = {"enabled": True, "password": canary, "database": {"url": f"postgres://admin:{canary}@db/app"}}
    given = {"password": canary, "padding": "x" * padding} if padding else {"password": canary}
    info = {"first_deployed": FIRST, "last_deployed": LAST, "deleted": LAST if status.startswith("uninstall") else "",
            "description": "Upgrade complete" if status == "deployed" else status, "status": status, "notes": f"Log in with {canary}.\n"}
    return {"name": name, "info": info, "chart": chart_of(chart_name, chart_version, app_version, manifest, values), "config": given,
            "manifest": rendered(manifest, chart_name), "hooks": hooks_of(name, canary), "version": revision, "namespace": namespace}


def release(manifest, name="web", namespace="shop", revision=1, status="deployed", chart="web-1.2.0", driver="secret", gzipped=True,
            outside=None, inside=None, **more):
    """outside: what the object's labels (name, version, status, owner), its "namespace", "object" (its name) or "type" say instead; inside:
    members of the release itself, or its "status"."""
    outside, inside = dict(outside or {}), dict(inside or {})
    text = body(manifest, name, namespace, revision, status, chart, **more)
    text["info"]["status"] = inside.pop("status", status)
    text.update(inside)
    metadata = {"namespace": outside.pop("namespace", namespace), "name": outside.pop("object", f"{PREFIX}.{name}.v{revision}")}
    kind = outside.pop("type", "helm.sh/release.v1")
    metadata["labels"] = {"createdAt": "1704164645", "name": name, "owner": "helm", "status": status, "version": str(revision), **outside}
    made = {"apiVersion": "v1", "kind": "Secret" if driver == "secret" else "ConfigMap", "metadata": metadata,
            "data": {"release": packed(go_json(text), driver, gzipped)}}
    if driver == "secret":
        made["type"] = kind
    return made


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--name", default="web")
    p.add_argument("--namespace", default="shop")
    p.add_argument("--revision", type=int, default=1)
    p.add_argument("--status", default="deployed")
    p.add_argument("--chart", default="web-1.2.0", metavar="NAME-VERSION")
    p.add_argument("--app-version", default="1.0")
    p.add_argument("--driver", choices=["secret", "configmap"], default="secret")
    p.add_argument("--no-gzip", action="store_true")
    p.add_argument("--canary", default=CANARY)
    p.add_argument("--padding", type=int, default=0, metavar="BYTES", help="of values that are given")
    for label in "status", "name", "version", "owner":
        p.add_argument("--label-" + label, help="what the object says instead")
    p.add_argument("--object-name")
    p.add_argument("--object-namespace")
    p.add_argument("--type")
    for member in "name", "namespace", "status", "manifest":
        p.add_argument("--inner-" + member, help="what the release says instead")
    p.add_argument("--inner-revision", type=int)
    p.add_argument("--list", action="store_true", help="standard input is objects, one a line; they become a List")
    return p.parse_args()


def given(pairs):
    return {name: value for name, value in pairs.items() if value is not None}


def main():
    o = options()
    if o.list:
        made = {"apiVersion": "v1", "kind": "List", "items": [json.loads(line) for line in sys.stdin if line.strip()]}
    else:
        outside = given({"status": o.label_status, "name": o.label_name, "version": o.label_version, "owner": o.label_owner,
                         "object": o.object_name, "namespace": o.object_namespace, "type": o.type})
        inside = given({"name": o.inner_name, "namespace": o.inner_namespace, "status": o.inner_status, "manifest": o.inner_manifest,
                        "version": o.inner_revision})
        made = release(sys.stdin.read(), o.name, o.namespace, o.revision, o.status, o.chart, o.driver, not o.no_gzip, outside, inside,
                       app_version=o.app_version, canary=o.canary, padding=o.padding)
    json.dump(made, sys.stdout)
    print()


if __name__ == "__main__":
    main()
