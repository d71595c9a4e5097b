#!/usr/bin/env python3
"""silence.py SERVER-PORT FAULT-FILE: an HTTP proxy that can fall silent; prints its port.

The fault file holds words, read anew for each piece of an answer:
  watch=frozen   nothing of a watch goes through, neither an answer nor an event
  watch=headers  a watch is answered, and then says nothing
  read=frozen    no other answer goes through
  only=NAME      but these concern requests whose path has NAME in it only
Nothing is closed by a fault: what it holds back stays back until the connection ends. Each connection serves one request."""
import re
import socket
import sys
import threading
import time

server_port, fault_file = int(sys.argv[1]), sys.argv[2]


def faults():
    try:
        with open(fault_file, encoding="utf-8") as f:
            return dict(word.split("=", 1) for word in f.read().split())
    except OSError:
        return {}


def is_held(line, headers_sent):
    fault = faults()
    if fault.get("only", "") not in line:
        return False
    if "watch=" not in line:
        return fault.get("read") == "frozen"
    return fault.get("watch") == "frozen" or (fault.get("watch") == "headers" and headers_sent)


def wait_while_held(line, headers_sent, client):
    """False when the client has left meanwhile."""
    while is_held(line, headers_sent):
        client.settimeout(0.2)
        try:
            if not client.recv(1):
                return False
        except TimeoutError:
            pass
    client.settimeout(None)
    return True


def forward(line, client, server):
    """The headers are a piece of their own."""
    pending, headers_sent = b"", False
    while piece := server.recv(65536):
        pending += piece
        while pending and (headers_sent or b"\r\n\r\n" in pending):
            end = len(pending) if headers_sent else pending.index(b"\r\n\r\n") + 4
            if not wait_while_held(line, headers_sent, client):
                return
            client.sendall(pending[:end])
            pending, headers_sent = pending[end:], True


def serve(client):
    request = b""
    while b"\r\n\r\n" not in request:
        piece = client.recv(65536)
        if not piece:
            return client.close()
        request += piece
    line = request.split(b"\r\n", 1)[0].decode()
    head, body = request.split(b"\r\n\r\n", 1)
    head = re.sub(rb"\r\nConnection:[^\r]*", b"", head, flags=re.I) + b"\r\nConnection: close"
    with client, socket.create_connection(("127.0.0.1", server_port)) as server:
        try:
            server.sendall(head + b"\r\n\r\n" + body)
            forward(line, client, server)
        except OSError:
            pass
    return None


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print(listener.getsockname()[1], flush=True)
while True:
    try:
        connection, _ = listener.accept()
    except OSError:
        time.sleep(0.1)
        continue
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
