"""Random expressions of the kernel language, well typed and defined by construction.

Where the language leaves an operation undefined (a shift by the width, a zero divisor, an index outside) the
operands are made so that it does not happen.
"""

from elements import (BF16, ELEMENTS, FLOATS, FP16, FP32, FP64, I1, I32, INTS, literal_element, promote,
                      promote_literal)
from program import Buffer, Node
from inputs import long_raw

INPUT_LENGTH = 2048  # elements of every input, if nothing else is said
_LITERALS = {"int": [0, 1, 2, 3, 5, 7, 10, 31, 64, 100, 127, -1, -2, -5, -128, 255, 256, 1000, 32767, 65535, 2**31 - 1,
                     -2**31, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -2**63, 2**63, 2**64 - 1],
             "float": [0.0, 1.0, 0.5, -2.0, 3.0, 0.1, -1.5, 1e-3, 1000.0, 65504.0, 1e10, 1e38, 1e-40, 1e300,
                       float("inf"), float("-inf"), float("nan")]}


def literal(value, text=None):
    return Node("literal", [], None, (), value=value, text=text)


def variable(name, element, shape):
    return Node("var", [], element, shape, name=name)


def cast(node, element, **attrs):
    return node if node.element is element else Node("cast", [node], element, node.shape, **attrs)


def compare(name, left, right):
    sides = [side.element or literal_element(side.attrs["value"]) for side in (left, right)]
    shape = left.shape if len(left.shape) >= len(right.shape) else right.shape
    return Node(name, [left, right], I1, shape, compared=promote(*sides))


def count_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


