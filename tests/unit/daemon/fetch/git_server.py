#!/usr/bin/env python3
"""git_server.py FOLDER: serve the repositories in FOLDER over HTTP and, with FOLDER/tls.pem, over HTTPS.

The ports, that of HTTPS second, are written to FOLDER/ports; each request becomes a line of FOLDER/log: port, path, and what it had for
Authorization. /open/REPOSITORY is for all, /old/REPOSITORY too, by the protocol of before 2018, /auth/REPOSITORY for FOLDER/basic
(user:password) only. /other/PATH sends to /open/PATH of the other port, /status/N/ answers N, /hang never answers, /trickle sends a byte
now and then.
"""
import base64
import contextlib
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time

FOLDER = pathlib.Path(sys.argv[1]).resolve()
PORTS = []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def answer(self, status, headers=(), body=b""):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while True:
            n = int(self.rfile.readline(), 16)
            parts.append(self.rfile.read(n))
            self.rfile.readline()
            if n == 0:
                return b"".join(parts)

    def backend(self, path, query, version):
        environment = dict(os.environ, GIT_PROJECT_ROOT=str(FOLDER), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
                           REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type", ""), REMOTE_ADDR="127.0.0.1",
                           GIT_PROTOCOL=version, HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""))
        done = subprocess.run(["git", "http-backend"], input=self.body(), stdout=subprocess.PIPE, env=environment, check=False)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, [h for h in headers if h[0] != "Status"], body)

    def wait(self, trickle):
        if trickle:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.end_headers()
        for _ in range(600):
            time.sleep(0.1)
            if trickle:
                self.wfile.write(b"0")
                self.wfile.flush()

    def do_GET(self):
        path, _, query = self.path.partition("?")
        port = self.server.server_address[1]
        sent = self.headers.get("Authorization", "-")
        with open(FOLDER / "log", "a", encoding="utf-8") as log:
            print(port, path, sent, file=log)
        _, first, rest = (path.split("/", 2) + ["", ""])[:3]
        if first in ("hang", "trickle"):
            with contextlib.suppress(ConnectionError):
                self.wait(first == "trickle")
        elif first == "other":
            other = next(p for p in PORTS if p != port)
            scheme = "https" if PORTS.index(other) == 1 else "http"
            self.answer(302, [("Location", f"{scheme}://127.0.0.1:{other}/open/{rest}?{query}")])
        elif first == "status":
            self.answer(int(rest.split("/")[0]), body=b"secret words of the server\n")
        elif first == "auth" and sent != "Basic " + base64.b64encode((FOLDER / "basic").read_bytes().strip()).decode():
            self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')])
        else:
            self.backend("/" + rest, query, "" if first == "old" else self.headers.get("Git-Protocol", ""))

    do_POST = do_GET


def main():
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)]
    if (FOLDER / "tls.pem").exists():
        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(FOLDER / "tls.pem")
        servers[1].socket = context.wrap_socket(servers[1].socket, server_side=True)
    PORTS.extend(s.server_address[1] for s in servers)
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    (FOLDER / "ports.new").write_text(" ".join(map(str, PORTS)), encoding="utf-8")
    (FOLDER / "ports.new").rename(FOLDER / "ports")
    threading.Event().wait()


main()
