"""Clients of the REST API of inspection rules, for its e2e tests: inspection_api.py ADDRESS COMMAND [ARGUMENTS...]; the address is the path of
a socket, or a port."""
import http.client, json, random, re, socket, sys, threading, time, uuid

PATH = "/v1/inspection_rules"
ADDRESS = sys.argv[1]
ACTION = {"op": "set-plugin-data", "args": {"path": "a", "value": 1}}


def connect(timeout=30):
    if ADDRESS.startswith("/"):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(timeout)
        s.connect(ADDRESS)
        return s
    return socket.create_connection(("127.0.0.1", int(ADDRESS)), timeout)


class Connection(http.client.HTTPConnection):
    def __init__(self, timeout=30):
        super().__init__("localhost", timeout=timeout)

    def connect(self):
        self.sock = connect(self.timeout)


def ask(method, path=PATH, body=None, kind="application/json"):
    """Status, headers, body as JSON or None. Raises OSError or HTTPException without an answer."""
    c = Connection()
    try:
        text = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        c.request(method, path, text, {"Content-Type": kind} if body is not None else {})
        r = c.getresponse()
        said = r.read()
        return r.status, r.headers, json.loads(said) if said else None
    finally:
        c.close()


def listed(query="?detail=true"):
    status, _, body = ask("GET", PATH + query)
    assert status == 200, status
    return body["inspection_rules"]


def in_parallel(n, what):
    """what(i) for i below n, each on a thread: their results, exceptions included."""
    results = [None] * n

    def run(i):
        try:
            results[i] = what(i)
        except Exception as e:
            results[i] = e

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def fail(*texts):
    print(*texts)
    sys.exit(1)


# ---- raw requests ----

def raw(text, timeout=15):
    """The answer to bytes as they are: status, body; "closed" without one."""
    s = connect(timeout)
    answer = b""
    try:
        s.sendall(text)
    except OSError:
        pass
    try:
        while part := s.recv(65536):
            answer += part
    except OSError:
        pass
    s.close()
    if not answer:
        return "closed", ""
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.split()[1].decode(), body.decode("latin1")


def command_raw():
    """Lines of WHAT, STATUS[|STATUS] and a REQUEST on standard input, tabs between them; {N} is N letters. What is wrong is said: other
    statuses, errors that are no {"error": text}."""
    wrong = 0
    for line in sys.stdin:
        what, wanted, text = line.rstrip("\n").split("\t")
        text = re.sub(r"\{(\d+)\}", lambda m: "a" * int(m.group(1)), text)
        status, body = raw(text.encode("latin1").decode("unicode_escape").encode("latin1"))
        if status not in wanted.split("|"):
            print(f"{what}: {status} instead of {wanted}: {body[:200]}")
            wrong += 1
        elif status >= "400" and status != "closed" and not is_error(body):
            print(f"{what}: {status} says {body[:200]}")
            wrong += 1
    sys.exit(wrong > 0)


def is_error(body):
    try:
        return isinstance(json.loads(body)["error"], str)
    except (ValueError, KeyError, TypeError):
        return False


# ---- many at once ----

def command_many(n):
    """N rules posted at once: each is there, or 503 with Retry-After."""
    def post(i):
        status, headers, body = ask("POST", body={"description": f"many {i}", "actions": [ACTION]})
        if status == 503 and not headers["Retry-After"]:
            return "503 without Retry-After"
        return (status, body.get("uuid"))

    results = in_parallel(int(n), post)
    odd = [r for r in results if not isinstance(r, tuple) or r[0] not in (201, 503)]
    # Who is pushed out by newcomers has no answer.
    odd = [r for r in odd if not isinstance(r, (OSError, http.client.HTTPException))]
    there = {r["uuid"] for r in listed()}
    made = {r[1] for r in results if isinstance(r, tuple) and r[0] == 201}
    print(f"{len(made)} made, {sum(isinstance(r, tuple) and r[0] == 503 for r in results)} refused, "
          f"{sum(isinstance(r, Exception) for r in results)} without an answer, {len(there)} there")
    if odd or not made or not made <= there:
        fail("wrong:", odd[:3], len(made - there), "are not there")


