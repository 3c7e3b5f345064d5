# RUN: %{python} %s tilec-lsp 2> %t | FileCheck %s
# RUN: FileCheck %s --check-prefix=LOG --input-file=%t
"""A session from its beginning to its end, and messages that make no sense."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import lsp

session = lsp.Session([sys.argv[1]])
print(session.capabilities["serverInfo"]["name"], sorted(session.capabilities["capabilities"]))
# CHECK: tilec-lsp ['codeActionProvider', 'codeLensProvider', 'completionProvider', 'definitionProvider',
# CHECK-SAME: 'documentHighlightProvider', 'documentSymbolProvider', 'hoverProvider', 'inlayHintProvider', 'referencesProvider', 'renameProvider',
# CHECK-SAME: 'signatureHelpProvider', 'textDocumentSync']

# Requests that nobody knows, and those without what they need, are answered by errors.
for method, params in (("textDocument/unknown", {}), ("textDocument/hover", {}), ("textDocument/rename", {"newName": 1})):
    try:
        print(session.request(method, params))
    except lsp.ServerError as problem:
        print(method, "->", problem)
# CHECK: textDocument/unknown -> {{.*}}not found
# CHECK: textDocument/hover -> failed to decode textDocument/hover request
# CHECK: textDocument/rename -> failed to decode textDocument/rename request

# What is no message is left out, and so are changes of files that are not open.
session.write(b"Content-Length: 5\r\n\r\n{no}}")
session.notify("textDocument/didChange", {"textDocument": {"uri": "file:///none.py", "version": 2}, "contentChanges": []})
session.notify("$/cancelRequest", {"id": 1})
session.notify("textDocument/didOpen", {"textDocument": {"uri": "strange:none"}})
print(session.request("textDocument/hover", {"textDocument": {"uri": "file:///none.py"}, "position": {"line": 0, "character": 0}}))
# CHECK: None
# LOG: JSON parse error
# LOG: change of a file that is not open: file:///none.py

# Files need not exist. Those that are closed have no diagnostics.
document = session.open("/no/such/folder/and file é.py", "import triton\n@triton.jit\ndef f(:\n")
lsp.show(document.diagnostics())
session.notify("textDocument/didClose", {"textDocument": document.id})
print(document.hover("tri^ton"))
print(session.published[document.uri]["diagnostics"])
# CHECK: 3:7-3:8 error: expected a parameter name, found ':'
# CHECK: None
# CHECK: []

print(session.close())
# CHECK: 0

# Without `shutdown` the end is an error.
session = lsp.Session([sys.argv[1]])
session.notify("exit", None)
print(session.server.wait(10))
# CHECK: 1
