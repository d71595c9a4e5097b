"""compare_property.py DRIFTD FOLDER: what driftd compare writes about objects describes these objects.

Each text and number below is a value, a key and (texts) the name of an object. A reference that -g makes of them, and
the overrides that "-o generate-patches" writes for them, must leave no difference; no name may end a report.
"""
import json
import os
import random
import subprocess
import sys

TEXTS = [
    "\u0085", "a\u0085b", "a\u0085", "\u0085a", "a\nb\u0085c", "a\n\u0085", "a \u0085 b", "\x7f", "b\x7f", "\x7fb\n", "\x80", "\x84", "\x9f", "\u00a0",
    "a\u00a0b", "\u00a0a", "\u00a0\n", "\ufeff", "\ufeffa", "a\ufeffb", "\u2028", "a\u2028b", "\u2029", "a\u2029b\n", "\u2028a", "a\u2028", " \u2028",
    " a", "a ", "  a\n b", "a \n", "\ta", "a\tb", "a\t", "\t", "a\n\tb", "\r", "\r\n", "a\r\nb\r\n", "a\rb", "\n", "\n\n", "\na", "a\n", "a\n\n\n", "\n a",
    "  \n", "a\n ", "a\n \n", "", "-0.0", "-0", "0.0", "1e21", "1E5", "1e3", "0x1f", "0o17", "017", "08", "0b11", "1_000", "1" * 30, "+1", "+.5", ".5", "5.", "1.0",
    "yes", "no", "y", "n", "on", "Off", "null", "Null", "~", "true", "TRUE", "2001-01-01", "2001-01-01T00:00:00Z", "12:30:45", "1:1", ".inf", "-.Inf",
    ".nan", "NaN", "<<", "=", "- a", "? a", ": a", "a: b", "a #b", "#a", "&a", "*a", "!a", "!!str a", "|", "|\n", ">", "%a", "@a", "`a", "'", '"', "''", "\\",
    "\\n", "{", "}", "{{", "}}", "{{ .x }}", "{{- end -}}", "{{/* c */}}", "[", "]", ",", "a,b", "---", "...", "--- a", "---\n", "a\n---\nb", "a\n...\n",
    "<no value>", "a<no value>b", "x" * 200, "word " * 50, "\x00", "\x01", "\x0b", "\x0c", "\x1b[0m", "\ud7ff", "\ue000", "\ufffd", "\ufffe", "\uffff", "\u200b",
    "\u00ad", "\U0001f600", "\U0010ffff",
]
NUMBERS = [
    "-0.0", "0.0", "-0", "1e21", "1e20", "-1e21", "1e2", "0.1e1", "1.0", "0.1", "1e-7", "1e-6", "1.5e300", "5e-324", "1e308", "1.7976931348623157e308", "3.4028235e38",
    "123456789012345678", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" * 30,
    "-9223372036854775808", "-9223372036854775809", "1" + "0" * 20, "true", "null", "[]", "{}", "[null]", '{"a":null}', '[{"a":null,"b":[{}]}]',
]
METADATA = """apiVersion: v2
parts:
- name: p
  components:
  - name: c
    anyOf:
    - path: t.yaml
"""
TEMPLATE = """apiVersion: v1
kind: Probe
metadata:
  namespace: n
data: {z/~: {b: 1, c: {d: null}}}
"""


def mixed(rng):
    """A text of pieces of the others."""
    pieces = [rng.choice(TEXTS)[:12] for _ in range(rng.randrange(2, 5))]
    return rng.choice(["", " ", "\n", "x"]).join(pieces)


def probe(name, members, kind="Probe"):
    return '{"apiVersion":"v1","kind":"%s","metadata":{"name":%s,"namespace":"n"},"data":{%s}}' % (
        kind, json.dumps(name), ",".join(f"{json.dumps(k)}:{v}" for k, v in members.items()))


def objects(texts):
    for i, t in enumerate(texts):
        yield probe(f"value-{i}", {"v": json.dumps(t)})
        if "\0" in t:
            continue  # no key of an object
        yield probe(f"key-{i}", {t: '"v"'})
        yield probe(f"both-{i}", {t: json.dumps(t), "list": json.dumps([t, {t: t}]), "z/~": "{}"})
    for i, n in enumerate(NUMBERS):
        yield probe(f"number-{i}", {"v": n})


class Failed(Exception):
    pass


class Run:
    def __init__(self, driftd, folder):
        self.driftd, self.folder = driftd, folder

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    def compare(self, *args, status=0):
        env = {k: v for k, v in os.environ.items() if k != "KUBECTL_EXTERNAL_DIFF"}
        done = subprocess.run([self.driftd, "compare", *args], cwd=self.folder, env=dict(env, KUBECONFIG="/dev/null"), capture_output=True,
                              encoding="utf-8", check=False)
        if done.returncode != status:
            raise Failed(f"driftd compare {' '.join(args)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout


def check(run, texts):
    count = 0
    lines = list(objects(texts))
    run.write("mg/namespaces/objects.yaml", "\n".join(lines))
    run.write("generate.yaml", "resources: [{kind: Probe, apiVersion: v1, required: true}]\n")
    run.write("ref/metadata.yaml", METADATA)
    run.write("ref/t.yaml", TEMPLATE)
    run.compare("-g", "generate.yaml", "-f", "mg", "--output-dir", "made")
    if f"CRs with diffs: 0/{len(lines)}\n" not in run.compare("-r", "made/metadata.yaml", "-f", "mg", "-R"):
        raise Failed("a generated reference is for other objects than it was made of")
    patches = run.compare("-r", "ref/metadata.yaml", "-f", "mg", "-R", "-o", "generate-patches", "--override-reason", "r", "--generate-override-for",
                          "t.yaml")
    run.write("patches.yaml", patches)
    out = run.compare("-r", "ref/metadata.yaml", "-f", "mg", "-R", "-p", "patches.yaml")
    if f"Cluster CRs with patches applied: {len(lines)}\n" not in out:
        raise Failed("generated overrides are for other objects than they were made of")
    count += 2 * len(lines)
    names = [t for t in texts if t]
    run.write("named/objects.yaml", "\n".join(probe(t, {}, kind) for t in names for kind in ("Probe", "Other")))
    for form in "text", "json", "yaml", "junit":
        out = run.compare("-r", "ref/metadata.yaml", "-f", "named", "-A", "-o", form, status=1)
        if form == "json" and len(json.loads(out)["Summary"]["UnmatchedCRS"]) != len(set(names)):
            raise Failed("some names are lost")
        count += len(names)
    return count


def main():
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    run = Run(os.path.abspath(sys.argv[1]), sys.argv[2])
    count = check(run, TEXTS + sorted({mixed(rng) for _ in range(150)}))
    print(f"{count} checks passed, seed {seed}")


try:
    main()
except Failed as failed:
    sys.exit(str(failed))
