#!/usr/bin/env python3
"""canary.py make FOLDER | look FOLDER FILE... | echo CERT KEY PORT-FILE

What test_canary.sh needs. make: objects that hold a marker of their own in every place that may not be shown, a reference that differs from them in
every way, rules that fail on them. look: whether a marker comes out in a file, or in one below a folder, in any of the forms that a text may take;
exits with 1 and says which. echo: an API server that answers with what it was sent.
"""
import base64
import json
import os
import pathlib
import ssl
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

MARK = "QzCanary"  # of everything hidden; three digits behind it say in which place
SHOWN = "QzShown"  # of what is not: it must come out, or nobody looked
NAMESPACE = "canary"

# A marker may come out here, for this reason. Everything else is a leak.
ALLOWED = []


class Marks:
    def __init__(self):
        self.places = []

    def new(self, place):
        self.places.append(place)
        return f"{MARK}{len(self.places) - 1:03d}x"


def b64(text):
    return base64.b64encode(text.encode()).decode()


def jwt(m):
    return f"eyJhbGciOiJIUzI1NiJ9.{base64.urlsafe_b64encode(('{' + m).encode()).decode().rstrip('=')}.{m}"


def kubeconfig(m):
    return f"apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: {m}\n"


def manifest(m):
    return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  anything: {b64(m)}\n"


def applied(m):
    return {"kubectl.kubernetes.io/last-applied-configuration": json.dumps({"kind": "Thing", "spec": {"password": m}})}


def pods(container):
    return {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "a:1", **container}]}}}}


def data(key, value):
    return {"data": {key: value}}


# What an object holds besides its identity and what differs anyway: kind, name of the place, and how the marker stands there.
PLACES = [
    ("Secret", "data", lambda m: data("anything", b64(m))),
    ("Secret", "stringData", lambda m: {"stringData": {"anything": m}}),
    ("Secret", "last-applied", lambda m: {"metadata": {"annotations": applied(m)}}),
    ("ConfigMap", "password", lambda m: data("db.password", m)),
    ("ConfigMap", "tls-key", lambda m: data("tls.key", m)),
    ("ConfigMap", "dockerconfig", lambda m: data(".dockerconfigjson", m)),
    ("ConfigMap", "ini", lambda m: data("app.ini", f"[db]\nhost = db\npassword = {m}\n")),
    ("ConfigMap", "yaml", lambda m: data("app.yaml", f"db:\n  user: x\n  password: {m}\n")),
    ("ConfigMap", "json", lambda m: data("app.json", json.dumps({"client": {"clientSecret": m}}))),
    ("ConfigMap", "env-text", lambda m: data("pod.yaml", f"env:\n- name: DB_PASSWORD\n  value: {m}\n")),
    ("ConfigMap", "kubeconfig", lambda m: data("config", kubeconfig(m))),
    ("ConfigMap", "manifest", lambda m: data("secret.yaml", manifest(m))),
    ("ConfigMap", "url", lambda m: data("database", f"postgres://app:{m}@db:5432/app")),
    ("ConfigMap", "pem", lambda m: data("file", f"-----BEGIN RSA PRIVATE KEY-----\n{m}\n-----END RSA PRIVATE KEY-----\n")),
    ("ConfigMap", "pem-base64", lambda m: data("file", b64(f"-----BEGIN PRIVATE KEY-----\n{m}\n"))),
    ("ConfigMap", "jwt", lambda m: data("file", jwt(m))),
    ("ConfigMap", "key", lambda m: data(f"https://app:{m}@registry.example.com", "x")),
    ("ConfigMap", "last-applied", lambda m: {"metadata": {"annotations": applied(m)}}),
    ("ConfigMap", "annotation", lambda m: {"metadata": {"annotations": {"example.com/signing_key": m}}}),
    ("Deployment", "env", lambda m: pods({"env": [{"name": "DB_PASSWORD", "value": m}]})),
    ("Deployment", "args", lambda m: pods({"args": ["run", "--password", m]})),
    ("Deployment", "args-text", lambda m: pods({"args": ["run", f"--password={m}"]})),
    ("Deployment", "command", lambda m: pods({"command": ["sh", "-c", f"DB_PASS='{m}' exec app --token {m}"]})),
    ("Deployment", "annotation", lambda m: {"metadata": {"annotations": {"connectionString": m}}}),
    ("Widget", "password", lambda m: {"spec": {"password": m}}),
    ("Widget", "deep", lambda m: {"spec": {"a": {"b": {"privateKey": m}}}}),
    ("Widget", "value", lambda m: {"spec": {"password": {"value": m}}}),
    ("Widget", "list", lambda m: {"spec": {"users": [{"name": "x", "token": m}]}}),
    ("Widget", "unnamed-list", lambda m: {"spec": {"users": [{"user": "x", "authorization": m}]}}),
    ("Widget", "texts", lambda m: {"spec": {"passwords": [m, "x"]}}),
    ("Widget", "item-name", lambda m: {"spec": {"hosts": [{"name": f"https://u:{m}@h", "port": 1}]}}),
    ("Widget", "inner-secret", lambda m: {"spec": {"resources": [{"kind": "Secret", "data": {"anything": b64(m)}}]}}),
    ("Widget", "sensitive-field", lambda m: {"spec": {"pin": m}}),
    ("Widget", "below-sensitive-field", lambda m: {"spec": {"vault": {"deep": [{"er": m}]}}}),
    ("Widget", "sensitive-env", lambda m: {"spec": {"env": [{"name": "PIN", "value": m}]}}),
    ("Widget", "sensitive-text", lambda m: {"spec": {"text": f"pin={m}"}}),
]
# How the reference differs: it has nothing there, something else, the object has nothing there, and both have the same.
MODES = ["create", "modify", "delete", "context"]

