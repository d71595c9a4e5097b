"""Where the markers of canary.py stand: objects, templates that print and fail, rules, texts."""
import ast
import base64
import json
import pathlib
import re
from urllib.parse import quote

MARK = "QzCanary"  # of every text that may not be shown; four digits behind it say which
NUMBER = "90909090"  # the same of numbers
SHOWN = "QzShown"  # of what may be shown: it must come out, or nobody looked
OPENED = "QzOpened"  # of what is hidden, until shown_fields names its key
OWN = 9000  # from here on they are credentials of driftd's own, which test_canary.sh writes down
NAMESPACE = "canary"
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"


class Marks:
    """Makes markers and remembers the place of each."""

    def __init__(self):
        self.places = []

    def new(self, place):
        self.places.append(place)
        return f"{MARK}{len(self.places) - 1:04d}x"

    def number(self, place):
        self.places.append(place)
        return int(f"{NUMBER}{len(self.places) - 1:04d}")


def b64(text):
    return base64.b64encode(text.encode()).decode()


def jwt(m):
    return f"eyJhbGciOiJIUzI1NiJ9.{base64.urlsafe_b64encode(('{' + m).encode()).decode().rstrip('=')}.{m}"


def github(m):
    return f"ghp_{m}{'abcdefghijklmnopqrstuvwxyz0123456789'[:36 - len(m)]}"


def kubeconfig(m):
    return f"apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user:\n    token: {m}\n"


def manifest(m):
    return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  anything: {b64(m)}\n"


