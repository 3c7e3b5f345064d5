# RUN: %{python} %s tilec-lsp | FileCheck %s
"""What becomes of a line: facts of the report as code lenses."""

import os
import sys
import time

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, folder)
import lsp
import measure

KERNEL = '''# tilec: --sig=k:x=*fp32:16,out=*fp32:16,width=i32:16 -DSIZE=64 --arch=sm_80 --num-warps=4
import triton
import triton.language as tl


@triton.jit
def store(place, value):
    tl.store(place, value)


@triton.jit
def k(x, out, width, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tile = tl.load(x + i[:, None] * width + i[None, :])
    top = tl.max(tile, axis=1)
    last = tl.load(x + width)
    store(out + i[:, None] + i[None, :] * width, tile - top[:, None] * last)
'''
REFRESH = {"workspace": {"codeLens": {"refreshSupport": True}}}


def start(capabilities):
    opened = lsp.Session([sys.argv[1]], capabilities=capabilities)
    return opened, opened.open(os.path.join(folder, "none.py"), KERNEL)


def found(document, wanted):
    """The lenses, once there are some of which `wanted` is true."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        lenses = document.lenses()
        if wanted(lenses):
            return lenses
        time.sleep(0.02)
    return [(0, "error: no such lenses in a minute")]


def show(lenses):
    for line, text in lenses:
        print("%d: %s" % (line, text))


session, document = start(REFRESH)
print("provided:", session.capabilities["capabilities"]["codeLensProvider"])
# CHECK: provided: {'resolveProvider': False}
show(found(document, len))
# The helper's store has the facts of its call.
# CHECK-NEXT: 8: store: 16 bytes a thread, 8 times; a warp touches {{.*}} of 128 bytes
# CHECK: 12: 4 warps, {{[1-9][0-9]*}} bytes of shared memory
# CHECK-NEXT: 14: load: 16 bytes a thread, 8 times; a warp touches 4 to 6 lines of 128 bytes, 4 needed
# CHECK: 15: reduction between lanes, by butterfly shuffles: {{[1-9][0-9]*}} a thread
# CHECK-NEXT: 16: load of a scalar: 4 bytes
# CHECK-NEXT: 17: {{[1-9][0-9]*}} bytes of shared memory

# Lines move with the text at once, while the facts are still those of before; a line that has changed has none until it is compiled.
document.replace("import triton\n", "import triton\n\n\n")
print(sorted({line for line, _ in document.lenses()}))
# CHECK-NEXT: [10, 14, 16, 17, 18{{.*}}]
document.replace("--num-warps=4", "--num-warps=8")
show(found(document, lambda lenses: any(text.startswith("8 warps") for _, text in lenses))[:1])
# CHECK-NEXT: 10: store:

# They are answered before the text is checked: in one write with the change, so that nothing is checked between them.
held, send = [], session.write
session.write = lambda message: held.append(lsp.packed(message))
document.replace("--num-warps=8", "--num-warps=16")
session.write = lambda message: send(b"".join(held) + lsp.packed(message))
show([lens for lens in document.lenses() if " warps" in lens[1]])
print("checked:", session.published[document.uri]["version"] == document.version)
session.write = send
# CHECK-NEXT: 14: 8 warps
# CHECK-NEXT: checked: False
# The client is told when there are those of the change.
before = session.refreshes
while session.refreshes == before:
    session._next()
show([lens for lens in document.lenses() if " warps" in lens[1]])
# CHECK-NEXT: 14: 16 warps

# Each of several files keeps its own.
other = session.open(os.path.join(folder, "other.py"), KERNEL)
found(other, len)
print(len(document.lenses()) == len(other.lenses()) > 0)
# CHECK-NEXT: True

# A kernel with an error has no layouts, so there are none; nor in a file that is not open.
document.replace("tile - top", "tile - nothing")
print(found(document, lambda lenses: not lenses))
# CHECK-NEXT: []
print(session.request("textDocument/codeLens", {"textDocument": {"uri": "file:///none.py"}}), session.request("textDocument/codeLens", {}))
# CHECK-NEXT: None None

# The answer does not wait for a large kernel, and the client is told when there is more, if it wants to know.
large = session.open(os.path.join(folder, "long.py"), measure.kernel(500))
before = session.refreshes
first = large.lenses()
while not first and session.refreshes == before:
    session._next()
show(large.lenses()[-1:])
# CHECK-NEXT: 500: store: 4 bytes a thread, 4 times; a warp touches 1 to 2 lines of 128 bytes, 1 needed
print("status", session.close())
# CHECK-NEXT: status 0
session, document = start(None)
show(found(document, len)[:1])
# CHECK-NEXT: 8: store:
print("refreshes: %d, status %d" % (session.refreshes, session.close()))
# CHECK-NEXT: refreshes: 0, status 0
