"""A client of the language server protocol over standard input and output, for tests.

A Session starts a server and speaks with it; a Document is an open file, whose edits are sent as an editor sends them.
"""

import json
import os
import queue
import subprocess
import threading
import urllib.parse


def units(text):
    """The length in units of UTF-16, in which the protocol counts columns."""
    return len(text.encode("utf-16-le")) // 2


def packed(message):
    """A message as it is sent."""
    body = json.dumps(dict(message, jsonrpc="2.0")).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class ServerError(Exception):
    """The server has answered a request by an error."""


class Session:
    def __init__(self, command, options=None, timeout=60, capabilities=None):
        self.timeout, self.refreshes = timeout, 0
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.messages, self.published, self.shown, self.next_id = queue.Queue(), {}, [], 1
        threading.Thread(target=self._read, daemon=True).start()
        self.capabilities = self.request("initialize", {
            "processId": os.getpid(), "rootUri": None, "capabilities": capabilities or {}, "initializationOptions": options})
        self.notify("initialized", {})

    def _read(self):
        stream = self.server.stdout
        while True:
            length = None
            while True:
                line = stream.readline()
                if not line:
                    self.messages.put(None)
                    return
                if line in (b"\r\n", b"\n"):
                    break
                name, value = line.decode().split(":", 1)
                if name.lower() == "content-length":
                    length = int(value)
            self.messages.put(json.loads(stream.read(length)))

    def write(self, message):
        """Sends a message, or bytes as they are."""
        if not isinstance(message, bytes):
            message = packed(message)
        self.server.stdin.write(message)
        self.server.stdin.flush()

    def notify(self, method, params):
        self.write({"method": method, "params": params})

    def _next(self):
        """Takes one message of the server; answers to requests are returned, others are kept."""
        message = self.messages.get(timeout=self.timeout)
        if message is None:
            raise EOFError("the server has ended with status %s" % self.server.wait())
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[message["params"]["uri"]] = message["params"]
        elif message.get("method") == "window/showMessage":
            self.shown.append(message["params"]["message"])
        elif message.get("method") == "workspace/codeLens/refresh":
            self.refreshes += 1
            self.write({"id": message["id"], "result": None})
        return message

    def request(self, method, params):
        self.next_id += 1
        self.write({"id": self.next_id, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.next_id and "method" not in message:
                if "error" in message:
                    raise ServerError(message["error"]["message"])
                return message.get("result")

    def open(self, path, text):
        return Document(self, path, text)

    def close(self):
        """Ends the session in the right way; the exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.server.wait(self.timeout)


class Document:
    def __init__(self, session, path, text):
        self.session, self.text, self.version = session, text, 1
        self.path = os.path.abspath(path)
        self.uri = "file://" + urllib.parse.quote(self.path)
        session.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "python", "version": 1, "text": text}})

    @property
    def id(self):
        return {"uri": self.uri}

    # Places: offsets into the text become positions, and texts the place where they are.

    def position(self, offset):
        before = self.text[:offset]
        return {"line": before.count("\n"), "character": units(before[before.rfind("\n") + 1:])}

    def find(self, needle, nth=0):
        """The offset of `^` in the needle, which is not part of it, or of the end of the needle."""
        skip = needle.find("^")
        needle = needle.replace("^", "")
        at = -1
        for _ in range(nth + 1):
            at = self.text.index(needle, at + 1)
        return at + (len(needle) if skip < 0 else skip)

    def range_text(self, found):
        """The text of a range of the protocol."""
        lines = self.text.split("\n")

        def offset(place):
            line = lines[place["line"]].encode("utf-16-le")
            return (sum(len(text) + 1 for text in lines[:place["line"]])
                    + len(line[:2 * place["character"]].decode("utf-16-le")))
        return self.text[offset(found["start"]):offset(found["end"])]

    # Edits.

    def _send(self, changes):
        self.version += 1
        self.session.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": changes})

    def edit(self, begin, end, new):
        """Replaces a part of the text, and sends only that."""
        place = {"start": self.position(begin), "end": self.position(end)}
        self.text = self.text[:begin] + new + self.text[end:]
        self._send([{"range": place, "text": new}])

    def replace(self, old, new, nth=0):
        end = self.find(old, nth)
        self.edit(end - len(old), end, new)

    def type(self, needle, new, nth=0):
        """Types letter by letter behind the needle."""
        at = self.find(needle, nth)
        for number, letter in enumerate(new):
            self.edit(at + number, at + number, letter)

    def set(self, text):
        """Sends the whole text."""
        self.text = text
        self._send([{"text": text}])

    # Questions.

    def ask(self, method, needle=None, nth=0, **params):
        if needle is not None:
            params["position"] = self.position(self.find(needle, nth))
        return self.session.request("textDocument/" + method, dict(params, textDocument=self.id))

    def diagnostics(self):
        """What is published of this version."""
        while self.session.published.get(self.uri, {}).get("version") != self.version:
            self.session._next()
        return self.session.published[self.uri]["diagnostics"]

    def hover(self, needle, nth=0):
        answer = self.ask("hover", needle, nth)
        return answer and answer["contents"]["value"]

    def complete(self, needle, nth=0):
        return self.ask("completion", needle, nth)["items"]

    def lenses(self):
        """Line, from 1, and text of each code lens."""
        return [(lens["range"]["start"]["line"] + 1, lens["command"]["title"]) for lens in self.ask("codeLens")]

    def apply(self, edit):
        """Applies the edits of a rename to the text, without sending them."""
        lines = self.text
        for change in sorted(edit["changes"][self.uri], reverse=True,
                             key=lambda change: (change["range"]["start"]["line"], change["range"]["start"]["character"])):
            start = change["range"]["start"]
            row = lines.split("\n")[:start["line"]]
            line = lines.split("\n")[start["line"]].encode("utf-16-le")
            begin = sum(len(text) + 1 for text in row) + len(line[:2 * start["character"]].decode("utf-16-le"))
            end = begin + len(self.range_text(change["range"]))
            lines = lines[:begin] + change["newText"] + lines[end:]
        return lines


def show(found):
    """The diagnostics of a list, one a line, with what is related below."""
    names = {1: "error", 2: "warning", 3: "information", 4: "hint"}
    for one in found:
        start, end = one["range"]["start"], one["range"]["end"]
        print("%d:%d-%d:%d %s: %s" % (start["line"] + 1, start["character"] + 1, end["line"] + 1,
                                      end["character"] + 1, names[one["severity"]], one["message"]))
        for related in one.get("relatedInformation", []):
            place = related["location"]
            print("  %s:%d:%d %s" % (os.path.basename(place["uri"]), place["range"]["start"]["line"] + 1,
                                     place["range"]["start"]["character"] + 1, related["message"]))
    if not found:
        print("no diagnostics")