def applied(inner):
    return {"metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(inner)}}}


def pods(container, of="containers", **more):
    return {"spec": {"template": {"spec": {of: [{"name": "app", "image": "a:1", **container}], **more}}}}


def data(key, value):
    return {"data": {key: value}}


def spec(**members):
    return {"spec": members}


def annotated(key, value):
    return {"metadata": {"annotations": {key: value}}}


# What an object holds besides its identity and what differs anyway: kind, name of the place, and how the marker stands there, which is a
# number where that name ends in "-number".
PLACES = [
    ("Secret", "data", lambda m: data("anything", b64(m))),
    ("Secret", "data-twice", lambda m: data("anything", b64(b64(m)))),
    ("Secret", "data-public-name", lambda m: data("publicKey", b64(m))),
    ("Secret", "stringData", lambda m: {"stringData": {"anything": m}}),
    ("Secret", "last-applied", lambda m: applied({"kind": "Thing", "spec": {"password": m}})),
    ("Secret", "last-applied-data", lambda m: applied({"kind": "Secret", "data": {"anything": b64(m)}})),
    ("Secret", "annotation", lambda m: annotated("example.com/token", m)),
    ("Secret", "key", lambda m: data(f"{github(m)}", b64("x"))),
    ("ConfigMap", "password", lambda m: data("db.password", m)),
    ("ConfigMap", "tls-key", lambda m: data("tls.key", m)),
    ("ConfigMap", "ssh-key", lambda m: data("id_rsa", m)),
    ("ConfigMap", "dockerconfig", lambda m: data(".dockerconfigjson", m)),
    ("ConfigMap", "connection-string", lambda m: data("connectionString", m)),
    ("ConfigMap", "env-name", lambda m: data("AWS_SECRET_ACCESS_KEY", m)),
    ("ConfigMap", "kubeconfig", lambda m: data("config", kubeconfig(m))),
    ("ConfigMap", "manifest", lambda m: data("secret.yaml", manifest(m))),
    ("ConfigMap", "pem", lambda m: data("file", f"-----BEGIN RSA PRIVATE KEY-----\n{m}\n-----END RSA PRIVATE KEY-----\n")),
    ("ConfigMap", "pem-base64", lambda m: data("file", b64(f"-----BEGIN PRIVATE KEY-----\n{m}\n"))),
    ("ConfigMap", "jwt", lambda m: data("file", jwt(m))),
    ("ConfigMap", "binary", lambda m: {"binaryData": {"file": b64(f"user=x\npassword={m}\n")}}),
    ("ConfigMap", "binary-password", lambda m: {"binaryData": {"password": b64(m)}}),
    ("ConfigMap", "binary-key", lambda m: {"binaryData": {"file": b64(f"-----BEGIN PRIVATE KEY-----\n{m}\n")}}),
    ("ConfigMap", "key", lambda m: data(f"https://app:{m}@registry.example.com", "x")),
    ("ConfigMap", "key-token", lambda m: data(github(m), "x")),
    ("ConfigMap", "last-applied", lambda m: applied({"kind": "Thing", "spec": {"password": m}})),
    ("ConfigMap", "last-applied-deep", lambda m: applied({"kind": "ConfigMap", "data": {"app.ini": f"[db]\npassword = {m}\n"}})),
    ("ConfigMap", "annotation", lambda m: annotated("example.com/signing_key", m)),
    ("ConfigMap", "annotation-text", lambda m: annotated("example.com/config", f"user=x password={m}")),
    ("ConfigMap", "annotation-key", lambda m: annotated(f"example.com/{github(m)}", "x")),
    ("ConfigMap", "label", lambda m: {"metadata": {"labels": {"api-token": m}}}),
    ("ConfigMap", "label-token", lambda m: {"metadata": {"labels": {"anything": github(m)}}}),
    ("ConfigMap", "label-key", lambda m: {"metadata": {"labels": {github(m): "x"}}}),
    ("Deployment", "env", lambda m: pods({"env": [{"name": "DB_PASSWORD", "value": m}]})),
    ("Deployment", "env-value-first", lambda m: pods({"env": [{"value": m, "name": "API_TOKEN"}]})),
    ("Deployment", "env-url", lambda m: pods({"env": [{"name": "DATABASE", "value": f"postgres://app:{m}@db/app"}]})),
    ("Deployment", "env-init", lambda m: pods({"env": [{"name": "DB_PASSWORD", "value": m}]}, "initContainers")),
    ("Deployment", "env-key", lambda m: pods({"env": [{"name": f"https://u:{m}@h", "value": "x"}]})),
    ("Deployment", "args", lambda m: pods({"args": ["run", "--password", m]})),
    ("Deployment", "args-text", lambda m: pods({"args": ["run", f"--password={m}"]})),
    ("Deployment", "args-user", lambda m: pods({"args": ["--user", f"app:{m}"]})),
    ("Deployment", "args-u", lambda m: pods({"command": ["curl", "-u", f"app:{m}", "https://example.com"]})),
    ("Deployment", "args-key", lambda m: pods({"args": ["--api-key", m, "--level", "info"]})),
    ("Deployment", "args-json", lambda m: pods({"args": [json.dumps({"client_secret": m})]})),
    ("Deployment", "args-last", lambda m: pods({"args": ["--level", "info", "--client-secret", m]})),
    ("Deployment", "command", lambda m: pods({"command": ["sh", "-c", f"DB_PASS='{m}' exec app --token {m}"]})),
    ("Deployment", "command-curl", lambda m: pods({"command": ["sh", "-c", f"curl -u app:{m} https://example.com"]})),
    ("Deployment", "command-mysql", lambda m: pods({"command": ["sh", "-c", f"mysql -u root -p{m} app"]})),
    ("Deployment", "lifecycle", lambda m: pods({"lifecycle": {"preStop": {"exec": {"command": ["app", "--token", m]}}}})),
    ("Deployment", "probe-header", lambda m: pods(
        {"livenessProbe": {"httpGet": {"path": "/", "port": 80, "httpHeaders": [{"name": "Authorization", "value": m}]}}})),
    ("Deployment", "probe-exec", lambda m: pods({"readinessProbe": {"exec": {"command": ["redis-cli", "-a", m, "ping"]}}})),
    ("Deployment", "annotation", lambda m: annotated("connectionString", m)),
    ("Deployment", "pod-annotation", lambda m: {"spec": {"template": {"metadata": {"annotations": {"example.com/password": m}}}}}),
    ("Deployment", "volume-options", lambda m: pods({}, volumes=[{"name": "v", "flexVolume": {"options": {"password": m}}}])),
    ("Widget", "password", lambda m: spec(password=m)),
    ("Widget", "password-number", lambda m: spec(secret=m)),
    ("Widget", "list-number", lambda m: spec(token=[m, 1])),
    ("Widget", "deep-number", lambda m: spec(a=[{"b": {"passphrase": m}}])),
    ("Widget", "sensitive-number", lambda m: spec(pin=m)),
    ("Widget", "deep", lambda m: spec(a={"b": {"privateKey": m}})),
    ("Widget", "camel", lambda m: spec(bindDnPassword=m)),
    ("Widget", "capitals", lambda m: spec(**{"CLIENT_SECRET": m})),
    ("Widget", "kebab", lambda m: spec(**{"webhook-token": m})),
    ("Widget", "value", lambda m: spec(password={"value": m})),
    ("Widget", "default", lambda m: spec(password={"default": m})),
    ("Widget", "data-below", lambda m: spec(credentials={"data": m})),
    ("Widget", "list", lambda m: spec(users=[{"name": "x", "token": m}])),
    ("Widget", "unnamed-list", lambda m: spec(users=[{"user": "x", "authorization": m}])),
    ("Widget", "list-of-lists", lambda m: spec(rows=[[{"password": m}], [[{"token": m}]]])),
    ("Widget", "texts", lambda m: spec(passwords=[m, "x"])),
    ("Widget", "text-items", lambda m: spec(lines=["a", f"password={m}", "b"])),
    ("Widget", "name-value", lambda m: spec(settings=[{"name": "db-password", "value": m}])),
    ("Widget", "value-name", lambda m: spec(settings=[{"value": m, "name": "db-password"}])),
    ("Widget", "key-value", lambda m: spec(tags=[{"key": "db-password", "value": m}])),
    ("Widget", "option-value", lambda m: spec(flags=[{"option": "api-token", "value": m}])),
    ("Widget", "parameter-key", lambda m: spec(parameters=[{"ParameterKey": "DbPassword", "ParameterValue": m}])),
    ("Widget", "name-default", lambda m: spec(parameters=[{"name": "password", "default": m}])),
    ("Widget", "name-values", lambda m: spec(parameters=[{"name": "tokens", "values": [m]}])),
    ("Widget", "name-content", lambda m: spec(files=[{"name": "id_rsa", "content": m}])),
    ("Widget", "item-name", lambda m: spec(hosts=[{"name": f"https://u:{m}@h", "port": 1}])),
    ("Widget", "item-key", lambda m: spec(members=[{"id": github(m), "port": 1}])),
    ("Widget", "map-key", lambda m: spec(auths={f"https://u:{m}@registry.example.com": {"email": "x"}})),
    ("Widget", "map-key-deep", lambda m: spec(a=[{"b": {jwt(m): {"c": {"d": 1}}}}])),
    ("Widget", "inner-secret", lambda m: spec(resources=[{"kind": "Secret", "data": {"anything": b64(m)}}])),
    ("Widget", "inner-string-data", lambda m: spec(resources=[{"kind": "Secret", "stringData": {"anything": m}}])),
    ("Widget", "inner-deep", lambda m: spec(a={"b": [[{"apiVersion": "v1", "kind": "Secret", "data": {"deep": b64(m)}}]]})),
    ("Widget", "inner-list", lambda m: spec(list={"kind": "List", "items": [{"kind": "Secret", "stringData": {"anything": m}}]})),
    ("Widget", "inner-applied", lambda m: spec(objects=[{"kind": "Secret", **applied({"data": {"anything": b64(m)}})}])),
    ("Widget", "inner-pod", lambda m: spec(pod={"spec": {"containers": [{"env": [{"name": "TOKEN", "value": m}]}]}})),
    ("Widget", "template", lambda m: spec(template={"type": "Opaque", "stringData": {"anything": m}})),
    ("Widget", "manifest-text", lambda m: spec(manifest=manifest(m))),
    ("Widget", "manifest-json", lambda m: spec(raw=json.dumps({"kind": "Secret", "data": {"anything": b64(m)}}))),
    ("Widget", "status", lambda m: {"status": {"generated": {"password": m}}}),
    ("Widget", "sensitive-field", lambda m: spec(pin=m)),
    ("Widget", "sensitive-spelling", lambda m: spec(**{"PIN": m})),
    ("Widget", "below-sensitive-field", lambda m: spec(vault={"deep": [{"er": m}]})),
    ("Widget", "key-below-sensitive-field", lambda m: spec(vault={"list": [[m], {"a": {"b": m}}]})),
    ("Widget", "sensitive-env", lambda m: spec(env=[{"name": "PIN", "value": m}])),
    ("Widget", "sensitive-text", lambda m: spec(text=f"pin={m}")),
    ("Widget", "sensitive-option", lambda m: spec(args=["--pin", m])),
]
# How the reference differs: it has nothing there, something else, the object has nothing there, and both have the same.
MODES = ["create", "modify", "delete", "context"]

# Templates that fail with, or print, what they read at a path of a kind.
FAILING = {
    "print": "more:\n  harmless: see {{ PATH }}",
    "print-all": "more: {{ toJson . | quote }}",
    "print-key": "more:\n  {{ PATH | quote }}: x",
    "print-comment": "# {{ PATH }}\nmore: x",
    "fail": '{{ fail (printf "bad: %s" (PATH | toString)) }}',
    "fail-base64": '{{ fail (PATH | toString | b64enc) }}',
    "fail-all": "{{ fail (toJson .) }}",
    "fail-later": '{{ $x := PATH }}{{ with $x }}{{ fail (cat "bad" .) }}{{ end }}',
    "index": "{{ index PATH 1 2 3 }}",
    "field": "{{ PATH.none }}",
    "atoi": '{{ semver (PATH | toString) }}',
    "duration": '{{ mustToDate "2006" (PATH | toString) }}',
    "regex": '{{ mustRegexMatch (printf "[%s" PATH) "x" }}',
    "from-json": "{{ mustFromJson (PATH | toString) }}",
    "required": '{{ template "none" PATH }}',
    "yaml": "x: {{ PATH }}: [",
    "yaml-key": "{{ PATH }}\n  x",
    "no-object": "- {{ PATH }}",
}
# What templates make of it, under a harmless name.
MADE = {
    "b64enc": "V | b64enc", "b64dec": "V | b64dec", "b64enc-twice": "V | b64enc | b64enc", "b32enc": "V | b32enc", "upper": "V | upper",
    "lower": "V | lower", "title": "V | title", "swapcase": "V | swapcase", "printf": 'printf "see %s there" V',
    "printf-q": 'printf "%q" V', "printf-x": 'printf "%x" V', "printf-v": 'printf "%v" (list V)', "quote": "V | quote",
    "squote": "V | squote", "repeat": "V | repeat 2",
    "substr": "V | substr 0 12", "trunc": "V | trunc 12", "trunc-end": "V | trunc -12", "replace": 'V | replace "x" "y"',
    "cat": 'cat "see" V', "join": 'list "a" V | join ","', "split": 'index (splitList "x" V) 0', "trimSuffix": 'V | trimSuffix "x"',
    "sha1sum": "V | sha1sum", "sha256sum": "V | sha256sum", "adler32sum": "V | adler32sum", "toJson": 'dict "a" V | toJson',
    "toYaml": 'dict "a" V | toYaml | indent 1', "values": 'values (dict "a" V) | join ","', "keys": 'keys (dict V "a") | join ","',
    "urlquery": "V | urlquery", "html": "V | html", "js": "V | js", "snakecase": "V | snakecase", "kebabcase": "V | kebabcase",
    "ternary": 'ternary V "no" true', "default": "V | default \"no\"", "coalesce": 'coalesce "" V',
    "regexReplace": 'regexReplaceAll "x$" V "z"',
    "regexFind": 'regexFind "Qz[A-Za-z0-9]*" V', "indent": "V | indent 2 | trim", "nospace": "V | nospace", "first": "first (list V)",
}
READ = {
    "Secret": ("data", ".data.anything", lambda m: data("anything", b64(m))),
    "ConfigMap": ("data", '(index .data "db.password")', lambda m: data("db.password", m)),
    "Widget": ("spec", ".spec.password", lambda m: spec(password=m)),
}
SECRET = '(lookupCR "v1" "Secret" "canary" "looked-up")'
CONFIGMAP = '(lookupCR "v1" "ConfigMap" "canary" "looked-up")'
LOOKING_UP = {
    "fail-secret": f"{{{{ fail (toJson {SECRET}) }}}}",
    "print-secret": f"data:\n  x: {{{{ {SECRET}.data.anything }}}}\n",
    "decode-secret": f"data:\n  x: {{{{ {SECRET}.data.anything | b64dec }}}}\n",
    "upper-secret": f"data:\n  x: {{{{ {SECRET}.data.anything | b64dec | upper }}}}\n",
    "hash-secret": f"data:\n  x: {{{{ {SECRET}.data.anything | b64dec | sha256sum }}}}\n",
    "all-secret": f"data:\n  x: {{{{ {SECRET}.data | toJson | quote }}}}\n",
    "key-secret": f"data:\n  {{{{ {SECRET}.data.anything | b64dec }}}}: x\n",
    "fail-decode-secret": f"{{{{ fail ({SECRET}.data.anything | b64dec) }}}}",
    "print-configmap": f'data:\n  x: see {{{{ index {CONFIGMAP}.data "db.password" }}}}\n',
    "base64-configmap": f'data:\n  x: {{{{ index {CONFIGMAP}.data "db.password" | b64enc }}}}\n',
    "fail-configmap": f"{{{{ fail (toJson {CONFIGMAP}) }}}}",
    "list-secrets": 'data:\n  x: {{ range (lookupCRs "v1" "Secret" "canary" "looked-up") }}{{ .data.anything }}{{ end }}\n',
}


CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.e2e.example.com"},
    "spec": {
        "group": "e2e.example.com",
        "scope": "Cluster",
        "names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-validations": [
                {"rule": "!has(self.limit)", "messageExpression": "'limit beside ' + self.password"},
                {"rule": "!has(self.limit) || int(self.password) > 1"},
            ],
            "properties": {
                "limit": {"type": "integer"},
                "password": {"type": "string"},
                "members": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], "items": {
                    "type": "object", "properties": {"id": {"type": "string"}, "port": {"type": "integer"}}}},
                "texts": {"type": "array", "items": {"type": "string", "x-kubernetes-validations": [
                    {"rule": "self.size() < 3", "messageExpression": "'long: ' + self"},
                    {"rule": "timestamp(self) < timestamp('2020-01-01T00:00:00Z')"}]}},
            },
        }}}}}],
    },
}

