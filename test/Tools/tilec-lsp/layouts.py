# RUN: %{python} %s tilec-lsp tilec | FileCheck %s
"""Which thread holds what of a tile."""

import os
import re
import subprocess
import sys
import tempfile
import time

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, folder)
import lsp
import measure

KERNEL = '''# tilec: --sig=k:x=*fp32:16,out=*fp32:16,width=i32:16 -DSIZE=64 --arch=sm_80 --num-warps=4
import triton
import triton.language as tl


@triton.jit
def doubled(a):
    twice = a * 2
    return twice


@triton.jit
def k(x, out, width, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tile = tl.load(x + i[:, None] * width + i[None, :])
    top = tl.max(tile, axis=1)
    for step in range(width):
        tile = tile * 3 - top[:, None]
    second = doubled(tile)
    tl.store(out + i[:, None] * width + i[None, :], second + 1)
'''
session = lsp.Session([sys.argv[1]])
document = session.open(os.path.join(folder, "none.py"), KERNEL)
lsp.show(document.diagnostics())
# CHECK: no diagnostics


def layout_of(opened, needle):
    """The answer, once the layouts have been found."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        text = opened.hover(needle)
        if text is None or "is being found" not in text:
            return text
        time.sleep(0.02)
    return "error: no layout in a minute"


def hover(needle):
    print("==", needle)
    print((layout_of(document, needle) or "nothing").replace("```python\n", "").replace("\n```", ""))


# Where the variable is bound and where it is read, in a helper, and of a row of the tile, which lanes have copies of.
for needle in ("ti^le = tl.load", "tl.max(til^e", "twic^e = a", "secon^d + 1", "to^p = "):
    hover(needle)
# CHECK: == ti^le = tl.load
# CHECK-NEXT: tile: float32[64, 64]
# CHECK-EMPTY:
# CHECK-NEXT: 32 elements a thread, 4 neighbours side by side
# CHECK-EMPTY:
# CHECK-NEXT: | | axis 0 | axis 1 |
# CHECK-NEXT: |---|---|---|
# CHECK-NEXT: | registers | 8 | 4 |
# CHECK-NEXT: | lanes | 2 | 16 |
# CHECK-NEXT: | warps | 4 | 1 |
# CHECK-NEXT: == tl.max(til^e
# CHECK-NEXT: tile: float32[64, 64]
# CHECK-EMPTY:
# CHECK-NEXT: 32 elements a thread, 4 neighbours side by side
# CHECK: == twic^e = a
# CHECK-NEXT: twice: float32[64, 64]
# CHECK-EMPTY:
# CHECK-NEXT: 32 elements a thread, 4 neighbours side by side
# CHECK: == secon^d + 1
# CHECK-NEXT: second: float32[64, 64]
# CHECK-EMPTY:
# CHECK-NEXT: 32 elements a thread, 4 neighbours side by side
# CHECK: == to^p =
# CHECK-NEXT: top: float32[64]
# CHECK-EMPTY:
# CHECK-NEXT: 8 elements a thread
# CHECK-EMPTY:
# CHECK-NEXT: | | axis 0 | copies |
# CHECK-NEXT: |---|---|---|
# CHECK-NEXT: | registers | 8 | 1 |
# CHECK-NEXT: | lanes | 2 | 16 |
# CHECK-NEXT: | warps | 4 | 1 |

# It is what tilec --emit=layout says: as many bits of lanes along each axis.
with tempfile.TemporaryDirectory() as place:
    path = os.path.join(place, "k.py")
    with open(path, "w") as file:
        file.write(KERNEL)
    ir = subprocess.run([sys.argv[2], path, "--kernel=k", "--sig=x=*fp32:16,out=*fp32:16,width=i32:16", "-DSIZE=64", "--arch=sm_80",
                         "--num-warps=4", "--emit=layout", "-o", "-"], stdout=subprocess.PIPE, text=True, check=True).stdout
name = re.search(r"tile\.load .*tensor<64x64x!tile\.ptr<f32>, (#\w+)>", ir).group(1)
lanes = eval(re.search(re.escape(name) + r" = #tile\.layout<.*?lane = (\[.*?\]), warp", ir).group(1))
print("lanes of", [2 ** sum(basis[axis] != 0 for basis in lanes) for axis in (0, 1)])
# CHECK-NEXT: lanes of [2, 16]

# What is no tile has none.
for needle in ("wid^th, SIZE", "SIZ^E: tl", "ste^p in"):
    hover(needle)
# CHECK-NEXT: == wid^th, SIZE
# CHECK-NEXT: width: int32
# CHECK-NEXT: == SIZ^E: tl
# CHECK-NEXT: SIZE: constexpr int = 64
# CHECK-NEXT: == ste^p in
# CHECK-NEXT: step: int32

# An edit counts, and a kernel with an error has types, but no layouts.
document.replace("--num-warps=4", "--num-warps=8")
hover("ti^le = tl.load")
# CHECK-NEXT: == ti^le = tl.load
# CHECK-NEXT: tile: float32[64, 64]
# CHECK-EMPTY:
# CHECK-NEXT: 16 elements a thread, 4 neighbours side by side
# CHECK: | warps | 8 | 1 |
document.replace("second + 1)", "second + nothing)")
hover("ti^le = tl.load")
# CHECK-NEXT: == ti^le = tl.load
# CHECK-NEXT: tile: float32[64, 64]
document.replace("second + nothing)", "second + 1)")
document.replace("--arch=sm_80", "--arch=sm_90a")
hover("ti^le = tl.load")
# CHECK-NEXT: == ti^le = tl.load
# CHECK: | warps | 8 | 1 |

# The answer does not wait for a large kernel, nor does the end of a session.
large = session.open(os.path.join(folder, "long.py"), measure.kernel(500))
print((large.hover("tot^al = total + tl.wh") or "").split("\n")[1])
# CHECK-NEXT: total: float32[128]
print(session.close())
# CHECK-NEXT: 0
session = lsp.Session([sys.argv[1]])
large = session.open(os.path.join(folder, "long.py"), measure.kernel(500))
print((layout_of(large, "tot^al = total + tl.wh") or "").split("\n")[4])
# CHECK-NEXT: 4 elements a thread
print(session.close())
# CHECK-NEXT: 0
