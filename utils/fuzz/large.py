"""Random kernels with large tiles: of which threads have more elements than registers.

Compilers make loops of them, and so must know what a loop needs again, what it must not load again, and what the loops
have in common. Kernels are of three styles: of operations that streaming takes (one axis, one size), of those that
loops over chunks take, and of any, where threads have fewer elements.
"""

from elements import ELEMENTS, FLOATS, FP32, FP64, I1, I32, INTS
from expressions import cast, compare, count_of, literal, variable
from generator import Generator, all_nodes, statements_of
from inputs import long_raw
from program import Assign, Buffer, Effect, Node, Scalar, Store
from tile_expressions import TileExpressions
from tile_operations import extreme_element

_ELEMENTWISE = {"binary": 10, "comparison": 4, "unary": 3, "where": 4, "casted": 5, "extreme": 3, "fused": 1, "exact_math": 2,
                "high_product": 1, "shifted": 2, "divided": 2, "bits": 1, "logic": 1}
_MAKERS = {
    "streamed": dict(_ELEMENTWISE, reduced=6, loaded_at=1),
    "rolled": dict(_ELEMENTWISE, reduced=6, scanned=3, loaded_at=2, reshaped=2, permuted=2, broadcast=3),
    "any": dict(_ELEMENTWISE, reduced=5, scanned=3, loaded_at=1, reshaped=2, permuted=2, broadcast=3, joined=1, split=0.5,
                flipped=1, sorted=0.2, gathered=0.5, counted=0.2, chosen=1)}
# The logarithm of the elements, and warps.
_SPREADS = {
    "streamed": [(13, 1), (13, 2), (14, 1), (14, 2), (14, 4), (15, 2), (15, 4), (15, 8), (16, 0), (16, 0), (16, 8), (14, 0)],
    # 512 for a thread are rolled, and compile in seconds where something in the kernel prevents that.
    "rolled": [(14, 1), (14, 1), (14, 1), (15, 2), (15, 2), (16, 4), (16, 4), (12, 4), (13, 16), (14, 32)],
    "any": [(12, 4), (12, 8), (13, 8), (13, 16), (14, 16), (14, 32), (15, 32), (16, 32), (13, 0), (14, 0)]}


