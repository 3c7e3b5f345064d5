"""Programs that walk over several tiles of a result.

Either a loop over tiles is around one over the depth, and flattened or not, or one loop takes the steps of all tiles,
and its sums start anew with each.
"""

from elements import FP32, I32
from expressions import cast, compare, literal, variable
from product_accumulators import Sum
from product_operands import Axis, times_size
from program import Assign, Buffer, For, If, Node

_WORK = 1 << 21  # multiplications of all tiles at most


def number(name, *args):
    """A scalar operation on int32."""
    return Node(name, args, I32, ())


def program():
    return Node("program_id", [], I32, (), axis=0)


class Tiles:
    """Makes one kernel; the programs are along the first axis of the grid."""

    def __init__(self, generator):
        self.generator, self.random = generator, generator.random
        self.rows = self.columns = 1  # how many tiles
        self.programs = 1

    def chance(self, share):
        return self.random.random() < share

    def choose(self, steps):
        """How many tiles and programs: fewer, as many, or more."""
        generator, pick = self.generator, self.random.choice
        work = generator.rows * generator.columns * generator.depth * max(1, steps)
        while True:
            self.rows, self.columns = pick([1, 1, 2, 3]), pick([1, 1, 2, 3])
            if self.rows * self.columns * work <= _WORK or self.rows * self.columns == 1:
                break
        count = self.rows * self.columns
        self.programs = pick([1, 1, 2, 2, 3, count, count + 1])
        generator.program.grid = (self.programs, 1, 1)
        self.row_extent, self.column_extent = [generator.extent(size, tiles) for size, tiles in (
            (generator.rows, self.rows), (generator.columns, self.columns))]
        self.row_node, self.column_node = generator.number(self.row_extent), generator.number(self.column_extent)

    def step(self):
        """From one tile of a program to its next."""
        return Node("num_programs", [], I32, (), axis=0) if self.chance(0.4) else self.generator.number(self.programs)

    # Where a tile lies

    def divided(self, tile):
        """The row and column of tiles by a tile's number, rows or columns first."""
        if self.chance(0.5):
            count = self.generator.number(self.columns)
            return number("floordiv", tile, count), number("mod", tile, count)
        count = self.generator.number(self.rows)
        return number("mod", tile, count), number("floordiv", tile, count)

    def listed(self, tile):
        """The number that memory has for a tile."""
        buffers = self.generator.program.buffers
        numbers = self.generator.array_random.permutation(self.rows * self.columns).astype("int32")
        buffers.append(Buffer("order%d" % len(buffers), I32, numbers))
        return Node("load", [tile], I32, (), buffer=buffers[-1])

    def place(self, tile):
        if self.chance(0.12):
            tile = self.generator.define(self.listed(tile), "t", False)
        return [self.generator.define(each, "x", False) if self.chance(0.6) else each for each in self.divided(tile)]

    def carried_place(self, after):
        """Names for the row and column, which move on at the end of an iteration."""
        count, step = self.generator.number(self.columns), self.generator.number(self.programs)
        row, column = [self.generator.define(number(name, program(), count), "x", False) for name in ("floordiv", "mod")]
        after += [self.move(column, step), self.move(row, number("floordiv", column, count)),
                  Assign([column.attrs["name"]], number("mod", column, count), [I32])]
        return row, column

    def move(self, name, step):
        return Assign([name.attrs["name"]], Node("add", [name, step], I32, (), augmented=self.chance(0.5)), [I32])

    def axes(self, row, column):
        """Those of the tile at a row and column of tiles."""
        generator, made = self.generator, []
        for size, extent, node, place in ((generator.rows, self.row_extent, self.row_node, row),
                                          (generator.columns, self.column_extent, self.column_node, column)):
            start = times_size(place, size)
            axis = Axis(size, extent, node, generator.define(start, "f", False) if self.chance(0.3) else start)
            axis.number = place
            made.append(generator.named(axis) if self.chance(0.6) else axis)
        return made

    # A loop over tiles around a loop

    def around_loops(self):
        generator = self.generator
        self.choose(generator.steps)
        whole, target, after = generator.setup, generator.fresh("t"), []
        tile = variable(target, I32, ())
        place = self.carried_place(after) if self.chance(0.3) else None
        total = self.running_total(generator.rows) if self.chance(0.15) else None
        generator.setup = body = []
        rows, columns = self.axes(*(place or self.place(tile)))
        kind, sums = self.sums(rows, columns)
        self.inner_loop(kind, rows, columns, sums, tile)
        if self.chance(0.2):
            self.inner_loop(kind, rows, columns, sums, tile)
        if total:
            body.append(self.add_to(total, sums[0]))
        for each in sums:
            body += self.finish(each)
        generator.setup = whole
        form, options = self.form()
        stop = generator.number(self.rows * self.columns)
        generator.emit(For(form, target, program(), stop, self.step(), body + after, options))

    def form(self):
        """Mostly with a hint."""
        form, options = self.generator.form()
        if self.chance(0.6) and "flatten" not in options:
            form, options = "tl.range", options + ", flatten=True"
        return self.specialized(form, options)

    def specialized(self, form, options, share=0.25):
        if self.chance(share) and "warp_specialize" not in options:
            form, options = "tl.range", options + ", warp_specialize=True"
        return form, options

    def sums(self, rows, columns):
        """One or two, and what their products share."""
        sums = [self.generator.accumulators.start(rows, columns)]
        kind = self.random.choice(["one"] * 5 + ["shared left", "shared right"])
        if kind != "one" and rows.size * columns.size <= 8192:
            sums.append(self.generator.accumulators.start(rows, columns))
        return kind, sums

    def inner_loop(self, kind, rows, columns, sums, tile):
        generator, steps = self.generator, self.generator.steps
        if steps == 0 or self.chance(0.5):
            generator.product_loop(kind, rows, columns, sums)
            return
        first, stop = self.bounds(tile, steps)
        extent, counter = generator.extent(generator.depth, steps), generator.fresh("k")
        axis = Axis(generator.depth, extent, generator.number(extent),
                    times_size(variable(counter, I32, ()), generator.depth), True, first.is_literal())
        form, options = self.specialized(*generator.form())
        body = []
        generator.fill(kind, rows, columns, sums, axis, body)
        generator.emit(For(form, counter, first, stop, literal(1), body, options))

    def bounds(self, tile, steps):
        """Of a loop over the depth, which depend on the tile; some tiles may have no iteration."""
        generator = self.generator
        first = number("mod", tile, literal(self.random.choice([2, 3]))) if self.chance(0.35) else literal(0)
        share = self.random.random()
        if share < 0.3:
            return first, generator.number(steps)
        if share < 0.7:
            return first, number("mod", number("add", tile, generator.number(self.random.choice([0, 1, 2]))),
                                 generator.number(steps + 1))
        return first, number("sub", generator.number(steps), number("mod", tile, generator.number(2)))

    def running_total(self, size):
        """A vector that the loop over tiles carries, stored behind it."""
        total = self.generator.define(Node("zeros", [], FP32, (size,)), "r")
        self.generator.later.append((total, size))
        return total

    def add_to(self, total, each):
        added = Node("float_sum", [cast(each.acc, FP32)], FP32, total.shape, axis=1)
        return Assign([total.attrs["name"]], Node("add", [total, added], FP32, total.shape), [FP32])

    def finish(self, total):
        accumulators = self.generator.accumulators
        if self.chance(0.25) and total.axes[1].size >= 2:
            return accumulators.finish_halves(total)
        return accumulators.finish(total)

    # One loop for the steps of all tiles

    def one_loop(self):
        generator = self.generator
        self.steps = max(1, min(4, generator.steps))
        self.choose(self.steps)
        whole, target = generator.setup, generator.fresh("i")
        self.counter, self.steps_node = variable(target, I32, ()), generator.number(self.steps)
        step_of_tile = self.counted() if self.chance(0.6) else self.divided_counter
        accs = [self.restarted() for _ in range(self.random.choice([1, 1, 1, 2]))]
        totals = [self.restarted() for _ in accs] if self.chance(0.2) else []
        generator.setup = body = []
        step, row, column = step_of_tile()
        rows, columns = self.axes(row, column)
        sums = [Sum(acc, [rows, columns]) for acc in accs]
        self.products(sums, step)
        for index in self.random.sample(range(len(sums)), len(sums)):
            if totals:
                self.end_without_stores(sums[index].acc, totals[index], step)
            else:
                self.end(sums[index], step)
        generator.setup = whole
        form, options = self.specialized(*generator.form(), 0.7 if totals else 0.25)
        mine = number("cdiv", number("sub", generator.number(self.rows * self.columns), program()), self.step())
        stop = number("mul", mine, self.steps_node)
        generator.emit(For(form, target, literal(0), stop, literal(1), body, options))
        for acc in accs + totals:
            if acc in totals or self.chance(0.4):
                self.store_rest(acc)

    def restarted(self):
        """A sum, from zero mostly."""
        generator = self.generator
        shape = (generator.rows, generator.columns)
        zeros = Node("zeros", [], generator.result, shape)
        ones = Node("full", [literal(2.0 if generator.result.is_float() else 2)], generator.result, shape)
        return generator.define(zeros if self.chance(0.9) else ones, "acc")

    def counted(self):
        """The step and the tile are carried; the tile moves on in a branch."""
        generator = self.generator
        start = generator.define(program(), "s", False) if self.chance(0.5) else program()
        stride = self.step()
        tile = generator.define(number("sub", start, stride), "t", False)
        step, row, column = [self.carried_number(value) for value in (-1, 0, 0)]

        def place():
            last = compare("eq", step, number("sub", self.steps_node, literal(1)))
            following = Node("where", [last, literal(0), number("add", step, literal(1))], I32, ())
            generator.emit(Assign([step.attrs["name"]], following, [I32]))
            moved = [self.move(tile, stride)]
            moved += [Assign([name.attrs["name"]], value, [I32]) for name, value in zip((row, column), self.divided(tile))]
            generator.emit(If(compare("eq", step, literal(0)), moved, []))
            return step, row, column
        return place

    def carried_number(self, value):
        """A name that a number of the program starts."""
        name = self.generator.fresh("x")
        self.generator.emit(Assign([name], Node("literal", [], I32, (), value=value, text=None), [I32], False))
        return variable(name, I32, ())

    def divided_counter(self):
        """The step and the tile by the number of the iteration."""
        tile = number("add", program(), number("mul", number("floordiv", self.counter, self.steps_node), self.step()))
        step = number("mod", self.counter, self.steps_node)
        return [self.generator.define(step, "x", False)] + self.place(self.generator.define(tile, "t", False))

    def products(self, sums, step):
        """Of one step; a sum may start at the first step of a tile in place of behind the last."""
        generator = self.generator
        extent = generator.extent(generator.depth, self.steps)
        axis = Axis(generator.depth, extent, generator.number(extent), times_size(step, generator.depth), True, False)
        kind = self.random.choice(["shared left", "shared right"]) if len(sums) > 1 else "one"
        if self.chance(0.2):
            each = self.random.choice(sums)
            generator.emit(If(compare("eq", step, literal(0)), [self.zero(each)], []))
        generator.fill(kind, *sums[0].axes, sums, axis, generator.setup)

    def zero(self, total):
        zeros = Node("zeros", [], total.acc.element, total.acc.shape)
        if self.chance(0.05):
            zeros = Node("full", [literal(1.0 if zeros.element.is_float() else 1)], zeros.element, zeros.shape)
        return Assign([total.acc.attrs["name"]], zeros, [zeros.element])

    def is_last(self, step):
        """Whether a tile ends, in one of the ways to say that."""
        share, last = self.random.random(), number("sub", self.steps_node, literal(1))
        if share < 0.5:
            return compare("eq", step, last)
        if share < 0.65:
            return compare("ge", number("add", step, literal(1)), self.steps_node)
        following = number("add", self.counter, literal(1))
        return compare("eq", number("mod", following, self.steps_node), literal(0))

    def other_condition(self, step):
        """Something that need not go with the tiles."""
        share = self.random.random()
        if share < 0.3:
            return compare("eq", number("mod", self.counter, self.generator.number(self.random.choice([2, 3]))), literal(1))
        if share < 0.5:
            return compare(self.random.choice(["gt", "lt"]), step, literal(self.random.choice([0, 1, 2])))
        if share < 0.8:
            return compare("gt", self.generator.flag(self.counter, self.most_iterations()), literal(0))
        return compare("gt", self.generator.number(self.random.choice([0, 1])), literal(0))

    def most_iterations(self):
        return self.steps * -(-self.rows * self.columns // self.programs)

    def end(self, total, step):
        """What an iteration does with a sum behind the product: stores, reads, and the start of the next one."""
        generator, zero = self.generator, self.zero(total)
        if self.chance(0.25):
            generator.emit(If(self.other_condition(step), self.store_now(total), []))
        if self.chance(0.15):
            restart = self.other_condition(step)
            statements = self.store_now(total) + [zero] if self.chance(0.6) else [zero]
            generator.emit(If(restart, statements, []))
            return
        stored, last = self.finish(total), self.is_last(step)
        share, acc = self.random.random(), total.acc
        if share < 0.6:
            generator.emit(If(last, stored + [zero], []))
        elif share < 0.7:
            generator.emit(If(compare("ne", *last.args), [], stored + [zero]))
        elif share < 0.8:
            generator.emit(If(last, stored, []))
            generator.emit(If(self.is_last(step), [zero], []))
        elif share < 0.9:
            generator.emit(If(last, stored, []))
            generator.emit(Assign([acc.attrs["name"]], Node("where", [last, zero.value, acc], acc.element, acc.shape),
                                  [acc.element]))
        else:
            generator.emit(If(last, stored, []))  # It goes on from tile to tile.

    def end_without_stores(self, acc, total, step):
        """Sums of parts go to others, which are stored behind the loop: warps may only copy in such a loop."""
        zero, last = self.zero(Sum(acc, [])), self.is_last(step)
        if self.chance(0.2):
            last = self.other_condition(step)
        part = acc if acc.element is I32 or self.chance(0.5) else Node("mul", [acc, literal(0.5)], acc.element, acc.shape)
        added = Assign([total.attrs["name"]], Node("add", [total, part], acc.element, acc.shape,
                                                   augmented=self.chance(0.5)), [acc.element])
        self.generator.emit(If(last, [added, zero], []))

    def store_now(self, total):
        """The sum as it is, at a place that belongs to the iteration."""
        generator = self.generator
        count = self.most_iterations() * self.programs
        here = number("add", number("mul", self.counter, literal(self.programs)), program())
        return self.store_at(total.acc, here, count if generator.rows * generator.columns <= 8192 else 0)

    def store_at(self, acc, here, count):
        if count == 0:
            return []
        rows, columns = acc.shape
        axes = [Axis(rows, rows * count, literal(rows * count), times_size(here, rows)),
                Axis(columns, columns, literal(columns), literal(0))]
        return [self.generator.operands.write(acc, axes)]

    def store_rest(self, acc):
        """What is left behind the loop."""
        self.generator.setup += self.store_at(acc, program(), self.programs)
