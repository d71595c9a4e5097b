#!/usr/bin/env python3
"""late_member.py PORT UPSTREAM HOLD LOG: a member of etcd that keeps each transaction back as long as the file HOLD is there, and carries it
out then, whether or not somebody still waits for the answer; a line in LOG says so."""
import http.server
import os
import sys
import time
import urllib.error
import urllib.request

port, upstream, hold, log = sys.argv[1:]


class Member(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        late = self.path == "/v3/kv/txn" and os.path.exists(hold)
        while late and os.path.exists(hold):
            time.sleep(0.05)
        try:
            with urllib.request.urlopen(urllib.request.Request(upstream + self.path, body)) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as e:
            status, text = e.code, e.read()
        if late:
            with open(log, "a", encoding="utf-8") as f:
                f.write("late\n")
            self.close_connection = True
            return  # nobody waits for it any more
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Member).serve_forever()
