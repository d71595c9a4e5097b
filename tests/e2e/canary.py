#!/usr/bin/env python3
"""canary.py make FOLDER | look FOLDER FILE... | ways FOLDER ways|opened | echo CERT KEY PORT-FILE | notified SOCKET

What test_canary.sh needs. make: objects that hold a marker of their own in every place that may not be shown, a reference that differs
from them in every way, rules that fail on them (canary_places.py). look: whether a marker comes out in a file, or in one below a folder, in
any of the forms that a text may take; exits with 1 and says which. ways: the same of every way out that tests/data/canary/ways.txt lists;
each must be in that folder of FOLDER and hold what may be shown, and in "opened", of a run that is told to show a key, its value too. echo:
an API server that answers with what it was sent. notified: prints what a service manager is told.
"""
import base64
import hashlib
import json
import os
import pathlib
import re
import socket
import ssl
import sys
import zlib
from http.server import BaseHTTPRequestHandler, HTTPServer

sys.dont_write_bytecode = True
from canary_places import (  # noqa: E402
    CONFIGMAP_RULES, CRD, DATA, FAILING, INSPECTED, LOOKING_UP, MADE, MARK, MODES, NAMESPACE, NUMBER, OPENED, OWN, PLACES, READ, RULED,
    RULED_MESSAGES, SHOWN, Marks, annotated, b64, data, github, marked, spec, texts)

PER_MAP = 12  # texts in a ConfigMap: with two sides of each no list of paths is cut

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


DIFFERS = [annotated("differs", "found"), annotated("differs", "expected")]


def place_cases(marks):
    """Pairs of the object and what the reference wants of it."""
    for kind, place, make in PLACES:
        new = marks.number if place.endswith("-number") else marks.new
        for mode in MODES:
            name = f"{place}-{mode}"
            found = [make(new(f"{kind} {name} found"))] if mode != "delete" else []
            wanted = [make(new(f"{kind} {name} expected"))] if mode in ("delete", "modify") else found if mode == "context" else []
            yield obj(kind, name, *found, DIFFERS[0]), obj(kind, name, *wanted, DIFFERS[1])


def text_cases(marks):
    """The same of texts under harmless keys, many in a ConfigMap."""
    every = texts()
    for mode in ("create", "modify", "context"):
        for start in range(0, len(every), PER_MAP):
            name, found, wanted = f"texts-{start // PER_MAP}-{mode}", {}, {}
            for i, (what, text, how) in enumerate(every[start:start + PER_MAP]):
                key = f"t{i:02d}"
                found[key] = marked(text, how, marks.new(f"ConfigMap {name} found: {what}"))
                if mode == "modify":
                    wanted[key] = marked(text, how, marks.new(f"ConfigMap {name} expected: {what}"))
                if mode == "context":  # between lines that differ
                    wanted[key], found[key + "-differs"], wanted[key + "-differs"] = found[key], "found", "expected"
            yield obj("ConfigMap", name, {"data": found}, DIFFERS[0]), obj("ConfigMap", name, {"data": wanted}, DIFFERS[1])


def guarded(path, text):
    """A template must render without an object, too."""
    return f"{{{{ if {path} }}}}\n{text}\n{{{{ end }}}}\n"


def template_of(kind, name, text):
    namespace = "" if kind == "Widget" else f"  namespace: {NAMESPACE}\n"
    return f"apiVersion: {api_version(kind)}\nkind: {kind}\nmetadata:\n  name: {name}\n{namespace}{text}"


def template_cases(marks):
    """(object, template text): what templates print or say of what they read, and of what they made of it."""
    for kind, (top, path, make) in READ.items():
        for name, text in FAILING.items():
            o = obj(kind, f"error-{name}".lower(), make(marks.new(f"{kind} error-{name}")))
            yield o, template_of(kind, o["metadata"]["name"], guarded("." + top, text.replace("PATH", path)))
        for name, made in MADE.items():
            o = obj(kind, f"made-{name}".lower(), make(marks.new(f"{kind} made-{name}")))
            value = f"({path} | b64dec)" if kind == "Secret" and name != "b64dec" else path
            text = f'more:\n  harmless: {{{{ {re.sub("V", value, made, count=1)} | toString | toJson }}}}'
            yield o, template_of(kind, o["metadata"]["name"], guarded("." + top, text))
    for name, text in LOOKING_UP.items():
        o = obj("ConfigMap", f"lookup-{name}", data("x", "y"))
        yield o, template_of("ConfigMap", f"lookup-{name}", guarded(".data", text))


