# Retrograde
# Copyright (C) 2026 the Retrograde authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Web servers that serve the files of a folder, with and without range requests."""

import contextlib
import http.server
import re
import threading


class Server(http.server.SimpleHTTPRequestHandler):
    """Python's own server, with persistent connections. It ignores range requests."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class ServerOfParts(Server):
    def do_GET(self):
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        path = self.translate_path(self.path)
        with open(path, "rb") as file:
            data = file.read()
        first = int(asked[1]) if asked else 0
        last = min(int(asked[2] or len(data)), len(data) - 1) if asked else len(data) - 1
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(max(last + 1 - first, 0)))
        self.end_headers()
        self.wfile.write(data[first : last + 1])


class QuietServer(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):  # not worth a traceback: a client that seeks closes the connection
        pass


@contextlib.contextmanager
def serve(folder, kind=ServerOfParts):
    """Runs a server with this handler class, and yields its address."""

    def handler(*arguments):
        return kind(*arguments, directory=folder)

    with QuietServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
