# RUN: %{python} %s tilec-lsp | FileCheck %s
"""What is known of the name under the mouse."""

import os
import re
import sys

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, folder)
import lsp

KERNEL = '''# tilec: --sig=k:x=*fp32:16,n=i32,d=tensordesc<fp16[64,64]> -DBLOCK=128 --arch=sm_90
import triton
import triton.language as tl
import triton.language.math
from triton.language.extra import libdevice
import helpers
from helpers import doubled as twice, WIDTH

LIMIT = tl.constexpr(7)


@triton.jit
def scaled(a, factor: tl.constexpr = 2, more=None):
    """Multiplies by a factor."""
    product = a * factor
    return product


@triton.jit
def k(x, n, d, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    line = tl.load(x + lanes, mask=lanes < n)
    one, two = scaled(line), scaled(lanes, 3)
    pair = (one, n)
    for row in range(n):
        line += libdevice.exp(line) * LIMIT * WIDTH
    tile = d.load([0, 0])
    tl.store(x + lanes, twice(line).to(tl.float32))
    tl.device_print(f"{BLOCK}", n)


def launch(x, blocks):
    k[(blocks,)](x, x.numel(), None, BLOCK=128)
    return scaled
'''
session = lsp.Session([sys.argv[1]])
document = session.open(os.path.join(folder, "none.py"), KERNEL)
lsp.show(document.diagnostics())
# CHECK: no diagnostics


def hover(needle, nth=0):
    """What is said, but for layouts, which layouts.py is about."""
    print("==", needle)
    text = re.split(r"\n\n(?:Its layout|\d+ elements? a thread)", document.hover(needle, nth) or "nothing")[0]
    print(text.replace("```python\n", "").replace("\n```", ""))


# Variables, where they are bound and where they are read.
for needle in ("lan^es =", "x + lan^es,", "li^ne +=", "pai^r =", "ro^w in", "til^e =", "x^, n, d", "BLO^CK: tl", "LIMI^T * W", "* WIDT^H",
               "{BLOC^K}"):
    hover(needle)
# CHECK: == lan^es =
# CHECK-NEXT: lanes: int32[128]
# CHECK-NEXT: == x + lan^es,
# CHECK-NEXT: lanes: int32[128]
# CHECK-NEXT: == li^ne +=
# CHECK-NEXT: line: float32[128]
# CHECK-NEXT: == pai^r =
# CHECK-NEXT: pair: (float32[128], int32)
# CHECK-NEXT: == ro^w in
# CHECK-NEXT: row: int32
# CHECK-NEXT: == til^e =
# CHECK-NEXT: tile: float16[64, 64]
# CHECK-NEXT: == x^, n, d
# CHECK-NEXT: x: pointer<float32>
# CHECK-NEXT: == BLO^CK: tl
# CHECK-NEXT: BLOCK: constexpr int = 128
# CHECK-NEXT: == LIMI^T * W
# CHECK-NEXT: LIMIT: constexpr int = 7
# CHECK-NEXT: == * WIDT^H
# CHECK-NEXT: WIDTH: constexpr int = 16
# CHECK-NEXT: == {BLOC^K}
# CHECK-NEXT: BLOCK: constexpr int = 128

# A helper has the types of all its calls.
hover("produc^t =")
hover("* fact^or")
# CHECK: == produc^t =
# CHECK-NEXT: product: float32[128]
# CHECK-NEXT: product: int32[128]
# CHECK-NEXT: == * fact^or
# CHECK-NEXT: factor: constexpr int{{$}}

# Functions of this file and of others, keywords and host code.
for needle in ("scal^ed(line", "twic^e(", "doub^led as", "import help^ers", "mas^k=", "BLO^CK=128)", "laun^ch", "return scale^d", "bloc^ks,)"):
    hover(needle)
