# RUN: %{python} %s tilec-lsp | FileCheck %s
"""Names that may be written somewhere, and the parameters of what is called."""

import os
import sys

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, folder)
import lsp

KERNEL = '''# tilec: --sig=k:x=*fp32:16,n=i32,d=tensordesc<fp16[64,64]> -DBLOCK=128 --arch=sm_90
import triton
import triton.language as tl
import helpers

LIMIT = tl.constexpr(7)


@triton.jit
def scaled(a, factor: tl.constexpr = 2):
    """Multiplies by a factor."""
    inner = a * factor
    return inner


@triton.jit
def k(x, n, d, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    line = tl.load(x + lanes, mask=lanes < n)
    tl.store(x + lanes, line)


def launch(x, blocks):
    k[(blocks,)](x, x.numel(), None, BLOCK=128)
'''
session = lsp.Session([sys.argv[1]])
document = session.open(os.path.join(folder, "none.py"), KERNEL)
lsp.show(document.diagnostics())
# CHECK: no diagnostics


def complete(written, only=""):
    """What is proposed behind a line that is written into the kernel."""
    document.type("mask=lanes < n)\n", "    " + written)
    print("==", written)
    items = [item for item in document.complete("mask=lanes < n)\n    " + written) if item["label"].startswith(only)]
    for item in items[:6]:
        print(item["label"], item["kind"], item.get("detail", ""))
    print(len(items))
    document.set(KERNEL)
    return {item["label"]: item for item in items}


# Members, of the language, of a file and of values.
found = complete("tl.", "s")
print(found["store"]["documentation"]["kind"], found["store"]["documentation"]["value"].split(",")[0])
# CHECK: == tl.
# CHECK-NEXT: sigmoid 3 tl.sigmoid(x)
# CHECK-NEXT: sin 3 tl.sin(x)
# CHECK-NEXT: slice 3
# CHECK-NEXT: softmax 3
# CHECK-NEXT: sort 3
# CHECK-NEXT: split 3
# CHECK-NEXT: {{[12][0-9]}}
# CHECK-NEXT: markdown writes a value to where a block of pointers points

complete("tl.math.", "u")
complete("tl.float", "float1")
print("private:", [name for name in complete("tl.core.") if name.startswith("_")])
print("private:", len(complete("tl.core._", "_aggr")))
# CHECK: == tl.math.
# CHECK-NEXT: umulhi 3
# CHECK-NEXT: 1
# CHECK: == tl.float
# CHECK-NEXT: float16 7 type tl.float16
# CHECK-NEXT: 1
# CHECK: private: []
# CHECK: private: 1

complete("helpers.")
complete("lanes.", "t")
complete("(lanes + 1).to", "to")
complete("d.")
complete("1.")
# CHECK: == helpers.
# CHECK-NEXT: WIDTH 6
# CHECK-NEXT: broken 3 broken(x)
# CHECK-NEXT: doubled 3 doubled(x)
# CHECK-NEXT: 3
# CHECK: == lanes.
# CHECK-NEXT: to 2 to(dtype, fp_downcast_rounding=None, bitcast=False)
# CHECK: == (lanes + 1).to
# CHECK-NEXT: to 2
# CHECK: == d.
# CHECK-NEXT: load 2 load(
# CHECK-NEXT: store 2 store(
# CHECK-NEXT: gather 2
# CHECK: == 1.
# CHECK-NEXT: 0

# Names around the place, with types where they are known; not those of other functions.
found = complete("lin")
print(sorted(name for name in found if name in ("inner", "a", "lanes", "line", "x", "BLOCK", "LIMIT", "scaled", "tl", "helpers", "launch", "blocks", "len")))
for name in ("lanes", "LIMIT", "scaled", "BLOCK", "x"):
    print(name, found[name].get("detail"))
# CHECK: == lin
# CHECK: ['BLOCK', 'LIMIT', 'helpers', 'lanes', 'launch', 'len', 'line', 'scaled', 'tl', 'x']
# CHECK-NEXT: lanes int32[128]
# CHECK-NEXT: LIMIT
# CHECK-NEXT: scaled scaled(a, factor: tl.constexpr = 2)
# CHECK-NEXT: BLOCK constexpr int = 128
# CHECK-NEXT: x pointer<float32>

