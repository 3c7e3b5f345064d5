"""How kernels with products read and write tiles of matrices: every way that compilers treat differently."""

import numpy as np

from elements import FP32, FP64, I1, I32, convert, encode
from expressions import cast, compare, count_of, literal, variable
from product_operations import BLOCK, DESCRIPTOR, POINTER
from program import Assign, Buffer, Effect, Node, Store


class Axis:
    """One axis of a tile: its size, the extent of arrays along it, and the number of the tile's first element.
    A moving one has another start in each iteration of the loop, which `forward` says counts up from 0."""

    def __init__(self, size, extent, extent_node, start, moving=False, forward=False):
        self.size, self.extent, self.extent_node, self.start = size, extent, extent_node, start
        self.moving, self.forward = moving, forward
        self.is_ragged = extent % size != 0
        self.name = None  # of the coordinates, where they have one
        self.order = None  # a number for each coordinate in place of it: an expression
        self.number = None  # of the tile along the axis, where `start` does not say it
        self.whole = size  # of the tile that this one is a part of

    def halves(self):
        """The axes of a tile's first and second half."""
        size = self.size // 2
        made = [Axis(size, self.extent, self.extent_node, self.start),
                Axis(size, self.extent, self.extent_node, Node("add", [self.start, literal(size)], I32, ())
                     if not self.start.is_literal() else literal(self.start.attrs["value"] + size))]
        for axis in made:
            axis.is_ragged, axis.whole = self.is_ragged, self.whole
        return made

    def coordinates(self):
        if self.order is not None:
            return self.order
        if self.name:
            return variable(self.name, I32, (self.size,))
        count = Node("arange", [], I32, (self.size,), start=0, end=self.size)
        if self.start.is_literal() and self.start.attrs["value"] == 0:
            return count
        return Node("add", [self.start, count], I32, (self.size,))


class Matrix:
    """An array argument with an axis for each of a tile's: its buffer, strides as numbers and as expressions."""

    def __init__(self, buffer, axes, steps, step_nodes):
        self.buffer, self.axes, self.steps, self.step_nodes = buffer, axes, steps, step_nodes

    def allows_descriptor(self):
        size = self.buffer.element.raw.itemsize
        aligned = all(step * size % 16 == 0 for step in self.steps[:-1])
        return self.steps[-1] == 1 and aligned and self.axes[-1].size * size >= 16 and not self.buffer.shift and \
            self.buffer.element is not I1 and all(axis.extent > 0 for axis in self.axes)


def along(node, axis, rank):
    """A tile of one axis as one that broadcasts."""
    places = [":" if other == axis else None for other in range(rank)]
    return Node("subscript", [node], node.element, [node.shape[0] if place else 1 for place in places], places=places)


def both(left, right):
    """left & right, either of which may be None."""
    if left is None or right is None:
        return left or right
    return Node("and", [left, right], I1, np.broadcast_shapes(left.shape, right.shape))


def times_size(node, size):
    return node if size == 1 else Node("mul", [node, literal(size)], I32, ())


def times(node, factor):
    """node * factor, where the factor may be the number 1."""
    if factor.is_literal() and factor.attrs["value"] == 1 and not factor.attrs["text"]:
        return node
    return Node("mul", [node, factor], I32, node.shape)


class Operand:
    """A matrix as the tiles of a loop: `tile` is the expression of one, `after` what moves on to the next."""

    def __init__(self, tile, after=()):
        self.tile, self.after = tile, list(after)


