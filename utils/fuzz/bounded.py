"""Floats with how far from them a result may be.

A kernel that multiplies matrices has no single right result: the order of sums is free, and instructions round in
their own ways. Here every float is an exact one (float64) and a bound of what a machine's may be off; the rules carry
both through operations. A bound of 0 says that the result is exact in every order: so it is where factors are small
integers. docs/accuracy.md derives the bounds of products.
"""

import numpy as np

from elements import FP16, FP32, FP64, convert, literal_value
from operations import OPERATIONS

# Bits of the significand with the leading one, least exponent, largest number.
_FORMATS = {"fp8e5": (3, -14, 57344.0), "fp8e4nv": (4, -6, 448.0), "fp16": (11, -14, 65504.0),
            "bf16": (8, -126, float((2 - 2.0**-7) * 2.0**127)), "fp32": (24, -126, float(np.finfo(np.float32).max)),
            "fp64": (53, -1022, float(np.finfo(np.float64).max))}
_FINEST = 24  # fractions below 2^-_FINEST are not looked at when sums are shown to be exact


class Bounded:
    """Values, and the most that each may be off."""

    def __init__(self, value, error=0.0):
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.nan_to_num(np.asarray(error, np.float64), nan=np.inf, posinf=np.inf),
                                     self.value.shape)
        self.sums = None  # of a product: what an addition to it loses when it is made one of the product's own

    @property
    def shape(self):
        return self.value.shape

    def moved(self, function):
        """By a function that only moves elements."""
        return Bounded(function(self.value), function(self.error))

    def most(self):
        return np.abs(self.value) + self.error


def last_place(magnitudes, element):
    """The unit in the last place of a type at magnitudes."""
    bits, least, _ = _FORMATS[element.name]
    finite = np.where(np.isfinite(magnitudes), magnitudes, 0.0)
    return np.ldexp(1.0, np.maximum(np.frexp(finite)[1] - 1, least) - bits + 1)


def computed(value, error, element, units=0.5):
    """The result of an operation that is right within some units in the last place. It is exact where it needs no
    rounding; where it does, it may have been fused with the next operation, so its own rounding is not sure."""
    value, error = np.broadcast_arrays(np.asarray(value, np.float64), np.nan_to_num(error, nan=np.inf))
    exact = (error == 0) & (convert(value, FP64, element).astype(np.float64) == value) | np.isnan(value) & (error == 0)
    off = error + units * last_place(np.abs(value) + error, element)
    off = np.where(np.abs(value) + off > _FORMATS[element.name][2], np.inf, off)
    return Bounded(value, np.where(exact | np.isinf(value) & (error == 0), 0.0, off))


def converted(side, source, element):
    """A cast: of a value that is sure the one nearest value, since casts are not fused."""
    if not isinstance(side, Bounded):
        return Bounded(convert(side, source, element).astype(np.float64))
    nearest = convert(side.value, FP64, element).astype(np.float64)
    off = side.error + last_place(side.most(), element)  # this rounding, and that of the machine's value
    largest = _FORMATS[element.name][2]
    if element.kind != "fp8":  # those saturate
        off = np.where(side.most() + off > largest, np.inf, off)
    return Bounded(nearest, np.where((side.error == 0) | np.isnan(side.value), side.error, off))


def bounded_operand(node, index, value):
    """An operand as Bounded in the type of the operation."""
    arg = node.args[index]
    if arg.is_literal():
        return Bounded(literal_value(arg.attrs["value"], node.element).astype(np.float64))
    if isinstance(value, Bounded) and arg.element is node.element:
        return value
    return converted(value, arg.element, node.element)


BOUNDED = {}  # name: function(node, *values)


def bounded(*names):
    def register(function):
        for name in names:
            BOUNDED[name] = function
        return function
    return register


def _sides(node, values):
    return [bounded_operand(node, index, value) for index, value in enumerate(values)]


# ===------------------------------------------------------------------------------------------------
# Elementwise
# ===------------------------------------------------------------------------------------------------


class Sums:
    """How a product adds up: its terms, what each may lose of all magnitudes together, those magnitudes, and of which
    power of two all terms are multiples."""

    def __init__(self, terms, unit, magnitudes, bits):
        self.terms, self.unit, self.magnitudes, self.bits = terms, unit, magnitudes, bits

    def loss(self, other):
        """With one more term."""
        finite = np.where(np.isfinite(other.most()), other.most(), 0.0)
        magnitudes = self.magnitudes + finite
        bits = quantum_bits(other.value)
        lost = (self.terms + 1) * self.unit * magnitudes
        if None in (bits, self.bits):
            return lost
        exact = (other.error == 0) & (np.ldexp(magnitudes, max(bits, self.bits)) <= 1 / self.unit)
        return np.where(exact, 0.0, lost)


