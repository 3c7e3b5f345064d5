"""The operations of operations.py that know of shapes: moving elements, reductions, scans, sorting, atomics."""

import numpy as np

from elements import BF16, ELEMENTS, FP16, FP32, I32, U32, convert
from operations import OPERATIONS, Operation, operation, quiet, rounded, shape_text, wrapped
from program import block_pointer

# ===------------------------------------------------------------------------------------------------
# Shapes
# ===------------------------------------------------------------------------------------------------

OPERATIONS["reshape"] = Operation(lambda node, args: "%s(%s, %s)" % (node.attrs["form"], args[0], shape_text(node.shape)),
                                  lambda node, value: value.reshape(node.shape))
OPERATIONS["ravel"] = Operation("tl.ravel({0})", lambda node, value: value.reshape(-1))
OPERATIONS["permute"] = Operation(
    lambda node, args: "tl.permute(%s, %s)" % (args[0], ", ".join(map(str, node.attrs["order"]))),
    lambda node, value: value.transpose(node.attrs["order"]))
OPERATIONS["trans"] = Operation("tl.trans({0})", lambda node, value: value.swapaxes(-1, -2))
OPERATIONS["dot_T"] = Operation("{0}.T", lambda node, value: value.T)
OPERATIONS["broadcast_to"] = Operation(
    lambda node, args: "tl.broadcast_to(%s, %s)" % (args[0], shape_text(node.shape)),
    lambda node, value: np.broadcast_to(value, node.shape))
OPERATIONS["expand_dims"] = Operation("tl.expand_dims({0}, {axis})",
                                      lambda node, value: np.expand_dims(value, node.attrs["axis"]))
OPERATIONS["join"] = Operation("tl.join({0}, {1})",
                               lambda node, a, b: np.stack(np.broadcast_arrays(a, b), axis=-1))
OPERATIONS["interleave"] = Operation("tl.interleave({0}, {1})",
                                     lambda node, a, b: np.stack([a, b], axis=-1).reshape(node.shape))
OPERATIONS["split"] = Operation("tl.split({0})", lambda node, value: (value[..., 0], value[..., 1]))
OPERATIONS["cat"] = Operation("tl.cat({0}, {1}, can_reorder=True)", lambda node, a, b: np.concatenate([a, b]))
OPERATIONS["flip"] = Operation("tl.flip({0}, {axis})", lambda node, value: np.flip(value, node.attrs["axis"]))
OPERATIONS["item"] = Operation("{0}.item()", lambda node, value: value.reshape(()))


@operation("subscript", lambda node, args: "%s[%s]" % (args[0], ", ".join(
    "None" if place is None else ":" for place in node.attrs["places"])))
def subscript(node, value):
    return value[tuple(None if place is None else slice(None) for place in node.attrs["places"])]


@operation("gather", "tl.gather({0}, {1}, {axis})")
def gather(node, source, index):
    return np.take_along_axis(source, index.astype(np.int64), node.attrs["axis"])


@operation("histogram", lambda node, args: "tl.histogram(%s, %d%s)" % (
    args[0], node.shape[0], ", mask=" + args[1] if len(args) > 1 else ""))
def histogram(node, value, mask=None):
    bins = node.shape[0]
    counted = (value >= 0) & (value < bins)
    if mask is not None:
        counted &= mask
    return np.bincount(value[counted].astype(np.int64), minlength=bins).astype(np.int32)


# ===------------------------------------------------------------------------------------------------
# Reductions
# ===------------------------------------------------------------------------------------------------


def sum_element(element):
    """The type of a sum without `dtype`."""
    if element.is_int() and element.bits < 32:
        return I32 if element.is_signed() else U32
    return element


def extreme_element(element):
    """The type of a maximum or minimum without indices."""
    if element in (FP16, BF16):
        return FP32
    return I32 if element.is_int() and element.bits < 32 else element


def _axis_text(node):
    return ", axis=%s%s" % (node.attrs["axis"], ", keep_dims=True" if node.attrs.get("keep_dims") else "")


def _shaped(node, value):
    return np.asarray(value).reshape(node.attrs.get("result", node.shape))


def _accumulated(values, element, axis):
    """Adds up in an order of its own; sums of floats are exact here, since their terms are small integers."""
    if element.is_float():
        return convert(values.astype(np.float64).sum(axis), ELEMENTS["fp64"], element)
    return values.astype(np.uint64).sum(axis, dtype=np.uint64).astype(element.carrier)


@operation("exact_sum", lambda node, args: "tl.sum(%s%s%s)" % (
    args[0], _axis_text(node), ", dtype=" + node.element.text if node.attrs.get("typed") else ""))
def exact_sum(node, value):
    value = convert(value, node.args[0].element, node.element)
    return _shaped(node, _accumulated(value, node.element, node.attrs["axis"]))


