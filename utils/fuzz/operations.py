"""What each operation of a generated kernel looks like, and what it computes.

OPERATIONS maps a name to an Operation. `text(node, args)` gives its source from that of its operands,
`evaluate(node, *values)` its value, exactly as the language defines it. Operations whose result the language
only bounds are in APPROXIMATE: they give the value and how far from it a result may be.
"""

import ctypes
import ctypes.util

import numpy as np

from elements import BF16, FP16, FP32, FP64, I1, convert, decode, encode, literal_element, literal_value, promote


class Operation:
    def __init__(self, text, evaluate):
        self._text, self.evaluate = text, evaluate

    def text(self, node, args):
        if callable(self._text):
            return self._text(node, args)
        return self._text.format(*args, **node.attrs)


OPERATIONS = {}
APPROXIMATE = {}


def operation(name, text):
    def register(evaluate):
        OPERATIONS[name] = Operation(text, evaluate)
        return evaluate
    return register


def approximate(name, text):
    def register(evaluate):
        APPROXIMATE[name] = Operation(text, evaluate)
        return evaluate
    return register


# ===------------------------------------------------------------------------------------------------
# Operands
# ===------------------------------------------------------------------------------------------------


# Under these a number of the program takes the other operand's type; everywhere else it has its own first.
LITERAL_MODE = {"add", "sub", "mul", "call_add", "call_sub", "call_mul", "truediv", "divide", "floordiv", "mod", "cdiv",
                "and", "or", "xor", "shl", "shr", "where"}


def operand(node, index, value, element):
    """The value of an operand in the type that the operation computes in."""
    arg = node.args[index]
    if not arg.is_literal():
        return convert(value, arg.element, element)
    number = arg.attrs["value"]
    own = element if node.op in LITERAL_MODE else literal_element(number)
    return convert(literal_value(number, own), own, element)


def operands(node, values, element):
    return [operand(node, index, value, element) for index, value in enumerate(values)]


def rounded(values, element):
    """The result of an operation on float32 or wider in a type that NumPy holds wider than it is."""
    return convert(values, FP32, BF16) if element is BF16 else np.asarray(values)


def wrapped(values, element):
    return np.asarray(values).astype(element.carrier)


def _arithmetic(function):
    """An elementwise operation in the node's own type; booleans are integers of one bit."""
    def evaluate(node, *values):
        element = node.element
        sides = operands(node, values, element)
        if element is I1:
            return function(*[side.astype(np.uint8) for side in sides]) & np.uint8(1) != 0
        result = function(*sides)
        return rounded(result, element) if element.is_float() else wrapped(result, element)
    return evaluate


for _name, _symbol, _function in (("add", "+", np.add), ("sub", "-", np.subtract), ("mul", "*", np.multiply),
                                  ("and", "&", np.bitwise_and), ("or", "|", np.bitwise_or),
                                  ("xor", "^", np.bitwise_xor), ("shl", "<<", np.left_shift)):
    OPERATIONS[_name] = Operation("({0} %s {1})" % _symbol, _arithmetic(_function))
for _name, _function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply)):
    OPERATIONS["call_" + _name] = Operation("tl.%s({0}, {1})" % _name, _arithmetic(_function))


