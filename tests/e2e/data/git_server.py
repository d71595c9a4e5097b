#!/usr/bin/env python3
"""git_server.py FOLDER LOG [CERTIFICATE KEY [USER:PASSWORD]]: the repositories in FOLDER by git-http-backend, over TLS when a certificate is
given, to who knows the password when one is. Says "port N". LOG has a line for each request: METHOD PATH STATUS, and whether a password came.
Below /away/ it sends everybody to another host, below /hang/ it answers nothing."""
import base64
import http.server
import os
import ssl
import subprocess
import sys
import threading
import time

folder, log = sys.argv[1], open(sys.argv[2], "a", buffering=1)
certificate, key = (sys.argv[3:5] + ["", ""])[:2]
wanted = "Basic " + base64.b64encode(sys.argv[5].encode()).decode() if len(sys.argv) > 5 else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, headers, body=b""):
        log.write(f"{self.command} {self.path} {status} {'password' if self.headers.get('Authorization') else '-'}\n")
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def backend(self, body):
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": folder, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
               "QUERY_STRING": query, "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
               "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": "127.0.0.1", "HOME": folder, "GIT_CONFIG_COUNT": "1",
               "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        for name, variable in (("Content-Encoding", "HTTP_CONTENT_ENCODING"), ("Git-Protocol", "HTTP_GIT_PROTOCOL")):
            if self.headers.get(name):
                env[variable] = self.headers[name]
        out = subprocess.run(["git", "http-backend"], input=body, env=env, stdout=subprocess.PIPE, check=False).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        headers = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n") if b": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.answer(status, [h for h in headers if h[0] not in ("Status", "Content-Length")], rest)

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        if self.path.startswith("/hang/"):
            time.sleep(600)
        elif self.path.startswith("/away/"):
            self.answer(302, [("Location", "https://localhost:1" + self.path[5:])])
        elif wanted and self.headers.get("Authorization") != wanted:
            self.answer(401, [("WWW-Authenticate", 'Basic realm="git"')])
        else:
            self.backend(body)

    do_POST = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print("port", server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever).start()