@bounded("add")
def add(node, *values):
    """`acc + dot(a, b)` may be `dot(a, b, acc)`."""
    a, b = _sides(node, values)
    error = a.error + b.error
    for side, other in ((a, b), (b, a)):
        if side.sums is not None:
            error = error + side.sums.loss(other)
    return computed(a.value + b.value, error, node.element)


@bounded("sub")
def subtract(node, *values):
    a, b = _sides(node, values)
    return computed(a.value - b.value, a.error + b.error, node.element)


def product_error(a, b):
    with np.errstate(invalid="ignore"):
        return np.abs(a.value) * b.error + a.error * np.abs(b.value) + a.error * b.error


@bounded("mul")
def multiply(node, *values):
    a, b = _sides(node, values)
    exact = (a.error == 0) & (b.error == 0)
    return computed(a.value * b.value, np.where(exact, 0.0, product_error(a, b)), node.element)


@bounded("neg")
def negate(node, value):
    return Bounded(0.0 - value.value, value.error)


@bounded("abs")
def magnitude(node, value):
    return Bounded(np.abs(value.value), value.error)


@bounded("maximum")
def maximum(node, *values):
    a, b = _sides(node, values)
    return Bounded(np.fmax(a.value, b.value), np.maximum(a.error, b.error))


@bounded("where")
def where(node, condition, *values):
    a, b = [bounded_operand(node, index + 1, value) for index, value in enumerate(values)]
    return Bounded(np.where(condition != 0, a.value, b.value), np.where(condition != 0, a.error, b.error))


@bounded("divide")
def divide(node, *values):
    """Within 2.5 units on a GPU, also where the quotient needs no rounding; a divisor that may be 0 makes anything
    of it."""
    a, b = _sides(node, values)
    least = np.abs(b.value) - b.error
    with np.errstate(all="ignore"):
        value = a.value / b.value
        error = np.where(least > 0, (a.error + np.abs(value) * b.error) / least, np.inf)
    sure = (a.error == 0) & (b.error == 0)
    result = computed(value, np.where(sure, 0.0, error), node.element, 2.5)
    rounded = np.isfinite(value) & (value != 0)
    least_error = np.where(rounded, 2.5 * last_place(value, node.element), 0.0)
    return Bounded(value, np.maximum(result.error, least_error))


@bounded("exp2")
def power_of_two(node, value):
    """Three units in the last place, subnormals flushed, and what the argument is off."""
    with np.errstate(all="ignore"):
        exact = np.exp2(value.value)
        error = np.where(value.error == 0, 0.0, exact * np.expm1(value.error * np.log(2.0)))
    sure = (value.error == 0) & ((value.value == -np.inf) | (value.value == 0) | np.isnan(value.value))
    return Bounded(exact, np.where(sure, 0.0, error + 3 * last_place(exact + error, FP32) + 2.0**-126))


@bounded("cast")
def cast(node, value):
    if node.args[0].is_literal():
        return Bounded(literal_value(node.args[0].attrs["value"], node.element).astype(np.float64))
    return converted(value, node.args[0].element, node.element)


@bounded("full")
def full(node, value):
    return Bounded(np.broadcast_to(literal_value(node.args[0].attrs["value"], node.element).astype(np.float64), node.shape))


@bounded("zeros")
def zeros(node):
    return Bounded(np.zeros(node.shape))


# ===------------------------------------------------------------------------------------------------
# Shapes and reductions
# ===------------------------------------------------------------------------------------------------


@bounded("reshape", "permute", "trans", "dot_T", "broadcast_to", "subscript", "expand_dims")
def move(node, value):
    return value.moved(lambda array: OPERATIONS[node.op].evaluate(node, array))


@bounded("max")
def largest(node, value):
    axis = node.attrs["axis"]
    return Bounded(np.fmax.reduce(value.value, axis=axis), value.error.max(axis))


def quantum_bits(*arrays):
    """The least n for which all finite values are multiples of 2^-n, or None."""
    for bits in range(_FINEST):
        scaled = [np.ldexp(array[np.isfinite(array)], bits) for array in arrays]
        if all((each == np.rint(each)).all() for each in scaled):
            return bits
    return None


@bounded("float_sum")
def total(node, value):
    """In any order: one rounding for each element."""
    axis, element = node.attrs["axis"], node.element
    count = value.shape[axis]
    magnitudes = value.most().sum(axis)
    error = value.error.sum(axis) + count * 2.0**(1 - _FORMATS[element.name][0]) * magnitudes
    bits = quantum_bits(value.value)
    if bits is not None:
        exact = (value.error == 0).all(axis) & (np.ldexp(magnitudes, bits) <= 2.0**(_FORMATS[element.name][0] - 1))
        error = np.where(exact, 0.0, error)
    result = value.value.sum(axis)
    return Bounded(result, np.where(np.isnan(result) & (value.error == 0).all(axis), 0.0, error))