def rule_cases(marks):
    """Objects that fail the rules of their definition and of rules.yaml."""
    m = marks.new
    yield obj("Widget", "rules", spec(password=m("rule: message of a field"), texts=[f"token={m('rule: item of a list')}"]))
    yield obj("Widget", "rules-parent", spec(password=m("rule: message of its parent"), limit=1))
    yield obj("ConfigMap", "rules", data("db.password", m("rule file")))
    yield obj("ConfigMap", "rules-key", data(f"https://u:{m('rule file: path')}@h", "x"))
    yield obj("Secret", "rules", data("anything", b64(m("rule file: Secret"))))
    for kind, make, _ in RULED:
        for i, _ in enumerate(RULED_MESSAGES):
            yield obj(kind, f"cel-{i}", make(m(f"rule file: {kind} cel-{i}")))


def rule_file():
    """With a rule for each message over what may not be shown."""
    entries = [CONFIGMAP_RULES]
    for kind, _, value in RULED:
        for i, message in enumerate(RULED_MESSAGES):
            entries.append(json.dumps({
                "apiVersion": api_version(kind), "kind": kind, "name": f"cel-{i}",
                "rules": [{"rule": "self == null", "messageExpression": message.replace("V", value)}]}) + "\n")
    return "---\n".join(entries)


def other_objects(marks):
    """What others look up, what inspection rules and events are about, and what may be shown."""
    m = marks.new
    yield obj("Secret", "looked-up", data("anything", b64(m("looked-up Secret"))))
    yield obj("ConfigMap", "looked-up", data("db.password", m("looked-up ConfigMap")))
    for i, _ in enumerate(INSPECTED):
        for kind, make in (("Secret", lambda x: data("password", b64(x))), ("ConfigMap", lambda x: data("password", x))):
            yield obj(kind, f"inspected-{i}", make(m(f"inspected: {kind} {i}")))
    manager = {"manager": github(m("field manager")), "operation": "Update", "apiVersion": "v1", "time": "2026-01-01T00:00:00Z",
               "fieldsType": "FieldsV1", "fieldsV1": {"f:data": {"f:level": {}}}}
    yield obj("ConfigMap", "managed", data("level", "found"), {"metadata": {"managedFields": [manager]}})


def inspection_rules():
    """Rules that say what they read in their messages, and call."""
    rules = []
    for i, message in enumerate(INSPECTED):
        text = message.replace("V", "node.data.password")
        rules.append({"description": f"{SHOWN} rule {i}",
                      "conditions": [{"op": "matches", "args": ["{node.metadata.name}", f"^inspected-{i}$"]}],
                      "actions": [{"op": "set-plugin-data", "args": {"path": f"r{i}", "value": text}},
                                  {"op": "log", "args": {"msg": text, "level": "warning"}},
                                  {"op": "api-call", "args": {"url": f"http://127.0.0.1:1/{text}", "headers": {"X-Seen": text}}},
                                  {"op": "fail", "args": {"msg": f"no: {text}"}}]})
    return json.dumps(rules, indent=1)


def control():
    """Shows what may be shown, and what may be when shown_fields says so."""
    shown = {"greeting": SHOWN + "greeting", "canaryToken": OPENED + "token"}
    return (obj("ConfigMap", "qzshown-control", {"data": shown}),
            obj("ConfigMap", "qzshown-control", {"data": {"greeting": "hello", "canaryToken": OPENED + "other"}}))


