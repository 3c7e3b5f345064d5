# -*- coding: utf-8 -*-
# Host code of Python 3.8 to 3.14, none of which matters: kernels before, between and behind it compile.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
"""Doc with unicode é and \N{BULLET} and 'quotes'"""
from __future__ import annotations
import functools, copy, math as m, os, sys
from typing import TYPE_CHECKING, NamedTuple
if TYPE_CHECKING:
    import torch
    from foo import bar
try:
    import triton
    import triton.language as tl
except ImportError as err:
    triton = None
    tl = None
    raise
else:
    HAVE = True
finally:
    pass

x = 1; y = 2; z: int = 3
type Alias = int | str
type Gen[T] = list[T]
def first[T: (int, str), *Ts, **P](xs: list[T], *args: *Ts) -> T: return xs[0]
class Box[T](object, metaclass=type): 
    a: int = 1; b = 2
    def m(self): return f"{self.a!r:>{10}} {'nested'} {self.b=}"
    @property
    def p(self) -> "int": ...
async def co():
    async with a as b, c as d:
        async for i in gen(): await i
    return [x async for x in y if await z]
match x:
    case 1 | 2 if y: pass
    case {"a": [b, *c], **rest}: pass
    case Box(a=1) as q: pass
    case -1+2j: pass
    case None | True: pass
    case _: pass
match = 3
match[0] = 4 if False else 5
print(match)
case = 4
type = 5
_ = 5
if (n := len([])) > 3: print(n)
while True:
    break
else:
    pass
for i, *j in []: print(i)
else: pass
with open("f") as f, (yield_ := 3): pass
with (open("a") as a, open("b") as b,): pass
with (a, b): pass
global_names = {**{}, 'a': 1, **dict(b=2)}; s = {1, *[2, 3]}
lst = [*a, *b]; t = *a, *b
print(*a, **b, sep="", end='')
del a, b[0], c.d
assert x, "msg"
lam = lambda *a, k=1, **kw: (a, k, kw)
lam2 = lambda: (yield)
def gen(): x = yield; y = yield from z; return (yield)
def posonly(a, /, b, *, c=1, **kw): global G; G = 1; nonlocal_ = 2
nested = f"{x!r} {f'{y}'} {{}} {x:{y}.{z}} {x:%Y-%m-%d} {lambda_ if x else y}"
nested312 = f"{x["a"]} {f"{f"{1}"}"} { x # comment
  }"
raw = rf"\d{x}" Rb"bytes" if False else br'\x00' + BR"a"
raw2 = r"\""  
tripled = """a "quoted" \
  continued"""
tstr = t"template {x}"
u = u"old"
num = 0x_FF + 0b1_0 + 0o17 + 1_000.5e-1_0 + 1j + .5 + 5. + 1e5j + 0_0
cplx = 1if x else 2
a = b = c = d
a, b = b, a
[a, b] = 1, 2
(a), b = 1, 2
(a.b), c[0], *d = 1, 2, 3
a @= b; a //= 2; a **= 3; a >>= 1; a <<= 1; a &= 1; a ^= 1; a |= 1; a %= 2
x = (yield_)
a = not b if c else d or e and f
a = b if c else lambda: d
a[b:c, ::d, ...] = 1
a[*b] = 2
a[b:=1] if True else 0
x = a \
    + b
if x: y = 1
elif z: y = 2
else: y = 3
try: pass
except* ValueError as eg: pass
try: pass
except (A, B): pass
except A, B: pass
finally: pass
@(lambda f: f)
def deco(): pass
@a.b[c](d).e
@x if y else z
@(w := functools.partial(triton.jit))
class Deco: pass
@functools.lru_cache(maxsize=None)
def cached(): return 1
	
class Multi(
    Base,
    meta=3,
): pass
class Empty: ...
def long(
    a: int = 1,  # comment
    *,
    b: "str" = 'x',
) -> dict[str, int]:
    """doc"""
    return {
        'a': 1,
        }
été = 5
变量 = "x"
if x:
	tabbed = 1
	if y:
	        mixed = 2
exec("code")
print("a", file=sys.stderr) ; 
raise ValueError("never") from None


#: out -> i32[42]
@triton.jit
def kernel(out):
    tl.store(out, 42)


if __name__ == "__main__":
    kernel[lambda meta: (triton.cdiv(1, meta["BLOCK"]),)](out)
    if (n := 5) > 3: kernel.warmup(torch.int32, grid=(1,))