def _reduction(name, function):
    def evaluate(node, value):
        axis = node.attrs["axis"]
        return _shaped(node, convert(function(value, axis), node.args[0].element, node.element))
    OPERATIONS[name] = Operation(lambda node, args: "tl.%s(%s%s)" % (name, args[0], _axis_text(node)), evaluate)


_reduction("max", lambda value, axis: np.fmax.reduce(quiet(value), axis=axis))
_reduction("min", lambda value, axis: np.fmin.reduce(quiet(value), axis=axis))
_reduction("xor_sum", lambda value, axis: np.bitwise_xor.reduce(value, axis=axis))
_reduction("reduce_or", lambda value, axis: np.bitwise_or.reduce(value, axis=axis))


def _position(name, find):
    def evaluate(node, value):
        return _shaped(node, find(value, axis=node.attrs["axis"]).astype(np.int32))
    OPERATIONS[name] = Operation(lambda node, args: "tl.%s(%s%s)" % (name, args[0], _axis_text(node)), evaluate)


_position("argmax", np.argmax)
_position("argmin", np.argmin)


@operation("with_index", lambda node, args: "tl.%s(%s%s, return_indices=True)" % (node.attrs["name"], args[0],
                                                                               _axis_text(node)))
def with_index(node, value):
    axis = node.attrs["axis"]
    find, extreme = (np.argmax, np.max) if node.attrs["name"] == "max" else (np.argmin, np.min)
    return _shaped(node, extreme(value, axis=axis)), _shaped(node, find(value, axis=axis).astype(np.int32))


# ===------------------------------------------------------------------------------------------------
# Reductions and scans by functions of the kernel
# ===------------------------------------------------------------------------------------------------


class Combine:
    """A function of pairs: its source, and what it does to tuples of arrays."""

    def __init__(self, count, source, apply, is_commutative=True):
        self.count, self.source, self.apply, self.is_commutative = count, source, apply, is_commutative


def _larger_first(a, b):
    """Of pairs the one with the larger first member, and among equal ones the smaller second."""
    left = (a[0] > b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))
    return tuple(np.where(left, x, y) for x, y in zip(a, b))


COMBINES = {
    "combine_mul": Combine(1, "def combine_mul(a, b):\n    return a * b", lambda a, b: (a[0] * b[0],)),
    "combine_xor": Combine(1, "def combine_xor(a, b):\n    return a ^ b", lambda a, b: (a[0] ^ b[0],)),
    "combine_least": Combine(1, "def combine_least(a, b):\n    return tl.where(a < b, a, b)",
                             lambda a, b: (np.where(a[0] < b[0], a[0], b[0]),)),
    "combine_first": Combine(1, "def combine_first(a, b):\n    return a", lambda a, b: (a[0],), False),
    "combine_both": Combine(2, "def combine_both(a, b, c, d):\n    return a + c, b * d",
                            lambda a, b: (a[0] + b[0], a[1] * b[1])),
    "combine_larger": Combine(
        2, "def combine_larger(a, b, c, d):\n    left = (a > c) | ((a == c) & (b < d))\n"
           "    return tl.where(left, a, c), tl.where(left, b, d)", _larger_first),
    "combine_affine": Combine(2, "def combine_affine(a, b, c, d):\n    return a * c, b * c + d",
                              lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), False),
}


def _combined_text(name):
    def text(node, args):
        operand = "(%s)" % ", ".join(args) if len(args) > 1 else args[0]
        reverse = ", reverse=True" if node.attrs.get("reverse") else ""
        keep = ", keep_dims=True" if node.attrs.get("keep_dims") else ""
        return "tl.%s(%s, %d, %s%s%s)" % (name, operand, node.attrs["axis"], node.attrs["combine"], reverse, keep)
    return text


_LONG = 256  # elements from which on prefixes are not combined one after the other


def _doubled(node, values):
    """The combined prefixes along the axis, stacked: each step combines those of twice as many elements. All functions are
    associative."""
    combine, axis = COMBINES[node.attrs["combine"]], node.attrs["axis"]
    turn = (lambda x: np.flip(x, axis)) if node.attrs.get("reverse") else (lambda x: x)
    prefixes, distance = [np.moveaxis(turn(value), axis, 0) for value in values], 1
    while distance < len(prefixes[0]):
        later = combine.apply([x[:-distance] for x in prefixes], [x[distance:] for x in prefixes])
        prefixes = [np.concatenate([x[:distance], np.asarray(y).astype(x.dtype)]) for x, y in zip(prefixes, later)]
        distance *= 2
    return [turn(np.moveaxis(x, 0, axis)) for x in prefixes]


def _steps(node, values):
    """The combined prefixes along the axis, one after the other."""
    combine, axis = COMBINES[node.attrs["combine"]], node.attrs["axis"]
    count = values[0].shape[axis]
    order = range(count - 1, -1, -1) if node.attrs.get("reverse") else range(count)
    prefix, prefixes = None, []
    for place in order:
        here = tuple(value.take(place, axis) for value in values)
        prefix = here if prefix is None else tuple(
            np.asarray(x).astype(y.dtype) for x, y in zip(combine.apply(prefix, here), here))
        prefixes.append(prefix)
    return prefixes[::-1] if node.attrs.get("reverse") else prefixes