def make(folder):
    marks = Marks()
    folder = pathlib.Path(folder)
    reference, files = folder / "reference", folder / "files"
    for made in (reference, files):
        made.mkdir(parents=True)
    objects, templates = [], {}
    managed = obj("ConfigMap", "managed", data("level", "wanted"))
    for o, expected in [control(), *place_cases(marks), *text_cases(marks), *template_cases(marks)]:
        objects.append(o)
        literally = json.dumps(expected, indent=1).replace("{{", '{{ "{{" }}') + "\n"
        templates[file_of(o)] = expected if isinstance(expected, str) else literally
    templates[file_of(managed)] = json.dumps(managed)
    objects += [*rule_cases(marks), *other_objects(marks)]
    for name, text in templates.items():
        (reference / f"{name}.yaml").write_text(text)
    (reference / "metadata.yaml").write_text(
        "apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        anyOf:\n" +
        "".join(f"          - path: {name}.yaml\n" for name in templates))
    (folder / "objects.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [CRD, *objects]}))
    (folder / "crd.json").write_text(json.dumps(CRD))
    (folder / "rules.yaml").write_text(rule_file())
    (folder / "built-in.yaml").write_text(inspection_rules())
    (folder / "places.json").write_text(json.dumps(marks.places))
    for o in objects:
        (files / f"{file_of(o)}.json").write_text(json.dumps(o))


def file_of(o):
    return f"{o['kind']}-{o['metadata']['name']}"


# ---- looking ----

SPELLINGS = [MARK, MARK.upper(), MARK.lower(), MARK.swapcase(), NUMBER, OPENED]


def inner_base64(raw):
    """What base64 has of it, whatever stands around it: at each of three offsets, without the digits that its neighbours change."""
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + raw)
        yield text[(offset * 8 + 5) // 6:(offset + len(raw)) * 8 // 6]


def forms(marker):
    """(name of the form, bytes, whether the case of letters counts) of what a marker may look like."""
    raw = marker.encode()
    yield "raw", raw[1:] if marker == MARK else raw, False  # a part without its first character, too
    for once in inner_base64(raw):
        yield "base64", once, True
        for twice in inner_base64(once):
            yield "base64 of base64", twice, True
    yield "base32", base64.b32encode(raw)[:len(raw) * 8 // 5], True
    yield "hex", raw.hex().encode(), False
    for pattern in ("%{:02x}", "\\u{:04x}", "\\x{:02x}", "&#{:d};", "&#x{:x};"):
        yield f"escaped as {pattern}", "".join(pattern.format(b) for b in raw).encode(), False
    yield "numbers", ",".join(str(b) for b in raw).encode(), True  # as journalctl prints what is no text
    for joint in "_-" if marker == MARK else "":
        yield "words", re.sub("(?<=[a-z])(?=[A-Z])", joint, marker).lower().encode(), False


def needles(opened):
    """{(bytes, whether case counts): form}; what shown_fields opened is not looked for."""
    return {(text, case): form for s in SPELLINGS if not (opened and s == OPENED) for form, text, case in forms(s)}


def sums(places):
    """{hash: place} of every marker."""
    found = {}
    for i, place in enumerate(places):
        raw = f"{MARK}{i:04d}x".encode()
        for made in (raw, base64.b64encode(raw)):
            for name in ("md5", "sha1", "sha256", "sha512"):
                found[hashlib.new(name, made).hexdigest().encode()] = place
            if "adler32" in place:
                found[str(zlib.adler32(made)).encode()] = place
    return found


class Look:
    def __init__(self, folder, opened=False):
        self.places = json.loads((pathlib.Path(folder) / "places.json").read_text())
        self.needles, self.sums = needles(opened), sums(self.places)
        self.reasons = reasons()
        self.shown = {}  # place: how often it was shown for a reason

    def place_at(self, content, end):
        """Which marker the text before @end is the begin of."""
        digits = content[end:end + 4]
        if not digits.isdigit():
            return "?"
        return "a credential of driftd's own" if int(digits) >= OWN else self.places[int(digits)] if int(digits) < len(self.places) else "?"

    def place_in_base64(self, content, at):
        """The same of a marker that begins about there, in base64."""
        around = content[max(0, at - 8):at + 48]
        for offset in range(4):
            digits = re.sub(rb"[^A-Za-z0-9+/].*", b"", around[offset:])
            text = base64.b64decode(digits[:len(digits) // 4 * 4])
            found = text.find(MARK.encode())
            if found >= 0:
                return self.place_at(text, found + len(MARK))
        return "?"

    def reasoned(self, way, place):
        for (ways, places), reason in self.reasons.items():
            if re.fullmatch(ways, way) and re.fullmatch(places, place):
                self.shown.setdefault((ways, places), set()).add(place)
                return True
        return False

    def hits(self, content):
        """(form, place, offset) of everything that looks like a marker."""
        lower = content.lower()
        for (text, case), form in self.needles.items():
            where, what = (content, text) if case else (lower, text.lower())
            at = where.find(what)
            while at >= 0:
                inner = self.place_in_base64(content, at) if form == "base64" else "?"
                yield form, self.place_at(content, at + len(what)) if form in ("raw", "words") else inner, at
                at = where.find(what, at + 1)
        for found in re.finditer(rb"\b(?:[0-9a-f]{32,128}|[0-9]{8,10})\b", lower):
            if found[0] in self.sums:
                yield "hash", self.sums[found[0]], found.start()

    def leaks(self, way, content):
        return [f"{way}: {form}, {place}: …{content[max(0, at - 80):at + 120].decode('utf-8', 'replace')!r}…"
                for form, place, at in self.hits(content) if not self.reasoned(way, place)]


def reasons():
    """{(ways, places): why these may show those}, all of them from docs/masking.md."""
    found = {}
    for line in (DATA / "canary/shown.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            which, _, reason = line.partition(" | ")
            ways, _, places = which.partition(": ")
            assert reason and places, line
            found[ways, places] = reason
    return found


def self_test(look):
    """Each form is found in its surroundings, and a text without the marker is not."""
    m = f"{MARK}0007x"
    for i in range(3):
        once = base64.b64encode(b"abcdef"[:i] + m.encode() + b"ghi")
        for text in (once, base64.b64encode(b"abcdef"[:i] + once)):
            assert list(look.hits(text)), f"base64 at {i}"
    for spelling in SPELLINGS[:5]:
        for form, text, case in forms(spelling):
            for spelled_text in {text} if case else {text, text.upper(), text.lower()}:
                assert list(look.hits(b"before " + spelled_text + b" after")), (form, spelling)
    assert list(look.hits(b"sum: " + hashlib.sha256(f"{MARK}0000x".encode()).hexdigest().encode()))
    assert not list(look.hits(b"Qz Canar, canary, deadbeefdeadbeefdeadbeefdeadbeef, 1234567890"))


def files_below(path):
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path] if path.exists() else []


def look(folder, names):
    looking = Look(folder)
    self_test(looking)
    bad = 0
    for name in names:
        files = files_below(pathlib.Path(name))
        if not any(p.stat().st_size for p in files):
            print(f"{name}: nothing to look into")
            bad += 1
        for p in files:
            leaks = looking.leaks(p.name, p.read_bytes())
            print("\n".join(leaks))
            bad += len(leaks)
    return 1 if bad else 0


# ---- every way out ----


def listed_ways():
    """(name, control, whether an opened key is shown there) of tests/data/canary/ways.txt"""
    for line in (DATA / "canary/ways.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, controlled, opens = line.split(None, 3)[:3]
            yield name, controlled, opens


def ways(folder, run):
    """Every way that is listed is there, shows what may be shown, and nothing else."""
    opened = run == "opened"
    looking = Look(folder, opened)
    self_test(looking)
    there = pathlib.Path(folder) / run
    listed, bad, controls = list(listed_ways()), [], 0
    left_out = set(os.environ.get("LEFT_OUT", "").split())
    for name, controlled, opens in listed:
        if name in left_out or (opened and opens == "-"):
            continue
        content = b"\n".join(p.read_bytes().replace(b"\0" * 64, b"") for p in files_below(there / name))
        wanted = {"value": [SHOWN + "greeting"], "name": [SHOWN.lower()]}.get(controlled, [controlled])
        for text in [*wanted, *([OPENED + "token"] if opened and opens == "opens" else [])]:
            raw = text.encode()
            if raw in content or any(part in content for part in inner_base64(raw)):
                controls += 1
            else:
                bad.append(f"{name}: {text!r} is not there: nobody looked")
        bad += looking.leaks(name, content)
    bad += [f"{p.name}: a way out that is not listed" for p in there.iterdir() if p.name not in {w[0] for w in listed}]
    if not opened and not left_out:
        bad += [f"shown.txt: nothing is shown any more of {p}" for p in looking.reasons if p not in looking.shown]
    n = sum(1 for w in listed if w[0] not in left_out and not (opened and w[2] == "-"))
    print(f"{run}: {len(looking.places)} markers in objects, {n} ways out, {len(bad)} shown without a reason or not looked at, "
          f"{sum(len(s) for s in looking.shown.values())} shown for {len(looking.shown)} reasons, {controls} controls")
    print("\n".join(bad))
    return 1 if bad else 0


def spelled(secret):
    """The same text as others may write it."""
    raw = secret.encode()
    return [
        secret, secret.upper(), secret.lower(), base64.b64encode(raw).decode(), base64.urlsafe_b64encode(b"u:" + raw + b"/").decode(),
        "".join(f"%{c:02x}" for c in raw), "".join(f"\\u{c:04X}" for c in raw), "".join(f"&#{c};" for c in raw)]


class Echo(BaseHTTPRequestHandler):
    """It repeats what it was sent: below /status/N as an error, below /text/N as a text, in the Nth spelling; else all of it."""

    def do_GET(self):
        authorization = self.headers.get("Authorization", "")
        said = base64.b64decode(authorization[6:]).decode() if authorization.startswith("Basic ") else authorization.rpartition(" ")[2]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        sent = f"{body} {said}; {authorization}; " + "; ".join(f"{k}: {v}" for k, v in self.headers.items())
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


def notified(path):
    """Ends when it is killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(path)
        while True:
            print(told.recv(1 << 17).decode(errors="replace"), flush=True)


def main():
    command, args = sys.argv[1], sys.argv[2:]
    if command == "make":
        make(*args)
    elif command == "look":
        return look(args[0], args[1:])
    elif command == "ways":
        return ways(*args)
    elif command == "notified":
        notified(*args)
    elif command == "echo":
        echo(*args)
    return 0


sys.exit(main())
