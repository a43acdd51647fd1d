# SPDX-License-Identifier: Apache-2.0
"""A web server on loopback whose faults follow a script, and which holds signed requests to their signature: what a test
needs of the internet and of an object store."""
import hashlib
import hmac
import http.server
import re
import socket
import struct
import threading
import urllib.parse

KEY, SECRET, TOKEN = "AKIAPLANTEDKEY000000", "plantedSecret/0123456789abcdefghijklmnop", "plantedTokenFwoGZXIvYXdzEBYaD"


def signature(method, path, query, headers, region, secret):
    """Of AWS's signature version 4, by its own description: what `authorization` must end with."""
    fields = re.match(r"AWS4-HMAC-SHA256 Credential=(\S+?), ?SignedHeaders=(\S+?), ?Signature=(\w+)$", headers["authorization"])
    credential, names, _ = fields.groups()
    date = credential.split("/")[1]
    signed = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names.split(";"))
    pairs = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    query = "&".join(f"{urllib.parse.quote(k, '-_.~')}={urllib.parse.quote(v, '-_.~')}" for k, v in pairs)
    request = "\n".join([method, path, query, signed, names, headers["x-amz-content-sha256"]])
    scope = f"{date}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in (date, region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return credential.split("/")[0], names.split(";"), hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        path, _, query = self.path.partition("?")
        with server.lock:
            server.requests.append((self.path, headers, self.client_address[1]))
            server.asked.set()
            faults = server.script.get(path, [])
            fault = faults.pop(0) if faults else None
        if server.region and not self.is_signed(path, query, headers):
            return self.answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>")
        if callable(fault):
            return fault(self)
        body = server.files.get(urllib.parse.unquote(path))
        if body is None:
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        self.give(body, headers)

    def is_signed(self, path, query, headers):
        if "authorization" not in headers:
            return False
        key, names, wanted = signature("GET", path, query, headers, self.server.owner.region, SECRET)
        token = "x-amz-security-token" not in headers or (
            "x-amz-security-token" in names and headers["x-amz-security-token"] == TOKEN)
        return key == KEY and token and headers["authorization"].endswith("=" + wanted)

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def give(self, body, headers, ranges=True, upto=None, etag='"one"'):
        """Up to so many bytes; fewer than announced end the connection."""
        wanted = re.match(r"bytes=(\d+)-$", headers.get("range", "")) if ranges else None
        start = int(wanted[1]) if wanted else 0
        if start >= len(body) and wanted:
            return self.answer(416, Content_Range=f"bytes */{len(body)}")
        self.send_response(206 if wanted else 200)
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start:] if upto is None else body[start:upto])
        if upto is not None and upto < len(body):
            self.close_connection = True

    def reset(self):
        """The connection ends with RST."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


# Faults: each takes the handler of one request.
def status(code, **headers):
    return lambda handler: handler.answer(code, b"<Error><Code>SlowDown</Code></Error>", **headers)


def body_of(handler):
    return handler.server.owner.files[urllib.parse.unquote(handler.path.partition("?")[0])]


def headers_of(handler):
    return {name.lower(): value for name, value in handler.headers.items()}


def truncated(upto, **how):
    return lambda handler: handler.give(body_of(handler), headers_of(handler), upto=upto, **how)


def whole(**how):
    return lambda handler: handler.give(body_of(handler), headers_of(handler), **how)


def reset_after(upto):
    def fault(handler):
        handler.give(body_of(handler), headers_of(handler), upto=upto)
        handler.reset()

    return fault


def silent(handler):
    """Nothing is answered until the other end gives up."""
    handler.server.owner.closing.wait(60)
    handler.close_connection = True


def trickle(handler):
    """A byte now and then, for ever."""
    body = body_of(handler)
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    for byte in body:
        if handler.server.owner.closing.wait(0.02):
            break
        try:
            handler.wfile.write(bytes([byte]))
        except OSError:
            break
    handler.close_connection = True


def redirect(where, code=302):
    return lambda handler: handler.answer(code, b"", Location=where)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that gave up


class ShardServer:
    """`files` by path; `script`: faults by path, each for one request. With a region requests must be signed for it."""

    def __init__(self, files, region=None):
        self.files, self.region = files, region
        self.script, self.requests = {}, []
        self.lock, self.asked, self.closing = threading.Lock(), threading.Event(), threading.Event()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.owner = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