def command_fill(n):
    """N rules, on one connection."""
    c = Connection()
    for i in range(int(n)):
        c.request("POST", PATH, json.dumps({"description": f"fill {i}", "actions": [ACTION] * 3}), {"Content-Type": "application/json"})
        r = c.getresponse()
        r.read()
        if r.status != 201:
            fail(f"rule {i}: {r.status}")


def command_stream():
    """A list is read slowly while rules that it shows are deleted: it is JSON, in order, and lacks none of the others."""
    rules = listed()
    before = [r["uuid"] for r in rules]
    gone = {r["uuid"] for r in rules[len(rules) // 2::7] if not r["built_in"]}
    s = connect()
    s.sendall(f"GET {PATH}?detail=true HTTP/1.0\r\n\r\n".encode())
    answer = s.recv(4096)
    for u in gone:
        status, _, said = ask("DELETE", f"{PATH}/{u}")
        if status != 204:
            fail("a rule could not be deleted:", status, said)
    while part := s.recv(65536):
        answer += part
    shown = [r["uuid"] for r in json.loads(answer.partition(b"\r\n\r\n")[2])["inspection_rules"]]
    print(len(before), "rules,", len(gone), "deleted,", len(shown), "shown")
    if [u for u in shown if u not in gone] != [u for u in before if u not in gone]:
        fail("the list lacks some, or has another order")
    if len(shown) == len(before):
        fail("the list was whole before the first was deleted: nothing is proven")


# ---- abuse ----

def hang_up(i):
    """A write whose client does not wait for the answer."""
    s = connect()
    body = json.dumps({"description": "nobody waits", "actions": [ACTION]})
    s.sendall(f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
    if i % 2:
        time.sleep(0.002)
    s.close()


def break_off(i):
    """A list of which little is read."""
    s = connect()
    s.sendall(f"GET {PATH}?detail=true HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    if i % 2:
        s.recv(100)
    s.close()


def half(i):
    s = connect()
    s.sendall(f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000\r\n\r\n{{".encode())
    s.sendall(b" " * (10000 * (i % 30)))
    s.close()


def bad_json(i):
    texts = ["{", "[]", "null", "{}", '{"actions":[]}', "[" * 5000, '{"actions":[{"op":"fail"}]}', '{"a":' * 300, "\xff", '"' + "x" * 900000]
    status = ask("POST", body=texts[i % len(texts)])[0]
    assert status == 400, (status, texts[i % len(texts)][:40])


def too_large(i):
    try:
        status = ask("POST", body=b"x" * (2 << 20))[0]
        assert status == 413, status
    except OSError: # it was answered before all was sent
        pass


def endless(i):
    s = connect()
    s.sendall(f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    try:
        for _ in range(40):
            s.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
    except OSError:
        pass
    s.close()


def command_abuse(rounds):
    for _ in range(int(rounds)):
        for how in (hang_up, break_off, half, bad_json, too_large, endless):
            odd = [r for r in in_parallel(20, how) if isinstance(r, Exception) and not isinstance(r, (OSError, http.client.HTTPException))]
            if odd:
                fail(how.__name__, odd[0])


def command_slow(how, seconds):
    """30 clients that send a byte now and then: how long the oldest of them lived, in seconds."""
    living, longest = {}, 0
    head = b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        while len(living) < 30:
            s = connect()
            s.sendall(head + {"headers": b"X: ", "body": b"Content-Length: 100000\r\n\r\n",
                              "chunks": b"Transfer-Encoding: chunked\r\n\r\n"}[how])
            s.setblocking(False)
            living[s] = time.monotonic()
        for s in list(living):
            try:
                s.send(b"1\r\nx\r\n" if how == "chunks" else b"x")
                if s.recv(1):
                    raise OSError
                raise OSError
            except BlockingIOError:
                pass
            except OSError:
                longest = max(longest, time.monotonic() - living.pop(s))
                s.close()
        time.sleep(0.2)
    print(int(max([longest] + [time.monotonic() - t for t in living.values()])))


# ---- crashes ----

def command_write(log, name):
    """Rules are made, changed and deleted until there is no answer any more. Each line of LOG is what is known after a request: "asked",
    then "told" when it was answered; a line is a list: what, uuid, priority."""
    c = Connection()
    mine = {r["uuid"]: r["priority"] for r in listed() if r["description"].startswith(name + " ")}
    with open(log, "a", buffering=1) as f:
        def do(method, path, body, what, u, priority, wanted):
            f.write(json.dumps(["asked", what, u, priority, time.time()]) + "\n")
            c.request(method, path, json.dumps(body) if body is not None else None,
                      {"Content-Type": "application/json"} if body is not None else {})
            r = c.getresponse()
            said = r.read()
            if r.status == 503:
                f.write(json.dumps(["refused", what, u, priority, time.time()]) + "\n")
                return False
            if r.status != wanted:
                f.write(json.dumps(["odd", what, u, r.status, said.decode()]) + "\n")
                return False
            f.write(json.dumps(["told", what, u, priority, time.time()]) + "\n")
            return True

        try:
            while True:
                x = random.random()
                priority = random.randrange(10000)
                if x < 0.5 or not mine:
                    u = str(uuid.uuid4())
                    rule = {"uuid": u, "priority": priority, "description": f"{name} {priority}", "actions": [ACTION] * 20}
                    if do("POST", PATH, rule, "put", u, priority, 201):
                        mine[u] = priority
                elif x < 0.8:
                    u = random.choice(list(mine))
                    patch = [{"op": "replace", "path": "/priority", "value": priority},
                             {"op": "replace", "path": "/description", "value": f"{name} {priority}"}]
                    do("PATCH", f"{PATH}/{u}", patch, "put", u, priority, 200)
                else:
                    u = random.choice(list(mine))
                    if do("DELETE", f"{PATH}/{u}", None, "delete", u, None, 204):
                        del mine[u]
        except (OSError, http.client.HTTPException):
            pass


def command_compare(order, *logs):
    """What is there is what the logs say. ORDER keeps the order of creation from one call to the next."""
    there = listed()
    rules = {r["uuid"]: r for r in there}
    known = {} # uuid -> the states that it may have, None: it is not there
    asked = 0
    for log in logs:
        last = None
        for line in open(log):
            what, kind, u, priority, *_ = json.loads(line)
            asked += what == "asked"
            state = None if kind == "delete" else priority
            if what == "odd":
                fail("an odd answer:", line)
            elif what == "asked":
                known.setdefault(u, {None}).add(state)
                last = u
            elif what == "told":
                known[u] = {state}
            elif what == "refused":
                known[u].discard(state)
    for u, states in known.items():
        r = rules.pop(u, None)
        priority = r and r["priority"]
        if priority not in states:
            fail(f"{u} is {priority}, not one of {states}")
        if r and not (r["description"].endswith(f" {priority}") and len(r["actions"]) == 20):
            fail(f"{u} is not whole: {r}")
    if rules:
        fail("unknown rules:", list(rules)[:3])
    now = [[r["uuid"], r["created_at"]] for r in there]
    if now != sorted(now, key=lambda x: x[1]):
        fail("the order is not that of creation")
    try:
        with open(order) as f:
            before = json.load(f)
    except FileNotFoundError:
        before = []
    is_there, was = {tuple(x) for x in now}, {tuple(x) for x in before}
    if [x for x in before if tuple(x) in is_there] != [x for x in now if tuple(x) in was]:
        fail("the order changed")
    with open(order, "w") as f:
        json.dump(now, f)
    # What nobody was told is known now.
    for log in logs:
        open(log, "w").close()
    with open(logs[0], "w") as f:
        for r in there:
            f.write(json.dumps(["told", "put", r["uuid"], r["priority"]]) + "\n")
    print(asked, "requests,", len(now), "rules")


globals()["command_" + sys.argv[2]](*sys.argv[3:])
