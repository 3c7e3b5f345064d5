# RUN: %{python} %s tilec-lsp | FileCheck %s
"""Definitions, occurrences, other names, and the outline of a file."""

import os
import sys

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
sys.path.insert(0, folder)
import lsp

KERNEL = '''import triton
import triton.language as tl
import helpers
from helpers import doubled as twice, WIDTH
from . import helpers as again

LIMIT = tl.constexpr(7)


@triton.jit
def scaled(a, factor: tl.constexpr = LIMIT):
    a = a * factor
    return a


@triton.jit
def k(x, n, BLOCK: tl.constexpr):
    lanes = tl.arange(0, BLOCK)
    line = scaled(twice(x), factor=LIMIT) + helpers.doubled(n) + again.WIDTH
    line += WIDTH
    tl.device_print(f"é {BLOCK}", line)


class Runner:
    blocks: int = 1

    def run(self, x, factor):
        def inner(): return LIMIT
        k[(self.blocks,)](x, x.numel(), BLOCK=128)
        return [scaled(x, factor=factor) for scaled in (k, scaled)]
'''
session = lsp.Session([sys.argv[1]])
document = session.open(os.path.join(folder, "none.py"), KERNEL)
lsp.show(document.diagnostics())
# CHECK: no diagnostics


def definition(needle):
    found = document.ask("definition", needle)
    print(needle, "->", ["%s:%d:%d" % (os.path.basename(place["uri"]), place["range"]["start"]["line"] + 1,
                                       place["range"]["start"]["character"] + 1) for place in found])


for needle in ("= scal^ed(", "LIMI^T)", "lin^e += ", "BLO^CK}", "BLO^CK=128", "facto^r=LIMIT", "(x, factor=fac^tor)", "k^[(self", "retur^n a"):
    definition(needle)
# CHECK: = scal^ed( -> ['none.py:11:5']
# CHECK-NEXT: LIMI^T) -> ['none.py:7:1']
# CHECK-NEXT: lin^e += -> ['none.py:19:5']
# CHECK-NEXT: BLO^CK} -> ['none.py:17:13']
# CHECK-NEXT: BLO^CK=128 -> ['none.py:17:13']
# CHECK-NEXT: facto^r=LIMIT -> ['none.py:11:15']
# CHECK-NEXT: (x, factor=fac^tor) -> ['none.py:27:22']
# CHECK-NEXT: k^[(self -> ['none.py:17:5']
# CHECK-NEXT: retur^n a -> []

# Through imports of other files; the language has no place.
for needle in ("twic^e(", "doubl^ed as", "import helper^s\nf", "from helper^s", "helpers.doubl^ed(", "again.WIDT^H", "line += WID^TH", "tl.aran^ge", "t^l.arange"):
    definition(needle)
# CHECK-NEXT: twic^e( -> ['helpers.py:9:5']
# CHECK-NEXT: doubl^ed as -> ['helpers.py:9:5']
# CHECK-NEXT: import helper^s
# CHECK-NEXT: -> ['helpers.py:1:1']
# CHECK-NEXT: from helper^s -> ['helpers.py:1:1']
# CHECK-NEXT: helpers.doubl^ed( -> ['helpers.py:9:5']
# CHECK-NEXT: again.WIDT^H -> ['helpers.py:5:1']
# CHECK-NEXT: line += WID^TH -> ['helpers.py:5:1']
# CHECK-NEXT: tl.aran^ge -> []
# CHECK-NEXT: t^l.arange -> ['none.py:2:27']


def lines_of(places):
    return [place["range"]["start"]["line"] + 1 for place in places]


print(lines_of(document.ask("references", "LIM^IT", context={"includeDeclaration": True})),
      lines_of(document.ask("references", "LIM^IT", context={"includeDeclaration": False})),
      lines_of(document.ask("documentHighlight", "lin^e = ")), document.ask("documentHighlight", "tl.aran^ge"))
# CHECK-NEXT: [7, 11, 19, 28] [11, 19, 28] [19, 20, 21] []


def rename(needle, name):
    print("==", needle, name)
    try:
        place = document.ask("prepareRename", needle)
        changed = document.apply(document.ask("rename", needle, newName=name)).split("\n")
    except lsp.ServerError as problem:
        print(problem)
        return
    print(document.range_text(place))
    for old, new in zip(KERNEL.split("\n"), changed):
        if old != new:
            print(new)


