#!/usr/bin/env python3
"""server.py MODE PROTOCOL FOLDER [--tls-dir DIR] [--status N]: an API server of one ConfigMap that becomes hostile.

PROTOCOL is h1 (plain), tls (HTTP/1.1 behind TLS) or h2 (HTTP/2 behind TLS); MODE one of attacks.py, of tls.py, or
  pages  each page of a list is empty and names another one
  close  each connection ends where an answer is due
FOLDER/port is written once it listens. From when FOLDER/attack is there open connections are ended, and each new one is served by MODE;
until then it is an honest server. FOLDER/stats says what came and went, as JSON: connections, requests, attacks (answers that were begun),
and bytes."""
import argparse
import contextlib
import ctypes
import json
import os
import select
import socket
import ssl
import struct
import threading
import time
import urllib.parse

import attacks
import tls

parser = argparse.ArgumentParser()
parser.add_argument("mode")
parser.add_argument("protocol", choices=["h1", "tls", "h2"])
parser.add_argument("folder")
parser.add_argument("--tls-dir")
parser.add_argument("--status", type=int, default=200)
options = parser.parse_args()
stats = {"connections": 0, "requests": 0, "attacks": 0, "bytes": 0}
POLL_SECONDS = 0.05


def attacking():
    return os.path.exists(os.path.join(options.folder, "attack"))


def write_file(name, text):
    path = os.path.join(options.folder, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(path + ".new", path)


class Closed(Exception):
    """The client has gone."""


class Link:
    """A connection, read and written by one thread without waiting for either alone."""

    def __init__(self, sock):
        self.sock = sock
        sock.setblocking(False)

    def wait(self, write=False, seconds=POLL_SECONDS):
        if not write and hasattr(self.sock, "pending") and self.sock.pending():
            return
        select.select([self.sock], [self.sock] if write else [], [], seconds)

    def read(self):
        """What is there; empty: nothing yet."""
        try:
            data = self.sock.recv(65536)
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return b""
        except OSError as e:
            raise Closed from e
        if not data:
            raise Closed
        return data

    def write(self, data, heard=lambda data: None):
        """All of it; what comes meanwhile is told."""
        view = memoryview(data)
        while view:
            try:
                n = self.sock.send(view)
                stats["bytes"] += n
                view = view[n:]
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                self.wait(write=True)
                heard(self.read())
            except OSError as e:
                raise Closed from e


# ---- an honest API server ----

ITEM = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "one", "namespace": "default", "resourceVersion": "1", "uid": "u-1"},
        "data": {"v": "1"}}
KINDS = {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
    {"name": "configmaps", "singularName": "", "namespaced": True, "kind": "ConfigMap", "verbs": ["list", "watch", "get"]},
    {"name": "namespaces", "singularName": "", "namespaced": False, "kind": "Namespace", "verbs": ["list", "watch", "get"]}]}


def refusal(code, reason):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": reason}


def answer_list(path, query):
    metadata = {"resourceVersion": "1"}
    maps = path.endswith("/configmaps")
    if options.mode == "pages" and attacking():
        metadata["continue"] = "page-%d" % stats["requests"]
        stats["attacks"] += 1
        return 200, {"kind": "List", "apiVersion": "v1", "metadata": metadata, "items": []}
    selector = query.get("fieldSelector", [""])[0]
    items = [ITEM] if maps and ("metadata.name" not in selector or selector == "metadata.name=one") else []
    return 200, {"kind": "ConfigMapList" if maps else "List", "apiVersion": "v1", "metadata": metadata, "items": items}