# Templates that fail with, or print, what they read at a path of a kind.
FAILING = {
    "print": "more:\n  harmless: see {{ PATH }}",
    "print-all": "more: {{ toJson . | quote }}",
    "fail": '{{ fail (printf "bad: %s" (PATH | toString)) }}',
    "fail-base64": '{{ fail (PATH | toString | b64enc) }}',
    "fail-all": "{{ fail (toJson .) }}",
    "fail-later": '{{ $x := PATH }}{{ with $x }}{{ fail (cat "bad" .) }}{{ end }}',
    "index": "{{ index PATH 1 2 3 }}",
    "field": "{{ PATH.none }}",
    "atoi": '{{ semver (PATH | toString) }}',
    "duration": '{{ mustToDate "2006" (PATH | toString) }}',
    "regex": '{{ mustRegexMatch (printf "[%s" PATH) "x" }}',
    "yaml": "x: {{ PATH }}: [",
    "yaml-key": "{{ PATH }}\n  x",
    "no-object": "- {{ PATH }}",
}
READ = {
    "Secret": ("data", ".data.anything", lambda m: data("anything", b64(m))),
    "ConfigMap": ("data", '(index .data "db.password")', lambda m: data("db.password", m)),
    "Widget": ("spec", ".spec.password", lambda m: {"spec": {"password": m}}),
}
LOOKING_UP = {
    "fail-secret": '{{ fail (toJson (lookupCR "v1" "Secret" "canary" "looked-up")) }}',
    "print-secret": 'data:\n  x: {{ (lookupCR "v1" "Secret" "canary" "looked-up").data.anything }}\n',
    "decode-secret": 'data:\n  x: {{ (lookupCR "v1" "Secret" "canary" "looked-up").data.anything | b64dec }}\n',
    "print-configmap": 'data:\n  x: see {{ index (lookupCR "v1" "ConfigMap" "canary" "looked-up").data "db.password" }}\n',
    "fail-configmap": '{{ fail (toJson (lookupCR "v1" "ConfigMap" "canary" "looked-up")) }}',
}


def api_version(kind):
    return {"Deployment": "apps/v1", "Widget": "e2e.example.com/v1"}.get(kind, "v1")


def merge(a, b):
    if not (isinstance(a, dict) and isinstance(b, dict)):
        return b
    return {k: merge(a[k], b[k]) if k in a and k in b else a.get(k, b.get(k)) for k in [*a, *(k for k in b if k not in a)]}


def obj(kind, name, *parts):
    meta = {"name": name} if kind == "Widget" else {"name": name, "namespace": NAMESPACE}
    o = {"apiVersion": api_version(kind), "kind": kind, "metadata": meta}
    for p in parts:
        o = merge(o, p)
    return o