CONFIGMAP_RULES = """\
apiVersion: v1
kind: ConfigMap
name: qzshown-control
at: .data.greeting
rules:
  - rule: self.size() < 1
    messageExpression: "'it is ' + self"
---
apiVersion: v1
kind: ConfigMap
name: "texts-*-create"
at: .data.*
rules:
  - rule: self.size() < 1
    messageExpression: "'text: ' + self"
---
apiVersion: v1
kind: ConfigMap
name: "rules*"
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



# Rules over what may not be shown: of which kinds, how the marker stands there, and what reads it.
RULED = [
    ("ConfigMap", lambda m: data("db.password", m), "self.data['db.password']"),
    ("Secret", lambda m: data("anything", b64(m)), "self.data.anything"),
    ("Widget", lambda m: spec(vault=m), "self.spec.vault"),
]
RULED_MESSAGES = [
    "'see ' + V", "V + ''", "'see %s'.format([V])", "[string(V), 'x'].join(',')", "{'a': V}.map(k, {'a': V}[k]).join('')", "string(V)",
    "has(self.none) ? 'x' : string(V)", "string(dyn(V))", "V.replace('y', 'z')", "V.trim()", "string([V].filter(x, true)[0])",
]

# What inspection rules say of what they read.
INSPECTED = ["see {V}", "{V!r}", "{V:>40}", "{node[data][password]}", "{node.data}", "{inventory[raw][data]}"]


# ---- texts ----

ENCODINGS = {
    "b64": b64,
    "url": lambda t: base64.urlsafe_b64encode(t.encode()).decode().rstrip("="),
    "percent": lambda t: quote(t, safe=""),
    "json": json.dumps,
    "xml": lambda t: "".join(f"&#{ord(c)};" if c.isalnum() and c not in "abdeoprsw" else c for c in t),
    "dataurl": lambda t: f"data:text/plain;base64,{b64(t)}",
}


def formats():
    for case in re.split(r"(?m)^%% ", (DATA / "canary/texts.txt").read_text())[1:]:
        head, _, text = case.partition("\n")
        name, *how = head.split()
        assert "MARK" in text, name
        yield f"format {name}", text.rstrip("\n"), how


def forms():
    """Those of the mask's own test."""
    for i, line in enumerate((DATA / "mask/forms.yaml").read_text().partition("\nshown:")[0].splitlines()):
        if line.startswith('- "') and line.count("hunter2") == 1:
            yield f"form {i + 1}", ast.literal_eval(line[2:]).replace("hunter2", "MARK"), []


def tokens():
    """Examples of issuers' tokens, whose last characters are a marker where any letters and digits will do."""
    size = len(f"{MARK}0000x")
    for line in (DATA / "mask/issuers.yaml").read_text().splitlines():
        found = re.match(r"- \{is: '(.*)', text: (\[.*\])\}", line)
        text = "".join(ast.literal_eval(found[2])) if found else ""
        kinds = [c for c in ("[a-z]", "[A-Z]", "[0-9]") if re.search(c, text[4:])]
        tail = text[-size:]
        if len(text) > size + 4 and len(kinds) == 3 and re.fullmatch(r"[A-Za-z0-9]+", tail) and re.search("[g-zG-Z]", tail):
            yield f"token {found[1]}", text[:-size] + "MARK", []


def texts():
    """Texts in which MARK may not be shown: name, text, and how all of it is encoded."""
    return [*formats(), *forms(), *tokens()]


def marked(text, how, m):
    text = text.replace("MARK", m)
    for name in how:
        text = ENCODINGS[name](text)
    return text
