"""Products, and what kernels with products read and write by: pointers in variables, block pointers, descriptors.

The interpreter has these as what they point to, so that a name may hold another one in each iteration.
"""

import numpy as np

from elements import Element
from operations import OPERATIONS, Operation, shape_text

POINTER = Element("pointer", "pointer", "pointer", 64, np.int64, np.int64)
BLOCK = Element("block", "block", "block", 64, np.int64, np.int64)
DESCRIPTOR = Element("descriptor", "descriptor", "descriptor", 64, np.int64, np.int64)
REFERENCES = (POINTER, BLOCK, DESCRIPTOR)


class Pointers:
    """A tile of addresses: an argument's array, and elements of it, which may be outside."""

    def __init__(self, buffer, index):
        self.buffer, self.index = buffer, np.asarray(index, np.int64)


class Region:
    """What block pointers and descriptors say: an array's sizes and strides, a block's shape and place."""

    def __init__(self, buffer, sizes, steps, shape, places=()):
        self.buffer, self.sizes, self.steps, self.shape = buffer, sizes, steps, shape
        self.places = tuple(places)

    def at(self, places):
        return Region(self.buffer, self.sizes, self.steps, self.shape, places)

    def indices(self, checked):
        """Where the elements of the block lie, and which are inside along the axes that are checked."""
        index, inside = np.zeros(self.shape, np.int64), np.ones(self.shape, bool)
        for axis, (size, step, place, count) in enumerate(zip(self.sizes, self.steps, self.places, self.shape)):
            along = place + np.arange(count).reshape([-1 if other == axis else 1 for other in range(len(self.shape))])
            index = index + along * step
            if axis in checked:
                inside = inside & (along >= 0) & (along < size)
        return index, inside


# ===------------------------------------------------------------------------------------------------
# Products
# ===------------------------------------------------------------------------------------------------


def _dot_text(node, args):
    words = list(args[:2])
    if len(args) > 2:
        words.append(("acc=" if node.attrs.get("named") else "") + args[2])
    if node.attrs.get("precision"):
        words.append('input_precision="%s"' % node.attrs["precision"])
    if node.attrs.get("imprecise") is not None:
        words.append("max_num_imprecise_acc=%d" % node.attrs["imprecise"])
    if node.attrs.get("typed"):
        words.append("out_dtype=" + node.element.text)
    return "tl.dot(%s)" % ", ".join(words)


def _dot(node, a, b, c=None):
    """Of integers, and of floats that the generator knows to be small integers."""
    wide = np.int64 if node.element.is_int() else np.float64
    result = np.matmul(a.astype(wide), b.astype(wide))
    return (result if c is None else result + c).astype(node.element.carrier)


OPERATIONS["dot"] = Operation(_dot_text, _dot)
OPERATIONS["exp2"] = Operation("tl.exp2({0})", None)
OPERATIONS["divide"] = Operation("({0} / {1})", None)
OPERATIONS["float_sum"] = Operation("tl.sum({0}, axis={axis})", None)

# ===------------------------------------------------------------------------------------------------
# Memory; the interpreter has the rest
# ===------------------------------------------------------------------------------------------------


def _list(args):
    return "[%s]" % ", ".join(args)


def _tuple(args):
    return "(%s,)" % ", ".join(args)


def _axes(node):
    return ", boundary_check=%s" % _tuple(map(str, node.attrs["checked"])) if node.attrs["checked"] else ""


def _make_block_text(node, args):
    rank = len(node.shape)
    order = node.attrs["order"]
    return "tl.make_block_ptr(%s, %s, %s, %s, %s, %s)" % (
        node.attrs["buffer"].name, _tuple(args[:rank]), _tuple(args[rank:2 * rank]), _tuple(args[2 * rank:]),
        _tuple(map(str, node.shape)), _tuple(map(str, order)))


def _make_descriptor_text(node, args):
    rank = len(node.shape)
    padding = ', padding_option="nan"' if node.attrs["padding"] else ""
    return "tl.make_tensor_descriptor(%s, %s, %s, %s%s)" % (
        node.attrs["buffer"].name, _list(args[:rank]), _list(args[rank:]), shape_text(node.shape), padding)


def _load_pointer_text(node, args):
    mask = ", mask=" + args[1] if len(args) > 1 else ""
    other = ", other=" + args[2] if len(args) > 2 else ""
    return "tl.load(%s%s%s)" % (args[0], mask, other)


def _load_block_text(node, args):
    padding = ', padding_option="%s"' % ("nan" if node.attrs["padding"] else "zero") if node.attrs["checked"] else ""
    return "tl.load(%s%s%s)" % (args[0], _axes(node), padding)


OPERATIONS["points"] = Operation(lambda node, args: "(%s + %s)" % (node.attrs["buffer"].name, args[0]), None)
OPERATIONS["moved"] = Operation("({0} + {1})", None)
OPERATIONS["make_block"] = Operation(_make_block_text, None)
OPERATIONS["advance"] = Operation(lambda node, args: "tl.advance(%s, %s)" % (args[0], _tuple(args[1:])), None)
OPERATIONS["make_descriptor"] = Operation(_make_descriptor_text, None)
OPERATIONS["load_pointer"] = Operation(_load_pointer_text, None)
OPERATIONS["load_block_pointer"] = Operation(_load_block_text, None)
OPERATIONS["load_descriptor"] = Operation(lambda node, args: "%s.load(%s)" % (args[0], _list(args[1:])), None)
OPERATIONS["store_block_pointer"] = Operation(
    lambda node, args: "tl.store(%s, %s%s)" % (args[0], args[1], _axes(node)), None)
OPERATIONS["debug_barrier"] = Operation("tl.debug_barrier()", None)
OPERATIONS["store_descriptor"] = Operation(
    lambda node, args: "%s.store(%s, %s)" % (args[0], _list(args[2:]), args[1]), None)