class LargeExpressions(TileExpressions):
    """With a tile that most of the kernel is about: `large` is its shape."""

    def __init__(self, program, rng, array_rng, style, large, limits):
        super().__init__(program, rng, array_rng)
        self.style, self.large, self.limits = style, large, limits
        self.makers = [(weight, getattr(self, name)) for name, weight in _MAKERS[style].items()]
        self.largest_tile = count_of(large)
        self.input_length, self.farthest = 2 * self.largest_tile, self.largest_tile - 1
        self.summed_floats, self.exact_sums = [FP32, FP64], 1 << 20
        self.common_mask = None
        self.remainders, self.block_pointers = 0.03, 0.0 if style == "streamed" else 0.06
        self.is_even = style == "streamed" and self.chance(0.8)  # threads have whole words of what is loaded
        if self.is_even:
            self.load_steps, self.repeats = (0, 64, 256), 0.02
        self.axis = max(range(len(large)), key=lambda axis: large[axis])  # which reductions are along
        self.masked_share = rng.choice([0.1, 0.5, 0.9])

    def axis_for(self, shape):
        """Mostly the large tile."""
        found = []
        for axis, size in enumerate(self.large):
            if self.style == "rolled" and axis != self.axis and not self.chance(0.03):
                continue  # all reductions along one axis, so that one loop serves all
            before, behind = self.large[:axis], self.large[axis + 1:]
            found += [(self.large, axis, False)] if before + behind == shape else []
            found += [(self.large, axis, True)] if before + (1,) + behind == shape and self.style != "streamed" else []
        if found:
            return self.random.choice(found)
        return super().axis_for(shape) if self.style == "any" else None

    def reduced(self, shape, depth):
        if shape == () and len(self.large) > 1:
            return self.reduced_whole(depth)
        return super().reduced(shape, depth)

    def reduced_whole(self, depth):
        """All axes at once."""
        name, attrs = self.random.choice(["sum", "sum", "max", "min", "xor_sum"]), {"axis": None, "keep_dims": False}
        if name == "sum":
            return self.summed(self.large, (), depth, attrs)
        node = self.tile(self.large, depth)
        if name == "xor_sum":
            node = self.integer(node)
            return Node(name, [node], node.element, (), **attrs)
        return self.plus_zero(Node(name, [node], extreme_element(node.element), (), **attrs))

    def scanned(self, shape, depth):
        if self.style == "rolled" and len(shape) != 1:
            return None
        return super().scanned(shape, depth)

    def narrow_shape(self, shape):
        return () if self.style == "streamed" else super().narrow_shape(shape)

    # Memory

    def within(self, shape):
        """A mask of the places below limits along axes, or None where no axis has one."""
        axes = [axis for axis, size in enumerate(shape) if size in self.limits]
        if not axes:
            return None
        mask = None
        for axis in self.random.sample(axes, self.random.randrange(1, len(axes) + 1)):
            limit = variable(self.limits[shape[axis]], I32, ())
            term = compare("lt", self.axis_index(shape, axis), limit)
            mask = term if mask is None else Node("and", [mask, term], I1,
                                                  [max(a, b) for a, b in zip(mask.shape, term.shape)])
        return mask

    def mask_of(self, shape):
        """One that a kernel may have: the common one, places below limits, whatever data say; or None."""
        if not self.chance(self.masked_share):
            return None
        if self.common_mask and self.common_mask.shape == shape and self.chance(0.7):
            return self.common_mask
        if self.chance(0.15) and self.style != "streamed":
            return self.boolean(shape, 1)
        return self.within(shape)

    def load_mask(self, index, shape):
        return self.mask_of(shape) if self.chance(0.9) else super().load_mask(index, shape)

    def load_shift(self, most):
        if self.is_even:
            return min(self.random.choice([0, 0, 64]), most)
        return super().load_shift(most)

    def other(self, element, shape):
        """Also a tile."""
        if shape and element.kind != "fp8" and self.chance(0.2):
            return [self.of(element, shape, 0)]
        return super().other(element, shape)


