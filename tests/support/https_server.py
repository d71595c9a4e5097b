#!/usr/bin/env python3
"""https_server.py FOLDER PORT [CERT KEY]: the files of FOLDER over HTTPS, or HTTP without a certificate, on loopback.

Each request is a line on standard output: METHOD PATH AUTHORIZATION. Some paths are no files:
  /locked/PATH      the file, for who sends a header that is in FOLDER/allowed
  /to/N/PATH        N redirects, then the file
  /go?URL           a redirect to URL
  /status/N         an answer with the status N that repeats what was sent to it
  /slow/PATH        a byte each tenth of a second
  /endless          zeros without an end
  /short/PATH       half of what its length says
"""
import http.server
import pathlib
import ssl
import sys
import time
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def file(self, path):
        found = self.server.folder / path.lstrip("/")
        if not found.is_file():
            self.answer(404)
            return None
        return found.read_bytes()

    def send_file(self, path):
        body = self.file(path)
        if body is not None:
            self.answer(200, body, [("Content-Type", "text/html" if path.endswith(".html") else "application/octet-stream")])

    def drip(self, path):
        body = self.file(path)
        if body is None:
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for at in range(len(body)):
            self.wfile.write(body[at:at + 1])
            self.wfile.flush()
            time.sleep(0.1)

    def pour(self):
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        while True:
            self.wfile.write(bytes(1 << 16))

    def cut(self, path):
        body = self.file(path)
        if body is None:
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2])
        self.close_connection = True

    def do_GET(self):
        said = self.headers.get("Authorization", "-")
        print(self.command, self.path, said, flush=True)
        path = urllib.parse.unquote(self.path.partition("?")[0])
        _, first, *rest = path.split("/", 3)
        if first == "go":
            self.answer(302, headers=[("Location", self.path.partition("?")[2])])
        elif first == "to" and int(rest[0]) > 0:
            self.answer(302, headers=[("Location", f"/to/{int(rest[0]) - 1}/{rest[1]}")])
        elif first == "to":
            self.send_file(rest[1])
        elif first == "locked" and said not in (self.server.folder / "allowed").read_text().splitlines():
            self.answer(401, b"who are you?")
        elif first == "locked":
            self.send_file("/".join(rest))
        elif first == "status":
            self.answer(int(rest[0]), f"you sent {said}".encode())
        elif first == "slow":
            self.drip("/".join(rest))
        elif first == "endless":
            self.pour()
        elif first == "short":
            self.cut("/".join(rest))
        else:
            self.send_file(path)


def main():
    folder, port, *pair = sys.argv[1:]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.daemon_threads = True
    server.folder = pathlib.Path(folder)
    if pair:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*pair)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


main()
