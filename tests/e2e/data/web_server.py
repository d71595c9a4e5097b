"""web_server.py FOLDER LOG [CERTIFICATE KEY]: a web server of the files in FOLDER, with TLS when it has a certificate.

It says "port N" and writes each path that is asked for into LOG. Below /redirect it redirects, below /plain/HOST:PORT to there without TLS, below /flaky it fails twice,
below /broken always.
"""
import functools, http.server, os, ssl, sys
folder, log, failures = sys.argv[1], open(sys.argv[2], "a", buffering=1), {}


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        print(self.path, file=log)
        if self.path.startswith("/plain/"):
            self.send_response(302)
            self.send_header("Location", "http://" + self.path[len("/plain/"):])
            self.end_headers()
            return
        if self.path.startswith("/redirect/"):
            self.send_response(302)
            self.send_header("Location", self.path[len("/redirect"):])
            self.end_headers()
        elif self.path.startswith("/flaky/"):
            failures[self.path] = failures.get(self.path, 0) + 1
            if failures[self.path] < 3:
                return self.send_error(503)
            self.path = self.path[len("/flaky"):]
            super().do_GET()
        elif self.path.startswith("/broken/"):
            self.send_error(500, "Out Of Order")
        else:
            super().do_GET()

    def log_message(self, *a):
        pass


s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3], sys.argv[4])
    s.socket = context.wrap_socket(s.socket, server_side=True)
print("port", s.server_port, flush=True)
s.serve_forever()