# A variable, a parameter with the keywords of calls, a function, a constant, a name of an import, a method's parameter.
rename("lin^e =", "row")
rename("BLO^CK}", "SIZE")
rename("fact^or: tl", "by")
rename("def scal^ed", "grown")
rename("LIM^IT = ", "MOST")
rename("twi^ce(", "double")
rename("self, ^x", "value")
rename("t^l.arange", "language")
# CHECK: == lin^e = row
# CHECK-NEXT: {{^}}line
# CHECK-NEXT: {{^}}    row = scaled(twice(x), factor=LIMIT) + helpers.doubled(n) + again.WIDTH
# CHECK-NEXT: {{^}}    row += WIDTH
# CHECK-NEXT: {{^}}    tl.device_print(f"é {BLOCK}", row)
# CHECK-NEXT: == BLO^CK} SIZE
# CHECK-NEXT: {{^}}BLOCK
# CHECK-NEXT: def k(x, n, SIZE: tl.constexpr):
# CHECK-NEXT: lanes = tl.arange(0, SIZE)
# CHECK-NEXT: tl.device_print(f"é {SIZE}", line)
# CHECK-NEXT: k[(self.blocks,)](x, x.numel(), SIZE=128)
# CHECK-NEXT: == fact^or: tl by
# CHECK-NEXT: {{^}}factor
# CHECK-NEXT: def scaled(a, by: tl.constexpr = LIMIT):
# CHECK-NEXT: a = a * by
# CHECK-NEXT: line = scaled(twice(x), by=LIMIT)
# CHECK-NEXT: == def scal^ed grown
# CHECK-NEXT: {{^}}scaled
# CHECK-NEXT: def grown(a, factor: tl.constexpr = LIMIT):
# CHECK-NEXT: line = grown(twice(x), factor=LIMIT)
# CHECK-NEXT: return [scaled(x, factor=factor) for scaled in (k, grown)]
# CHECK-NEXT: == LIM^IT = MOST
# CHECK-NEXT: {{^}}LIMIT
# CHECK-NEXT: MOST = tl.constexpr(7)
# CHECK-NEXT: def scaled(a, factor: tl.constexpr = MOST):
# CHECK-NEXT: line = scaled(twice(x), factor=MOST)
# CHECK-NEXT: def inner(): return MOST
# CHECK-NEXT: == twi^ce( double
# CHECK-NEXT: {{^}}twice
# CHECK-NEXT: from helpers import doubled as double, WIDTH
# CHECK-NEXT: line = scaled(double(x), factor=LIMIT)
# CHECK-NEXT: == self, ^x value
# CHECK-NEXT: {{^}}x
# CHECK-NEXT: def run(self, value, factor):
# CHECK-NEXT: k[(self.blocks,)](value, value.numel(), BLOCK=128)
# CHECK-NEXT: return [scaled(value, factor=factor) for scaled in (k, scaled)]
# CHECK-NEXT: == t^l.arange language
# CHECK-NEXT: {{^}}tl
# CHECK-NEXT: import triton.language as language
# CHECK-NEXT: LIMIT = language.constexpr(7)
# CHECK-NEXT: def scaled(a, factor: language.constexpr = LIMIT):
# CHECK-NEXT: def k(x, n, BLOCK: language.constexpr):
# CHECK-NEXT: lanes = language.arange(0, BLOCK)
# CHECK-NEXT: language.device_print(f"é {BLOCK}", line)

# What would change the meaning, or is no name, is refused.
rename("lin^e =", "lanes")
rename("lin^e =", "LIMIT")
rename("lin^e =", "range")
rename("lin^e =", "2x")
rename("lin^e =", "for")
rename("line += WID^TH", "W")
rename("tl.aran^ge", "range")
rename("num^el", "size")
rename("tl.device_print^(", "x")
rename("= scaled(^twice", "helpers")
# CHECK: == lin^e = lanes
# CHECK-NEXT: 'lanes' has a meaning already where 'line' is used
# CHECK-NEXT: == lin^e = LIMIT
# CHECK-NEXT: 'LIMIT' has a meaning already where 'line' is used
# CHECK-NEXT: == lin^e = range
# CHECK-NEXT: 'range' has a meaning already where 'line' is used
# CHECK-NEXT: == lin^e = 2x
# CHECK-NEXT: '2x' cannot be a name
# CHECK-NEXT: == lin^e = for
# CHECK-NEXT: 'for' cannot be a name
# CHECK-NEXT: == line += WID^TH W
# CHECK-NEXT: 'WIDTH' is the name in another file; import it 'as' another one
# CHECK-NEXT: == tl.aran^ge range
# CHECK-NEXT: 'arange' is not defined in this file
# CHECK-NEXT: == num^el size
# CHECK-NEXT: 'numel' is not defined in this file
# CHECK-NEXT: == tl.device_print^( x
# CHECK-NEXT: 'device_print' is not defined in this file
# CHECK-NEXT: == = scaled(^twice helpers
# CHECK-NEXT: 'helpers' has a meaning already where 'twice' is used


def outline(symbols, depth=0):
    for symbol in symbols:
        inside = document.range_text(symbol["selectionRange"])
        assert inside == symbol["name"], inside
        assert inside in document.range_text(symbol["range"])
        print("  " * depth + symbol["name"], symbol["kind"], symbol.get("detail", ""))
        outline(symbol.get("children", []), depth + 1)


print("== outline")
outline(document.ask("documentSymbol"))
# CHECK: == outline
# CHECK-NEXT: LIMIT 14
# CHECK-NEXT: scaled 12 a, factor
# CHECK-NEXT: k 12 x, n, BLOCK
# CHECK-NEXT: Runner 5
# CHECK-NEXT: blocks 8
# CHECK-NEXT: run 6 self, x, factor
# CHECK-NEXT: inner 12


def hints(title):
    print("==", title)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1000, "character": 0}}
    for hint in document.ask("inlayHint", range=whole):
        print(hint["position"]["line"] + 1, KERNEL and document.text.split("\n")[hint["position"]["line"]].strip()[:12], hint["label"])


hints("without types")
document.edit(0, 0, "# tilec: --sig=k:x=fp32,n=i32 -DBLOCK=64\n")
document.replace("    line += WIDTH", "    line = lanes + line\n    line = line * 2\n    line += WIDTH")
hints("with types")
document.replace("return a", "return tl.sum(")
hints("broken")
print(document.ask("inlayHint", range={"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}))
# CHECK: == without types
# CHECK-NEXT: == with types
# CHECK-NEXT: 19 lanes = tl.a : int32[64]
# CHECK-NEXT: 21 line = lanes : float32[64]
# CHECK-NEXT: == broken
# CHECK-NEXT: 19 lanes = tl.a : int32[64]
# CHECK-NEXT: []
print(session.close())
# CHECK-NEXT: 0
