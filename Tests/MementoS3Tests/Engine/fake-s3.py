#!/usr/bin/env python3
"""A small object store that fails as it is told: fake-s3.py DIR [KEY=VALUE...]

It speaks what a client of S3 needs, checks every signature by itself, and keeps its objects in memory. It says its port on
standard error. DIR/faults has a rule on each line, `METHOD TEXT COUNT ACTION [ARGUMENT]`: the next COUNT requests of this
method (or `*`) whose path and query contain TEXT (or `*`) go wrong. DIR/log gets a line for each request.

Actions: `status N [CODE]`, `early N [CODE]` (before the content is read, which is left), `cut` (no answer after half of the
content), `mark` (the mark of another content, and nothing done), `half` (only half of the content is kept, and it is told its mark),
`slow SECONDS` (the content is read in so many), `stall SECONDS` (the same, and then nothing is answered), `drop` (no answer, nothing done), `lose` (done, no answer), `truncate`, `delay SECONDS`, `hang`,
`falsify` (bytes of the content are changed), `repeat` (the answer comes twice), `page` (200 with a page of a proxy), `rubbish` (no HTTP),
`redirect URL`, `clock SECONDS` (the time in the answer), `inside` (200, and an error in the content).

Settings: marks (opaque: no MD5), bucket, key, secret, token, region, page (entries in a listing), condition (yes, no, ignored), certificate and
private (files: TLS), proxy (USER:PASSWORD that CONNECT wants), quota (bytes), expired (this token has expired).
"""
import base64, datetime, hashlib, hmac, http.server, json, os, re, select, socket, ssl, sys, threading, time
import urllib.parse
from xml.sax.saxutils import escape

FOLDER = sys.argv[1]
SET = dict(bucket="bucket", key="AKIDEXAMPLE", secret="secret/of+test", token="", region="us-east-1", page="1000",
           condition="yes", certificate="", private="", proxy="", quota="", expired="", marks="")
SET.update(word.split("=", 1) for word in sys.argv[2:])
LOCK = threading.Lock()
OBJECTS = {}
UPLOADS = {}


class Refusal(Exception):
    def __init__(self, status, code, **more):
        self.status, self.code, self.more = status, code, more


def fault(method, target):
    """The action of the first rule that fits, which is used up by one."""
    path = os.path.join(FOLDER, "faults")
    with LOCK:
        try:
            rules = [line.split() for line in open(path) if line.strip()]
        except OSError:
            return []
        for rule in rules:
            if int(rule[2]) > 0 and rule[0] in ("*", method) and (rule[1] == "*" or rule[1] in target):
                rule[2] = str(int(rule[2]) - 1)
                open(path, "w").write("".join(" ".join(rule) + "\n" for rule in rules))
                return rule[3:]
    return []


