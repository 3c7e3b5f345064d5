"""Random kernels with products: loops that load factors, accumulators, and what people do to both on the way."""

import random

import numpy as np

from elements import BF16, ELEMENTS, FLOATS, FP16, FP32, FP64, FP8, I32
from expressions import cast, compare, literal, variable
from product_accumulators import Accumulators
from product_operands import Axis, Operand, Operands, along, both, widened
from program import Assign, Buffer, EarlyReturn, For, If, Node, Program, Scalar, Store, While

_I8 = ELEMENTS["i8"]
# Factor types and how often; what the factors may be in memory.
_FACTORS = [(FP16, 8), (BF16, 5), (FP32, 5), (_I8, 3), (FP8[0], 2), (FP8[1], 2), (FP64, 1)]
_STORED = {FP16: [_I8, FP8[0], FP32], BF16: [_I8, FP8[0], FP16], FP32: [_I8, FP16, BF16], FP64: [FP32],
           _I8: [I32], FP8[0]: [FP16, FP32], FP8[1]: [FP16, FP32]}
_PRECISIONS = [None, None, None, "tf32", "ieee", "ieee", "tf32x3", "bf16x3", "bf16x6"]
_WORK = 1 << 21  # multiplications of a kernel at most
_SLOW_WORK = 1 << 18  # of those that each thread makes for itself