class LargeGenerator(Generator):
    def __init__(self, seed):
        self.moved = None  # the array that is read and written
        super().__init__(seed)

    def expressions(self):
        rng = self.random
        self.style = rng.choice(["streamed", "rolled", "rolled", "rolled", "any"])
        bits, self.warps = rng.choice(_SPREADS[self.style])
        rank = 1 if self.style == "streamed" else rng.choice([1, 1, 2, 2, 3])
        sizes = [0] * rank
        for axis in range(rank - 1):
            sizes[axis] = rng.randrange(0, bits + 1 - sum(sizes))
        sizes[-1] = bits - sum(sizes)
        rng.shuffle(sizes)
        self.large = tuple(1 << size for size in sizes)
        self.limits = {size: "n%d" % axis for axis, size in enumerate(self.large)}
        return LargeExpressions(self.program, rng, self.array_random, self.style, self.large, self.limits)

    def common_shapes(self):
        """The large one, and what reductions leave of it."""
        if self.style == "streamed":
            return [self.large] * 3 + [()]
        narrow = {self.large[:axis] + self.large[axis + 1:] for axis in range(len(self.large))}
        narrow |= {self.large[:axis] + (1,) + self.large[axis + 1:] for axis in range(len(self.large))}
        narrow = sorted(shape for shape in narrow if self.style == "any" or not self.is_large(shape))
        return [self.large] * 6 + [()] * 2 + self.random.sample(narrow, min(2, len(narrow)))

    def is_large(self, shape):
        return count_of(shape) * 8 > count_of(self.large)

    def launch(self):
        self.program.grid = (self.random.choice([1, 1, 2]), 1, 1)
        self.program.num_warps = self.warps
        self.program.has_barriers = self.chance(0.3)
        self.has_branches = self.style != "streamed" or self.chance(0.15)

    def arguments(self):
        super().arguments()
        for size, name in self.limits.items():
            most = self.random.choice([size, size, self.random.randrange(size + 1), 1, 0, max(0, size - 1), size // 2])
            most &= -16 if self.maker.is_even else -1
            self.program.scalars.append(Scalar(name, I32, most, True))

    def may_carry(self, shape):
        return self.style == "any" or not self.is_large(shape)

    def statement_makers(self, depth):
        makers = super().statement_makers(depth if self.has_branches else 2) + [(5, self.related)]
        if self.style != "any":
            makers = [(weight * (0.3 if maker == self.atomic else 1), maker) for weight, maker in makers]
        if self.loops == 0:
            makers += [(1, self.weights), (1, self.normalized)]
        if self.static_loops == 0:
            makers += [(2, self.read_moved), (2, self.write_moved), (3, self.kept)]
        if self.style == "any":
            makers.append((0.5, self.meeting))
        return makers

    def block(self, length, depth):
        if depth > 0 or not self.chance(0.6):
            return super().block(length, depth)
        mask = self.maker.within(self.large)
        first = self.define(mask) if mask and mask.shape == self.large else None
        if first:
            self.maker.common_mask = variable(first.names[0], I1, self.large)
        return ([first] if first else []) + super().block(length, depth)

    def store_mask(self, shape):
        return self.maker.mask_of(shape)

    def atomic(self, depth=0):
        shapes = self.shapes
        self.shapes = [shape for shape in shapes if self.may_carry(shape)]
        made = super().atomic(depth)
        self.shapes = shapes
        return made

    def finish(self, body):
        """Stores of what nothing reads yet; sometimes one mask for all accesses of the large tile."""
        self.store_unread(body)
        if self.style == "streamed" and self.chance(0.5):
            mask = self.maker.within(self.large)
            for statement in statements_of(body):
                if isinstance(statement, Store) and statement.index.shape == self.large:
                    statement.mask = mask
            for node in list(all_nodes(self.program)):
                if node.op == "load" and node.shape == self.large:
                    node.args[1:2] = [mask]

    def store_unread(self, body):
        read = {node.attrs["name"] for node in all_nodes(self.program) if node.op == "var"}
        for name, element, shape in list(self.maker.names):
            if name not in read and self.is_large(shape) and self.chance(0.8):
                index, length = self.output_index(shape, self.program.grid[0])
                body.append(Store(self.output(element, length), index, variable(name, element, shape), self.store_mask(shape)))

    # Tiles and reductions of them

    def only(self, names, make):
        """What `make` makes of these names alone."""
        maker = self.maker
        outer, loads = maker.names, maker.may_load
        maker.names, maker.may_load = list(names), False
        made = make()
        maker.names, maker.may_load = outer, loads
        return made

    def related(self, depth, entry=None):
        """A tile and what is left of it along an axis, which makes another tile: as in a softmax."""
        maker, axis = self.maker, self.maker.axis
        known = [each for each in maker.names if each[2] == self.large]
        if not entry and not known:
            return [self.read_moved(depth) if self.static_loops == 0 else self.assign()]
        entry = entry or self.random.choice(known[-4:])
        shape = self.large[:axis] + (1,) + self.large[axis + 1:] if len(self.large) > 1 else ()
        if self.chance(0.3):
            shape = ()
        if self.chance(0.25) and self.style != "streamed":
            scanned = self.only([entry], lambda: maker.scanned(self.large, self.random.choice([0, 0, 1])))
            return [self.define(scanned) if scanned else self.assign()]
        reduced = self.only([entry], lambda: maker.reduced(shape, self.random.choice([0, 0, 1])))
        if reduced is None:
            return [self.assign()]
        made = [self.define(reduced)]
        if self.chance(0.8):
            both = [entry, maker.names[-1]]
            made.append(self.define(self.only(both, lambda: maker.tile(self.large, 2))))
        return made

    def kept(self, depth):
        """What is loaded is reduced behind a store to where it comes from."""
        made = [self.read_moved(depth)]
        entry = self.maker.names[-1]
        made += self.write_moved(depth) if self.chance(0.8) else []
        made += self.related(depth, entry)
        return made + (self.write_moved(depth) if self.chance(0.2) else [])

    # An array that is read and written

    def moved_array(self):
        if self.moved is None:
            self.region = count_of(self.large) + self.random.choice([0, 1, 64])
            element = self.random.choice(INTS + FLOATS)
            raw = long_raw(self.array_random, element, self.region * self.program.grid[0])
            self.moved = Buffer("moved", element, raw, is_output=True)
            self.program.buffers.append(self.moved)
        return self.moved

    def moved_index(self):
        """Each program has a region."""
        self.moved_array()
        maker, slack = self.maker, self.region - count_of(self.large)
        return maker.index(self.large, maker.strides_for(self.large),
                           maker.place(self.region, self.random.choice([0, slack, self.random.randrange(slack + 1)])))

    def barrier(self):
        return Effect(Node("debug_barrier", [], None, ()))

    def read_moved(self, depth):
        """A name for what is there now, which later stores must not change."""
        index = self.moved_index()
        mask = self.maker.mask_of(self.large)
        args = [index] + ([mask] + self.maker.other(self.moved.element, self.large) if mask else [])
        node = Node("load", args, self.moved.element, self.large, buffer=self.moved)
        if len(args) == 3:
            node.attrs["other"] = Node("full", [args[2]], self.moved.element, args[2].shape)
        return self.define(node)

    def write_moved(self, depth):
        """Other threads may have read what this writes, and may read it later."""
        index = self.moved_index()
        value = self.maker.tile(self.large, self.random.randrange(0, 3))
        store = Store(self.moved, index, value, self.maker.mask_of(self.large))
        return [self.barrier(), store, self.barrier()]

    # Atomics whose elements meet

    def meeting(self, depth):
        maker, shape = self.maker, self.random.choice(self.shapes)
        element = self.random.choice([ELEMENTS[name] for name in ("i32", "u32", "i64", "u64")])
        most = self.random.choice([0, 1, 63, 2047])
        index = maker.integer(maker.tile(shape, 1), [I32, ELEMENTS["u32"]])
        index = Node("and", [index, literal(most)], index.element, shape)
        args = [index, maker.of(element, shape, 1)] + ([maker.boolean(shape, 1)] if self.chance(0.3) else [])
        kind = self.random.choice(["add", "max", "min", "and", "or", "xor"])
        buffer = self.output(element, most + 1)
        return Effect(Node("atomic_meeting", args, element, shape, buffer=buffer, kind=kind))

    # Floats that the language bounds

    def finite(self, low, high, whole):
        """A name for a tile of float32 between two numbers."""
        value = Node("clamp", [self.maker.real(self.maker.tile(self.large, 1), [FP32]), literal(low), literal(high)], FP32,
                     self.large, nan="NONE")
        return self.define(Node("floor", [value], FP32, self.large) if whole else value, False)

    def bounded_store(self, name, definition):
        tile = variable(definition.names[0], FP32, self.large)
        axis, shape = self.maker.axis if self.style == "rolled" else self.random.randrange(len(self.large)), self.large
        if name == "log_sum_exp":
            shape = self.large[:axis] + self.large[axis + 1:]
        index, length = self.output_index(shape, self.program.grid[0])
        return [definition, Store(self.output(FP32, length), index, Node(name, [tile], FP32, shape, axis=axis))]

    def weights(self, depth):
        """A softmax, or the logarithm of its sum; some weights are 0."""
        made = []
        definition = self.finite(-100.0, 100.0, False)
        if self.chance(0.5):
            made.append(definition)
            tile = variable(definition.names[0], FP32, self.large)
            mask = self.maker.mask_of(self.large) or compare("gt", tile, literal(0.0))
            definition = self.define(Node("where", [mask, tile, literal(float("-inf"))], FP32, self.large), False)
        return made + self.bounded_store(self.random.choice(["softmax", "softmax", "log_sum_exp"]), definition)

    def normalized(self, depth):
        """A layer norm of small integers, whose mean is exact."""
        return self.bounded_store("layer_norm", self.finite(-8.0, 8.0, True))


def generate(seed):
    return LargeGenerator(seed).generate()
