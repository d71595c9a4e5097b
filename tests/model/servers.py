"""The programs of a run: API servers (the simulator) that can be killed and come back as they were, and driftd."""
import contextlib
import ctypes
import fcntl
import http.client
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import ssl
import struct
import subprocess
import tempfile
import threading
import time

import world as w
from faults import EVIDENCE_S

TOKEN = "model-token"
F_SETPIPE_SZ = 1031
RECORDS_MAX = 20000  # more than driftd tells while the disk is full
PORTS_TRIED = 3  # another program may take a free port before the server does
PATIENCE_S = 300  # with a program that begins, reads its files anew or ends: no machine is so slow


def free_port():
    """A port for a server that goes and comes back: below those that outgoing connections get, or one may have it in between."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def unpacked(record, dictionaries):
    """A record as it was before daemon/store/database/record_pack.c packed it: its id, a mark, the dictionary's id, bytes of the rest, the rest."""
    if len(record) <= 41 or record[32] != 1:
        return record
    number, size = struct.unpack("<II", record[33:41])
    zstd, rest = ctypes.CDLL("libzstd.so.1"), ctypes.create_string_buffer(size)
    zstd.ZSTD_createDCtx.restype = ctypes.c_void_p
    zstd.ZSTD_decompress_usingDict.restype = ctypes.c_size_t
    context = ctypes.c_void_p(zstd.ZSTD_createDCtx())
    packed, dictionary = record[41:], dictionaries[number]
    got = zstd.ZSTD_decompress_usingDict(context, rest, ctypes.c_size_t(size), packed, ctypes.c_size_t(len(packed)), dictionary,
                                         ctypes.c_size_t(len(dictionary)))
    zstd.ZSTD_freeDCtx(context)
    if got != size:
        raise ValueError(f"a packed record of {size} bytes gave {got}")
    return record[:32] + rest.raw


class Failed(Exception):
    """A program of the run did what it must not do, or not what it must."""


def wait_until(what, process, ready):
    end = time.monotonic() + PATIENCE_S
    while not ready():
        if process.poll() is not None:
            raise Failed(f"waited in vain for {what}: it ended with status {process.returncode}")
        if time.monotonic() > end:
            raise Failed(f"waited {PATIENCE_S} s in vain for {what}")
        time.sleep(0.02)


class Server:
    """One cluster: the simulator, and what it must have after it was killed."""

    def __init__(self, name, bin_dir, work, bookmark_ms, options):
        self.name, self.bookmark_s = name, bookmark_ms / 1000
        self.token = TOKEN
        self.options = ["--bookmark-interval", str(bookmark_ms), *options]
        self.program = os.path.join(bin_dir, "apisim")
        self.folder = os.path.join(work, name)
        os.mkdir(self.folder)
        self.port = free_port()
        self.process = self.connection = None
        self.version = 0  # above every version that was given out
        self.waiting = []  # objects to write

    @property
    def kubeconfig(self):
        return os.path.join(self.folder, "kubeconfig")

    def start(self, objects):
        for _ in range(PORTS_TRIED):
            try:
                return self._start(objects)
            except Failed:
                if self.version:  # driftd knows it by its port
                    raise
                self.port = free_port()
        return self._start(objects)

    def _start(self, objects):
        load, log = os.path.join(self.folder, "load.json"), os.path.join(self.folder, "log")
        with open(load, "w", encoding="utf-8") as f:
            json.dump(objects, f)
        with open(log, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [self.program, "--port", str(self.port), "--tls-dir", os.path.join(self.folder, "tls"), "--token", self.token,
                 "--kubeconfig-out", self.kubeconfig, "--after-version", str(self.version), "--load", load, *self.options],
                stdout=out, stderr=out)
        wait_until(f"server {self.name}", self.process, lambda: "listening" in open(log, encoding="utf-8").read())
        context = ssl.create_default_context(cafile=os.path.join(self.folder, "tls", "ca.crt"))
        self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=PATIENCE_S)

    def up(self):
        return self.process is not None

    def kill(self, sign=signal.SIGKILL):
        # What was given out since is not known any more: each event makes one version at most, and deletions of a kind one for each object.
        if self.connection:
            self.version = self.stats()["resourceVersion"] + 1000
            self.connection.close()
        self.process.send_signal(sign)
        self.process.wait()
        self.process = self.connection = None

    def note_stacks(self):
        """What it does, as far as gdb is there to say so."""
        if self.up() and shutil.which("gdb"):
            with open(os.path.join(self.folder, "stacks"), "w", encoding="utf-8") as out:
                subprocess.run(["gdb", "-batch", "-p", str(self.process.pid), "-ex", "thread apply all backtrace"], stdout=out, stderr=out,
                               check=False)

    def _request(self, method, path, body=None, content="application/json"):
        headers = {"Authorization": "Bearer " + self.token, "Content-Type": content}
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise Failed(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text)

    def stats(self):
        return self._request("GET", "/_apisim/stats")

    def fault(self, command):
        self._request("POST", "/_apisim/fault", command)

    def write(self, obj):
        """Create or replace, with others together."""
        self.waiting.append(obj)

    def flush(self):
        if self.waiting and self.up():
            self._request("POST", "/_apisim/load?fieldManager=model", self.waiting)
        self.waiting = []

    def patch(self, kind, obj):
        """Replace the fields of an object as a client does it."""
        self.flush()
        body = {kind.root: {f: obj[kind.root].get(f) for f in w.State._fields}}
        meta = obj["metadata"]
        self._request("PATCH", f"{w.collection(kind, meta.get('namespace'))}/{meta['name']}", body, "application/merge-patch+json")

    def delete(self, kind, namespace, name):
        self.flush()
        self._request("DELETE", f"{w.collection(kind, namespace)}/{name}")

    def define(self, served):
        self.flush()
        crd = w.definition()
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        if served:
            self._request("POST", path, crd)
        else:
            self._request("DELETE", path + "/" + crd["metadata"]["name"])