class Products:
    """One kernel. `emit` adds to the statements in front of what is being made."""

    def __init__(self, seed):
        self.random, self.array_random = random.Random(seed), np.random.default_rng(seed)
        self.program = Program(seed)
        self.program.has_bounds = self.program.fp_fusion = True
        self.count, self.setup, self.later = 0, self.program.body, []
        self.operands, self.accumulators = Operands(self), Accumulators(self)
        self.choose()

    def chance(self, share):
        return self.random.random() < share

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
        self.factor = self.random.choices([each for each, _ in _FACTORS], [weight for _, weight in _FACTORS])[0]
        self.precision = pick(_PRECISIONS) if self.factor is FP32 else None
        self.imprecise = pick([None, None, 32, 64]) if self.factor.kind == "fp8" else None
        self.contents = pick(["integers"] * 5 + ["halves"] + ["normal"] * 2)
        self.special = self.factor in (FP16, BF16, FP32) and self.precision in (None, "ieee") and self.chance(0.05)
        self.result = FP32
        if self.factor is _I8:
            self.result = I32
        elif self.factor is FP64:
            self.result = FP64
        elif self.factor is FP16 or self.factor.kind == "fp8":
            self.result = FP16 if self.chance(0.12) and not self.special else FP32
        self.program.num_warps = pick([1, 2, 4, 4, 4, 8, 8, 0])
        self.program.num_stages = pick([0, 0, 1, 2, 3, 4, 5])
        self.stages = self.program.num_stages or 3
        self.slow = self.factor is FP64 or self.factor is FP32 and self.precision == "ieee"
        self.sizes()

    def sizes(self):
        """Tiles that are wide enough for the wide instructions, and those that are not."""
        pick, bits = self.random.choice, self.factor.bits
        most = _SLOW_WORK if self.slow else _WORK
        while True:
            wide = self.chance(0.6)
            self.rows = pick([64, 64, 128]) if wide else pick([1, 2, 8, 16, 16, 32, 64])
            self.columns = pick([8, 16, 32, 64, 128]) if wide else pick([1, 2, 8, 16, 16, 32, 64])
            self.depth = pick([32, 32, 64, 128] if bits == 8 else [16, 32, 32, 64])
            self.steps = self.trips()
            if self.rows * self.columns * self.depth * max(1, self.steps) <= most // 2 and \
                    max(self.rows, self.columns) * self.depth <= 8192:
                break
        if wide and self.chance(0.8):
            self.program.num_warps = pick([4, 4, 8])

    def trips(self):
        pick = self.random.choice
        return max(0, pick([0, 1, 2, 2, 3, self.stages - 1, self.stages, self.stages + 1, self.stages + 2]))

    # Numbers and axes

    def number(self, value, kind="size"):
        """A literal, an argument, or a constexpr parameter."""
        share = self.random.random()
        if share < 0.5:
            name = self.fresh("n")
            annotated = value == 1 or self.chance(0.2)
            self.program.scalars.append(Scalar(name, I32, value, annotated))
            return variable(name, I32, ())
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
        kinds = [self.loop_over_starts] * 4 + [self.loop_over_numbers] * 4 + [self.loop_while]
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
        backwards = self.chance(0.1)
        if trips <= 3 and self.chance(0.08):
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
        return self.random.choice(_STORED[element]) if self.chance(0.3) else element

    def factor_of(self, axes, in_loop=True, element=None):
        """An operand in the type of the factors, maybe changed on the way."""
        element = element or self.factor
        made = self.operands.operand(self.stored_element(element), axes, in_loop)
        tile = widened(made.tile, element, self.random)
        return Operand(self.changed(tile, axes), made.after)

    def changed(self, tile, axes):
        """Something elementwise, for types that have arithmetic."""
        if tile.element not in FLOATS or self.chance(0.7):
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

    # Kernels

    def generate(self):
        makers = [(8, self.plain), (3, self.nested), (3, self.chained), (3, self.attention), (2, self.batched),
                  (1, self.packed), (1, self.recurrence), (1, self.scan)]
        self.maybe_return()
        self.random.choices([maker for _, maker in makers], [weight for weight, _ in makers])[0]()
        self.store_later()
        return self.program

    def maybe_return(self):
        if self.chance(0.1):
            number = self.number(self.random.choice([0, 1, 1, 3]))
            self.emit(EarlyReturn(compare("ge", Node("program_id", [], I32, (), axis=self.random.choice([0, 1])), number), []))

    def inner_loop(self, size, trips, fill):
        """A loop whose factors are set up before it; fill(axis, body) adds to the body."""
        def make_body(axis):
            body = []
            fill(axis, body)
            return body
        return self.loop(size, trips, make_body)

    def plain(self):
        """One loop, one or two accumulators."""
        rows, columns = self.grid_axis(self.rows, 0), self.grid_axis(self.columns, 1)
        self.accumulate_and_store(rows, columns)

    def accumulate_and_store(self, rows, columns):
        sums = [self.accumulators.start(rows, columns)]
        kind = self.random.choice(["one"] * 4 + ["shared left", "shared right", "gram"])
        if kind == "gram" and rows.size < 128 and self.program.grid[1] == 1:
            sums.append(self.accumulators.start(rows, rows))
        elif kind.startswith("shared") and rows.size * columns.size <= 4096:
            sums.append(self.accumulators.start(rows, columns))
        self.product_loop(kind, rows, columns, sums)
        if self.chance(0.15):
            self.steps = max(0, min(self.steps, self.random.randrange(0, 4)))
            self.product_loop(kind, rows, columns, sums)
        for each in sums:
            self.setup += self.accumulators.finish(each)

    def product_loop(self, kind, rows, columns, sums):
        """A loop, one that a branch may leave out, or its body once."""
        def fill(axis, body):
            self.fill(kind, rows, columns, sums, axis, body)
        if self.chance(0.06):
            fill(self.fixed_axis(self.depth), body := [])
            self.setup += body
            return
        loop = self.inner_loop(self.depth, self.steps, fill)
        if self.chance(0.08):
            loop = [If(compare("gt", self.number(self.random.choice([0, 1, 2])), literal(0)), loop, [])] \
                if self.chance(0.5) else [If(compare("lt", Node("program_id", [], I32, (), axis=0), literal(1)), loop, [])]
        self.setup += loop

    def fill(self, kind, rows, columns, sums, axis, body):
        left, right = self.factor_of([rows, axis]), self.factor_of([axis, columns])
        after = left.after + right.after
        a, b = left.tile, right.tile
        if len(sums) > 1 or self.chance(0.3):
            a, b = self.in_body(a, body), self.in_body(b, body)
            if len(sums) == 1 and self.chance(0.4):
                self.use_besides(self.random.choice([a, b]), axis, body)
        body += self.accumulators.add(sums[0], a, b, axis)
        if len(sums) > 1:
            other = None
            if kind == "shared left":
                other = self.factor_of([axis, columns])
                pair = (a, other.tile)
            elif kind == "shared right":
                other = self.factor_of([rows, axis])
                pair = (other.tile, b)
            else:
                pair = (a, Node("trans", [a], a.element, (a.shape[1], a.shape[0])))
            after += other.after if other else []
            body += self.accumulators.add(sums[1], *pair, axis)
        self.place_after(after, body)

    def use_besides(self, tile, axis, body):
        """Something that a factor is good for other than the product: a store, or a sum over all iterations."""
        if not axis.forward or axis.extent == 0 or not self.setup_is_top():
            return
        number = self.random.randrange(2)
        size = tile.shape[1 - number]
        total = self.define(Node("zeros", [], FP32, (size,)), "r")
        wide = cast(tile, FP32)
        added = Node("float_sum", [wide], FP32, (size,), axis=number)
        body.append(Assign([total.attrs["name"]], Node("add", [total, added], FP32, (size,), augmented=True), [FP32]))
        self.later.append((total, size))

    def setup_is_top(self):
        return self.setup is self.program.body

    def store_later(self):
        """What use_besides added up, for each program on its own."""
        for total, size in self.later:
            x, y, _ = self.program.grid
            number = Node("add", [times_size(Node("program_id", [], I32, (), axis=1), x),
                                  Node("program_id", [], I32, (), axis=0)], I32, ())
            axis = Axis(size, size * x * y, literal(size * x * y), times_size(number, size))
            row = Axis(1, 1, literal(1), literal(0))
            matrix = self.operands.matrix(FP32, [row, axis], is_output=True, for_descriptor=True)
            self.emit(Store(matrix.buffer, axis.coordinates(), total))

    def place_after(self, after, body):
        """Moves on at the end of the iteration, or as soon as names hold what was loaded."""
        self.random.shuffle(after)
        body += after

    def in_body(self, node, body, share=1.0):
        if node.op == "var" or not self.chance(share):
            return node
        name = self.fresh("t")
        body.append(Assign([name], node, [node.element]))
        return variable(name, node.element, node.shape)

    def nested(self):
        """Tiles of the result one after the other in one program, with a loop for each."""
        outer, count = self.fresh("j"), self.random.choice([1, 2, 2, 3])
        whole, self.setup = self.setup, []
        persistent = self.chance(0.4)
        number = variable(outer, I32, ())
        rows_start = times_size(number, self.rows)
        extent = self.extent(self.rows, count)
        rows = self.named(Axis(self.rows, extent, self.number(extent), rows_start))
        columns = self.named(self.fixed_axis(self.columns))
        body = self.setup
        self.accumulate_and_store(rows, columns)
        self.setup = whole
        form, options = self.form()
        first, step = (Node("program_id", [], I32, (), axis=0), Node("num_programs", [], I32, (), axis=0)) if persistent \
            else (literal(0), literal(1))
        if persistent:
            self.program.grid = (self.random.choice([1, 2]), 1, 1)
        stop = self.number(count)
        self.emit(For(form, outer, first, stop, step, body, options))

    def batched(self):
        """Products of rank 3."""
        batch = self.fixed_axis(self.random.choice([1, 2, 4]), count=1)
        self.rows, self.columns = min(self.rows, 32), min(self.columns, 32)
        rows, columns = self.grid_axis(self.rows, 0), self.grid_axis(self.columns, 1)
        sum_ = self.accumulators.start(rows, columns, batch)

        def fill(axis, body):
            left, right = self.factor_of([batch, rows, axis]), self.factor_of([batch, axis, columns])
            body += self.accumulators.add(sum_, left.tile, right.tile, axis)
            self.place_after(left.after + right.after, body)

        self.setup += self.inner_loop(self.depth, self.steps, fill)
        self.setup += self.accumulators.finish(sum_)

    def packed(self):
        """A factor of which a byte holds two, unpacked on the way."""
        if self.factor not in (FP16, BF16, FP32):
            return self.plain()
        rows, columns = self.grid_axis(self.rows, 0), self.grid_axis(self.columns, 1)
        total = self.accumulators.start(rows, columns)

        def fill(axis, body):
            left = self.factor_of([rows, axis])
            half = Axis(axis.size // 2, -(-axis.extent // 2), axis.extent_node, self.halved(axis), axis.moving, False)
            half.is_ragged, half.extent_node = True, literal(half.extent)
            packed = self.operands.operand(_I8, [half, columns])
            body += self.accumulators.add(total, left.tile, self.unpacked(packed.tile, axis, body), axis)
            self.place_after(left.after + packed.after, body)

        self.setup += self.inner_loop(self.depth, self.steps, fill)
        self.setup += self.accumulators.finish(total)

    def halved(self, axis):
        return Node("floordiv", [axis.start, literal(2)], I32, ())

    def unpacked(self, tile, axis, body):
        """The signed halves of bytes, the lower first."""
        tile = self.in_body(tile, body)
        shape = tile.shape
        low = Node("shr", [Node("shl", [tile, literal(4)], _I8, shape), literal(4)], _I8, shape)
        high = Node("shr", [tile, literal(4)], _I8, shape)
        both_ = Node("permute", [Node("join", [low, high], _I8, shape + (2,))], _I8, (shape[0], 2, shape[1]), order=[0, 2, 1])
        whole = Node("reshape", [both_], _I8, (axis.size, shape[1]), form="tl.reshape")
        return cast(whole, self.factor)

    def recurrence(self):
        """The sum of one iteration is the left factor of the next."""
        if self.result is FP16:
            return self.plain()
        least = 32 if self.factor.bits == 8 else 16
        rows, inner = self.grid_axis(self.rows, 0), self.named(self.fixed_axis(max(least, min(64, self.depth))))
        state = self.define(Node("zeros", [], self.result, (rows.size, inner.size)), "h") if self.chance(0.2) else \
            self.define(self.operands.operand(self.result, [rows, inner], False).tile, "h")

        def fill(axis, body):
            step = self.factor_of([inner, inner], in_loop=False)
            fresh = self.factor_of([rows, axis]).tile if axis.size == inner.size else None
            moved = self.dot(self.narrowed(state, body), step.tile)
            value = Node("mul", [moved, literal(0.25)], FP32, moved.shape) if self.result is FP32 else moved
            if fresh is not None and self.result is FP32:
                value = Node("add", [value, cast(fresh, FP32)], FP32, value.shape)
            body.append(Assign([state.attrs["name"]], value, [value.element]))

        self.setup += self.loop(inner.size, min(4, self.steps), lambda axis: self.filled(fill, axis, by_places=True))
        self.setup.append(self.operands.write(state, [rows, inner]))

    def filled(self, fill, axis, by_places=False):
        """A body; operands that need statements at its end are left out."""
        body, axis.forward = [], axis.forward and not by_places
        fill(axis, body)
        return body

    def scan(self):
        """Sums of all rows up to each, by a factor that nobody loads."""
        least = 32 if self.factor.bits == 8 else 16
        size = max(least, min(64, self.rows))
        rows, columns = self.named(self.fixed_axis(size)), self.grid_axis(self.columns, 1)
        total = self.accumulators.start(rows, columns)
        ones = Node("where", [not_before(rows, Axis(size, size, literal(size), literal(0))),
                              Node("full", [literal(1.0)], FP32, (size, size)),
                              Node("full", [literal(0.0)], FP32, (size, size))], FP32, (size, size))
        triangle = cast(cast(ones, FP32), self.factor) if self.factor is not _I8 else cast(
            not_before(rows, Axis(size, size, literal(size), literal(0))), _I8)
        if self.chance(0.6):
            triangle = self.define(triangle, "u")

        def fill(axis, body):
            right = self.factor_of([axis, columns])
            body += self.accumulators.add(total, triangle, right.tile, axis)
            self.place_after(right.after, body)

        self.setup += self.inner_loop(size, min(self.steps, 4), fill)
        self.setup += self.accumulators.finish(total)

    # Two products, the second of what the first gives

    def chain_axes(self):
        """Rows, what the first product adds up over, columns of the result, keys in a tile."""
        least = 32 if self.factor.bits == 8 else 16
        rows = self.grid_axis(self.rows, 0)
        inner = self.named(self.fixed_axis(max(least, min(64, self.depth))))
        columns = self.grid_axis(max(8, min(64, self.columns)), 1)
        keys = max(least, self.random.choice([16, 32, 64]))
        return rows, inner, columns, keys

    def chained(self):
        """acc += (q @ k) @ v, with something between the products, or the first as right factor."""
        rows, inner, columns, keys = self.chain_axes()
        query = self.factor_of([rows, inner], in_loop=False).tile
        if self.chance(0.7):
            query = self.define(query, "q")
        sum_ = self.accumulators.start(rows, columns)

        def fill(axis, body):
            key, value = self.factor_of([inner, axis]), self.factor_of([axis, columns])
            scores = self.in_body(self.dot(query, key.tile), body, 0.6)
            if self.chance(0.4):
                keep = not_before(rows, axis)
                scores = Node("where", [keep, scores, literal(0.0 if scores.element is not I32 else 0)], scores.element,
                              scores.shape)
            weights = self.narrowed(scores, body)
            body += self.accumulators.add(sum_, weights, value.tile, axis)
            self.place_after(key.after + value.after, body)

        self.setup += self.inner_loop(keys, self.steps, fill)
        self.setup += self.accumulators.finish(sum_)

    def narrowed(self, node, body):
        """A product in the type of factors."""
        node = widened(node, self.factor, self.random)
        return self.in_body(node, body, 0.5)

    def attention(self):
        """Softmax weights of one product are the left factor of the other."""
        if self.result is not FP32:
            return self.chained()
        self.special = False
        self.contents = self.random.choice(["integers", "normal"])
        rows, inner, columns, keys = self.chain_axes()
        query = self.factor_of([rows, inner], in_loop=False).tile
        query = self.define(query, "q")
        size = (rows.size,)
        low = literal(self.random.choice([float("-inf"), -10000.0]))
        greatest = self.define(Node("full", [low], FP32, size), "m")
        weight = self.define(Node("zeros", [], FP32, size), "l")
        acc = self.define(Node("zeros", [], FP32, size + (columns.size,)), "acc")

        def fill(axis, body):
            self.attend(query, rows, inner, columns, axis, (greatest, weight, acc), body)

        self.setup += self.inner_loop(keys, max(1, min(4, self.steps)), fill)
        value = Node("divide", [acc, along(weight, 0, 2)], FP32, acc.shape) if self.chance(0.7) else acc
        self.setup.append(self.operands.write(value, [rows, columns]))
        self.setup.append(Store(*self.vector_output(rows), greatest))

    def vector_output(self, rows):
        matrix = self.operands.matrix(FP32, [Axis(1, 1, literal(1), literal(0)), Axis(
            rows.size, rows.size * self.program.grid[0] * self.program.grid[1], literal(0), rows.start)], is_output=True,
            for_descriptor=True)
        place = Node("add", [times_size(Node("program_id", [], I32, (), axis=1), rows.size * self.program.grid[0]),
                             rows.start], I32, ())
        return matrix.buffer, Axis(rows.size, 0, literal(0), place).coordinates()

    def attend(self, query, rows, inner, columns, axis, state, body):
        greatest, weight, acc = state
        key, value = self.factor_of([inner, axis]), self.factor_of([axis, columns])
        scale = literal(self.random.choice([0.125, 0.5, 0.0625]))
        scores = Node("mul", [self.dot(query, key.tile), scale], FP32, (rows.size, axis.size))
        keep = self.operands.inside(axis, 1, 2, False) if axis.is_ragged else None
        if self.chance(0.4):
            keep = both(keep, not_before(rows, axis))
        if keep is not None:
            scores = Node("where", [keep, scores, literal(self.random.choice([float("-inf"), -10000.0]))], FP32, scores.shape)
        scores = self.in_body(scores, body)
        largest = Node("max", [scores], FP32, (rows.size,), axis=1, keep_dims=False)
        now = self.in_body(Node("maximum", [greatest, largest], FP32, (rows.size,), nan="NONE"), body)
        less = Node("sub", [scores, along(now, 0, 2)], FP32, scores.shape)
        weights = self.in_body(Node("exp2", [less], FP32, scores.shape), body)
        fade = self.in_body(Node("exp2", [Node("sub", [greatest, now], FP32, now.shape)], FP32, now.shape), body)
        added = Node("add", [Node("mul", [weight, fade], FP32, now.shape),
                             Node("float_sum", [weights], FP32, now.shape, axis=1)], FP32, now.shape)
        updates = [Assign([weight.attrs["name"]], added, [FP32])]
        faded = Node("mul", [acc, along(fade, 0, 2)], FP32, acc.shape)
        factors = self.narrowed(weights, body)
        if self.chance(0.5):
            updates += [Assign([acc.attrs["name"]], faded, [FP32]),
                        Assign([acc.attrs["name"]], self.dot(factors, value.tile, acc), [FP32])]
        else:
            total = Node("add", [faded, self.dot(factors, value.tile)], FP32, acc.shape)
            updates.append(Assign([acc.attrs["name"]], total, [FP32]))
        if self.chance(0.5):
            updates.reverse() if len(updates) == 2 else None
        body += updates + [Assign([greatest.attrs["name"]], now, [FP32])]
        self.place_after(key.after + value.after, body)


def not_before(rows, columns):
    """The mask of a causal product: rows that are not above a column."""
    node = compare("ge", along(rows.coordinates(), 0, 2), along(columns.coordinates(), 1, 2))
    node.shape = (rows.size, columns.size)
    return node


def times_size(node, size):
    return node if size == 1 else Node("mul", [node, literal(size)], I32, ())


def generate(seed):
    return Products(seed).generate()