class Operands:
    """Makes matrices and accesses to them. Statements in front of the loop go to `generator.emit`."""

    def __init__(self, generator):
        self.generator, self.random, self.array_random = generator, generator.random, generator.array_random

    def chance(self, share):
        return self.random.random() < share

    # Arrays

    def contents(self, element, count):
        """Small integers, halves of them, or anything of moderate size."""
        kind, special = self.generator.contents, self.generator.special
        if element.is_int():
            low, high = (-128, 128) if kind != "integers" and element.bits == 8 else (-3, 4)
            return self.array_random.integers(low, high, count).astype(element.carrier)
        values = self.array_random.integers(-3, 4, count).astype(np.float64)
        if kind == "halves":
            values = values * 0.5
        if kind == "normal":
            values = self.array_random.normal(0, 1, count)
        if special:
            places = self.array_random.random(count) < 0.002
            values = np.where(places, self.array_random.choice([np.inf, -np.inf, np.nan], count), values)
        return convert(values, FP64, element)

    def outside(self, element, count):
        """What lies between the elements: who reads it without being asked to gives himself away."""
        if element.is_int():
            return np.full(count, 1 if element is I1 else 77).astype(element.carrier)
        return np.full(count, np.nan).astype(element.carrier)

    def matrix(self, element, axes, is_output=False, for_descriptor=None):
        """An array that has these axes in this order."""
        aligned = not self.generator.odd(0.3) if for_descriptor is None else for_descriptor
        pad = self.random.choice([0, 0, 0, 16, 3, 8]) if not aligned else 0
        order = list(range(len(axes)))
        if not aligned and self.chance(0.4):
            order[-2:] = order[:-3:-1]
        steps, step = [0] * len(axes), 1
        for place, axis in enumerate(reversed(order)):
            steps[axis] = step
            step *= max(1, axes[axis].extent) + (pad if place == 0 else 0)
            if aligned and place == 0:
                step = -(-step // 16) * 16
        shift = self.random.choice([1, 2, 4, 8]) if not aligned and self.chance(0.25) else 0
        buffer = self.buffer(element, axes, steps, step, is_output, shift)
        nodes = [literal(1) if each == 1 and self.chance(0.6) else self.generator.number(each, "stride") for each in steps]
        return Matrix(buffer, axes, steps, nodes)

    def buffer(self, element, axes, steps, count, is_output, shift):
        values = self.outside(element, count)
        extents = [axis.extent for axis in axes]
        index = sum(place * step for place, step in zip(np.indices(extents), steps))
        if not is_output and count_of(extents):
            values[index] = self.contents(element, count_of(extents)).reshape(extents)
        buffers = self.generator.program.buffers
        made = Buffer("%s%d" % ("out" if is_output else "in", len(buffers)), element, encode(values, element), is_output,
                      shift)
        buffers.append(made)
        return made

    # Reading

    def operand(self, element, axes, in_loop=True):
        """A tile of a new matrix with these axes, or read with the last two exchanged and turned."""
        turned = self.chance(0.35)
        stored = axes[:-2] + axes[:-3:-1] if turned else axes
        made = self.read(self.matrix(element, stored), in_loop)
        if turned:
            tile = made.tile
            shape = tile.shape[:-2] + (tile.shape[-1], tile.shape[-2])
            order = list(range(len(shape) - 2)) + [len(shape) - 1, len(shape) - 2]
            form = self.random.choice(["dot_T", "trans", "permute"] if len(shape) == 2 else ["permute"])
            made.tile = Node(form, [tile], tile.element, shape, **({"order": order} if form == "permute" else {}))
        return made

    def read(self, matrix, in_loop):
        makers = [(4, self.by_places), (2, self.by_block)]
        if matrix.allows_descriptor():
            makers.append((5, self.by_descriptor))
        moving = [axis for axis in matrix.axes if axis.moving]
        if moving and moving[0].forward and in_loop:
            makers += [(6, self.by_moved_pointers), (2, self.by_moved_block)]
        maker = self.random.choices([maker for _, maker in makers], [weight for weight, _ in makers])[0]
        return maker(matrix)

    def places(self, matrix, started=True):
        """The number of each element of the tile in the array; without `started` as if moving axes began at 0."""
        total, rank = None, len(matrix.axes)
        for number, (axis, step) in enumerate(zip(matrix.axes, matrix.step_nodes)):
            here = axis.coordinates() if started or not axis.moving else \
                Node("arange", [], I32, (axis.size,), start=0, end=axis.size)
            term = times(along(here, number, rank), step)
            total = term if total is None else Node("add", [total, term], I32,
                                                    np.broadcast_shapes(total.shape, term.shape))
        return total

    def inside(self, axis, number, rank, from_start):
        """Whether coordinates of an axis are inside of the array."""
        if axis.moving and from_start:
            count = Node("arange", [], I32, (axis.size,), start=0, end=axis.size)
            rest = Node("sub", [axis.extent_node, axis.start], I32, ())
            if axis.extent_node.is_literal() and axis.start.is_literal():
                rest = literal(axis.extent - axis.start.attrs["value"])
            return compare("lt", along(count, number, rank), rest)
        return compare("lt", along(axis.coordinates(), number, rank), axis.extent_node)

    def mask(self, matrix):
        """None where the tiles fit and nobody checks."""
        found, rank = None, len(matrix.axes)
        for number, axis in enumerate(matrix.axes):
            if axis.is_ragged or self.chance(0.1):
                found = both(found, self.inside(axis, number, rank, self.chance(0.5)))
            if self.generator.odd(0.04):
                some = Node("and", [axis.coordinates(), literal(3)], I32, (axis.size,))
                found = both(found, compare("ne", along(some, number, rank), literal(1)))
        return found

    def other(self, element):
        if self.chance(0.25):
            return []
        if element.kind == "fp8" or not self.generator.odd(0.2):
            return [literal(0.0 if not element.is_int() else 0)]
        return [literal(2.0 if not element.is_int() else 1)]

    def load(self, matrix, pointers):
        mask, element = self.mask(matrix), matrix.buffer.element
        shape = tuple(axis.size for axis in matrix.axes)
        args = [pointers] + ([mask] + self.other(element) if mask else [])
        return Node("load_pointer", args, element, shape)

    def by_places(self, matrix):
        """Pointers from the coordinates, in each iteration anew, sometimes by way of a list of numbers in memory."""
        if self.generator.odd(0.25):
            matrix = self.reordered(matrix)
        return Operand(self.load(matrix, Node("points", [self.places(matrix)], POINTER,
                                              [axis.size for axis in matrix.axes], buffer=matrix.buffer)))

    def reordered(self, matrix):
        """The matrix with one axis whose coordinates are looked up, or wrap around, and so are always inside."""
        number = self.random.randrange(len(matrix.axes))
        axis = matrix.axes[number]
        if axis.extent == 0:
            return matrix
        other = Axis(axis.size, axis.size * max(1, axis.extent // axis.size), axis.extent_node, axis.start, axis.moving)
        other.whole = axis.whole
        if self.chance(0.4):
            other.order = Node("mod", [axis.coordinates(), axis.extent_node], I32, (axis.size,))
        else:
            count = -(-axis.extent // axis.whole) * axis.whole
            numbers = self.array_random.integers(0, axis.extent, count).astype(np.int32)
            buffers = self.generator.program.buffers
            buffers.append(Buffer("list%d" % len(buffers), I32, numbers))
            other.order = Node("load", [axis.coordinates()], I32, (axis.size,), buffer=buffers[-1])
            if not axis.moving and self.chance(0.7):
                other.order = self.generator.define(other.order, "o", False)
        axes = list(matrix.axes)
        axes[number] = other
        return Matrix(matrix.buffer, axes, matrix.steps, matrix.step_nodes)

    def moving_step(self, matrix):
        """By how much the pointers move, as an expression."""
        for axis, step in zip(matrix.axes, matrix.step_nodes):
            if axis.moving:
                return times(literal(axis.size), step) if not step.is_literal() else \
                    literal(axis.size * step.attrs["value"])

    def by_moved_pointers(self, matrix):
        """Pointers in a name that moves on with the loop."""
        shape = tuple(axis.size for axis in matrix.axes)
        name = self.generator.fresh("p")
        start = Node("points", [self.places(matrix, False)], POINTER, shape, buffer=matrix.buffer)
        self.generator.emit(Assign([name], start, [POINTER], False))
        pointers = variable(name, POINTER, shape)
        moved = Node("moved", [pointers, self.moving_step(matrix)], POINTER, shape, augmented=self.chance(0.7))
        return Operand(self.load(matrix, pointers), [Assign([name], moved, [POINTER], False)])

    def checked_axes(self, matrix):
        return [number for number, axis in enumerate(matrix.axes) if axis.is_ragged or self.chance(0.3)]

    def make_block(self, matrix, moving_start):
        order = list(range(len(matrix.axes)))
        if self.chance(0.7):
            order.reverse()
        starts = [literal(0) if axis.moving and not moving_start else axis.start for axis in matrix.axes]
        sizes = [axis.extent_node for axis in matrix.axes]
        return Node("make_block", sizes + matrix.step_nodes + starts, BLOCK, [axis.size for axis in matrix.axes],
                    buffer=matrix.buffer, order=order)

    def block_load(self, matrix, block):
        element = matrix.buffer.element
        nan = element.is_float() and self.chance(0.1) and not any(axis.moving for axis in matrix.axes)
        return Node("load_block_pointer", [block], element, block.shape, checked=self.checked_axes(matrix), padding=nan)

    def by_block(self, matrix):
        return Operand(self.block_load(matrix, self.make_block(matrix, True)))

    def by_moved_block(self, matrix):
        name, start = self.generator.fresh("b"), self.make_block(matrix, False)
        self.generator.emit(Assign([name], start, [BLOCK], False))
        block = variable(name, BLOCK, start.shape)
        steps = [literal(axis.size if axis.moving else 0) for axis in matrix.axes]
        moved = Node("advance", [block] + steps, BLOCK, start.shape)
        return Operand(self.block_load(matrix, block), [Assign([name], moved, [BLOCK], False)])

    def descriptor(self, matrix, padding=False):
        name = self.generator.fresh("d")
        shape = [axis.size for axis in matrix.axes]
        steps = matrix.step_nodes[:-1] + [literal(1)]
        made = Node("make_descriptor", [axis.extent_node for axis in matrix.axes] + steps, DESCRIPTOR, shape,
                    buffer=matrix.buffer, padding=padding)
        in_front = not self.generator.setup_is_top() and self.chance(0.8)
        (self.generator.program.body if in_front else self.generator.setup).append(Assign([name], made, [DESCRIPTOR], False))
        return variable(name, DESCRIPTOR, shape)

    def by_descriptor(self, matrix):
        """Offsets may be outside on purpose."""
        element = matrix.buffer.element
        fits = not any(axis.moving and axis.is_ragged for axis in matrix.axes)
        padding = element.is_float() and fits and self.generator.odd(0.15)
        descriptor = self.descriptor(matrix, padding)
        starts = [axis.start for axis in matrix.axes]
        if self.chance(0.1):
            number = self.random.randrange(len(starts))
            starts[number] = Node("add", [starts[number], literal(self.random.choice([-3, 5, 8, -16]))], I32, ()) \
                if not starts[number].is_literal() else literal(self.random.choice([-3, 5, 8]))
        return Operand(Node("load_descriptor", [descriptor] + starts, element, descriptor.shape, padding=padding))

    def carried(self, element, axes):
        """A tile in a name: the first is loaded before the loop, the next one at the end of each iteration."""
        moving = next(axis for axis in axes if axis.moving)
        first = Axis(moving.size, moving.extent, moving.extent_node, literal(0))
        following = Axis(moving.size, moving.extent, moving.extent_node,
                         Node("add", [moving.start, literal(moving.size)], I32, ()))
        first.is_ragged = following.is_ragged = True
        matrix = self.matrix(element, axes)
        loads = []
        for other in (first, following):
            places = Matrix(matrix.buffer, [other if axis is moving else axis for axis in axes], matrix.steps,
                            matrix.step_nodes)
            loads.append(self.load(places, Node("points", [self.places(places)], POINTER,
                                                [axis.size for axis in axes], buffer=matrix.buffer)))
        tile = self.generator.define(loads[0], "n")
        return Operand(tile, [Assign([tile.attrs["name"]], loads[1], [element])])

    # Writing

    def write(self, value, axes, element=None):
        """The statement that stores a tile to a new output with these axes."""
        return self.write_to(self.matrix(element or value.element, axes, is_output=True), value)

    def write_to(self, matrix, value):
        axes, element, share = matrix.axes, matrix.buffer.element, self.random.random()
        if share < 0.3 and matrix.allows_descriptor():
            return Effect(Node("store_descriptor", [self.descriptor(matrix), value] + [axis.start for axis in axes], None,
                               ()))
        if share < 0.45 and element is value.element:
            block = self.make_block(matrix, True)
            return Effect(Node("store_block_pointer", [block, value], None, (), checked=self.checked_axes(matrix)))
        mask, rank = None, len(axes)
        for number, axis in enumerate(axes):
            if axis.is_ragged or self.chance(0.15):
                mask = both(mask, self.inside(axis, number, rank, False))
        return Store(matrix.buffer, self.places(matrix), value, mask)


# ===------------------------------------------------------------------------------------------------
# What is done to a tile on the way to a product
# ===------------------------------------------------------------------------------------------------


def widened(node, element, random):
    """A cast, through float32 where 8-bit floats are made of integers."""
    if node.element.is_int() and element.kind == "fp8":
        node = cast(node, FP32)
    return cast(node, element, free=random.random() < 0.3)
