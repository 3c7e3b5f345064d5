"""Loops with several products that depend on each other, as in the gradient of attention.

Each iteration has tiles over pairs of axes, one of which may move with the loop. Two that share an axis have a
product: over axes that stay it is added to a sum, otherwise it is one more tile, or goes to memory.
"""

from elements import FP32
from expressions import cast, compare, literal
from product_operands import along, widened
from program import Node


class Tile:
    """An expression and its two axes."""

    def __init__(self, node, axes):
        self.node, self.axes = node, axes

    def over(self, first, second):
        if self.axes == [first, second]:
            return self.node
        return Node("trans", [self.node], self.node.element, self.node.shape[::-1])


class Graph:
    def __init__(self, generator):
        self.generator, self.random = generator, generator.random
        self.tiles, self.sums, self.after = [], [], []

    def chance(self, share):
        return self.random.random() < share

    def size(self, least):
        return max(least, self.random.choice([16, 32, 64, 64]))

    def make(self):
        """The statements in front, the loop, and what stores the sums."""
        generator = self.generator
        least = 32 if generator.factor.bits == 8 else 16
        self.rows = generator.named(generator.fixed_axis(max(least, min(128, generator.rows))))
        self.inner = generator.named(generator.fixed_axis(self.size(least)))
        generator.program.grid = (1, 1, 1)
        if self.chance(0.7):
            self.load([self.rows, self.inner], False)
        loop = generator.inner_loop(self.size(least), max(0, min(4, generator.steps)), self.fill)
        generator.setup += loop
        for total in self.sums:
            generator.setup += generator.accumulators.finish(total)

    def load(self, axes, in_loop, body=None):
        made = self.generator.factor_of(axes, in_loop)
        self.after += made.after
        if body is None:
            node = self.generator.define(made.tile, "q")
        else:
            node = self.generator.in_body(made.tile, body, 0.8)
        self.tiles.append(Tile(node, list(axes)))

    def fill(self, axis, body):
        pairs = [[self.rows, axis], [axis, self.inner], [self.inner, axis], [self.rows, self.inner], [axis, self.rows]]
        for axes in self.random.sample(pairs, self.random.choice([2, 2, 3])):
            self.load(axes, axis in axes, body)
        for _ in range(self.random.choice([2, 3, 3, 4])):
            self.multiply(axis, body)
        if not self.sums:
            last = self.tiles[-1]
            body.append(self.generator.operands.write(last.node, last.axes))
        self.generator.place_after(self.after, body)

    def multiply(self, axis, body):
        """One more product, if two tiles have one."""
        choices = [(left, right, shared) for left in self.tiles for right in self.tiles
                   for shared in left.axes if shared in right.axes and self.others(left, right, shared)]
        if not choices:
            return
        sums = [each for each in choices if axis not in self.others(*each)]
        left, right, shared = self.random.choice(sums if sums and self.chance(0.5) else choices)
        rows, columns = self.others(left, right, shared)
        a, b = left.over(rows, shared), right.over(shared, columns)
        if axis not in (rows, columns):
            self.add(rows, columns, a, b, axis, body)
            return
        product = self.generator.in_body(self.generator.dot(a, b), body, 0.7)
        if self.chance(0.15) and axis.extent:
            body.append(self.generator.operands.write(product, [rows, columns]))
        self.tiles.append(Tile(self.reworked(product, rows, columns, body), [rows, columns]))

    def others(self, left, right, shared):
        """The axes of a product over a shared one, or None for what is none."""
        first = [each for each in left.axes if each is not shared]
        second = [each for each in right.axes if each is not shared]
        return (first[0], second[0]) if len(first) == 1 and len(second) == 1 else None

    def add(self, rows, columns, a, b, axis, body):
        known = [total for total in self.sums if total.axes == [rows, columns]]
        if not known or self.chance(0.3):
            known = [self.generator.accumulators.start(rows, columns)]
            self.sums += known
        body += self.generator.accumulators.add(known[0], a, b, axis)

    def reworked(self, product, rows, columns, body):
        """A product as a factor: smaller again, masked, or times another tile of its shape."""
        generator, element, shape = self.generator, product.element, product.shape
        if element is FP32 and self.chance(0.8):
            product = Node("mul", [product, literal(0.0625)], element, shape)
        if self.chance(0.25):
            keep = compare("ge", along(rows.coordinates(), 0, 2), along(columns.coordinates(), 1, 2))
            keep.shape = shape
            product = Node("where", [keep, product, literal(0.0 if element.is_float() else 0)], element, shape)
        same = [tile for tile in self.tiles if tile.axes == [rows, columns]]
        if same and element is FP32 and self.chance(0.4):
            product = Node("mul", [product, cast(self.random.choice(same).node, FP32)], element, shape)
        return generator.in_body(widened(product, generator.factor, self.random), body, 0.6)
