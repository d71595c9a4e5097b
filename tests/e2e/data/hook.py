"""hook.py PORT FILE: a web hook on the loopback; the body of the last POST goes into FILE."""
import http.server
import sys


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        with open(sys.argv[2], "wb") as f:
            f.write(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Hook).serve_forever()
