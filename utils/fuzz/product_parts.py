"""What random kernels with products are made of: choices of types and sizes, loops, factors on their way to tl.dot."""

import random

import numpy as np

from elements import BF16, ELEMENTS, FLOATS, FP16, FP32, FP64, FP8, I32
from expressions import cast, compare, literal, variable
from product_accumulators import Accumulators
from product_operands import Axis, Operand, Operands, along, times_size, widened
from program import Assign, Buffer, For, Node, Program, Scalar, While

_I8 = ELEMENTS["i8"]
# Factor types and how often; what the factors may be in memory.
_FACTORS = [(FP16, 8), (BF16, 5), (FP32, 5), (_I8, 3), (FP8[0], 2), (FP8[1], 2), (FP64, 1)]
_STORED = {FP16: [_I8, FP8[0], FP32], BF16: [_I8, FP8[0], FP16], FP32: [_I8, FP16, BF16], FP64: [FP32],
           _I8: [I32], FP8[0]: [FP16, FP32], FP8[1]: [FP16, FP32]}
_PRECISIONS = [None, None, None, "tf32", "ieee", "ieee", "tf32x3", "bf16x3", "bf16x6"]
_WORK = 1 << 21  # multiplications of a kernel at most
_SLOW_WORK = 1 << 18  # of those that each thread makes for itself