def quote(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "-._~")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def log(self, text):
        with LOCK, open(os.path.join(FOLDER, "log"), "a") as log:
            log.write(text + "\n")

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() + getattr(self, "skew", 0))

    # Answers

    def answer(self, status, body=b"", **headers):
        if self.action[:1] == ["falsify"]:
            body = bytes(byte ^ (0x15 if place % 7 == 3 else 0) for place, byte in enumerate(body))
        lines = [f"HTTP/1.1 {status} X", f"Date: {self.date_time_string()}"]
        headers.setdefault("Content_Length", len(body))
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        if self.command == "HEAD" or status == 204:
            body = b""
        if self.action[:1] == ["truncate"]:
            self.wfile.write(head + body[: len(body) // 2])
            return self.hang_up()
        self.wfile.write(head + body)
        if self.action[:1] == ["repeat"]:
            self.wfile.write(head + body)
        self.wfile.flush()

    def error(self, status, code, **more):
        fields = "".join(f"<{name}>{escape(str(value))}</{name}>" for name, value in more.items())
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>told &amp; asked</Message>'
        self.answer(status, (body + fields + "</Error>").encode(), Content_Type="application/xml")

    def hang_up(self):
        self.close_connection = True
        try:
            self.wfile.flush()
            # Also where others still have the descriptor.
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    # Requests

    def handle_all(self):
        self.action, self.skew = [], 0
        length = int(self.headers.get("Content-Length") or 0)
        self.log(f"{self.command} {self.path} {self.headers.get('Range', '-')}")
        self.action = action = fault(self.command, self.path)
        kind = action[0] if action else ""
        if kind == "early":
            if action[1] == "307":
                self.answer(307, b"", Location=f"http://127.0.0.1:{self.server.server_address[1]}")
            else:
                self.error(int(action[1]), action[2])
            return self.hang_up()
        if kind == "cut":
            self.rfile.read(length // 2)
            return self.hang_up()
        if kind in ("slow", "stall"):
            pieces = []
            for part in range(20):
                pieces.append(self.rfile.read(length * (part + 1) // 20 - length * part // 20))
                time.sleep(float(action[1]) / 20)
            self.body = b"".join(pieces)
            if kind == "stall":
                time.sleep(30)
                return self.hang_up()
        else:
            self.body = self.rfile.read(length) if length else b""
        if kind == "drop":
            return self.hang_up()
        if kind == "hang":
            time.sleep(60)
            return self.hang_up()
        if kind == "delay":
            time.sleep(float(action[1]))
        if kind == "clock":
            self.skew = float(action[1])
        if kind == "rubbish":
            self.wfile.write(b"220 this is no web server\r\n")
            return self.hang_up()
        if kind == "page":
            return self.answer(200, b"<html><body>Please sign in</body></html>", Content_Type="text/html")
        if kind == "redirect":
            return self.answer(307, b"", Location=action[1])
        if kind == "status":
            code = action[2] if len(action) > 2 else ""
            return self.error(int(action[1]), code) if code else self.answer(int(action[1]), b"<html>no</html>")
        if kind == "inside":
            return self.error(200, "InternalError")
        if kind == "lose":
            keep, self.wfile = self.wfile, open(os.devnull, "wb")
            self.serve()
            self.wfile = keep
            return self.hang_up()
        self.serve()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_all

    def serve(self):
        try:
            split = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
            if split.path.startswith("/latest/") or split.path == "/container":
                return self.serve_metadata(split.path)
            if self.command == "POST" and split.path == "/":
                return self.serve_tokens()
            self.check_signature(split)
            host = self.headers["Host"].split(":")[0]
            path = urllib.parse.unquote(split.path)
            if host.startswith(SET["bucket"] + "."):
                bucket, key = SET["bucket"], path[1:]
            else:
                bucket, _, key = path[1:].partition("/")
            if bucket != SET["bucket"]:
                raise Refusal(404, "NoSuchBucket")
            self.serve_object(key, query) if key else self.serve_listing(query)
        except Refusal as refusal:
            self.error(refusal.status, refusal.code, **refusal.more)

    def check_signature(self, split, service="s3"):
        text = self.headers.get("Authorization", "")
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request,"
                             r"SignedHeaders=([^,]+),Signature=([0-9a-f]{64})", text)
        if not match:
            raise Refusal(403, "AccessDenied")
        key, day, region, named, names, signature = match.groups()
        if key != SET["key"]:
            raise Refusal(403, "InvalidAccessKeyId")
        if region != SET["region"]:
            raise Refusal(400, "AuthorizationHeaderMalformed", Region=SET["region"])
        stamp = self.headers["x-amz-date"]
        then = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        if abs(then - time.time() - self.skew) > 900:
            raise Refusal(403, "RequestTimeTooSkewed")
        if SET["expired"] and self.headers.get("x-amz-security-token") == SET["expired"]:
            raise Refusal(400, "ExpiredToken")
        if SET["token"] and self.headers.get("x-amz-security-token") != SET["token"]:
            raise Refusal(403, "InvalidToken")
        payload = self.headers.get("x-amz-content-sha256") or hashlib.sha256(self.body).hexdigest()
        if service == "s3" and hashlib.sha256(self.body).hexdigest() != payload:
            raise Refusal(400, "XAmzContentSHA256Mismatch")
        pairs = sorted(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        canonical = "\n".join(
            [self.command, quote(urllib.parse.unquote(split.path), "/"), "&".join(f"{quote(a)}={quote(b)}" for a, b in pairs)]
            + [f"{name}:{' '.join(self.headers[name].split())}" for name in names.split(";")] + ["", names, payload])
        scope = f"{day}/{region}/{named}/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        secret = ("AWS4" + SET["secret"]).encode()
        for part in [day, region, named, "aws4_request", to_sign]:
            secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
        if named != service or secret.hex() != signature or "host" not in names.split(";"):
            raise Refusal(403, "SignatureDoesNotMatch")

    # The bucket

    def serve_listing(self, query):
        if self.command != "GET" or query.get("list-type") != "2":
            raise Refusal(501, "NotImplemented")
        with LOCK:
            keys = sorted((key for key in OBJECTS if key.startswith(query.get("prefix", ""))
                           and key.encode() > query.get("start-after", "").encode()), key=str.encode)
        count = min(int(query.get("max-keys", "1000")), int(SET["page"]))
        text = '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        text += f"<Name>{SET['bucket']}</Name><Prefix>{escape(query.get('prefix', ''))}</Prefix>"
        text += f"<IsTruncated>{'true' if len(keys) > count else 'false'}</IsTruncated>"
        for key in keys[:count]:
            content, when = OBJECTS[key]
            stamp = datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            text += f"<Contents><Key>{escape(key)}</Key><LastModified>{stamp}</LastModified><ETag>&quot;{self.mark(content)}"
            text += f"&quot;</ETag><Size>{len(content)}</Size><Owner><ID>1</ID></Owner></Contents>"
        self.answer(200, (text + "</ListBucketResult>").encode(), Content_Type="application/xml")

    @staticmethod
    def mark(content):
        return hashlib.md5((b"opaque" if SET["marks"] else b"") + content).hexdigest() + ("-x" if SET["marks"] else "")

    def serve_object(self, key, query):
        method = self.command
        if method == "POST" and "uploads" in query:
            name = base64.urlsafe_b64encode(os.urandom(9)).decode() + "=="
            with LOCK:
                UPLOADS[name] = (key, {})
            root = "InitiateMultipartUploadResult"
            return self.answer(200, f"<{root}><Key>{escape(key)}</Key><UploadId>{name}</UploadId></{root}>".encode())
        if "uploadId" in query:
            return self.serve_upload(key, query)
        if method == "PUT":
            if "If-None-Match" in self.headers:
                if SET["condition"] == "no":
                    raise Refusal(501, "NotImplemented")
                with LOCK:
                    if SET["condition"] == "yes" and key in OBJECTS:
                        raise Refusal(412, "PreconditionFailed")
            if self.action[:1] == ["mark"]:
                return self.answer(200, b"", ETag=f'"{self.mark(self.body + b" or another")}"')
            self.keep(key, self.body[: len(self.body) // 2] if self.action[:1] == ["half"] else self.body)
            return self.answer(200, b"", ETag=f'"{self.mark(self.body)}"')
        if method == "DELETE":
            with LOCK:
                OBJECTS.pop(key, None)
            return self.answer(204)
        with LOCK:
            if key not in OBJECTS:
                raise Refusal(404, "NoSuchKey")
            content, _ = OBJECTS[key]
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not match:
            return self.answer(200, content, ETag=f'"{self.mark(content)}"')
        first, last = int(match[1]), min(int(match[2]), len(content) - 1)
        if first >= len(content):
            raise Refusal(416, "InvalidRange")
        self.answer(206, content[first : last + 1], ETag=f'"{self.mark(content)}"',
                    Content_Range=f"bytes {first}-{last}/{len(content)}")

    def keep(self, key, content):
        with LOCK:
            if SET["quota"] and sum(len(content) for content, _ in OBJECTS.values()) + len(content) > int(SET["quota"]):
                raise Refusal(403, "QuotaExceeded")
            OBJECTS[key] = (content, time.time())

    def serve_upload(self, key, query):
        name = query["uploadId"]
        with LOCK:
            if name not in UPLOADS or UPLOADS[name][0] != key:
                raise Refusal(404, "NoSuchUpload")
            parts = UPLOADS[name][1]
            if self.command == "PUT":
                parts[int(query["partNumber"])] = self.body
        if self.command == "PUT":
            said = self.body if self.action[:1] != ["mark"] else self.body + b" or another"
            return self.answer(200, b"", ETag=f'"{self.mark(said)}"')
        if self.command == "DELETE":
            del UPLOADS[name]
            return self.answer(204)
        wanted = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>&quot;(\w+)&quot;</ETag>", self.body.decode())
        isCareless = self.action[:1] == ["careless"]
        if any(self.mark(parts.get(int(number), b"")) != mark and not isCareless for number, mark in wanted) or not wanted:
            raise Refusal(400, "InvalidPart")
        if any(len(parts[int(number)]) < 5 << 20 for number, _ in wanted[:-1]):
            raise Refusal(400, "EntityTooSmall")
        self.keep(key, b"".join(parts[int(number)] for number, _ in wanted))
        del UPLOADS[name]
        root = "CompleteMultipartUploadResult"
        whole = hashlib.md5(b"".join(bytes.fromhex(self.mark(parts[int(number)])) for number, _ in wanted)).hexdigest()
        mark = f"<ETag>&quot;{whole}-{len(wanted)}&quot;</ETag>"
        self.answer(200, f"  <{root}><Key>{escape(key)}</Key>{mark}</{root}>".encode())

    # Where keys come from

    def credentials(self):
        later = datetime.datetime.fromtimestamp(time.time() + 3600, datetime.timezone.utc)
        return SET["key"], SET["secret"], SET["token"], later.strftime("%Y-%m-%dT%H:%M:%SZ")

    def serve_metadata(self, path):
        if path == "/latest/api/token" and self.command == "PUT":
            return self.answer(200, b"a-token")
        if path == "/container":
            if self.headers.get("Authorization") != "let-me-in":
                return self.answer(401)
        elif self.headers.get("X-aws-ec2-metadata-token") != "a-token":
            return self.answer(401)
        if path.endswith("security-credentials/"):
            return self.answer(200, b"the-role\n")
        key, secret, token, until = self.credentials()
        body = {"Code": "Success", "AccessKeyId": key, "SecretAccessKey": secret, "Token": token, "Expiration": until}
        self.answer(200, json.dumps(body).encode())

    def serve_tokens(self):
        form = dict(urllib.parse.parse_qsl(self.body.decode()))
        action = form["Action"]
        self.log(f"STS {action} {form['RoleArn']} {form['RoleSessionName']}")
        if action == "AssumeRole":
            self.check_signature(urllib.parse.urlsplit("/"), "sts")
        elif form.get("WebIdentityToken") != "proof":
            raise Refusal(403, "InvalidIdentityToken")
        key, secret, token, until = self.credentials()
        self.answer(200, (
            f"<{action}Response><{action}Result><Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{secret}"
            f"</SecretAccessKey><SessionToken>{token}</SessionToken><Expiration>{until}</Expiration></Credentials>"
            f"</{action}Result></{action}Response>").encode())

    # A proxy

    def do_CONNECT(self):
        self.action, self.skew = [], 0
        self.log(f"CONNECT {self.path}")
        wanted = base64.b64encode(SET["proxy"].encode()).decode()
        if SET["proxy"] and self.headers.get("Proxy-Authorization") != f"Basic {wanted}":
            return self.answer(407)
        host, port = self.path.rsplit(":", 1)
        # All names are this machine.
        with socket.create_connection(("127.0.0.1", int(port))) as other:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            pair = [self.connection, other]
            while True:
                for ready in select.select(pair, [], [], 60)[0]:
                    data = ready.recv(1 << 16)
                    if not data:
                        self.close_connection = True
                        return
                    pair[1 - pair.index(ready)].sendall(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if SET["certificate"]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(SET["certificate"], SET["private"])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"port {server.server_address[1]}", file=sys.stderr, flush=True)
server.serve_forever()
