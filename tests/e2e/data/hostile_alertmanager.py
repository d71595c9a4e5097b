"""hostile_alertmanager.py PORT FOLDER: Alertmanagers on the loopback, one at each path: /WAY/api/v2/alerts. What was posted goes into
FOLDER/WAY.posts, a line for each alert: its drift_id, "open" or "over", and the cluster's name of it. FOLDER/WAY.asked has a line a question; FOLDER/kept.bodies all that was posted to /kept."""
import http.server
import json
import os
import socket
import sys
import threading
import time

folder = sys.argv[2]
lock = threading.Lock()
known = {}  # of each way: labels as text -> the alert as it was posted last


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def list_of(way):
    """What it has, as an Alertmanager lists it: nothing that is over."""
    with lock:
        alerts = list(known.get(way, {}).values())
    return [a for a in alerts if is_open(a)]


def is_open(alert):
    return time.strptime(alert["endsAt"][:19], "%Y-%m-%dT%H:%M:%S") > time.gmtime()


def of_ours(way, n):
    """So many alerts that driftd would take for its own: with the origin of those that it posted to the good one."""
    origin = next(iter(known["good"].values()))["annotations"]["driftd"] if known.get("good") else ""
    for i in range(n):
        yield {"labels": {"alertname": "DriftdDrift", "drift_id": "%032x" % i, "x": "y" * 600}, "annotations": {"driftd": origin},
               "startsAt": "2026-01-01T00:00:00Z", "endsAt": "2036-01-01T00:00:00Z"}


def of_others(n):
    for i in range(n):
        yield {"labels": {"alertname": "Other", "drift_id": "none-%d" % i, "text": '}]"\\' * 20}, "annotations": {"driftd": "0" * 32},
               "startsAt": "2026-01-01T00:00:00Z", "endsAt": "2036-01-01T00:00:00Z"}


class Alertmanager(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    date = None

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return self.date or super().date_time_string(timestamp)

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def raw(self, data):
        self.close_connection = True
        self.wfile.write(data)

    def endless(self, portion, pause):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n[")
        while True:
            self.wfile.write(portion)
            if pause:
                time.sleep(pause)

    def many(self, alerts):
        self.raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n[")
        chunk, sep = [], b""
        for alert in alerts:
            chunk.append(json.dumps(alert))
            if len(chunk) == 1000:
                self.wfile.write(sep + ",".join(chunk).encode())
                chunk, sep = [], b","
        self.wfile.write(b"]")

    def take(self, way):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if way == "kept":
            with open(os.path.join(folder, "kept.bodies"), "ab") as f:
                f.write(body + b"\n")
        alerts = json.loads(body.decode("utf-8", "surrogateescape"))
        with lock:
            of = known.setdefault(way, {})
            for a in alerts:
                of[json.dumps(a["labels"], sort_keys=True)] = a
            with open(os.path.join(folder, way + ".posts"), "a") as f:
                for a in alerts:
                    f.write("%s %s %s\n" % (a["labels"].get("drift_id"), "open" if is_open(a) else "over", a["labels"].get("cluster")))

    def serve(self, post):
        way = self.path.split("/")[1]
        with open(os.path.join(folder, way + ".asked"), "a") as f:
            f.write(self.command + " " + self.headers.get("Authorization", "-") + "\n")
        if post and way not in ("cut", "endless-post"):
            self.take(way)
        sent = self.headers.get("Authorization", "")
        with_list = json.dumps(list_of(way)).encode() if not post else b""
        if way == "good":
            self.answer(200, with_list)
        elif way == "hang":
            time.sleep(3600)
        elif way == "slow":
            time.sleep(10)
            self.answer(200, with_list)
        elif way == "endless":
            self.endless(b" " * 65536, 0)
        elif way == "endless-post":
            self.endless(b" " * 65536, 0) if post else self.answer(200, b"[]")
        elif way == "drip":
            self.endless(b" ", 1) if not post else self.answer(200)
        elif way == "head":
            self.raw(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100000)
        elif way == "garbage":
            self.raw(os.urandom(100000))
        elif way == "echo":  # what it was sent, in each place of an answer that may be repeated
            self.raw(("HTTP/1.1 400 " + sent + "\r\nX: " + sent + "\r\nContent-Length: 1000\r\n\r\n" + sent).encode())
        elif way == "echo-version":
            self.raw(("HTTP/" + sent + " 200 OK\r\n\r\n").encode())
        elif way == "echo-length":
            self.raw(("HTTP/1.1 200 OK\r\nContent-Length: " + sent + "\r\n\r\n").encode())
        elif way == "redirect":
            self.answer(302, b"", [("Location", "/good/api/v2/alerts")])
        elif way.isdigit():
            self.answer(int(way))
        elif way == "wants":
            self.answer(200 if sent == "Bearer QzAlertToken4711" else 401, with_list)
        elif way == "others" and not post:
            self.many(of_others(100000))
        elif way == "ours" and not post:
            self.many(of_ours(way, 300000))
        elif way == "cut":
            self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[{")
        elif way == "date":  # a clock that is mad, another way each time
            dates = ["Sun, 06 Nov 99999999 08:49:37 GMT", "Thu, 01 Jan 1970 00:00:01 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "x" * 1000]
            self.date = dates[int(time.monotonic()) % len(dates)]
            self.answer(200, with_list)
        else:
            self.answer(200, with_list)

    def do_GET(self):
        self.answered(False)

    def do_POST(self):
        self.answered(True)

    def answered(self, post):
        try:
            self.serve(post)
        except OSError:
            self.close_connection = True


Server(("127.0.0.1", int(sys.argv[1])), Alertmanager).serve_forever()
