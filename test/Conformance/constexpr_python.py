# Functions of compile time: lists and dictionaries that change, functions within, formats, enumerations.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import enum
import functools
import importlib
import itertools
import math
import operator
from enum import Enum, IntEnum

import numpy as np
from packaging.version import Version
import torch
import triton
import triton.language as tl

TABLE = [1, 2, 3]
SIZES = {"rows": 64, "columns": 128}
ROWS, COLUMNS = (tl.constexpr(SIZES[name]) for name in ("rows", "columns"))
DEPTH, _ = [tl.constexpr(size // 2) for size in SIZES.values()]
double = lambda x: 2 * x


#:
@triton.jit
def numbers_of_generators(p):
    tl.static_assert(ROWS + COLUMNS + DEPTH == 64 + 128 + 32)


#:
@triton.jit
def lists(p):
    tl.static_assert(collected(4) == (9, 0, 1, 2, 3, 7, 8))
    tl.static_assert(nested_lists() == ((1, 5), (), (3,)))
    tl.static_assert(removed() == (2, 4))
    tl.static_assert(sorted_in_place() == (3, 2, 1))
    tl.static_assert(added() == (1, 2, 3, 4))
    tl.static_assert(searched() == (1, 2, (0, 1, 1)))
    tl.static_assert(unpacked() == (0, 1, 2, 3))


@triton.constexpr_function
def collected(n):
    result = []
    for i in range(n):
        result.append(i)
    result.extend([7, 8])
    result.insert(0, 9)
    return result


@triton.constexpr_function
def nested_lists():
    groups = [[] for _ in range(3)]
    groups[0].append(1)
    groups[0].append(2)
    groups[2] += [3]
    groups[0][-1] = 5
    return groups


@triton.constexpr_function
def removed():
    values = [1, 2, 3, 4, 5]
    last = values.pop()
    first = values.pop(0)
    assert last == 5 and first == 1
    values.remove(3)
    return values


@triton.constexpr_function
def sorted_in_place():
    values = [2, 1, 3]
    values.sort()
    values.reverse()
    values.sort(key=lambda x: -x)
    return values


@triton.constexpr_function
def added():
    values = [1]
    values += (2, 3)
    copy = list(values)
    copy.append(4)
    assert len(values) == 3
    return copy


@triton.constexpr_function
def searched():
    values = [0, 1, 1]
    return values.index(1), values.count(1), values.copy()


@triton.constexpr_function
def unpacked():
    [a, b] = [0, 1]
    return [a, *(b, 2), *[3]]


#:
@triton.jit
def dictionaries(p):
    tl.static_assert(counted("hello") == 2)
    tl.static_assert(merged() == 7)
    tl.static_assert(iterated() == ("a1", "b2"))
    tl.static_assert(squares(4) == 9)
    tl.static_assert(with_keywords(n=3, m=4) == 7)
    tl.static_assert(passed_on() == 12)


@triton.constexpr_function
def counted(text):
    counts = {}
    for letter in text:
        counts[letter] = counts.get(letter, 0) + 1
    return max(counts.values())


@triton.constexpr_function
def merged():
    d = {"a": 1, **{"b": 2}}
    d.update({"b": 3}, c=4)
    e = dict(d, a=0)
    assert "c" in d and "x" not in d and d.pop("a") == 1 and d.setdefault("z", 9) == 9
    assert len(d) == 3 and list(d) == ["b", "c", "z"] and isinstance(d, dict)
    return e["a"] + e["b"] + e["c"]


@triton.constexpr_function
def iterated():
    return [k + str(v) for k, v in sorted({"b": 2, "a": 1}.items())]


@triton.constexpr_function
def squares(n):
    table = {i: i * i for i in range(n) if i}
    return table[3]


@triton.constexpr_function
def with_keywords(**options):
    return options["n"] + options.get("m", 0)


@triton.constexpr_function
def passed_on():
    options = {"n": 5}
    options["m"] = 7
    return with_keywords(**options)


#:
@triton.jit
def functions_within(p):
    tl.static_assert(with_lambda(3) == 13)
    tl.static_assert(with_def(3) == 9)
    tl.static_assert(late_binding() == 5)
    tl.static_assert(factorial(10) == 3628800)
    tl.static_assert(folded(5) == 120)
    tl.static_assert(double_of(4) == 8)
    tl.static_assert(counter() == (1, 2))
    tl.static_assert(assigned_inside(5) == 11)
    tl.static_assert(combined() == ((1, 3), (1, 4), (2, 3), (2, 4), 9))
    tl.static_assert(chosen() == ("ccc", "a", 0))


@triton.constexpr_function
def with_lambda(n):
    f = lambda x, y=10: x * y // y + y
    return f(n)


@triton.constexpr_function
def with_def(n):
    def times(x, y=n):
        return x * y

    n = 100
    return times(3)


@triton.constexpr_function
def late_binding():
    f = lambda: x
    x = 5
    return f()


@triton.constexpr_function
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@triton.constexpr_function
def folded(n):
    return functools.reduce(operator.mul, range(1, n + 1))


@triton.constexpr_function
def double_of(n):
    return double(n)


@triton.constexpr_function
def counter():
    seen = []

    def see(x):
        seen.append(x)

    see(1)
    see(2)
    return seen


@triton.constexpr_function
def assigned_inside(n):
    if (m := n + 1) > 3:
        return n + m
    return 0


@triton.constexpr_function
def combined():
    import itertools as it
    from math import ceil

    return [*it.product([1, 2], [3, 4]), ceil(8.5)]


@triton.constexpr_function
def chosen():
    words = ["bb", "a", "ccc"]
    return max(words, key=len), min(words, key=lambda w: len(w)), max([], default=0)


#:
@triton.jit
def tries(p):
    tl.static_assert(imported() == 8)
    tl.static_assert(not_imported() == "handled")
    tl.static_assert(finished() == 2)
    tl.static_assert(left_early() == 3)
    tl.static_assert(is_new())
    tl.static_assert(on_this_device() == ("cuda", 32))


@triton.constexpr_function
def imported():
    try:
        from math import gcd
    except ImportError as e:
        return 0
    else:
        return gcd(8, 16)


@triton.constexpr_function
def not_imported():
    try:
        from nowhere import something

        return something()
    except ValueError:
        return "wrong"
    except (ImportError, AttributeError):
        return "handled"


@triton.constexpr_function
def finished():
    x = 0
    for i in range(5):
        try:
            if i == 2:
                break
        finally:
            x += 1
    try:
        x -= 1
    finally:
        return x
    return 7


@triton.constexpr_function
def left_early():
    try:
        return 3
    finally:
        x = 4


@functools.lru_cache(maxsize=None)
def compare(package, compares, version):
    try:
        module = importlib.import_module(package)
    except ImportError:
        return False
    return compares(Version(module.__version__), Version(version))


@triton.constexpr_function
def is_new():
    return compare("triton", operator.ge, "3.0.0")


@triton.constexpr_function
def on_this_device():
    target = triton.runtime.driver.active.get_current_target()
    return target.backend, target.warp_size


#:
@triton.jit
def formats(p):
    tl.static_assert(percent(4) == "4-a-  7-04-0x1f-1.50-%-'a'")
    tl.static_assert(format_method() == "1 and 002|  x|1.5|{}|1, 2")
    tl.static_assert(f_strings(255) == "ff|0xFF|1,024|+1|   1|1   | 1  |00001|3.142|25%|1e+03|True|abc  |'q'")
    tl.static_assert(string_methods() == ("a-b", "x", "b.c", 1, True))


# Numbers of compile time have some of Python's methods in kernels, too.
#: out -> i32[4, 5, 1]
@triton.jit
def methods_of_numbers(out):
    M: tl.constexpr = 15
    for i in range((M - 8).bit_length()):
        tl.store(out, i + 2)
    tl.store(out + 1, triton.next_power_of_2(M).bit_length())
    tl.store(out + 2, 1 if (2.0).is_integer() else 0)


@triton.constexpr_function
def percent(n):
    return "%d-%s-%3d-%02d-%#x-%.2f-%%-%r" % (n, "a", 7, n, 31, 1.5, "a")


@triton.constexpr_function
def format_method():
    return "{} and {:03d}|{:>3}|{}|{{}}|{0}, {1}".replace("{0}, {1}", "1, 2").format(1, 2, "x", 1.5)


@triton.constexpr_function
def f_strings(n):
    a = f"{n:x}|{n:#X}|{1024:,}|{1:+d}|{1:4}|{1:<4}|{1:^4}|{1:05}"
    width = 3
    return a.replace("0XFF", "0xFF") + f"|{math.pi:.{width}f}|{0.25:.0%}|{1000.0:.0e}|{True}|{'abc':5}|{'q'!r}"


@triton.constexpr_function
def string_methods():
    parts = "a b".split(" ")
    return "-".join(parts), "  x ".strip(), "a.b.c".replace("a.", ""), "abc".find("b"), "12".isdigit()


class Mode(IntEnum):
    """A docstring."""

    FIRST = 1
    SECOND = FIRST + 1
    THIRD = enum.auto()

    def method(self):
        return self.value


class Kind(Enum):
    A = "a"
    B = "b"


MODE = tl.constexpr(Mode.SECOND)
KIND = tl.constexpr(Kind.A.value)
EPS = tl.constexpr(torch.finfo(torch.float32).eps)
LARGEST = tl.constexpr(torch.finfo(torch.bfloat16).max)
SMALLEST = tl.constexpr(np.iinfo(np.int8).min)
INFINITE = tl.constexpr(float("inf"))
LOG2E = tl.constexpr(math.log2(math.e))


#: out -> fp32[2, 1.1920928955078125e-07, 3.3895313892515355e+38, -128, 1.4426950216293335]
@triton.jit
def constants_of_the_host(out, mode: tl.constexpr = Mode.THIRD):
    tl.static_assert(MODE == 2 and KIND == "a" and mode == 3)
    tl.static_assert(INFINITE == float("inf"))
    tl.static_assert(kinds(2) == (True, False, "B", 3))
    tl.store(out, MODE)
    tl.store(out + 1, EPS)
    tl.store(out + 2, LARGEST)
    tl.store(out + 3, SMALLEST)
    tl.store(out + 4, LOG2E)


@triton.constexpr_function
def kinds(mode):
    kind = Kind.B
    return mode == Mode.SECOND, kind is Kind.A, kind.name, Mode.THIRD


# A class of the host is no global that kernels may read.
#:
@triton.jit
def class_of_the_host(p):
    x: tl.constexpr = Mode.FIRST  #! cannot read 'FIRST' of the class 'Mode'


# Changes that a second name would show.
#:
@triton.jit
def shared_lists(p):
    a: tl.constexpr = second_name()
    b: tl.constexpr = repeated()
    c: tl.constexpr = changed_in_its_loop()
    d: tl.constexpr = of_the_module()
    e: tl.constexpr = of_a_default()
    f: tl.constexpr = a_tuple()
    g: tl.constexpr = within_itself()
    h: tl.constexpr = second_name_added()


@triton.constexpr_function
def second_name():
    a = [1]
    b = a
    b.append(2)  #! has a second name
    return a


@triton.constexpr_function
def repeated():
    rows = [[0] * 2] * 2
    rows[0][1] = 1  #! has a second name
    return rows


@triton.constexpr_function
def changed_in_its_loop():
    values = [1]
    for value in values:
        values.append(value)  #! has a second name
    return values


@triton.constexpr_function
def of_the_module():
    TABLE.append(4)  #! only variables of the function can be changed


@triton.constexpr_function
def of_a_default(values=[]):
    values.append(1)  #! has a second name


@triton.constexpr_function
def a_tuple():
    values = (1, 2)
    values[0] = 3  #! expected a list or a dictionary


@triton.constexpr_function
def within_itself():
    values = []
    values.append(values)  #! has a second name


@triton.constexpr_function
def second_name_added():
    a = [1]
    b = a
    a += [2]  #! has a second name
    return b


#:
@triton.jit
def mistakes(p):
    a: tl.constexpr = outlived()(1)  #! cannot call the function 'lambda'
    b: tl.constexpr = wrong_format()
    c: tl.constexpr = too_few()
    d: tl.constexpr = no_element()
    e: tl.constexpr = no_key()
    f: tl.constexpr = no_end(1)
    g: tl.constexpr = of_a_comprehension()
    h: tl.constexpr = unknown_import()


@triton.constexpr_function
def outlived():
    x = 1
    return lambda y: x + y


@triton.constexpr_function
def wrong_format():
    return f"{1.5:d}"  #! cannot format constexpr float with 'd'


@triton.constexpr_function
def too_few():
    return "%d %d" % (1,)  #! fewer values than the format has places


@triton.constexpr_function
def no_element():
    values = [1]
    values[1] = 2  #! there is no element 1 in a list of 1


@triton.constexpr_function
def no_key():
    return {"a": 1}.get("b")["c"]  #! cannot index None


@triton.constexpr_function
def no_end(n):
    return no_end(n + 1)  #! nested


@triton.constexpr_function
def of_a_comprehension():
    functions = [lambda: i for i in range(3)]
    return functions[0]()  #! after what it is written in has ended


@triton.constexpr_function
def unknown_import():
    import requests  #! 'requests' is not known