def place_cases(marks):
    """Pairs of the object and the template's object, as (name, object, expected)."""
    for kind, place, make in PLACES:
        for mode in MODES:
            name = f"{place}-{mode}"
            found, wanted = make(marks.new(f"{kind} {name} found")), make(marks.new(f"{kind} {name} expected"))
            both = {"metadata": {"annotations": {"differs": "found"}}}
            other = {"metadata": {"annotations": {"differs": "expected"}}}
            if mode == "create":
                yield obj(kind, name, found, both), obj(kind, name, other)
            elif mode == "delete":
                yield obj(kind, name, both), obj(kind, name, wanted, other)
            elif mode == "modify":
                yield obj(kind, name, found, both), obj(kind, name, wanted, other)
            else:
                yield obj(kind, name, found, both), obj(kind, name, found, other)


def guarded(path, text):
    """A template must render without an object, too."""
    return f"{{{{ if {path} }}}}\n{text}\n{{{{ end }}}}\n"


def failing_cases(marks):
    """(object, template text)"""
    head = "apiVersion: {}\nkind: {}\nmetadata:\n  name: {}\n{}"
    for kind, (top, path, make) in READ.items():
        for name, text in FAILING.items():
            name = f"error-{name}"
            namespace = "" if kind == "Widget" else f"  namespace: {NAMESPACE}\n"
            o = obj(kind, name, make(marks.new(f"{kind} {name}")))
            yield o, head.format(o["apiVersion"], kind, name, namespace) + guarded("." + top, text.replace("PATH", path))
    for name, text in LOOKING_UP.items():
        o = obj("ConfigMap", f"lookup-{name}", data("x", "y"))
        yield o, head.format("v1", "ConfigMap", f"lookup-{name}", f"  namespace: {NAMESPACE}\n") + guarded(".data", text)


def rule_cases(marks):
    yield obj("Widget", "rules", {"spec": {"password": marks.new("rule: message of a field"), "texts": [f"token={marks.new('rule: item of a list')}"]}})
    yield obj("Widget", "rules-parent", {"spec": {"password": marks.new("rule: message of its parent"), "limit": 1}})
    yield obj("ConfigMap", "rules", data("db.password", marks.new("rule file")))
    yield obj("ConfigMap", "rules-key", data(f"https://u:{marks.new('rule file: path')}@h", "x"))
    yield obj("Secret", "rules", data("anything", b64(marks.new("rule file: Secret"))))


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.e2e.example.com"},
    "spec": {
        "group": "e2e.example.com",
        "scope": "Cluster",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-validations": [
                {"rule": "!has(self.limit)", "messageExpression": "'limit beside ' + self.password"},
                {"rule": "!has(self.limit) || int(self.password) > 1"},
            ],
            "properties": {
                "limit": {"type": "integer"},
                "password": {"type": "string"},
                "texts": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self.size() < 3", "messageExpression": "'long: ' + self"},
                    {"rule": "timestamp(self) < timestamp('2020-01-01T00:00:00Z')"}]}},
            },
        }}}}}],
    },
}

RULES = """\
apiVersion: v1
kind: ConfigMap
at: .data.*
rules:
  - rule: self.size() < 1
    messageExpression: "'too long: ' + self"
  - rule: int(self) > 1
---
apiVersion: v1
kind: ConfigMap
name: rules
rules:
  - rule: "!has(self.data) || self.data.size() == 0"
    messageExpression: "'data: ' + self.data.map(k, self.data[k]).join(',')"
---
apiVersion: v1
kind: Secret
rules:
  - rule: "!has(self.data) || self.data.all(k, self.data[k].size() < 2)"
    messageExpression: "'data: ' + self.data.map(k, self.data[k]).join(',')"
"""


