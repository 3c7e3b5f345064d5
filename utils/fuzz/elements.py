"""Element types of the kernel language: promotion, literals, conversions, and their bytes in memory.

Written from the language's rules alone, so that it shares no code and no mistakes with the compiler. Values
are NumPy arrays: of the same type where NumPy has one, bf16 and the 8-bit floats as float32 that hold only
values of the type.
"""

import numpy as np


class Element:
    """One type: its name in signatures, in kernels, and how NumPy holds its values and its bytes."""

    def __init__(self, name, text, kind, bits, carrier, raw):
        self.name, self.text, self.kind, self.bits = name, "tl." + text, kind, bits
        self.carrier, self.raw = np.dtype(carrier), np.dtype(raw)

    def __repr__(self):
        return self.name

    def __deepcopy__(self, memo):
        return self  # types are compared by identity

    def is_int(self):
        """Integers and booleans, which are unsigned integers of one bit."""
        return self.kind in ("bool", "int", "uint")

    def is_signed(self):
        return self.kind == "int"

    def is_float(self):
        """The floats that have arithmetic."""
        return self.kind == "float"

    def range(self):
        if self.kind == "int":
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


def _make_table():
    table = [Element("i1", "int1", "bool", 1, np.bool_, np.uint8)]
    for bits in (8, 16, 32, 64):
        table.append(Element("i%d" % bits, "int%d" % bits, "int", bits, "i%d" % (bits // 8), "i%d" % (bits // 8)))
        table.append(Element("u%d" % bits, "uint%d" % bits, "uint", bits, "u%d" % (bits // 8), "u%d" % (bits // 8)))
    table += [Element("fp16", "float16", "float", 16, "f2", "f2"), Element("bf16", "bfloat16", "float", 16, "f4", "u2"),
              Element("fp32", "float32", "float", 32, "f4", "f4"), Element("fp64", "float64", "float", 64, "f8", "f8"),
              Element("fp8e5", "float8e5", "fp8", 8, "f4", "u1"),
              Element("fp8e4nv", "float8e4nv", "fp8", 8, "f4", "u1")]
    return {element.name: element for element in table}


ELEMENTS = _make_table()
I1, I32, I64, U32, U64 = (ELEMENTS[name] for name in ("i1", "i32", "i64", "u32", "u64"))
FP16, BF16, FP32, FP64 = (ELEMENTS[name] for name in ("fp16", "bf16", "fp32", "fp64"))
INTS = [element for element in ELEMENTS.values() if element.kind in ("int", "uint")]
FLOATS = [FP16, BF16, FP32, FP64]
FP8 = [ELEMENTS["fp8e5"], ELEMENTS["fp8e4nv"]]


# ===------------------------------------------------------------------------------------------------
# Types of results
# ===------------------------------------------------------------------------------------------------


def literal_element(value):
    """The type that a number written in the program has where it needs one, or None if there is none."""
    if isinstance(value, bool):
        return I1
    if isinstance(value, int):
        for element, low, high in ((I32, -2**31, 2**31), (U32, 0, 2**32), (I64, -2**63, 2**63), (U64, 0, 2**64)):
            if low <= value < high:
                return element
        return None
    magnitude = abs(value)
    if value == 0 or value != value or magnitude == float("inf"):
        return FP32
    return FP32 if 2.0**-126 <= magnitude <= float(np.finfo(np.float32).max) else FP64


def promote(a, b, division=False):
    """The type in which two tensors meet, or None where that is an error."""
    for wide in (FP64, FP32):
        if wide in (a, b):
            return wide
    if FP16 in (a, b):
        return FP32 if division else FP16
    if BF16 in (a, b):
        return BF16 if a is b and not division else FP32
    if not a.is_int() or not b.is_int():
        return None  # 8-bit floats have no arithmetic
    if division and a.is_signed() != b.is_signed():
        return None
    if a.is_signed() == b.is_signed():
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.is_signed() else (b, a)
    return unsigned if unsigned.bits >= signed.bits else signed


_KINDS = {"bool": 0, "int": 1, "uint": 1, "float": 2, "fp8": 2}


def _literal_kind(value):
    return 0 if isinstance(value, bool) else 1 if isinstance(value, int) else 2


def promote_literal(tensor, value, division=False):
    """The type in which a tensor and a number of the program meet under an operator, or None."""
    if _literal_kind(value) > _KINDS[tensor.kind]:
        other = literal_element(value)
        result = promote(tensor, other, division) if other else None
    else:
        result = FP32 if division and tensor in (FP16, BF16) else tensor
    if result is not None and result.is_int():
        low, high = result.range()
        if not low <= value <= high:
            return None
    return result


# ===------------------------------------------------------------------------------------------------
# Floats that NumPy lacks
# ===------------------------------------------------------------------------------------------------

# Explicit bits of the significand, least exponent of a normal number, largest number.
_FORMATS = {"fp8e5": (2, -14, 57344.0), "fp8e4nv": (3, -6, 448.0), "fp16": (10, -14, 65504.0),
            "bf16": (7, -126, float((2 - 2.0**-7) * 2.0**127)), "fp32": (23, -126, float(np.finfo(np.float32).max))}


def round_float(values, element, toward_zero=False):
    """Rounds to the values of a float type; the result is float64, with what rounds beyond the range infinite."""
    explicit, least, largest = _FORMATS[element.name]
    values = np.asarray(values, np.float64)
    finite = np.where(np.isfinite(values), values, 0.0)
    exponent = np.maximum(np.frexp(finite)[1] - 1, least)
    scaled = np.ldexp(finite, explicit - exponent)
    rounded = np.ldexp(np.trunc(scaled) if toward_zero else np.rint(scaled), exponent - explicit)
    beyond = np.abs(rounded) > largest
    rounded = np.where(beyond, np.copysign(largest if toward_zero else np.inf, rounded), rounded)
    rounded = np.copysign(rounded, finite)
    return np.where(np.isfinite(values), rounded, values)


def _round_to(values, element, toward_zero):
    if element is FP64:
        return np.asarray(values, np.float64)
    if element is FP32 and not toward_zero:
        return np.asarray(values).astype(np.float32)
    rounded = round_float(values, element, toward_zero)
    if element.kind == "fp8":  # saturates, infinities too
        largest = _FORMATS[element.name][2]
        rounded = np.where(np.abs(rounded) > largest, np.copysign(largest, rounded), rounded)
    return rounded.astype(element.carrier)


def _decode_table(explicit, bias, nan_codes, infinity_codes):
    codes = np.arange(256)
    exponent, fraction = (codes & 127) >> explicit, codes & ((1 << explicit) - 1)
    magnitude = np.where(exponent == 0, np.ldexp(fraction.astype(float), 1 - bias - explicit),
                         np.ldexp((fraction + (1 << explicit)).astype(float), exponent - bias - explicit))
    magnitude[infinity_codes] = np.inf
    magnitude[nan_codes] = np.nan
    return np.where(codes & 128, -magnitude, magnitude).astype(np.float32)


_DECODE = {"fp8e5": _decode_table(2, 15, [125, 126, 127, 253, 254, 255], [124, 252]),
           "fp8e4nv": _decode_table(3, 7, [127, 255], [])}


def decode(raw, element):
    """Values from what lies in memory."""
    if element is I1:
        return raw != 0
    if element is BF16:
        return (raw.astype(np.uint32) << np.uint32(16)).view(np.float32)
    if element.kind == "fp8":
        return _DECODE[element.name][raw]
    return raw


def encode(values, element):
    """What lies in memory for values."""
    if element is BF16:
        return (np.array(values, np.float32, order="C").view(np.uint32) >> np.uint32(16)).astype(np.uint16)
    if element.kind == "fp8":
        table = _DECODE[element.name]
        order = np.argsort(np.where(np.isnan(table[:128]), np.inf, table[:128]), kind="stable")
        found = order[np.searchsorted(table[:128][order], np.abs(values))]
        code = np.where(np.isnan(values), 127, found) | np.where(np.signbit(values), 128, 0)
        return code.astype(np.uint8)
    return np.asarray(values).astype(element.raw)


# ===------------------------------------------------------------------------------------------------
# Conversions
# ===------------------------------------------------------------------------------------------------


def _float_to_int(values, element, source):
    """Toward zero. Out of range saturates; NaN is 0, but from and to 64 bits the highest bit. A byte is the low
    one of 16 bits."""
    if element.bits == 8:
        wide = ELEMENTS["i16" if element.is_signed() else "u16"]
        return _float_to_int(values, wide, source).astype(element.carrier)
    low, high = element.range()
    values = np.trunc(np.asarray(values, np.float64))
    above, below = values >= float(high), values <= float(low)
    inside = np.where(np.isnan(values) | above | below, 0.0, values).astype(element.carrier)
    result = np.where(above, np.array(high, element.carrier), inside)
    result = np.where(below, np.array(low, element.carrier), result)
    if source.bits < 64 and element.bits < 64:
        return result
    highest = np.array(low if element.is_signed() else 1 << (element.bits - 1), element.carrier)
    return np.where(np.isnan(values), highest, result)


def _wide_odd(integers):
    """Integers as float64 that round to any shorter type as the integers would: an inexact one is made odd."""
    exact = integers.astype(np.longdouble)
    nearest = exact.astype(np.float64)
    toward = np.where(np.abs(nearest) > np.abs(exact), np.nextafter(nearest, 0.0), nearest)
    return (toward.view(np.int64) | (nearest != exact)).view(np.float64)


def convert(values, source, target, toward_zero=False):
    """What a cast gives."""
    values = np.asarray(values)
    if source is target:
        return values
    if target is I1:
        return values != 0
    if source.is_int() and target.is_int():
        return values.astype(target.carrier)
    if target.is_int():
        return _float_to_int(values, target, source)
    if source.is_int() and target in (FP32, FP64):
        return values.astype(target.carrier)
    if source.is_int() and target is FP16:
        return values.astype(np.float64).astype(np.float16)
    if source.is_int():
        return _round_to(_wide_odd(values), target, toward_zero)
    return _round_to(values, target, toward_zero)


def literal_value(value, element):
    """A number of the program as a value of a type: floats go through float32 on the way to shorter ones."""
    if element.is_float():
        if value == 0:
            value = 0.0  # there is no negative zero
        if element is not FP64:
            value = np.float32(value)
        return convert(np.array(value, np.float64), FP64, element)
    return np.array(bool(value) if element is I1 else value, element.carrier)


def same(found, expected, tolerance=None):
    """Which elements agree: in every bit but those of NaNs, or within an absolute tolerance."""
    if not np.issubdtype(expected.dtype, np.floating):
        return found == expected
    good = (found == expected) & (np.signbit(found) == np.signbit(expected))
    if tolerance is not None:
        with np.errstate(invalid="ignore"):
            good |= (np.abs(found.astype(np.float64) - expected) <= tolerance) | (found == expected) | np.isinf(tolerance)
    return good | (np.isnan(found) & np.isnan(expected))