class Driftd:
    """The daemon: started, reloaded and ended; its records go to @take, line by line."""

    def __init__(self, bin_dir, work, servers, take):
        self.program, self.folder, self.servers, self.take = os.path.join(bin_dir, "driftd"), work, servers, take
        self.port = free_port()
        self.process = self.reader = None
        self.lines = []
        self.reading = threading.Event()  # clear: driftd cannot write what it has to tell
        self.reading.set()
        self.pipe_bytes = None  # of its output; None: as the system makes it
        self.state_dir = os.path.join(work, "state")
        os.mkdir(self.state_dir)
        self.journal = self.clock = None  # machine.py: of a run that has them
        with open(os.path.join(work, "rules.yaml"), "w", encoding="utf-8") as f:
            f.write(w.rule_file())

    def configure(self, variant):
        references = []
        for name in ("main", "extra"):
            folder = os.path.join(self.folder, "reference-" + name)
            os.makedirs(folder, exist_ok=True)
            files = w.reference_files(name, variant)
            for old in set(os.listdir(folder)) - files.keys():
                os.remove(os.path.join(folder, old))
            for file, text in files.items():
                with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
                    f.write(text)
            references.append({"name": name, "path": f"reference-{name}/metadata.yaml", "severity": w.DEFAULT_SEVERITY, "for": w.REFERENCE_FOR[name],
                               "component_severity": w.severities(name, variant)})
        clusters = [{"name": s.name, "kubeconfig": s.kubeconfig, "references": list(w.REFERENCES[s.name])} for s in self.servers]
        config = {"clusters": clusters, "references": references, "validation_rules": ["rules.yaml"],
                  "state_dir": self.state_dir, "flapping": {"changes": 0}, "evidence_max_age": f"{EVIDENCE_S}s", "metrics": {"listen": [f"127.0.0.1:{self.port}"]}}
        with open(os.path.join(self.folder, "driftd.yaml"), "w", encoding="utf-8") as f:
            json.dump(config, f, indent=1)

    def up(self):
        return self.process is not None

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "run", "-c", os.path.join(self.folder, "driftd.yaml"), "-o", "journal" if self.journal else "json"],
            stdout=subprocess.PIPE, stderr=open(os.path.join(self.folder, "driftd.err"), "a", encoding="utf-8"), text=True,
            encoding="utf-8", env=self.clock.environment() if self.clock else None)
        if self.pipe_bytes:
            fcntl.fcntl(self.process.stdout, F_SETPIPE_SZ, self.pipe_bytes)
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def await_start(self, waiting=lambda: None):
        def started():
            waiting()
            return self._get("/-/healthy") is not None
        wait_until("driftd's HTTP server", self.process, started)

    def _read(self, out):
        for line in out:
            self.reading.wait()
            self.lines.append(line)

    def pump(self):
        """Hand over the records that have come; how many they are."""
        n = len(self.lines)
        for line in self.lines[:n]:
            self.take(line)
        del self.lines[:n]
        if self.up() and self.process.poll() is not None:
            raise Failed(f"driftd ended by itself with status {self.process.returncode}")
        return n

    def stop(self, patience_s=PATIENCE_S, statuses=(0,)):
        """SIGTERM, and all its records."""
        self.process.terminate()
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed(f"driftd does not end within {patience_s} s") from None
        self.reader.join()
        self.process = None
        self.pump()
        if status not in statuses:
            raise Failed(f"driftd ended with status {status}")

    def kill(self):
        """SIGKILL, and the records that it wrote; a line that it was writing is none."""
        self.process.kill()
        self.process.wait()
        self.reading.set()
        self.reader.join()
        self.process = None
        if not self.journal and self.lines and not self.lines[-1].endswith("\n"):
            self.lines.pop()
        self.pump()

    def end(self):
        if self.up():
            self.process.kill()
            self.process.wait()

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def _get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            text = answer.read().decode()
            return text if answer.status == 200 else None
        except OSError:
            return None
        finally:
            connection.close()

    def metrics(self):
        """Samples by their text: 'name{label="value"}' -> number."""
        text = self._get("/metrics") or ""
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if not line.startswith("#")}

    def status(self):
        return self._get("/status.json")

    def _stored(self, query):
        """Rows of the database of a driftd that has ended, from a copy: the disk may have no room for what reading needs."""
        with tempfile.TemporaryDirectory(dir=self.folder) as copy:
            for name in ("driftd.db", "driftd.db-wal"):
                if os.path.exists(os.path.join(self.state_dir, name)):
                    shutil.copy(os.path.join(self.state_dir, name), copy)
            with contextlib.closing(sqlite3.connect(os.path.join(copy, "driftd.db"))) as database:
                return list(database.execute(query))

    def is_sound(self):
        """Whether SQLite finds nothing wrong with the database of a driftd that has ended."""
        try:
            return self._stored("PRAGMA integrity_check") == [("ok",)]
        except sqlite3.DatabaseError:
            return False

    def waiting(self):
        """The ids of the findings of which records are still to be told."""
        field = b"DRIFTD_DRIFT_ID"  # in a record as it is stored, before the length of its value and the value
        dictionaries = dict(self._stored("SELECT id, bytes FROM dictionary UNION SELECT id, bytes FROM dictionary_again"))
        records = [unpacked(record, dictionaries).partition(field)[2] for (record,) in self._stored("SELECT CAST(record AS BLOB) FROM outbox")]
        return {rest[4:36].decode() for rest in records if rest}

    def stored_records(self):
        """The ids of the latest records that are stored."""
        return {number for (number,) in self._stored(f"SELECT record FROM history ORDER BY seq DESC LIMIT {RECORDS_MAX}")}

    def state(self):
        """The findings of the database: key -> (id, severity, paths, announced)."""
        kinds = (w.DRIFT, w.COMPONENT, w.ERROR, w.GAP, w.VALIDATION)
        severities = {2: "critical", 3: "error", 4: "warning", 5: "notice", 6: "info"}
        findings = [json.loads(body) for (body,) in self._stored("SELECT body FROM finding")]
        out = {}
        for x in findings:
            get = lambda name: x.get(name, "")
            what = kinds[x["finding"]]
            key = (what, get("cluster"), get("reference"))
            if what == w.COMPONENT:
                key += (get("part"), get("component"))
            elif what == w.GAP:
                key = (what, get("cluster"), get("apiVersion"), get("kind"), get("namespace"), get("name"))
            else:
                key += (get("apiVersion"), get("kind"), get("namespace"), get("name"), *([x["rule"]] if get("rule") else []))
            paths = tuple(sorted(get("paths").split("\n"))) if get("paths") else ()
            out[key] = (x["id"], severities[x["severity"]], paths, x["announced"])
        return out
