"""What a hostile server sends: for each mode the bytes that come first, and those that are repeated for ever.

A mode is one of HTTP/1.1 (also behind TLS), of HTTP/2, or of both. What is sent is correct as far as a client can know while it reads:
nothing of it ends, and little or nothing of it is payload."""
import struct

import tls

BLOCK = 1 << 18  # bytes that are sent at once: the sender must not be what is slow
JSON_BEGINS = b'{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"2"},"items":['
GZIP_BEGINS = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
GZIP_EMPTY = b"\x00\x00\x00\xff\xff"  # a stored block of no bytes
STATUS_TEXT = {200: "OK", 407: "Proxy Authentication Required"}


def many(unit, size=BLOCK):
    return unit * max(1, size // len(unit))


# ---- HTTP/1.1 ----

def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def h1(mode, status=200):
    """(first, repeated) of an answer with this status, None: the mode is not one of HTTP/1.1."""
    line = b"HTTP/1.1 %d %s\r\n" % (status, STATUS_TEXT[status].encode())
    head = line + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
    interim = many(b"HTTP/1.1 100 Continue\r\n\r\n")
    return {
        "early": (b"", interim),  # before there is a request
        "interim": (b"", interim),
        "headers": (line, many(b"X-Pad: a\r\n")),
        "header-line": (line + b"X-Pad: ", many(b"a")),
        "extension": (head + b"\r\n1;", many(b"a")),
        "trailers": (head + b"\r\n0\r\n", many(b"X-Pad: a\r\n")),
        "body": (head + b"\r\n" + chunk(JSON_BEGINS + b'"'), many(chunk(b"a" * 65536))),
        "chunks": (head + b"\r\n" + chunk(JSON_BEGINS), many(b"1\r\n \r\n")),
        "gzip": (head + b"Content-Encoding: gzip\r\n\r\n" + chunk(GZIP_BEGINS), many(chunk(many(GZIP_EMPTY, 65536)))),
    }.get(mode)


# ---- HTTP/2 ----

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
UNKNOWN = 0xEE
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
ACK = 1


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name, value):  # a literal that is not indexed, and not packed
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def head_block(status, *fields):
    status = b"\x88" if status == 200 else b"\x08\x03%d" % status
    return status + b"".join(field(n, v) for n, v in fields)


CONTENT_TYPE = (b"content-type", b"application/json")


def h2(mode, stream):
    """(first, repeated, flow) on a stream that was opened: flow is what the repeated bytes, a whole frame, take of the client's window, 0:
    nothing. None: the mode is not one of HTTP/2."""
    head = frame(HEADERS, END_HEADERS, stream, head_block(200, CONTENT_TYPE))
    packed = frame(HEADERS, END_HEADERS, stream, head_block(200, CONTENT_TYPE, (b"content-encoding", b"gzip")))
    begun = head + frame(DATA, 0, stream, JSON_BEGINS)
    fields = many(field(b"x-pad", b"a"), 16000)
    blocks = many(frame(CONTINUATION, 0, stream, fields))
    return {
        "early": (b"", many(frame(UNKNOWN, 0, 0)), 0),
        "unknown": (b"", many(frame(UNKNOWN, 0, 0)), 0),
        "priority": (b"", many(frame(PRIORITY, 0, stream, b"\x00\x00\x00\x00\x10")), 0),
        "window": (b"", many(frame(WINDOW_UPDATE, 0, 0, b"\x00\x00\x00\x01")), 0),
        "settings": (b"", many(frame(SETTINGS, 0, 0)), 0),
        "ping": (b"", many(frame(PING, 0, 0, b"12345678")), 0),
        "goaway": (b"", many(frame(GOAWAY, 0, 0, b"\x7f\xff\xff\xff\x00\x00\x00\x00")), 0),
        "empty-data": (begun, many(frame(DATA, 0, stream)), 0),
        "padding": (begun, frame(DATA, PADDED, stream, b"\xff" + b"\x00" * 255), 256),
        "interim": (b"", many(frame(HEADERS, END_HEADERS, stream, head_block(100))), 0),
        "continuation": (frame(HEADERS, 0, stream, b"\x88"), many(frame(CONTINUATION, 0, stream)), 0),
        "headers": (frame(HEADERS, 0, stream, b"\x88"), blocks, 0),
        "trailers": (begun + frame(HEADERS, END_STREAM, stream, field(b"x-pad", b"a")), blocks, 0),
        "body": (begun + frame(DATA, 0, stream, b'"'), frame(DATA, 0, stream, b"a" * 16384), 16384),
        "chunks": (begun, frame(DATA, 0, stream, b" "), 1),
        "gzip": (packed + frame(DATA, 0, stream, GZIP_BEGINS), frame(DATA, 0, stream, many(GZIP_EMPTY, 16380)), 16380),
    }.get(mode)


def table():
    """Every (mode, protocol) that there is."""
    both = {"pages", "close"}
    first = [m for m in MODES if h1(m)] + sorted(both)
    second = [m for m in MODES if h2(m, 1)] + sorted(both)
    behind_tls = [(m, "tls") for m in tls.MODES] + [(m, "h2") for m in tls.ATTACKS]
    return [(m, p) for p in ("h1", "tls") for m in first] + [(m, "h2") for m in second] + behind_tls


MODES = ["early", "interim", "headers", "header-line", "extension", "trailers", "body", "chunks", "gzip", "unknown", "priority", "window",
         "settings", "ping", "goaway", "empty-data", "padding", "continuation"]

if __name__ == "__main__":
    for row in table():
        print(*row)