class Expressions:
    """Makes expressions over the names that are visible and the arguments of the program."""

    def __init__(self, program, rng, array_rng):
        self.program, self.random, self.array_random = program, rng, array_rng
        self.names = []  # (name, element, shape)
        self.input_length = INPUT_LENGTH
        # Shares of divisions that are of floats, and of loads.
        self.remainders, self.block_pointers, self.repeats = 0.25, 0.12, 0.15
        self.load_steps = (0, 1, 7, 16, 64, 128, 256)  # from program to program
        self.may_load = True
        self.makers = []  # (weight, method) of tiles; other files add theirs
        for weight, maker in ((10, self.binary), (4, self.comparison), (3, self.unary), (4, self.where), (5, self.casted),
                              (3, self.extreme), (2, self.fused), (2, self.exact_math), (1, self.high_product),
                              (2, self.shifted), (3, self.divided), (1, self.bits)):
            self.makers.append((weight, maker))

    def chance(self, share):
        return self.random.random() < share

    # Leaves

    def constant(self, value):
        """A number of the program; sometimes by way of a constexpr parameter."""
        integers = [(name, number) for name, number in self.program.constants.items() if isinstance(number, int)]
        if isinstance(value, int) and not isinstance(value, bool) and integers and self.chance(0.2):
            name, number = self.random.choice(integers)
            rest = value - number
            return literal(value, "(%s %s %d)" % (name, "-" if rest < 0 else "+", abs(rest)))
        return literal(value)

    def literal_for(self, element, division=False):
        """A number that a tensor of the type may stand beside under an operator."""
        for _ in range(20):
            kind = "float" if element.is_float() and self.chance(0.7) or self.chance(0.1) else "int"
            value = self.random.choice([True, False]) if self.chance(0.05) else self.random.choice(_LITERALS[kind])
            if promote_literal(element, value, division) is not None:
                return self.constant(value)
        return literal(1)

    def input_buffer(self, element):
        made = [buffer for buffer in self.program.buffers if not buffer.is_output and buffer.element is element]
        if made and self.chance(0.7):
            return self.random.choice(made)
        raw = long_raw(self.array_random, element, self.input_length)
        buffer = Buffer("in%d" % len(self.program.buffers), element, raw)
        self.program.buffers.append(buffer)
        return buffer

    def axis_index(self, shape, axis):
        """The coordinate along one axis of a shape, as a block that broadcasts."""
        index = Node("arange", [], I32, (shape[axis],), start=0, end=shape[axis])
        if len(shape) == 1:
            return index
        places = [":" if other == axis else None for other in range(len(shape))]
        return Node("subscript", [index], I32, [shape[axis] if place else 1 for place in places], places=places)

    def index(self, shape, strides, offset):
        """sum(coordinate * stride) + offset, for a block shape."""
        total = None
        for axis, stride in enumerate(strides):
            term = self.axis_index(shape, axis)
            if stride != 1:
                term = Node("mul", [term, self.constant(stride)], I32, term.shape)
            total = term if total is None else Node("add", [total, term], I32, [max(a, b) for a, b in
                                                                             zip(total.shape, term.shape)])
        if total is None:
            return offset
        return Node("add", [offset, total], I32, total.shape)

    def place(self, step, shift):
        """program_id * step + shift"""
        here = Node("program_id", [], I32, (), axis=0)
        scaled = Node("mul", [here, self.constant(step)], I32, ())
        return Node("add", [scaled, self.constant(shift)], I32, ()) if shift or self.chance(0.2) else scaled

    def strides_for(self, shape):
        """Row-major strides, those of another order of the axes, or some that repeat elements."""
        order = list(range(len(shape)))
        if self.chance(0.3):
            self.random.shuffle(order)
        strides, step = [0] * len(shape), 1
        for axis in reversed(order):
            strides[axis] = step
            step *= shape[axis]
        return strides

    def load(self, shape):
        element = self.random.choice(list(ELEMENTS.values()) if self.chance(0.3) else INTS + FLOATS)
        buffer = self.input_buffer(element)
        if self.chance(self.block_pointers) and len(shape) and not element.kind == "fp8" and element is not I1:
            return self.load_block(buffer, shape)
        strides = self.strides_for(shape)
        if self.chance(self.repeats):
            strides = [self.random.choice([0, stride]) for stride in strides]
        reach = sum(stride * (size - 1) for stride, size in zip(strides, shape))
        room = self.input_length - 1 - reach
        step = self.random.choice([step for step in self.load_steps if 3 * step <= max(room, 0)])
        shift = self.load_shift(max(room - 3 * step, 0))
        index = self.index(shape, strides, self.place(step, shift))
        args = [index]
        mask = self.load_mask(index, shape)
        if mask:
            args += [mask] + self.other(element, shape)
        node = Node("load", args, element, index.shape, buffer=buffer)
        if len(args) == 3:
            node.attrs["other"] = Node("full", [args[2]], element, args[2].shape)
        return self.settled(node)

    def load_mask(self, index, shape):
        """Which elements are loaded, or None for all."""
        if not self.chance(0.3):
            return None
        bound = self.constant(self.random.randrange(self.input_length))
        return compare(self.random.choice(["lt", "ge", "ne"]), index, bound)

    def load_shift(self, most):
        """Behind what multiple of the step the elements of a load begin."""
        return min(self.random.choice([0, 0, 16, self.random.randrange(most + 1)]), most)

    def other(self, element, shape):
        """What masked-off elements get: nothing said, or a number."""
        if element.kind == "fp8" or self.chance(0.4):
            return []
        value = self.random.choice([-1.0, 0.0, 2.5, float("-inf")]) if element.is_float() else \
            self.random.choice([0, 1, 100 if element is not I1 else 1])
        return [literal(value)]

    def settled(self, node):
        """8-bit floats have no arithmetic: what is loaded becomes wider at once."""
        if node.element.kind == "fp8":
            return cast(node, self.random.choice([FP16, BF16, FP32]))
        return node

    def load_block(self, buffer, shape):
        """A load through a block pointer that may hang over the edges of its array."""
        extents = [max(1, size + self.random.randrange(-3, 4)) for size in shape]
        offsets = [literal(self.random.randrange(-3, 4)) for _ in shape]
        padding = float("nan") if buffer.element.is_float() and self.chance(0.5) else 0
        if count_of(extents) > self.input_length:
            extents = list(shape)
        return Node("load_block", offsets, buffer.element, shape, buffer=buffer, extents=extents, padding=padding)

    def leaf(self, shape):
        known = [entry for entry in self.names if entry[2] == shape]
        if known and self.chance(0.75):
            return variable(*self.random.choice(known))
        if not shape and self.chance(0.7):
            scalars = [(scalar.name, scalar.element, ()) for scalar in self.program.scalars] if self.may_load else []
            if scalars and self.chance(0.7):
                return variable(*self.random.choice(scalars))
            return Node("program_id", [], I32, (), axis=self.random.choice([0, 1]))
        if self.may_load and self.chance(0.8):
            return self.load(shape)
        if len(shape) == 1 and self.chance(0.5):
            start = self.random.choice([0, 0, 1, 5])
            return Node("arange", [], I32, shape, start=start, end=start + shape[0])
        if known:
            return variable(*self.random.choice(known))
        element = self.random.choice(INTS + FLOATS + [I1])
        if not shape:
            return Node("cast", [self.value_of(element)], element, (), free=True)
        return Node("full", [self.value_of(element)], element, shape)

    def value_of(self, element):
        """A literal that tl.full accepts for the type."""
        if element is I1:
            return literal(self.chance(0.5))
        if element.is_float():
            return literal(self.random.choice([0.0, 1.0, -2.5, 0.1, 100.0]))
        return literal(self.random.choice([0, 1, 3, 100]))

    # Trees

    def tile(self, shape, depth):
        """An expression of that shape and any type."""
        shape = tuple(shape)
        if depth <= 0 or self.chance(0.1):
            return self.leaf(shape)
        for _ in range(20):
            maker = self.random.choices([maker for _, maker in self.makers], [weight for weight, _ in self.makers])[0]
            node = maker(shape, depth - 1)
            if node is not None:
                return node
        return self.leaf(shape)

    def of(self, element, shape, depth):
        return self.coerce(self.tile(shape, depth), element)

    def coerce(self, node, element):
        """The node in another type, by either spelling of a cast."""
        return cast(node, element, free=self.chance(0.3))

    def integer(self, node, elements=None):
        elements = elements or INTS
        return node if node.element in elements else self.coerce(node, self.random.choice(elements))

    def real(self, node, elements=FLOATS):
        return node if node.element in elements else self.coerce(node, self.random.choice(elements))

    def narrow_shape(self, shape):
        """A shape that broadcasts to this one."""
        narrowed = [1 if self.chance(0.4) else size for size in shape]
        return tuple(narrowed[self.random.randrange(len(shape)):]) if shape and self.chance(0.3) else tuple(narrowed)

    def pair(self, shape, depth):
        """Two operands that broadcast to the shape."""
        left = self.tile(shape, depth)
        share = self.random.random()
        if share < 0.5 or not shape:
            right = self.tile(shape, depth)
        elif share < 0.75:
            right = self.tile((), depth)
        else:
            right = self.tile(self.narrow_shape(shape), depth)
        return (left, right) if self.chance(0.5) else (right, left)

    def with_literal(self, shape, depth, kinds=None):
        """A tensor and a number, in either order."""
        tensor = self.tile(shape, depth)
        if kinds:
            tensor = kinds(tensor)
        number = self.literal_for(tensor.element)
        return (tensor, number) if self.chance(0.6) else (number, tensor)

    def promoted(self, left, right, division=False):
        if left.is_literal():
            return promote_literal(right.element, left.attrs["value"], division)
        if right.is_literal():
            return promote_literal(left.element, right.attrs["value"], division)
        return promote(left.element, right.element, division)

    # Operations

    def binary(self, shape, depth):
        left, right = self.with_literal(shape, depth) if self.chance(0.35) else self.pair(shape, depth)
        element = self.promoted(left, right)
        names = ["add", "sub", "mul", "call_add", "call_sub", "call_mul"]
        if element.is_int() and self.chance(0.5):
            names = ["and", "or", "xor"]
        elif self.chance(0.85):
            names = names[:3]
        return Node(self.random.choice(names), [left, right], element, shape)

    def comparison(self, shape, depth):
        name = self.random.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        left, right = self.with_literal(shape, depth) if self.chance(0.4) else self.pair(shape, depth)
        node = compare(name, left, right)
        node.shape = shape
        return node

    def unary(self, shape, depth):
        node = self.tile(shape, depth)
        choices = ["neg", "abs"] + (["invert"] if node.element.is_int() else []) + \
            (["not"] if node.element is I1 else [])
        return Node(self.random.choice(choices), [node], node.element, shape)

    def boolean(self, shape, depth):
        node = self.tile(shape, depth)
        if node.element is I1:
            return node
        if self.chance(0.3):
            return self.coerce(node, I1)
        return compare(self.random.choice(["ne", "lt", "gt"]), node, self.literal_for(node.element))

    def where(self, shape, depth):
        left, right = self.with_literal(shape, depth) if self.chance(0.3) else self.pair(shape, depth)
        condition = self.boolean(shape if self.chance(0.7) else self.narrow_shape(shape), depth)
        return Node("where", [condition, left, right], self.promoted(left, right), shape)

    def casted(self, shape, depth):
        node = self.tile(shape, depth)
        element = self.random.choice(INTS + FLOATS + [I1])
        narrows = node.element.is_float() and element.is_float() and element.bits < node.element.bits
        if narrows and self.chance(0.2):
            return cast(node, element, toward_zero=True)
        return self.coerce(node, element)

    def extreme(self, shape, depth):
        """minimum, maximum or clamp; a zero that has either sign becomes positive."""
        nan = self.random.choice(["NONE", "ALL"])
        if self.chance(0.3):
            value = self.real(self.tile(shape, depth))
            low, high = sorted(self.random.sample([-100.0, -2.0, -0.5, 1.0, 3.0, 60.0], 2))
            return self.plus_zero(Node("clamp", [value, literal(low), literal(high)],
                                       FP32 if value.element is not FP64 else FP64, shape, nan=nan))
        left, right = self.with_literal(shape, depth) if self.chance(0.3) else self.pair(shape, depth)
        sides = [side.element or literal_element(side.attrs["value"]) for side in (left, right)]
        element = promote(*[FP32 if side is BF16 else side for side in sides])
        return self.plus_zero(Node(self.random.choice(["minimum", "maximum"]), [left, right], element, shape, nan=nan))

    def plus_zero(self, node):
        return Node("add", [node, literal(0.0)], node.element, node.shape) if node.element.is_float() else node

    def fused(self, shape, depth):
        a, b = [self.real(side) for side in self.pair(shape, depth)]
        c = self.real(self.tile(shape, depth))
        element = promote(promote(a.element, b.element), c.element)
        # Every pair of operands is promoted.
        element = promote(element, promote(b.element, c.element))
        return Node("fma", [a, b, c], element, shape)

    def exact_math(self, shape, depth):
        name = self.random.choice(["floor", "ceil", "sqrt_rn", "div_rn"])
        if name == "div_rn":
            left, right = [self.coerce(side, FP32) for side in self.pair(shape, depth)]
            return Node("div_rn", [left, right], FP32, shape)
        node = self.real(self.tile(shape, depth), [FP32] if name == "sqrt_rn" else [FP32, FP64])
        return Node(name, [node], node.element, shape)

    def high_product(self, shape, depth):
        wide = [ELEMENTS[name] for name in ("i32", "u32", "i64", "u64")]
        left, right = [self.integer(side, wide) for side in self.pair(shape, depth)]
        return Node("umulhi", [left, right], promote(left.element, right.element), shape)

    def shifted(self, shape, depth):
        """The count is below the width of the type in which both meet."""
        left, right = [self.integer(side) for side in self.pair(shape, depth)]
        element = promote(left.element, right.element)
        right = Node("and", [right, literal(element.bits - 1)], right.element, right.shape)
        return Node(self.random.choice(["shl", "shr", "shr"]), [left, right], element, shape)

    def divided(self, shape, depth):
        """The divisor of integers is 1 to 63, or for signed types -64 to -2; floats have a remainder for any."""
        if self.chance(self.remainders):
            left, right = [self.real(side) for side in self.pair(shape, depth)]
            return Node("mod", [left, right], promote(left.element, right.element, division=True), shape)
        left, right = [self.integer(side) for side in self.pair(shape, depth)]
        if left.element.is_signed() != right.element.is_signed():
            right = self.coerce(right, left.element)
        element = promote(left.element, right.element)
        right = Node("and", [right, literal(62)], right.element, right.shape)
        right = Node("or", [right, literal(1)], right.element, right.shape)
        if right.element.is_signed() and self.chance(0.4):
            right = Node("sub", [literal(-1), right], right.element, right.shape)
        name = self.random.choice(["floordiv", "mod"])
        if self.chance(0.3) and left.shape == shape:
            right = self.constant(self.random.choice([1, 2, 3, 7, 16, 100]))
            element = left.element
        return Node(name, [left, right], element, shape)

    def bits(self, shape, depth):
        """The bits of one type as another of the same width; NaNs have no defined bits."""
        node = self.tile(shape, depth)
        same = [element for element in INTS + FLOATS if element.bits == node.element.bits and element is not node.element]
        if not same or node.element is I1:
            return None
        if node.element.is_float():
            node = self.without_nan(node)
        return Node("bitcast", [node], self.random.choice(same), shape)

    def without_nan(self, node):
        """Needs the value twice, so it must be cheap to write: a name or a load."""
        if node.op not in ("var", "load"):
            finite = Node("maximum", [node, literal(-1.0)], FP64 if node.element is FP64 else FP32, node.shape, nan="NONE")
            return self.plus_zero(finite) if finite.element is node.element else cast(self.plus_zero(finite), node.element)
        return Node("where", [Node("eq", [node, node], I1, node.shape, compared=node.element), node, literal(1.0)],
                    node.element, node.shape)