@operation("shr", "({0} >> {1})")
def shift_right(node, left, right):
    """Whether it is arithmetic is decided by the left operand alone, if that is no literal."""
    values = operands(node, (left, right), node.element)
    decides = node.args[1] if node.args[0].is_literal() else node.args[0]
    kind = "i" if decides.element.is_signed() else "u"
    carrier = np.dtype("%s%d" % (kind, node.element.bits // 8))
    return np.right_shift(*[value.astype(carrier) for value in values]).astype(node.element.carrier)


@operation("floordiv", "({0} // {1})")
def divide_integers(node, left, right):
    left, right = operands(node, (left, right), node.element)
    return wrapped((left - np.fmod(left, right)) // right, node.element)


@operation("mod", "({0} % {1})")
def modulo(node, left, right):
    return np.fmod(*operands(node, (left, right), node.element)).astype(node.element.carrier)


@operation("cdiv", "tl.cdiv({0}, {1})")
def divide_up(node, left, right):
    left, right = operands(node, (left, right), node.element)
    left = wrapped(left + (right - np.array(1, right.dtype)), node.element)
    return wrapped((left - np.fmod(left, right)) // right, node.element)


@operation("truediv", "({0} / {1})")
def divide_floats(node, left, right):
    return np.divide(*operands(node, (left, right), node.element))


@operation("div_rn", "tl.div_rn({0}, {1})")
def divide_nearest(node, left, right):
    return np.divide(*operands(node, (left, right), FP32))


for _name, _symbol, _function in (("eq", "==", np.equal), ("ne", "!=", np.not_equal), ("lt", "<", np.less),
                                  ("le", "<=", np.less_equal), ("gt", ">", np.greater),
                                  ("ge", ">=", np.greater_equal)):
    OPERATIONS[_name] = Operation("({0} %s {1})" % _symbol, lambda node, left, right, function=_function:
                                  function(*operands(node, (left, right), node.attrs["compared"])))


@operation("neg", "(-{0})")
def negate(node, value):
    if node.element is I1:
        return value
    return rounded(np.zeros((), value.dtype) - value, node.element).astype(node.element.carrier)


OPERATIONS["invert"] = Operation("(~{0})", lambda node, value: np.invert(value))
OPERATIONS["not"] = Operation("(not {0})", lambda node, value: np.invert(value))
OPERATIONS["both"] = Operation("({0} and {1})", lambda node, a, b: a & b)
OPERATIONS["either"] = Operation("({0} or {1})", lambda node, a, b: a | b)
OPERATIONS["logical_and"] = Operation("{0}.logical_and({1})", lambda node, a, b: a & b)
OPERATIONS["logical_or"] = Operation("{0}.logical_or({1})", lambda node, a, b: a | b)
OPERATIONS["abs"] = Operation("tl.abs({0})", lambda node, value: value if value.dtype == np.bool_ else np.abs(value))
OPERATIONS["floor"] = Operation("tl.floor({0})", lambda node, value: np.floor(value))
OPERATIONS["ceil"] = Operation("tl.ceil({0})", lambda node, value: np.ceil(value))
OPERATIONS["sqrt_rn"] = Operation("tl.sqrt_rn({0})", lambda node, value: np.sqrt(value))


def quiet(values):
    """Without signaling NaNs, which NumPy's fmin and fmax take for more than numbers."""
    values = np.asarray(values)
    return np.where(np.isnan(values), values.dtype.type(np.nan), values) if values.dtype.kind == "f" else values


def _least(left, right):
    return np.fmin(quiet(left), quiet(right))


def _greatest(left, right):
    return np.fmax(quiet(left), quiet(right))


def _extreme(by_number, by_nan):
    def evaluate(node, *values):
        values = operands(node, values, node.element)
        return (by_nan if node.attrs["nan"] == "ALL" else by_number)(*values)
    return evaluate


# The sign of a zero is not defined: adding a zero makes it positive.
OPERATIONS["minimum"] = Operation("tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.{nan})",
                                  _extreme(_least, np.minimum))
OPERATIONS["maximum"] = Operation("tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.{nan})",
                                  _extreme(_greatest, np.maximum))


@operation("clamp", "tl.clamp({0}, {1}, {2}, propagate_nan=tl.PropagateNan.{nan})")
def clamp(node, *values):
    value, low, high = operands(node, values, node.element)
    if node.attrs["nan"] == "ALL":
        return np.minimum(np.maximum(value, low), high)
    return _least(_greatest(value, low), high)


@operation("where", "tl.where({0}, {1}, {2})")
def where(node, condition, left, right):
    return np.where(condition != 0, operand(node, 1, left, node.element), operand(node, 2, right, node.element))


@operation("choose", "({1} if {0} else {2})")
def choose(node, condition, left, right):
    return left if condition != 0 else right


def _exact_fma(a, b, c, element):
    """A single rounding: in float64 with the last bit sticky, which then rounds to a shorter type as the exact
    sum would."""
    product = a.astype(np.float64) * b.astype(np.float64)
    third = c.astype(np.float64)
    total = product + third
    back = total - product
    error = (product - (total - back)) + (third - back)
    bits = np.atleast_1d(total).view(np.int64)
    inexact = np.atleast_1d((error != 0) & np.isfinite(total))
    upward = np.atleast_1d((error > 0) == (total > 0))
    adjusted = np.where(inexact & (bits & 1 == 0), bits + np.where(upward, 1, -1), bits).view(np.float64)
    return convert(adjusted.reshape(np.shape(total)), FP64, element)


_libm = ctypes.CDLL(ctypes.util.find_library("m"))
_libm.fma.restype, _libm.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
_fma64 = np.vectorize(_libm.fma, otypes=[np.float64])


@operation("fma", "tl.fma({0}, {1}, {2})")
def fma(node, *values):
    sides, elements = list(values), [arg.element for arg in node.args]
    for first, second in ((0, 1), (0, 2), (2, 1)):  # the order in which the language promotes them
        meet = promote(elements[first], elements[second])
        for side in (first, second):
            sides[side], elements[side] = convert(sides[side], elements[side], meet), meet
    a, b, c = np.broadcast_arrays(*sides)
    return _fma64(a, b, c) if node.element is FP64 else _exact_fma(a, b, c, node.element)


@operation("umulhi", "tl.umulhi({0}, {1})")
def multiply_high(node, left, right):
    left, right = [value.astype("u%d" % (node.element.bits // 8)) for value in operands(node, (left, right), node.element)]
    if node.element.bits == 32:
        # Both: NumPy 1 takes the type of the block where the other one is a scalar.
        whole = left.astype(np.uint64) * right.astype(np.uint64)
        return (whole >> np.uint64(32)).astype(node.element.carrier)
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = left >> half, left & mask, right >> half, right & mask
    middle = a * d + ((b * d) >> half)
    carry = ((middle & mask) + b * c) >> half
    return (a * c + (middle >> half) + carry).astype(node.element.carrier)


def _cast_text(node, args):
    rounding = ', fp_downcast_rounding="rtz"' if node.attrs.get("toward_zero") else ""
    form = "tl.cast(%s, %s%s)" if node.attrs.get("free") else "%s.to(%s%s)"
    return form % (args[0], node.element.text, rounding)


@operation("cast", _cast_text)
def cast(node, value):
    if node.args[0].is_literal():
        own = literal_element(node.args[0].attrs["value"])
        return convert(literal_value(node.args[0].attrs["value"], own), own, node.element)
    return convert(value, node.args[0].element, node.element, node.attrs.get("toward_zero", False))


@operation("bitcast", lambda node, args: "%s.to(%s, bitcast=True)" % (args[0], node.element.text))
def bitcast(node, value):
    raw = np.atleast_1d(encode(value, node.args[0].element)).view(node.element.raw)
    return decode(raw, node.element).reshape(np.shape(value))


# ===------------------------------------------------------------------------------------------------
# Values that nothing goes into
# ===------------------------------------------------------------------------------------------------

OPERATIONS["arange"] = Operation("tl.arange({start}, {end})",
                                 lambda node: np.arange(node.attrs["start"], node.attrs["end"], dtype=np.int32))


def shape_text(shape):
    return "[%s]" % ", ".join(map(str, shape))


@operation("full", lambda node, args: "tl.full(%s, %s, %s)" % (shape_text(node.shape), args[0], node.element.text))
def full(node, value):
    arg = node.args[0]
    value = literal_value(arg.attrs["value"], node.element) if arg.is_literal() else \
        convert(value, arg.element, node.element)
    return np.broadcast_to(value, node.shape)


OPERATIONS["zeros"] = Operation(lambda node, args: "tl.zeros(%s, %s)" % (shape_text(node.shape), node.element.text),
                                lambda node: np.zeros(node.shape, node.element.carrier))
OPERATIONS["zeros_like"] = Operation("tl.zeros_like({0})", lambda node, value: np.zeros_like(value))

# ===------------------------------------------------------------------------------------------------
# What the language only bounds
# ===------------------------------------------------------------------------------------------------

_EPSILON = {FP16: 2.0**-10, BF16: 2.0**-7, FP32: 2.0**-23, FP64: 2.0**-52}


def _bounded(name, function, ulps, text=None):
    """An elementwise function of float32 or float64, right within some units in the last place."""
    @approximate(name, text or "tl.%s({0})" % name)
    def evaluate(node, *values):
        values = operands(node, values, node.element)
        exact = function(*[value.astype(np.float64) for value in values])
        result = exact.astype(node.element.carrier)
        smallest = 2.0**-126 if node.element is FP32 else 2.0**-1022
        return result, ulps * _EPSILON[node.element] * np.maximum(np.abs(exact), smallest)


_bounded("divide", np.divide, 2.5, "({0} / {1})")
_bounded("sqrt", np.sqrt, 2.5)
_bounded("rsqrt", lambda x: 1 / np.sqrt(x), 4)


@approximate("sum", "tl.sum({0}, axis={axis})")
def sum_in_any_order(node, value):
    """Every order of adding n numbers is within n units in the last place of the sum of their magnitudes."""
    axis = node.attrs["axis"]
    wide = value.astype(np.float64)
    bound = (value.size if axis is None else value.shape[axis]) * _EPSILON[node.element] * np.abs(wide).sum(axis)
    return wide.sum(axis).astype(node.element.carrier), bound


def _weights(value, axis):
    """exp(x - max) of float32, how far off each may be, their sum along an axis, and how far off that may be."""
    least, unit = 2.0**-126, _EPSILON[FP32]
    wide = value.astype(np.float64)
    distance = wide - wide.max(axis, keepdims=True)
    e = np.exp(distance)
    reached = np.where(np.isfinite(distance), np.abs(distance), 0.0)
    off = e * (reached + 8) * unit + least
    total = e.sum(axis, keepdims=True)
    return e, off, total, off.sum(axis, keepdims=True) + value.shape[axis] * unit * total


def _with_kept(text):
    """The text of an operation in which {kept} gives a reduction the rank of its operand, where that has several axes."""
    def write(node, args):
        kept = ", keep_dims=True" if len(node.shape) > 1 else ""
        return text.format(*args, kept=kept, **node.attrs)
    return write


_WEIGHTS = "tl.exp({0} - tl.max({0}, axis={axis}{kept}))"


@approximate("softmax", _with_kept("(%s / tl.sum(%s, axis={axis}{kept}))" % (_WEIGHTS, _WEIGHTS)))
def softmax(node, value):
    e, off, total, off_total = _weights(value, node.attrs["axis"])
    result = e / total
    bound = off / total + result * off_total / total + result * 4 * _EPSILON[FP32] + 2.0**-126
    return result.astype(np.float32), bound


@approximate("log_sum_exp", lambda node, args: "(tl.log(tl.sum(tl.exp(%s - %s), axis=%d)) + tl.max(%s, axis=%d))" % (
    args[0], "tl.max(%s, axis=%d%s)" % (args[0], node.attrs["axis"], ", keep_dims=True" if node.shape else ""),
    node.attrs["axis"], args[0], node.attrs["axis"]))
def log_sum_exp(node, value):
    axis = node.attrs["axis"]
    _, _, total, off_total = _weights(value, axis)
    most = value.astype(np.float64).max(axis)
    log = np.log(total).squeeze(axis)
    bound = (off_total / total).squeeze(axis) + (np.abs(log) + np.abs(most) + 1) * 8 * _EPSILON[FP32]
    return (log + most).astype(np.float32), bound


_REST = "({0} - tl.sum({0}, axis={axis}{kept}) / {0}.shape[{axis}])"


@approximate("layer_norm", _with_kept("(%s * tl.rsqrt(tl.sum(%s * %s, axis={axis}{kept}) / {0}.shape[{axis}] + 0.5))" % (
    _REST, _REST, _REST)))
def layer_norm(node, value):
    """Of integers of which the sum is exact, and of a power of two of them, so the mean is exact too."""
    axis = node.attrs["axis"]
    wide = value.astype(np.float64)
    rest = wide - wide.mean(axis, keepdims=True)
    variance = (rest * rest).mean(axis, keepdims=True)
    off = (value.shape[axis] + 4) * _EPSILON[FP32] * (variance + 0.5)
    scale = 1 / np.sqrt(variance + 0.5)
    result = rest * scale
    return result.astype(np.float32), np.abs(result) * (off / (variance + 0.5) + 8 * _EPSILON[FP32])