def make(folder):
    marks = Marks()
    folder = pathlib.Path(folder)
    reference = folder / "reference"
    reference.mkdir(parents=True)
    objects, templates = [], []
    for o, expected in place_cases(marks):
        objects.append(o)
        templates.append((f"{o['kind']}-{o['metadata']['name']}.yaml", json.dumps(expected, indent=1) + "\n"))
    for o, text in failing_cases(marks):
        objects.append(o)
        templates.append((f"{o['kind']}-{o['metadata']['name']}.yaml", text))
    objects += rule_cases(marks)
    objects.append(obj("Secret", "looked-up", data("anything", b64(marks.new("looked-up Secret")))))
    objects.append(obj("ConfigMap", "looked-up", data("db.password", marks.new("looked-up ConfigMap"))))
    objects.append(obj("ConfigMap", "control", data("greeting", SHOWN + "greeting")))
    templates.append(("ConfigMap-control.yaml", json.dumps(obj("ConfigMap", "control", data("greeting", "hello")))))
    for name, text in templates:
        (reference / name).write_text(text)
    listed = "".join(f"          - path: {name}\n" for name, _ in templates)
    (reference / "metadata.yaml").write_text(
        "apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        anyOf:\n" + listed)
    (folder / "objects.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [CRD, *objects]}))
    (folder / "crd.json").write_text(json.dumps(CRD))
    (folder / "rules.yaml").write_text(RULES)
    (folder / "places.json").write_text(json.dumps(marks.places))
    files = folder / "files"
    files.mkdir()
    for o in objects:
        (files / f"{o['kind']}-{o['metadata']['name']}.json").write_text(json.dumps(o))


def forms(marker):
    """The marker as it is, in base64 at each offset, in hex and as a URL may have it."""
    yield "raw", marker
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + marker.encode()).decode()
        # what its neighbours do not change
        yield f"base64+{offset}", text[(offset * 8 + 5) // 6:(offset + len(marker)) * 8 // 6]
    yield "hex", marker.encode().hex()
    yield "HEX", marker.encode().hex().upper()
    yield "URL", "".join(f"%{b:02X}" for b in marker.encode())
    yield "url", "".join(f"%{b:02x}" for b in marker.encode())


def leaks(content, places):
    found = []
    for form, text in forms(MARK):
        at = content.find(text.encode())
        while at >= 0:
            around = content[max(0, at - 80):at + 120].decode("utf-8", "replace")
            digits = content[at + len(MARK):at + len(MARK) + 3]
            place = places[int(digits)] if form == "raw" and digits.isdigit() and int(digits) < len(places) else "?"
            if place not in ALLOWED and not (os.environ.get("without_fields") and "sensitive-" in place):
                found.append(f"{form}, {place}: …{around!r}…")
            at = content.find(text.encode(), at + 1)
    return found


def self_test():
    """Each form is found in its surroundings, and a text without the marker is not."""
    m = MARK + "007x"
    for i in range(3):
        surrounded = base64.b64encode(b"abcdef"[:i] + m.encode() + b"ghi").decode()
        assert leaks(surrounded.encode(), []), f"base64 at {i}"
    for form, text in forms(m):
        assert leaks(f"before {text} after".encode(), []), form
    assert not leaks(b"QzCanar", [])


def look(folder, names):
    self_test()
    places = json.loads((pathlib.Path(folder) / "places.json").read_text())
    bad = 0
    for name in names:
        path = pathlib.Path(name)
        files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
        if not any(p.stat().st_size for p in files):
            print(f"{name}: nothing to look into")
            bad += 1
        for p in files:
            for leak in leaks(p.read_bytes(), places):
                print(f"{p.name}: {leak}")
                bad += 1
    return 1 if bad else 0


def spelled(secret):
    """The same text as others may write it."""
    raw = secret.encode()
    return [
        secret, secret.upper(), secret.lower(), base64.b64encode(raw).decode(), base64.urlsafe_b64encode(b"u:" + raw + b"/").decode(),
        "".join(f"%{c:02x}" for c in raw), "".join(f"\\u{c:04X}" for c in raw), "".join(f"&#{c};" for c in raw)]


class Echo(BaseHTTPRequestHandler):
    """It repeats what it was sent: below /status/N as an error, below /text/N as the text of an answer, in the Nth spelling; else all of it."""

    def do_GET(self):
        authorization = self.headers.get("Authorization", "")
        said = base64.b64decode(authorization[6:]).decode() if authorization.startswith("Basic ") else authorization.rpartition(" ")[2]
        sent = f"{said}; {authorization}; " + "; ".join(f"{k}: {v}" for k, v in self.headers.items())
        where = self.path.split("/")
        what = spelled(said)[int(where[2])] if where[1] in ("status", "text") else sent  # one each: what is shown may be cut
        status, body, content = 403, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden",
                                                 "code": 403, "message": f"no entry with {what}"}).encode(), "application/json"
        if where[1] == "text":
            status, body, content = 200, f"you sent {what}".encode(), "text/plain"
        self.send_response(status)
        self.send_header("Content-Type", content)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *args):
        pass


def echo(cert, key, port_file):
    server = HTTPServer(("127.0.0.1", 0), Echo)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    pathlib.Path(port_file).write_text(str(server.server_port))
    server.serve_forever()


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(*args)
    elif command == "look":
        return look(args[0], args[1:])
    elif command == "echo":
        echo(*args)
    return 0


sys.exit(main())
