#!/usr/bin/env python3
"""mistakes.py [--update] DRIFTD TABLE: run the commands of each case of the table, such as a mistake, and compare what driftd says with it.

A case is a line "== what is wrong", the files that differ from those of the first part ("@ NAME" and their text; "@ NAME -": there is no
such file), the commands ("$ driftd …", run by a shell in a folder of the case's own), the exit status of the last ("= 78") and all of their
output ("| " before each line). --update writes what comes out into the table instead, for a reader to judge.

The file "answers" is what a daemon answers at the control socket: each a line "GET /path?query", with " <- BODY" if the request has one and
" -> STATUS" if that is not 200, and the JSON behind it, where {-3600} is the time an hour ago. Of several answers to a request each is
given once, in their order, and the last one for good. What nobody has an answer to is answered with 404, which names it.
"""

import concurrent.futures
import contextlib
import datetime
import http.server
import os
import re
import socketserver
import subprocess
import sys
import tempfile
import threading


def read(path):
    """[[title, {name: text or None}, [commands], status, [output lines]]], the first being what all share"""
    cases, name = [], None
    for line in open(path, encoding="utf-8").read().splitlines():
        if line.startswith("== "):
            cases.append([line[3:], {}, [], None, []])
            name = None
        elif not cases:
            continue
        elif line.startswith("@ "):
            name = line[2:].removesuffix(" -")
            cases[-1][1][name] = None if line.endswith(" -") else ""
        elif line.startswith("$ "):
            cases[-1][2].append(line[2:])
            name = None
        elif line.startswith("= "):
            cases[-1][3] = int(line[2:])
        elif line.startswith("| ") or line == "|":
            cases[-1][4].append(line[2:])
        elif name is not None and cases[-1][1][name] is not None:
            cases[-1][1][name] += line + "\n"
        elif line:
            raise SystemExit(f"{path}: no case has a line '{line}'")
    return cases


class Daemon(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True

    def __init__(self, path, text):
        super().__init__(path, Answer)
        self.answers = {}
        for line in text.splitlines():
            if re.match(r"[A-Z]+ /", line):
                request, _, status = line.partition(" -> ")
                self.answers.setdefault(request, []).append([int(status or 200), ""])
            else:
                self.answers[request][-1][1] += line + "\n"

    def answer(self, request):
        known = self.answers.get(request) or [[404, '{"message": "nobody has an answer to ' + request.replace('"', "'") + '"}']]
        return known.pop(0) if len(known) > 1 else known[0]

    def handle_error(self, *_):
        pass  # it waits no longer


class Answer(http.server.BaseHTTPRequestHandler):
    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        status, text = self.server.answer(f"{self.command} {self.path}" + (f" <- {body}" if body else ""))
        now = datetime.datetime.now(datetime.timezone.utc)
        text = re.sub(r"\{(-\d+)\}", lambda m: (now + datetime.timedelta(seconds=int(m[1]))).strftime("%FT%TZ"), text).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_DELETE = do

    def address_string(self):
        return "a client"


@contextlib.contextmanager
def answering(folder, text):
    """A daemon that has these answers; its socket."""
    path = os.path.join(folder, "driftd.sock")
    if text is None:
        yield path
        return
    with Daemon(path, text) as daemon:
        threading.Thread(target=daemon.serve_forever, args=(0.05,), daemon=True).start()
        yield path
        daemon.shutdown()


def run(driftd, files, commands):
    files = dict(files)
    answers = files.pop("answers", None)
    with tempfile.TemporaryDirectory() as folder, answering(folder, answers) as socket:
        for name, text in files.items():
            if text is None:
                continue
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(path, 0o600)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("KUBE", "DRIFTD"))}
        env.update(PATH=os.path.dirname(driftd) + ":/usr/bin:/bin", HOME=folder, LC_ALL="C.UTF-8", DRIFTD_SOCKET=socket, TZ="X-2")
        done = subprocess.run(["sh", "-c", "\n".join(commands)], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60)
        output = done.stdout.decode("utf-8", "replace").replace(folder + "/", "/…/")
        return done.returncode, [line.rstrip() for line in re.sub(r"after \d+ ms", "after 0 ms", output).splitlines()]


def write(path, head, cases):
    with open(path, "w", encoding="utf-8") as f:
        f.write(head)
        for title, files, commands, status, output in cases:
            f.write(f"== {title}\n")
            for name, text in files.items():
                f.write(f"@ {name} -\n" if text is None else f"@ {name}\n{text}")
            f.writelines(f"$ {c}\n" for c in commands)
            if commands:
                f.write(f"= {status}\n")
            f.writelines(("| " + line).rstrip() + "\n" for line in output)


def main():
    update = sys.argv[1] == "--update"
    driftd, path = os.path.abspath(sys.argv[-2]), sys.argv[-1]
    cases = read(path)
    shared, failed = cases[0][1], 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda case: run(driftd, {**shared, **case[1]}, case[2]), cases[1:]))
    for case, came in zip(cases[1:], outcomes):
        title, _, _, status, output = case
        if update:
            case[3], case[4] = came
        elif came != (status, output):
            failed += 1
            print(f"{title}: status {came[0]}, not {status}" if came[0] != status else f"{title}:")
            print("\n".join(["  expected:"] + ["    " + o for o in output] + ["  came:"] + ["    " + o for o in came[1]]))
    if update:
        text = open(path, encoding="utf-8").read()
        write(path, text[:text.index("== ")], cases)
    print(f"{len(cases) - 1 - failed} of {len(cases) - 1} cases are reported as the table has it")
    return 1 if failed or len(cases) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