# CHECK: == scal^ed(line
# CHECK-NEXT: def scaled(a, factor: tl.constexpr = 2, more=None)
# CHECK-EMPTY:
# CHECK-NEXT: Multiplies by a factor.
# CHECK-NEXT: == twic^e(
# CHECK-NEXT: def doubled(x)
# CHECK-EMPTY:
# CHECK-NEXT: Twice as much.
# CHECK-NEXT: == doub^led as
# CHECK-NEXT: def doubled(x)
# CHECK: == import help^ers
# CHECK-NEXT: module
# CHECK-EMPTY:
# CHECK-NEXT: {{.*}}helpers.py
# CHECK: == mas^k=
# CHECK-NEXT: mask=None
# CHECK-EMPTY:
# CHECK-NEXT: A parameter of `tl.load(
# CHECK: == BLO^CK=128)
# CHECK-NEXT: BLOCK: tl.constexpr
# CHECK-EMPTY:
# CHECK-NEXT: A parameter of `k(x, n, d, BLOCK: tl.constexpr)`.
# CHECK-NEXT: == laun^ch
# CHECK-NEXT: def launch
# CHECK: == return scale^d
# CHECK-NEXT: def scaled(
# CHECK: == bloc^ks,)
# CHECK-NEXT: blocks
# CHECK-EMPTY:
# CHECK-NEXT: A parameter of `launch`.

# The language.
for needle in ("tl.loa^d", "tl.stor^e", "libdevice.ex^p", "tl.float3^2", "t^l.load", "triton.language.ma^th", "rang^e(", ".t^o(", "d.loa^d", "triton.ji^t",
               "libdevi^ce.exp", "extra import libde^vice"):
    hover(needle)
# CHECK: == tl.loa^d
# CHECK-NEXT: tl.load(pointer, mask=None, other=None,
# CHECK-EMPTY:
# CHECK-NEXT: reads the elements that a block of pointers points to
# CHECK-EMPTY:
# CHECK-NEXT: Differences from Triton: masked-off elements
# CHECK-NEXT: == tl.stor^e
# CHECK-NEXT: tl.store(pointer, value, mask=None,
# CHECK-EMPTY:
# CHECK-NEXT: writes a value
# CHECK: == libdevice.ex^p
# CHECK-NEXT: libdevice.exp(arg0)
# CHECK-EMPTY:
# CHECK-NEXT: a power of e, 10 or 2
# CHECK: == tl.float3^2
# CHECK-NEXT: type tl.float32
# CHECK-NEXT: == t^l.load
# CHECK-NEXT: module triton.language
# CHECK-NEXT: == triton.language.ma^th
# CHECK-NEXT: module triton.language.math
# CHECK-NEXT: == rang^e(
# CHECK-NEXT: range(
# CHECK: == .t^o(
# CHECK-NEXT: to(dtype, fp_downcast_rounding=None, bitcast=False)
# CHECK-EMPTY:
# CHECK-NEXT: converts a block or scalar
# CHECK: == d.loa^d
# CHECK: == triton.ji^t
# CHECK-NEXT: triton.jit(
# CHECK: == libdevi^ce.exp
# CHECK-NEXT: module triton.language.extra.libdevice
# CHECK: == extra import libde^vice
# CHECK-NEXT: module triton.language.extra.libdevice

# Nothing is known of operators, numbers, comments, and of names that mean nothing.
for needle in (" ^* factor", "3^)", "# ti^lec", '"""Mul^tiplies', "num^el"):
    hover(needle)
# CHECK: ==  ^* factor
# CHECK-NEXT: nothing
# CHECK-NEXT: == 3^)
# CHECK-NEXT: nothing
# CHECK-NEXT: == # ti^lec
# CHECK-NEXT: nothing
# CHECK-NEXT: == """Mul^tiplies
# CHECK-NEXT: nothing
# CHECK-NEXT: == num^el
# CHECK-NEXT: nothing

# Without types, parameters are as they are declared.
document.replace("# tilec: --sig", "# --sig")
hover("BLO^CK: tl")
hover("lan^es =")
print(session.close())
# CHECK: == BLO^CK: tl
# CHECK-NEXT: BLOCK: tl.constexpr
# CHECK-EMPTY:
# CHECK-NEXT: A parameter of `k`.
# CHECK-NEXT: == lan^es =
# CHECK-NEXT: nothing
# CHECK-NEXT: 0