def answer(method, target):
    """(status, document); a document that is None is a watch."""
    path, _, query = target.partition("?")
    query = urllib.parse.parse_qs(query)
    if method == "POST" and path.endswith("selfsubjectaccessreviews"):
        return 201, {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": {"allowed": True}}
    if method != "GET":
        return refusal(405, "MethodNotAllowed")
    documents = {"/api": {"kind": "APIVersions", "versions": ["v1"]}, "/apis": {"kind": "APIGroupList", "groups": []}, "/api/v1": KINDS,
                 "/version": {"major": "1", "minor": "30", "gitVersion": "v1.30.0"}}
    if path in documents:
        return 200, documents[path]
    if not path.endswith(("/configmaps", "/namespaces")):
        return refusal(404, "NotFound")
    if "watch" not in query:
        return answer_list(path, query)
    if "sendInitialEvents" in query:
        return refusal(422, "Invalid")
    if options.mode == "pages" and attacking():
        return refusal(410, "Expired")
    return 200, None


# ---- HTTP/1.1 ----

def read_request(link):
    """(method, target), None when it shall be hostile meanwhile."""
    was_honest = not attacking()
    data = b""
    while b"\r\n\r\n" not in data:
        if was_honest and attacking():
            return None
        link.wait()
        data += link.read()
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    length = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:")), 0)
    while len(body) < length:
        link.wait()
        body += link.read()
    stats["requests"] += 1
    method, target, _ = lines[0].split(" ", 2)
    return method, target


def hold_until_hostile(link):
    while not attacking():
        link.wait()
        link.read()


def serve_h1(link):
    attack = attacks.h1(options.mode, options.status)
    if options.mode == "early" and attacking():
        flood(link, attack)
    while request := read_request(link):
        if attacking() and options.mode == "close":
            stats["attacks"] += 1
            return None
        if attacking() and attack:
            flood(link, attack)
        if attacking() and options.mode in tls.ATTACKS:
            flood_tls(link, attacks.h1("header-line")[0], b"a" * 9)
        status, document = answer(*request)
        if document is None:
            link.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
            return hold_until_hostile(link)
        body = json.dumps(document).encode()
        link.write(b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)
    return None


def flood(link, attack):
    first, repeated = attack
    stats["attacks"] += 1
    link.write(first)
    while True:
        link.write(repeated)
        link.read()


# ---- TLS ----

def flood_tls(link, first, begun):
    connection, raw = link.sock, Link(link.sock.sock)
    stats["attacks"] += 1
    link.write(first)
    while True:
        made = tls.ATTACKS[options.mode](connection, begun)
        made, connection.out = connection.out + made, b""
        if made:
            raw.write(made, connection.hear)
        else:
            raw.wait()
        connection.hear(raw.read())


def send_all(sock, data):
    sock.sendall(data)
    stats["bytes"] += len(data)


def dribble(sock, data):
    for i in range(len(data)):
        send_all(sock, data[i:i + 1])
        time.sleep(0.05)


def begin_tls(sock, context):
    """Whoever is attacked while the connection begins does not come out of here."""
    connection = tls.Connection(sock, context)
    hostile = attacking() and options.mode in tls.IN_HANDSHAKE
    stats["attacks"] += hostile
    if hostile and options.mode == "tls-hello-requests":
        sock.recv(65536)
        raw = Link(sock)
        while True:
            raw.write(tls.HELLO_REQUESTS)
    connection.handshake(lambda data: (dribble if hostile else send_all)(sock, data))
    return connection


# ---- HTTP/2 ----

class NameValue(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_void_p), ("name_len", ctypes.c_size_t), ("value_len", ctypes.c_size_t),
                ("flags", ctypes.c_uint8)]