# Keywords of a call, before anything else.
print(next(iter(sorted(complete("a = scaled(").items(), key=lambda item: item[1]["sortText"])))[0])
found = complete("tl.load(x, mask=None, o", "o")
print("mask:", len(complete("tl.load(x, mask=", "mask=")))
# CHECK: == a = scaled(
# CHECK: {{^a=$}}
# CHECK: == tl.load(x, mask=None, o
# CHECK-NEXT: other= 10 other=None
# CHECK: mask: 0

# Imports.
complete("from triton.language.extra import ")
complete("from triton.language.", "ma")
complete("import t")
complete("from helpers import d")
complete("from . import x")
# CHECK: == from triton.language.extra import
# CHECK-NEXT: cuda 9
# CHECK: libdevice 9
# CHECK: == from triton.language.
# CHECK-NEXT: math 9
# CHECK: == import t
# CHECK-NEXT: triton 9
# CHECK: == from helpers import d
# CHECK: doubled 3
# CHECK: == from . import x

# Nothing in comments, strings and numbers.
for text in ("# tl.", "'tl.", "'''tl.", "12", "x = 'a' # l"):
    complete(text)
print(len(complete("f'{tl.", "load")))
# CHECK: == # tl.
# CHECK-NEXT: {{^0$}}
# CHECK: == 'tl.
# CHECK-NEXT: {{^0$}}
# CHECK: == '''tl.
# CHECK-NEXT: {{^0$}}
# CHECK: == 12
# CHECK-NEXT: {{^0$}}
# CHECK: == x = 'a' # l
# CHECK-NEXT: {{^0$}}


def signature(written):
    document.type("mask=lanes < n)\n", "    " + written)
    print("==", written)
    found = document.ask("signatureHelp", "mask=lanes < n)\n    " + written)
    if found:
        one = found["signatures"][0]
        params = one["parameters"]
        active = found["activeParameter"]
        print(one["label"][:60], "->", params[active]["label"] if active < len(params) else active)
    else:
        print("nothing")
    document.set(KERNEL)


for text in ("tl.load(", "tl.load(x + (1, 2)[0], ", "tl.load(x, other=", "tl.load(scaled(x, ", "tl.load(scaled(x, 1), ", "helpers.doubled(",
             "lanes.to(tl.int8, ", "tl.static_print(1, 2, ", "scaled(1, 2, 3, ", "launch(1, ", "k[(1,)](x, ", "(1, ", "unknown(", "x = tl.load(x)"):
    signature(text)
# CHECK: == tl.load(
# CHECK-NEXT: tl.load(pointer, mask=None, {{.*}} -> pointer
# CHECK-NEXT: == tl.load(x + (1, 2)[0],
# CHECK-NEXT: -> mask=None
# CHECK-NEXT: == tl.load(x, other=
# CHECK-NEXT: -> other=None
# CHECK-NEXT: == tl.load(scaled(x,
# CHECK-NEXT: scaled(a, factor: tl.constexpr = 2) -> factor: tl.constexpr = 2
# CHECK-NEXT: == tl.load(scaled(x, 1),
# CHECK-NEXT: -> mask=None
# CHECK-NEXT: == helpers.doubled(
# CHECK-NEXT: doubled(x) -> x
# CHECK-NEXT: == lanes.to(tl.int8,
# CHECK-NEXT: -> fp_downcast_rounding=None
# CHECK-NEXT: == tl.static_print(1, 2,
# CHECK-NEXT: -> *values
# CHECK-NEXT: == scaled(1, 2, 3,
# CHECK-NEXT: -> 3
# CHECK-NEXT: == launch(1,
# CHECK-NEXT: launch(x, blocks) -> blocks
# CHECK-NEXT: == k[(1,)](x,
# CHECK-NEXT: k(x, n, d, BLOCK: tl.constexpr) -> n
# CHECK-NEXT: == (1,
# CHECK-NEXT: nothing
# CHECK-NEXT: == unknown(
# CHECK-NEXT: nothing
# CHECK-NEXT: == x = tl.load(x)
# CHECK-NEXT: nothing

print(session.close())
# CHECK: {{^0$}}
