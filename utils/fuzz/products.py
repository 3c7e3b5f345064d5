"""Random kernels with products: loops that load factors, accumulators, and what people do to both on the way."""

import numpy as np

from elements import BF16, ELEMENTS, FP16, FP32, I32, encode
from expressions import cast, compare, literal, variable
from product_accumulators import Accumulators
from product_graphs import Graph
from product_operands import Axis, along, both, times_size, widened
from product_operations import POINTER
from product_parts import ProductParts, not_before
from product_tiles import Tiles
from program import Assign, EarlyReturn, Effect, For, If, Node, Store

_I8 = ELEMENTS["i8"]


class Products(ProductParts):
    """Makes one kernel."""

    def generate(self):
        makers = [(8, self.plain), (3, self.nested), (3, self.chained), (3, self.attention), (2, self.batched),
                  (1, self.packed), (1, self.recurrence), (1, self.scan), (2, self.layered), (1, self.in_memory),
                  (3, lambda: Graph(self).make()), *self.over_tiles()]
        if self.is_plain:
            makers[3] = (8, self.attention)
        return self.made_by(makers)

    def over_tiles(self):
        return [(3, lambda: Tiles(self).around_loops()), (3, lambda: Tiles(self).one_loop())]

    def made_by(self, makers):
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

    def layered(self):
        """Groups of the depth, each with a sum of its own, which is added to the whole one."""
        rows, columns = self.grid_axis(self.rows, 0), self.grid_axis(self.columns, 1)
        total, groups, trips = self.accumulators.start(rows, columns), self.random.choice([1, 2, 3]), min(self.steps, 3)
        extent = self.extent(self.depth, groups * trips)
        group, counter, target = self.fresh("g"), self.fresh("k"), self.depth * trips
        start = Node("add", [times_size(variable(group, I32, ()), target), variable(counter, I32, ())], I32, ())
        axis = Axis(self.depth, extent, self.number(extent), start, True, False)
        whole, outer = self.setup, []
        self.setup = outer if self.chance(0.5) else whole
        part = Accumulators(self).start(rows, columns) if self.setup is outer else None
        left, right = self.factor_of([rows, axis], False), self.factor_of([axis, columns], False)
        self.setup = whole
        body = self.accumulators.add(part or total, left.tile, right.tile, axis)
        form, options = self.form()
        outer.append(For(form, counter, literal(0), self.number(target), literal(self.depth), body, options))
        if part:
            scaled = Node("mul", [part.acc, self.accumulators.scale(total, axis)], self.result, part.acc.shape)
            outer.append(self.accumulators.set(total, Node("add", [total.acc, scaled], self.result, scaled.shape)))
        form, options = self.form()
        self.emit(For(form, group, literal(0), self.number(groups), literal(1), outer, options))
        self.setup += self.accumulators.finish(total)

    def in_memory(self):
        """Each iteration loads what the one before has stored; barriers order them, and nothing may go ahead."""
        if self.factor not in (FP16, BF16, FP32) or self.special:
            return self.plain()
        self.program.num_stages = self.random.choice([0, 1])
        size = max(16, min(64, self.depth))
        rows, inner = self.grid_axis(self.rows, 0), self.fixed_axis(size)
        step = self.factor_of([inner, inner], False).tile
        step = self.define(step, "s") if self.chance(0.5) else step
        state = self.operands.matrix(self.factor, [rows, inner], is_output=True)
        count = int(np.prod(rows.extent * inner.extent))
        places = sum(place * stride for place, stride in zip(np.indices([rows.extent, inner.extent]), state.steps))
        state.buffer.raw[places] = encode(self.operands.contents(self.factor, count), self.factor).reshape(places.shape)
        tile = self.operands.load(state, Node("points", [self.operands.places(state)], POINTER, (rows.size, size),
                                              buffer=state.buffer))
        moved = Node("mul", [self.dot(tile, step), literal(0.5)], FP32, (rows.size, size)) if self.result is FP32 else \
            self.dot(tile, step)
        mask = both(self.operands.inside(rows, 0, 2, False), self.operands.inside(inner, 1, 2, False))
        barrier, name = Effect(Node("debug_barrier", [], None, ())), self.fresh("t")
        body = [Assign([name], cast(moved, self.factor), [self.factor]), barrier,
                Store(state.buffer, self.operands.places(state), variable(name, self.factor, moved.shape), mask), barrier]
        self.emit(For("range", self.fresh("i"), literal(0), self.number(self.random.choice([0, 1, 2, 4])), literal(1), body))

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
        columns = self.grid_axis(max(8, min(128 if self.is_plain else 64, self.columns)), 1)
        keys = max(least, self.random.choice([32, 64, 64, 128] if self.is_plain else [16, 32, 64]))
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
        scale = self.number(self.random.choice([0.125, 0.5, 0.0625, 0.5, 0.125, -0.25, 0.0]), element=FP32)
        scores = Node("mul", [self.dot(query, key.tile), scale], FP32, (rows.size, axis.size))
        keep = self.operands.inside(axis, 1, 2, False) if axis.is_ragged else None
        if self.chance(0.4):
            keep = both(keep, not_before(rows, axis, self.random.choice([0, 0, 1, 17, 40])))
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


def generate(seed):
    return Products(seed).generate()


def generate_over_tiles(seed):
    """Only programs that walk over several tiles."""
    products = Products(seed, 0.7)
    return products.made_by(products.over_tiles())