class Inflater:
    """Unpacks the headers of requests: with the library that packed them, which every libcurl brings."""
    FINAL, EMIT = 1, 2

    def __init__(self):
        self.lib = ctypes.CDLL("libnghttp2.so.14")
        self.lib.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
        self.lib.nghttp2_hd_inflate_hd2.argtypes = [ctypes.c_void_p, ctypes.POINTER(NameValue), ctypes.POINTER(ctypes.c_int),
                                                    ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
        self.handle = ctypes.c_void_p()
        self.lib.nghttp2_hd_inflate_new(ctypes.byref(self.handle))

    def fields(self, block):
        found, flags, pair = {}, ctypes.c_int(), NameValue()
        while True:
            n = self.lib.nghttp2_hd_inflate_hd2(self.handle, pair, flags, block, len(block), 1)
            if n < 0:
                raise Closed
            block = block[n:]
            if flags.value & self.EMIT:
                found[ctypes.string_at(pair.name, pair.name_len)] = ctypes.string_at(pair.value, pair.value_len)
            if flags.value & self.FINAL:
                self.lib.nghttp2_hd_inflate_end_headers(self.handle)
                return found

    def close(self):
        self.lib.nghttp2_hd_inflate_del(self.handle)


class H2:
    PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    def __init__(self, link):
        self.link, self.data, self.inflater = link, b"", Inflater()
        self.window, self.initial, self.windows = 65535, 65535, {}
        self.requests, self.preface_read, self.block = [], False, b""

    def hear(self, data):
        self.data += data
        if not self.preface_read and len(self.data) >= len(self.PREFACE):
            self.data, self.preface_read = self.data[len(self.PREFACE):], True
        while self.preface_read and len(self.data) >= 9:
            length = int.from_bytes(self.data[:3], "big")
            if len(self.data) < 9 + length:
                return
            kind, flags, stream = self.data[3], self.data[4], int.from_bytes(self.data[5:9], "big") & 0x7FFFFFFF
            payload, self.data = self.data[9:9 + length], self.data[9 + length:]
            self.take(kind, flags, stream, payload)

    def take(self, kind, flags, stream, payload):
        if kind == attacks.SETTINGS and not flags & attacks.ACK:
            for i in range(0, len(payload), 6):
                name, value = struct.unpack(">HI", payload[i:i + 6])
                self.initial = value if name == 4 else self.initial
        elif kind == attacks.WINDOW_UPDATE:
            n = int.from_bytes(payload, "big")
            if stream:
                self.windows[stream] = self.windows.get(stream, 0) + n
            else:
                self.window += n
        elif kind in (attacks.HEADERS, attacks.CONTINUATION):
            self.take_headers(kind, flags, stream, payload)

    def take_headers(self, kind, flags, stream, payload):
        if kind == attacks.HEADERS:
            padding = payload[0] if flags & attacks.PADDED else 0
            payload = payload[(1 if flags & attacks.PADDED else 0) + (5 if flags & 0x20 else 0):len(payload) - padding]
            self.block = b""
        self.block += payload
        if flags & attacks.END_HEADERS:
            fields = self.inflater.fields(self.block)
            stats["requests"] += 1
            self.requests.append((stream, fields[b":method"].decode(), fields[b":path"].decode()))

    def room(self, stream):
        return min(self.window, self.initial + self.windows.get(stream, 0))

    def spend(self, stream, n):
        self.window -= n
        self.windows[stream] = self.windows.get(stream, 0) - n

    def respond(self, stream, status, document):
        head = attacks.head_block(status, attacks.CONTENT_TYPE)
        self.link.write(attacks.frame(attacks.HEADERS, attacks.END_HEADERS, stream, head), self.hear)
        if document is None:
            return
        body = json.dumps(document).encode()
        assert len(body) < 16384
        self.spend(stream, len(body))
        self.link.write(attacks.frame(attacks.DATA, attacks.END_STREAM, stream, body), self.hear)

    def flood(self, stream):
        first, repeated, flow = attacks.h2(options.mode, stream)
        stats["attacks"] += 1
        self.link.write(first, self.hear)
        block = repeated if not flow else b""
        while True:
            if flow:
                n = min(self.room(stream) // flow, max(1, attacks.BLOCK // len(repeated)))
                if n <= 0:
                    self.link.wait()
                    self.hear(self.link.read())
                    continue
                self.spend(stream, n * flow)
                block = repeated * n
            self.link.write(block, self.hear)
            self.hear(self.link.read())

    def serve(self):
        was_honest = not attacking()
        self.link.write(attacks.frame(attacks.SETTINGS, 0, 0) + attacks.frame(attacks.SETTINGS, attacks.ACK, 0))
        if options.mode == "early" and not was_honest:
            self.flood(0)
        while not (was_honest and attacking()):
            self.link.wait()
            self.hear(self.link.read())
            while self.requests:
                stream, method, path = self.requests.pop(0)
                if attacking() and options.mode == "close":
                    stats["attacks"] += 1
                    return
                if attacking() and attacks.h2(options.mode, stream):
                    self.flood(stream)
                if attacking() and options.mode in tls.ATTACKS:
                    flood_tls(self.link, b"", attacks.frame(attacks.UNKNOWN, 0, 0))
                self.respond(stream, *answer(method, path))


def serve_h2(link):
    connection = H2(link)
    try:
        connection.serve()
    finally:
        connection.inflater.close()


# ---- connections ----

def tls_context():
    cert, key = (os.path.join(options.tls_dir, "server." + end) for end in ("crt", "key"))
    alpn = "h2" if options.protocol == "h2" else "http/1.1"
    if options.mode in tls.MODES:
        return tls.Context(cert, key, alpn.encode(), options.mode in tls.OLD)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.set_alpn_protocols([alpn])
    return context


def serve(sock, context):
    try:
        with sock:
            sock.settimeout(20)
            if context:
                own = isinstance(context, tls.Context)
                sock = begin_tls(sock, context) if own else context.wrap_socket(sock, server_side=True)
            with contextlib.closing(sock):
                (serve_h2 if options.protocol == "h2" else serve_h1)(Link(sock))
    except (Closed, OSError):
        pass


def tell_stats():
    while True:
        write_file("stats", json.dumps(stats))
        time.sleep(0.1)


def main():
    context = None if options.protocol == "h1" else tls_context()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=tell_stats, daemon=True).start()
    write_file("port", "%d\n" % listener.getsockname()[1])
    while True:
        sock, _ = listener.accept()
        stats["connections"] += 1
        threading.Thread(target=serve, args=(sock, context), daemon=True).start()


main()