class ProductParts:
    """Of one kernel. `emit` adds to the statements in front of what is being made."""

    def __init__(self, seed, plain_share=0.45):
        self.plain_share = plain_share  # of kernels that are to reach the widest instructions
        self.random, self.array_random = random.Random(seed), np.random.default_rng(seed)
        self.program = Program(seed)
        self.program.has_bounds = self.program.fp_fusion = True
        self.count, self.setup, self.later = 0, self.program.body, []
        self.operands, self.accumulators = Operands(self), Accumulators(self)
        self.choose()

    def chance(self, share):
        return self.random.random() < share

    def odd(self, share):
        """For what keeps the widest instructions away: seldom in kernels that are to be plain."""
        return self.chance(share * 0.15 if self.is_plain else share)

    def fresh(self, prefix="v"):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    def emit(self, statement):
        self.setup.append(statement)

    def define(self, value, prefix="v", checked=True):
        """A name for a value, in front of what is being made."""
        name = self.fresh(prefix)
        self.emit(Assign([name], value, [value.element], checked))
        return variable(name, value.element, value.shape)

    # Choices of the whole kernel

    def choose(self):
        pick = self.random.choice
        self.is_plain = self.chance(self.plain_share)
        self.factor = self.random.choices([each for each, _ in _FACTORS], [weight for _, weight in _FACTORS])[0]
        if self.is_plain:
            self.factor = pick([FP16, FP16, BF16, BF16, FP32, _I8, FP8[0], FP8[1]])
        self.precision = pick(_PRECISIONS) if self.factor is FP32 else None
        if self.is_plain and self.factor is FP32:
            self.precision = pick([None, "tf32"])
        self.imprecise = pick([None, None, 0, 32, 64]) if self.factor.kind == "fp8" else None
        self.contents = pick(["integers"] * 5 + ["halves"] + ["normal"] * 2)
        self.special = self.factor in (FP16, BF16, FP32) and self.precision in (None, "ieee") and self.chance(0.05)
        self.result = FP32
        if self.factor is _I8:
            self.result = I32
        elif self.factor is FP64:
            self.result = FP64
        elif self.factor is FP16 or self.factor.kind == "fp8":
            self.result = FP16 if self.odd(0.12) and not self.special else FP32
        self.program.num_warps = pick([1, 2, 4, 4, 4, 8, 8, 0])
        self.program.num_stages = pick([0, 0, 1, 2, 3, 4, 5])
        self.stages = self.program.num_stages or 3
        self.slow = self.factor is FP64 or self.factor is FP32 and self.precision == "ieee"
        self.sizes()

    def sizes(self):
        """Tiles that are wide enough for the wide instructions, and those that are not."""
        pick, bits = self.random.choice, self.factor.bits
        most = _SLOW_WORK if self.slow else _WORK
        if not self.slow and self.chance(0.04):
            return self.large_sizes()
        while True:
            wide = self.is_plain or self.chance(0.4)
            self.rows = pick([64, 64, 64, 128, 128, 256]) if wide else pick([1, 2, 8, 16, 16, 32, 64])
            self.columns = pick([8, 16, 32, 64, 128, 256]) if wide else pick([1, 2, 8, 16, 16, 32, 64])
            self.depth = pick([32, 32, 64, 128] if bits == 8 else [16, 32, 32, 64])
            self.steps = self.trips()
            if self.rows * self.columns * self.depth * max(1, self.steps) <= most // 2 and \
                    max(self.rows, self.columns) * self.depth <= 8192:
                break
        if wide and not self.odd(0.2):
            self.program.num_warps = pick([4, 4, 8]) if self.rows < 128 else pick([4, 8, 8])

    def large_sizes(self):
        """Tiles that fill registers and shared memory, so that there is no room for all stages."""
        pick = self.random.choice
        self.rows, self.columns, self.depth = pick([128, 256]), pick([128, 256]), pick([32, 64, 128])
        self.program.num_warps, self.steps = pick([4, 8]) if self.rows * self.columns <= 16384 else 8, pick([1, 2, 3])
        self.depth = min(self.depth, 32768 // max(self.rows, self.columns))

    def trips(self):
        pick = self.random.choice
        return max(0, pick([0, 1, 2, 2, 3, self.stages - 1, self.stages, self.stages + 1, self.stages + 2]))

    # Numbers and axes

    def number(self, value, kind="size", element=I32):
        """A literal, an argument, or a constexpr parameter."""
        share = self.random.random()
        if share < 0.5:
            name = self.fresh("n")
            annotated = value == 1 or self.chance(0.2)
            self.program.scalars.append(Scalar(name, element, value, annotated))
            return variable(name, element, ())
        if share < 0.7:
            name = self.fresh("C")
            self.program.constants[name] = value
            return literal(value, name)
        return literal(value)

    def named(self, axis):
        """Gives the coordinates a name, in front of what is being made."""
        if self.chance(0.8):
            axis.name = self.define(axis.coordinates(), "o", False).attrs["name"]
        return axis

    def extent(self, size, count):
        """Of an array that `count` tiles cover."""
        if count == 0:
            return 0
        if size == 1 or self.chance(0.55):
            return size * count
        return size * (count - 1) + self.random.randrange(1, size)

    def grid_axis(self, size, place):
        """One that the programs divide among them."""
        count = self.random.choice([1, 1, 2])
        grid = list(self.program.grid)
        grid[place] = count
        self.program.grid = tuple(grid)
        extent = self.extent(size, count)
        start = times_size(Node("program_id", [], I32, (), axis=place), size)
        return self.named(Axis(size, extent, self.number(extent), start))

    def fixed_axis(self, size, start=None, count=1):
        extent = self.extent(size, count)
        return Axis(size, extent, self.number(extent), start or literal(0))

    # Loops

    def loop(self, size, trips, make_body):
        """Statements of a loop over an axis. make_body(axis) gives the body's; what it emits comes before the loop."""
        extent = self.extent(size, trips)
        extent_node = self.number(extent)
        kinds = [self.loop_over_starts] * 4 + [self.loop_over_numbers] * 4 + [self.loop_while] * self.odd(0.9)
        return self.random.choice(kinds)(size, extent, extent_node, trips, make_body)

    def form(self):
        """range or tl.range with what only changes how fast it is."""
        if self.chance(0.45):
            return "range", ""
        options = ""
        if self.chance(0.6):
            self.stages = self.random.choice([1, 2, 3, 4, 5])
            options += ", num_stages=%d" % self.stages
        for option, share in ((", loop_unroll_factor=2", 0.1), (", flatten=True", 0.1), (", warp_specialize=True", 0.1),
                              (", disallow_acc_multi_buffer=True", 0.05), (", disable_licm=True", 0.05)):
            options += option if self.chance(share) else ""
        return "tl.range", options

    def loop_over_starts(self, size, extent, extent_node, trips, make_body):
        """for k in range(0, K, BLOCK)"""
        target, (form, options) = self.fresh("k"), self.form()
        axis = Axis(size, extent, extent_node, variable(target, I32, ()), True, True)
        body = make_body(axis)
        return [For(form, target, literal(0), extent_node, literal(size), body, options)]

    def loop_over_numbers(self, size, extent, extent_node, trips, make_body):
        """for i in range(cdiv(K, BLOCK)), also backwards or unrolled"""
        target, (form, options) = self.fresh("i"), self.form()
        backwards = self.odd(0.1)
        if trips <= 3 and self.odd(0.08):
            form, options = "tl.static_range", ""
        axis = Axis(size, extent, extent_node, times_size(variable(target, I32, ()), size), True, not backwards)
        body = make_body(axis)
        if backwards:
            return [For(form, target, literal(trips - 1), literal(-1), literal(-1), body, options)]
        stop = self.number(trips) if form != "tl.static_range" else literal(trips)
        if form != "tl.static_range" and self.chance(0.5) and not extent_node.is_literal():
            stop = Node("cdiv", [extent_node, literal(size)], I32, ())
        return [For(form, target, literal(0), stop, literal(1), body, options)]

    def loop_while(self, size, extent, extent_node, trips, make_body):
        """A counter that goes down, and sometimes a number in memory that ends the loop before."""
        counter = self.fresh("w")
        here = variable(counter, I32, ())
        number = Node("sub", [literal(trips), here], I32, ())
        axis = Axis(size, extent, extent_node, times_size(number, size), True, True)
        condition = None
        if self.chance(0.5):
            condition = compare("gt", self.flag(here, trips + 1), literal(0))
        body = make_body(axis)
        start = cast(self.number(trips), I32, free=True) if self.chance(0.5) else literal(trips)
        return [While(counter, start, body, condition)]

    def flag(self, index, count):
        """A number of memory, mostly positive."""
        raw = np.where(self.array_random.random(count + 1) < 0.75, 1, 0).astype(np.int32)
        buffer = Buffer("flags%d" % len(self.program.buffers), I32, raw)
        self.program.buffers.append(buffer)
        return Node("load", [index], I32, (), buffer=buffer)

    def condition(self, axis):
        """Of a branch in the loop: the counter, an argument, or memory."""
        share = self.random.random()
        if share < 0.45:
            bound = axis.size * self.random.randrange(0, 3)
            return compare(self.random.choice(["gt", "lt", "ne", "ge"]), axis.start, literal(bound))
        if share < 0.65:
            return compare("gt", self.number(self.random.choice([0, 1, 1, 5])), literal(0)) \
                if self.chance(0.5) else compare("lt", Node("program_id", [], I32, (), axis=0), literal(1))
        return compare("gt", self.flag(axis.start, axis.extent + axis.size), literal(0))

    # Factors

    def stored_element(self, element):
        """What a factor is in memory."""
        return self.random.choice(_STORED[element]) if self.odd(0.3) else element

    def factor_of(self, axes, in_loop=True, element=None):
        """An operand in the type of the factors, maybe changed on the way."""
        element = element or self.factor
        carried = in_loop and self.odd(0.06) and any(axis.moving for axis in axes)
        make = self.operands.carried if carried else self.operands.operand
        made = make(self.stored_element(element), axes, *([] if carried else [in_loop]))
        tile = widened(made.tile, element, self.random)
        return Operand(self.changed(tile, axes), made.after)

    def changed(self, tile, axes):
        """Something elementwise, for types that have arithmetic."""
        if tile.element not in FLOATS or not self.odd(0.3):
            return tile
        share, element, shape = self.random.random(), tile.element, tile.shape
        if share < 0.3:
            return Node("mul", [tile, literal(self.random.choice([2.0, 0.5, -1.0]))], element, shape)
        if share < 0.4:
            return Node("neg", [tile], element, shape)
        if share < 0.5:
            return Node("abs", [tile], element, shape)
        if share < 0.6:
            return Node("add", [tile, literal(1.0)], element, shape)
        number = self.random.randrange(len(axes))
        if share < 0.8:
            vector = self.operands.operand(element, [Axis(1, 1, literal(1), literal(0)), axes[number]]).tile
            row = Node("reshape", [vector], element, (axes[number].size,), form="tl.reshape")
            return Node("mul", [tile, along(row, number, len(axes))], element, shape)
        keep = compare("ge", along(axes[number].coordinates(), number, len(axes)), literal(self.random.choice([0, 3, 9])))
        return Node("where", [keep, tile, literal(0.0)], element, shape)

    def dot(self, left, right, acc=None, named=False):
        """tl.dot with what the types ask for."""
        shape = left.shape[:-1] + right.shape[-1:]
        must = acc is not None and self.result is not FP32 or self.result is FP16
        precision, imprecise = (self.precision, self.imprecise) if left.element is self.factor else (None, None)
        if imprecise and imprecise > left.shape[-1]:
            imprecise = None
        typed = must or self.chance(0.1) and self.result is not I32
        return Node("dot", [left, right] + ([acc] if acc is not None else []), self.result, shape, precision=precision,
                    imprecise=imprecise, typed=typed, named=named)


def not_before(rows, columns, ahead=0):
    """The mask of a causal product: rows that are not above a column, but for so many."""
    row = along(rows.coordinates(), 0, 2)
    if ahead:
        row = Node("add", [row, literal(ahead)], I32, row.shape)
    node = compare("ge", row, along(columns.coordinates(), 1, 2))
    node.shape = (rows.size, columns.size)
    return node