# ===------------------------------------------------------------------------------------------------
# Products
# ===------------------------------------------------------------------------------------------------

# What a factor may lose, relative to it, and how many products one product of the kernel becomes.
_PRECISIONS = {"ieee": (0.0, 1), "tf32": (2.0**-10, 1), "tf32x3": (2.0**-20, 3), "bf16x3": (2.0**-15, 3),
               "bf16x6": (2.0**-23, 6)}
_KEPT_BITS = {"ieee": 24, "tf32": 11, "tf32x3": 11, "bf16x3": 8, "bf16x6": 8}  # a factor of so few bits loses nothing


def factor_loss(side, precision):
    """What the way of multiplying takes from factors, relative to each."""
    bits = _KEPT_BITS[precision]
    fraction = np.ldexp(np.frexp(np.where(np.isfinite(side.value), side.value, 0.0))[0], bits)
    whole = (fraction == np.rint(fraction)) & (side.error == 0)
    return np.where(whole, 0.0, _PRECISIONS[precision][0])


def sum_unit(node, factor):
    """The most that an addition loses, relative to the sum of magnitudes."""
    if node.element is FP16:
        return 2.0**-10
    if node.element is FP64:
        return 2.0**-51  # twice, since the sum that it is compared with is one of float64, too
    return 2.0**-13 if factor.kind == "fp8" else 2.0**-23


def matmul(a, b):
    """Libraries leave out products with 0, also where the other factor is NaN."""
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(a).all() and np.isfinite(b).all():
            return np.matmul(a, b)
        return np.einsum("...ij,...jk->...ik", a, b)


def dot(node, a, b, c):
    """a @ b + c, all Bounded; the error of docs/accuracy.md."""
    factor, precision = node.args[0].element, node.attrs.get("precision") or "tf32"
    if factor is not FP32:
        precision = "ieee"
    value = matmul(a.value, b.value) + c.value
    unsure = _meets(np.isinf(a.error), np.isinf(b.error)) | np.isinf(c.error)
    sides = []
    for side in (a, b):
        magnitudes = np.where(np.isfinite(side.value), np.abs(side.value), 0.0)
        error = np.where(np.isinf(side.error), 0.0, side.error)
        sides.append((magnitudes, error + factor_loss(side, precision) * (magnitudes + error)))
    (left, left_off), (right, right_off) = sides
    c_most = np.where(np.isfinite(c.most()), c.most(), 0.0)
    spread = matmul(left, right_off) + matmul(left_off, right) + matmul(left_off, right_off)
    magnitudes = matmul(left + left_off, right + right_off) + c_most
    terms = _PRECISIONS[precision][1] * a.shape[-1] + 1
    unit = sum_unit(node, factor)
    error = spread + terms * unit * magnitudes + (terms * 2.0**-24 if node.element is FP16 else 0.0)
    error = np.where(_is_exact(a, b, c, spread, magnitudes, unit), 0.0, error + np.where(unsure, 0.0, c.error))
    # Sums on the way, in some order, may be as large as the magnitudes together.
    error = np.where(np.maximum(np.abs(value) + error, magnitudes) > _FORMATS[node.element.name][2], np.inf, error)
    error = np.where(np.isfinite(value), error, 0.0)
    result = Bounded(value, np.where(unsure, np.inf, error))
    bits = [quantum_bits(side.value) for side in (a, b)]
    result.sums = Sums(terms, unit, magnitudes, None if None in bits or spread.any() else sum(bits))
    return result


def _meets(left, right):
    """Which results have any of these elements among their factors."""
    rows, columns = left.any(-1), right.any(-2)
    return rows[..., :, None] | columns[..., None, :]


def _is_exact(a, b, c, spread, magnitudes, unit):
    """Whether all terms are multiples of a number of which the sums are small ones."""
    bits = [quantum_bits(side.value) for side in (a, b, c)]
    if None in bits:
        return np.zeros(magnitudes.shape, bool)
    finest = max(bits[0] + bits[1], bits[2])
    return (spread == 0) & (c.error == 0) & (np.ldexp(magnitudes, finest) <= 1 / unit)


@bounded("dot")
def product(node, a, b, c=None):
    shape = node.shape
    start = c if c is not None else Bounded(np.zeros(shape))
    return dot(node, a, b, start)


def stored(value, source, element):
    """What a store of a Bounded leaves, with its bound."""
    return value if source is element else converted(value, source, element)
