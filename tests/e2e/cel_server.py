"""Holds driftd's verdicts on CEL rules against those of an API server: cel_server.py SERVER CA TOKEN DRIFTD DATA WORK.

Each case of DATA gets a property of its own in the spec of one of a few definitions, with one rule. The server is asked which rules it
refuses, then gets the others, the objects before, and the objects; driftd validate gets the same as files. What DATA/differences.txt does not
list must agree: which rules are refused, which objects fail, at which path, with which reason and message."""
import concurrent.futures, json, os, re, ssl, subprocess, sys, time, urllib.error, urllib.request

SERVER, CA, TOKEN, DRIFTD, DATA, WORK = sys.argv[1:7]
GROUP, VERSION = "cel.example.com", "v1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CASES_OF_A_KIND = 24  # the server limits what all rules of a definition may cost
CONTEXT = ssl.create_default_context(cafile=CA)
REASONS = {"FieldValueInvalid": "Invalid value: ", "FieldValueForbidden": "Forbidden: ", "FieldValueRequired": "Required value: ",
           "FieldValueDuplicate": "Duplicate value: "}


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + TOKEN,
               "Content-Type": "application/merge-patch+json" if method == "PATCH" else "application/json"}
    request = urllib.request.Request(SERVER + path, method=method, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, context=CONTEXT, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        return error.code, json.loads(text) if text.startswith("{") else {"message": text}


def must(status_and_answer, what):
    status, answer = status_and_answer
    if status >= 300:
        sys.exit(f"{what}: {status} {json.dumps(answer)[:2000]}")
    return answer


# ---- cases ----

class Case:
    def __init__(self, key, rule, place, properties, schema, this, old, alone):
        self.key, self.rule, self.place, self.properties, self.alone = key, rule, place, properties, alone
        self.schema, self.this, self.old = schema, this, old
        self.refused = {"server": [], "driftd": []}
        self.failures = {"server": set(), "driftd": set()}

    def property(self, with_rule):
        schema = json.loads(json.dumps(self.schema or {"type": "object", "properties": self.properties}))
        if with_rule:
            place = schema
            for step in self.place:
                place = place[step]
            place["x-kubernetes-validations"] = self.rule if isinstance(self.rule, list) else [self.rule]
        return schema


def lines(name):
    with open(os.path.join(DATA, name), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def unfold(value):
    """{"range": 3} is the list [0, 1, 2]."""
    if isinstance(value, dict):
        return list(range(value["range"])) if set(value) == {"range"} else {k: unfold(v) for k, v in value.items()}
    return value


def read_cases():
    fixture = json.loads("\n".join(lines("fixture.json")))

    def make(key, rule, more=None):
        more = more or {}
        this = unfold(more["self"] if "self" in more else fixture["self"])
        rule = [rule] * more["times"] if "times" in more else rule
        return Case(key, rule, more.get("place", []), fixture["properties"], more.get("schema"), this, more.get("old"),
                    more.get("alone", False))

    # The message shows the value that the expression has; an expression that fails, why.
    cases = [make(text, {"rule": f"dyn({text}) == dyn('no value')", "messageExpression": f"'=%s'.format([dyn({text})])"})
             for text in lines("values.txt")]
    cases += [make(text, {"rule": text}) for text in lines("rules.txt")]
    large = {"schema": {"type": "object", "properties": fixture["large"]}, "self": fixture["large self"]}
    cases += [make("estimate: " + text, {"rule": text, "message": "m"}, large) for text in lines("estimates.txt")]
    cases += [make("syntax: " + text, {"rule": text, "message": "m"}) for text in lines("syntax.txt")]
    for line in lines("cases.jsonl"):
        case = json.loads(line)
        cases.append(make(case.get("name") or json.dumps(case["rule"]), case["rule"], case))
    return cases


def batches(cases):
    for case in (c for c in cases if c.alone):
        yield [case]
    rest = [c for c in cases if not c.alone]
    for i in range(0, len(rest), CASES_OF_A_KIND):
        yield rest[i:i + CASES_OF_A_KIND]


# ---- one kind ----

def nothing(_):
    return False


def everything(_):
    return True


def taken(case):
    return not case.refused["server"]


class Kind:
    def __init__(self, number, cases):
        self.number, self.cases = number, cases
        self.plural, self.kind = f"probe{number}s", f"Probe{number}"
        self.path = f"/apis/{GROUP}/{VERSION}/{self.plural}"

    def definition(self, with_rule):
        properties = {f"c{i}": c.property(with_rule(c)) for i, c in enumerate(self.cases)}
        properties["ready"] = {"type": "boolean"}
        if with_rule is not nothing:
            properties["ready"]["x-kubernetes-validations"] = [{"rule": "!self", "message": "the rules are in force"}]
        root = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
        version = {"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
        names = {"plural": self.plural, "singular": self.plural[:-1], "kind": self.kind}
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{self.plural}.{GROUP}"},
                "spec": {"group": GROUP, "scope": "Cluster", "names": names, "versions": [version]}}

    def object(self, name, values):
        return {"apiVersion": f"{GROUP}/{VERSION}", "kind": self.kind, "metadata": {"name": name}, "spec": values}

    def values(self, which, before):
        """Of the cases that have an object before, or of those that have none."""
        return {f"c{i}": getattr(c, which) for i, c in enumerate(self.cases)
                if (c.old is not None) == before and getattr(c, which) is not None}


def note_causes(kind, answer, note):
    causes = answer.get("details", {}).get("causes", [])
    if not causes:
        sys.exit(f"{kind.kind}: {json.dumps(answer)[:2000]}")
    for cause in causes:
        note(cause["reason"], cause["message"], cause["field"])


TOGETHER = "contributed to estimated rule cost total"  # a matter of all cases of a kind, unless there is but one


def refusal(message):
    """What is said of a rule, without the rule."""
    text = re.sub(r'^Invalid value: \{"Rule":.*?"OptionalOldSelf":(?:null|true|false)\}: ', "", message, flags=re.S)
    text = re.sub(r'^(?:Invalid value|Unsupported value): (?:true|false|"(?:[^"\\]|\\.)*"): ', "", text, flags=re.S)
    return re.sub(r" within spec\.validation\.\S*$", "", text.removeprefix("Required value: "))


def ask_refusals(kind):
    """Which rules the server does not take."""
    status, answer = ask("POST", CRDS + "?dryRun=All", kind.definition(everything))

    def note(reason, message, field):
        at = re.search(r"properties\[spec\]\.properties\[c(\d+)\].*\.x-kubernetes-validations", field)
        if not at and "estimated rule cost total" not in message:
            sys.exit(f"{kind.kind}: {field}: {message}")
        if at and (TOGETHER not in message or len(kind.cases) == 1):
            kind.cases[int(at[1])].refused["server"].append(field.rpartition(".")[2] + ": " + refusal(message))
    if status >= 300:
        note_causes(kind, answer, note)




def prepare(kind):
    """The kind, the objects before, then the rules."""
    ask_refusals(kind)
    must(ask("POST", CRDS, kind.definition(nothing)), "a definition")
    before = kind.values("old", True)
    until(lambda: ask("GET", kind.path)[0] == 200, f"{kind.kind} to be served")
    if before:
        kind.before = must(ask("POST", kind.path, kind.object("before", before)), "an object before")
    must(ask("PATCH", f"{CRDS}/{kind.plural}.{GROUP}", {"spec": kind.definition(taken)["spec"]}), "the rules")


def until(condition, what):
    end = time.monotonic() + 600  # a limit for what hangs
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited in vain for {what}")
        time.sleep(0.1)


def detail(reason, message):
    """What an error says, without the value that it shows."""
    text = message[len(REASONS[reason]):]
    if reason in ("FieldValueInvalid", "FieldValueDuplicate"):
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except ValueError:
            return text  # the server leaves some values out
        return text[end + 2:] if text[end:end + 2] == ": " else "" if end == len(text) else text
    return text


def judge_on_server(kind):
    def has_rules():
        status, answer = ask("POST", kind.path + "?dryRun=All", kind.object("ready", {"ready": True}))
        return status == 422
    until(has_rules, f"the rules of {kind.kind}")

    def note(reason, message, field):
        at = re.match(r"spec\.c(\d+)(.*)", field, re.S)
        if not at:
            sys.exit(f"{kind.kind}: {field}: {message}")
        kind.cases[int(at[1])].failures["server"].add((at[2], reason, detail(reason, message)))
    requests = [("POST", kind.path, kind.object("now", kind.values("this", False)))]
    if kind.values("old", True):
        now = kind.object("before", kind.values("this", True))
        now["metadata"]["resourceVersion"] = kind.before["metadata"]["resourceVersion"]
        requests.append(("PUT", kind.path + "/before", now))
    for method, path, body in requests:
        status, answer = ask(method, path + "?dryRun=All", body)
        if status >= 300:
            note_causes(kind, answer, note)


# ---- driftd ----

def file_of(kind, name, *documents):
    path = os.path.join(WORK, f"{kind.kind}-{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n---\n".join(json.dumps(d) for d in documents))
    return path


def validate(kind, definition, objects, old=None):
    command = [DRIFTD, "validate", "-f", definition, "-f", objects, "-o", "json", "--no-mask"] + (["--old", old] if old else [])
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if ran.returncode not in (0, 1, 2):
        sys.exit(f"driftd validate: status {ran.returncode}\n{ran.stderr}")
    note_refusals(kind, ran.stderr)
    for f in json.loads(ran.stdout)["failures"] if ran.stdout.strip() else []:
        at = re.match(r"spec\.c(\d+)(.*)", f["field"], re.S)
        if at and not f["warning"]:
            kind.cases[int(at[1])].failures["driftd"].add((at[2], f.get("reason") or "FieldValueInvalid", f["message"]))


def note_refusals(kind, text):
    for part in re.split(r"^(?! )", text, flags=re.M):
        at = re.match(r"\S+: (\w+) of selfType\.spec\.c(\d+)[^:]*: (.*)", part, re.S)
        if at:
            said = "\n".join(line.removeprefix("    ") for line in at[3].rstrip("\n").split("\n"))
            if TOGETHER not in said or len(kind.cases) == 1:
                kind.cases[int(at[2])].refused["driftd"].append(f"{at[1]}: {said}")


def judge_with_driftd(kind):
    definition = file_of(kind, "definition", kind.definition(everything))
    validate(kind, definition, file_of(kind, "now", kind.object("now", kind.values("this", False))))
    if kind.values("old", True):
        validate(kind, definition, file_of(kind, "then", kind.object("before", kind.values("this", True))),
                 file_of(kind, "old", kind.object("before", kind.values("old", True))))


# ---- comparison ----

def plain(text):
    """Without what a server puts in anew each time: a number behind the name of the type."""
    return re.sub(r"selfType\d+(\.spec\.c\d+)?|selfType\.spec\.c\d+", "selfType", text) if text else text


def difference(case):
    server, driftd = ({plain(text) for text in case.refused[who]} for who in ("server", "driftd"))
    if bool(server) != bool(driftd) or not driftd <= server:
        return "refused" + "".join(f"\n  {who}: {sorted(texts)}" for who, texts in (("server", server), ("driftd", driftd)))
    if server:
        return None
    said = {who: {(path, reason, plain(text)) for path, reason, text in case.failures[who]} for who in case.failures}
    if said["server"] != said["driftd"]:
        return "failures" + "".join(f"\n  {who}: {sorted(said[who])}" for who in ("server", "driftd"))
    return None


def main():
    cases = read_cases()
    keys = [c.key for c in cases]
    doubles = {k for k in keys if keys.count(k) > 1}
    if doubles:
        sys.exit(f"more than one case is called {sorted(doubles)}")
    kinds = [Kind(i, b) for i, b in enumerate(batches(cases))]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(prepare, kinds))
        list(pool.map(judge_on_server, kinds))
        list(pool.map(judge_with_driftd, kinds))
    listed = dict(line.split("\t", 1) for line in lines("differences.txt"))
    found = {c.key: d for c in cases if (d := difference(c))}
    wrong = {k: d for k, d in found.items() if k not in listed}
    for key, text in wrong.items():
        print(f"{key}: {text}", file=sys.stderr)
    for key in listed.keys() - found.keys():
        print(f"differences.txt lists {key}, which does not differ", file=sys.stderr)
    refused = sum(not taken(c) for c in cases)
    failed = sum(taken(c) and bool(c.failures["server"]) for c in cases)
    print(f"{len(cases)} cases: {refused} rules refused, {failed} objects refused, {len(cases) - refused - failed} admitted; "
          f"{len(cases) - len(found)} agree, {len(found) - len(wrong)} differ as listed, {len(wrong)} differ")
    sys.exit(1 if wrong or listed.keys() - found.keys() else 0)


main()