@operation("reduce", _combined_text("reduce"))
def reduce_by_function(node, *values):
    axis = node.attrs["axis"]
    if values[0].shape[axis] >= _LONG:
        last = [value.take(-1, axis) for value in _doubled(node, values)]
    else:
        last = _steps(node, values)[-1]
    results = tuple(_shaped(node, value) for value in last)
    return results if len(values) > 1 else results[0]


@operation("scan", _combined_text("associative_scan"))
def scan_by_function(node, *values):
    if values[0].shape[node.attrs["axis"]] >= _LONG:
        results = tuple(_doubled(node, values))
        return results if len(values) > 1 else results[0]
    prefixes = _steps(node, values)
    results = tuple(np.stack([prefix[index] for prefix in prefixes], axis=node.attrs["axis"])
                    for index in range(len(values)))
    return results if len(values) > 1 else results[0]


def _cumulative(name, function):
    def evaluate(node, value):
        value = convert(value, node.args[0].element, node.element)
        axis = node.attrs["axis"]
        turn = (lambda x: np.flip(x, axis)) if node.attrs.get("reverse") else (lambda x: x)
        return turn(wrapped(function(turn(value), axis=axis, dtype=value.dtype), node.element))
    OPERATIONS[name] = Operation(
        lambda node, args: "tl.%s(%s, axis=%d%s)" % (name, args[0], node.attrs["axis"],
                                                     ", reverse=True" if node.attrs.get("reverse") else ""), evaluate)


_cumulative("cumsum", np.cumsum)
_cumulative("cumprod", np.cumprod)


# ===------------------------------------------------------------------------------------------------
# Sorting
# ===------------------------------------------------------------------------------------------------


@operation("sort", lambda node, args: "tl.sort(%s%s)" % (args[0], ", descending=True" if node.attrs["descending"] else ""))
def sort(node, value):
    result = np.sort(value, axis=-1)
    return np.flip(result, -1) if node.attrs["descending"] else result


@operation("topk", lambda node, args: "tl.topk(%s, %d)" % (args[0], node.shape[-1]))
def largest(node, value):
    result = np.flip(np.sort(value, axis=-1), -1)[..., :node.shape[-1]]
    return convert(result, node.args[0].element, node.element)


# ===------------------------------------------------------------------------------------------------
# Atomics: what they leave in memory
# ===------------------------------------------------------------------------------------------------


@operation("atomic", lambda node, args: "tl.atomic_%s(%s + %s, %s%s)" % (
    node.attrs["kind"], node.attrs["buffer"].name, args[0], args[1], ", mask=" + args[2] if len(args) > 2 else ""))
def atomic(node, *values):
    raise NotImplementedError("the interpreter has the memory")


OPERATIONS["atomic_meeting"] = OPERATIONS["atomic"]
MEETING = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
           "xor": np.bitwise_xor}

OPERATIONS["atomic_add"] = Operation(None, lambda node, old, new: rounded(old + new, node.element).astype(old.dtype))
OPERATIONS["atomic_max"] = Operation(None, lambda node, old, new: np.maximum(old, new))
OPERATIONS["atomic_min"] = Operation(None, lambda node, old, new: np.minimum(old, new))
OPERATIONS["atomic_and"] = Operation(None, lambda node, old, new: old & new)
OPERATIONS["atomic_or"] = Operation(None, lambda node, old, new: old | new)
OPERATIONS["atomic_xor"] = Operation(None, lambda node, old, new: old ^ new)
OPERATIONS["atomic_xchg"] = Operation(None, lambda node, old, new: new)

# ===------------------------------------------------------------------------------------------------
# Loads, and where a program is
# ===------------------------------------------------------------------------------------------------


def _load_text(node, args):
    mask = ", mask=" + args[1] if len(args) > 1 else ""
    other = ", other=" + args[2] if len(args) > 2 else ""
    return "tl.load(%s + %s%s%s)" % (node.attrs["buffer"].name, args[0], mask, other)


OPERATIONS["load"] = Operation(_load_text, None)
OPERATIONS["program_id"] = Operation("tl.program_id({axis})", None)
OPERATIONS["num_programs"] = Operation("tl.num_programs({axis})", None)


def _load_block_text(node, args):
    pointer = block_pointer(node.attrs["buffer"], node.attrs["extents"], args, node.shape)
    padding = "zero" if node.attrs["padding"] == 0 else "nan"
    return 'tl.load(%s, boundary_check=(%s,), padding_option="%s")' % (
        pointer, ", ".join(map(str, range(len(node.shape)))), padding)


OPERATIONS["load_block"] = Operation(_load_block_text, None)
