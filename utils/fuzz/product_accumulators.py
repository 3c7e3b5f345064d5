"""What kernels do with the sums of products: how they start, how each product is added, and where they end."""

from elements import BF16, FP16, FP32, FP64, FP8, I32
from expressions import cast, literal, variable
from product_operands import Axis, Matrix, along
from program import Assign, If, Node


class Sum:
    """An accumulator: its name and the axes of its tile."""

    def __init__(self, acc, axes):
        self.acc, self.axes = acc, axes


class Accumulators:
    def __init__(self, generator):
        self.generator, self.random = generator, generator.random

    def chance(self, share):
        return self.random.random() < share

    def start(self, rows, columns, batch=None):
        """Zeros, mostly; or a number, or what memory has."""
        axes = ([batch] if batch else []) + [rows, columns]
        element, shape = self.generator.result, tuple(axis.size for axis in axes)
        if self.chance(0.7):
            value = Node("zeros", [], element, shape)
        elif self.chance(0.4):
            value = Node("full", [literal(2.0 if element.is_float() else 2)], element, shape)
        else:
            value = self.generator.operands.operand(element, axes, False).tile
        return Sum(self.generator.define(value, "acc"), axes)

    def set(self, total, value):
        return Assign([total.acc.attrs["name"]], value, [value.element], self.chance(0.3))

    def add(self, total, left, right, axis):
        """Statements that add a product, in one of the ways that people write."""
        makers = [(8, self.by_argument), (5, self.by_plus), (2, self.by_name), (2, self.scaled_before),
                  (2, self.scaled_product), (1, self.replaced), (4, self.in_branch), (1, self.twice)]
        if not self.generator.odd(0.99):
            makers = makers[:2]
        maker = self.random.choices([maker for _, maker in makers], [weight for weight, _ in makers])[0]
        return maker(total, left, right, axis)

    def by_argument(self, total, left, right, axis):
        return [self.set(total, self.generator.dot(left, right, total.acc, self.chance(0.4)))]

    def by_plus(self, total, left, right, axis):
        product, acc = self.generator.dot(left, right), total.acc
        sides = [acc, product] if self.chance(0.8) else [product, acc]
        return [self.set(total, Node("add", sides, acc.element, acc.shape, augmented=sides[0] is acc and self.chance(0.7)))]

    def by_name(self, total, left, right, axis):
        body, acc = [], total.acc
        product = self.generator.in_body(self.generator.dot(left, right), body)
        return body + [self.set(total, Node("add", [acc, product], acc.element, acc.shape))]

    def scale(self, total, axis):
        """A number, or one of memory for each row or column."""
        element, shape = total.acc.element, total.acc.shape
        share = self.random.random()
        if share < 0.5 or element is I32:
            return literal(self.random.choice([0.5, 2.0, -1.0]) if element.is_float() else self.random.choice([2, -1]))
        number = len(shape) - 1 - self.random.randrange(2)
        which = total.axes[number]
        vector = self.generator.operands.operand(element, [Axis(1, 1, literal(1), literal(0)), which], False).tile
        row = Node("reshape", [vector], element, (which.size,), form="tl.reshape")
        return along(row, number, len(shape))

    def scaled_before(self, total, left, right, axis):
        acc = total.acc
        scaled = Node("mul", [acc, self.scale(total, axis)], acc.element, acc.shape)
        return [self.set(total, scaled)] + self.by_argument(total, left, right, axis)

    def scaled_product(self, total, left, right, axis):
        acc = total.acc
        product = Node("mul", [self.generator.dot(left, right), self.scale(total, axis)], acc.element, acc.shape)
        return [self.set(total, Node("add", [acc, product], acc.element, acc.shape, augmented=self.chance(0.5)))]

    def replaced(self, total, left, right, axis):
        """Only the last product counts."""
        return [self.set(total, self.generator.dot(left, right))]

    def twice(self, total, left, right, axis):
        return self.by_argument(total, left, right, axis) + self.by_plus(total, left, right, axis)

    def in_branch(self, total, left, right, axis):
        """The loads may be in front of the branch or in it."""
        body, acc = [], total.acc
        if self.chance(0.5):
            left, right = [self.generator.in_body(side, body, 0.7) for side in (left, right)]
        then = self.random.choice([self.by_argument, self.by_plus])(total, left, right, axis)
        otherwise = []
        if self.chance(0.4):
            other = self.random.choice(["scale", "other product", "zero"])
            if other == "scale":
                scaled = Node("mul", [acc, literal(2.0 if acc.element.is_float() else 2)], acc.element, acc.shape)
                otherwise = [self.set(total, scaled)]
            elif other == "zero":
                otherwise = [self.set(total, Node("zeros", [], acc.element, acc.shape))]
            else:
                negative = Node("neg", [self.generator.dot(left, right)], acc.element, acc.shape)
                otherwise = [self.set(total, Node("add", [acc, negative], acc.element, acc.shape))]
        return body + [If(self.generator.condition(axis), then, otherwise)]

    # After the loop

    def finish(self, total):
        """Statements that store the sum, as it is or after the usual steps."""
        generator, acc, axes = self.generator, total.acc, total.axes
        value, places = acc, list(axes)
        if acc.element in (FP32, FP64) and self.chance(0.4):
            value = self.epilogue(value, axes)
        if acc.element is I32 and self.chance(0.4):
            value = Node("mul", [cast(acc, FP32), literal(self.random.choice([0.5, 0.125]))], FP32, acc.shape)
            value = self.epilogue(value, axes) if self.chance(0.5) else value
        if len(axes) == 2 and self.chance(0.12):
            value, places = Node("trans", [value], value.element, value.shape[::-1]), places[::-1]
        element = value.element
        if acc.element in (FP32, FP16) and self.chance(0.5):
            value = cast(value, self.random.choice([FP16, BF16, FP32, FP8[0]]))
        elif acc.element is FP32 and self.chance(0.2):
            element = self.random.choice([FP16, BF16])
        element = value.element if value.element is not acc.element else element
        statements = [generator.operands.write(value, places, element)]
        if acc.element is FP32 and len(axes) == 2 and self.chance(0.15):
            statements.append(self.store_sums(total))
        return statements

    def finish_halves(self, total):
        """Statements that store the halves of the columns one after the other."""
        generator, (rows, columns) = self.generator, total.axes
        element = self.random.choice([FP16, BF16, FP32]) if total.acc.element is FP32 else total.acc.element
        size = columns.size // 2
        parts = Node("reshape", [total.acc], total.acc.element, (rows.size, 2, size), form="tl.reshape")
        parts = Node("permute", [parts], parts.element, (rows.size, size, 2), order=[0, 2, 1])
        names = [generator.fresh("h") for _ in range(2)]
        whole = generator.operands.matrix(element, [rows, columns], is_output=True)
        statements = [Assign(names, Node("split", [parts], parts.element, (rows.size, size)), [parts.element] * 2)]
        for name, half in zip(names, columns.halves()):
            value = variable(name, parts.element, (rows.size, size))
            if value.element is FP32 and self.chance(0.4):
                value = self.epilogue(value, [rows, half])
            place = Matrix(whole.buffer, [rows, half], whole.steps, whole.step_nodes)
            statements.append(generator.operands.write_to(place, cast(value, element)))
        return statements

    def epilogue(self, value, axes):
        share, shape, element = self.random.random(), value.shape, value.element
        if share < 0.35:
            return Node("mul", [value, literal(self.random.choice([0.5, 0.25]))], element, shape)
        if share < 0.6:
            return Node("maximum", [value, literal(0.0)], element, shape, nan="NONE") if element is FP32 else value
        number = len(axes) - 1 - self.random.randrange(2)
        vector = self.generator.operands.operand(element, [Axis(1, 1, literal(1), literal(0)), axes[number]], False).tile
        row = Node("reshape", [vector], element, (axes[number].size,), form="tl.reshape")
        return Node("add", [value, along(row, number, len(axes))], element, shape)

    def store_sums(self, total):
        """The sum over columns of each row, or the largest, where only one program has the row."""
        acc, (rows, columns) = total.acc, total.axes
        name = self.random.choice(["float_sum", "max"])
        attrs = {"keep_dims": False} if name == "max" else {}
        value = Node(name, [acc], FP32, (rows.size,), axis=1, **attrs)
        return self.generator.operands.write(
            Node("reshape", [value], FP32, (1, rows.size), form="tl.reshape"),
            [self.column_number(columns), rows])

    def column_number(self, columns):
        """An axis of one element for each program along the columns."""
        count = max(1, -(-columns.extent // columns.size))
        start = columns.number or columns.start
        if columns.number is None and start.op == "mul":
            start = start.args[0]
        return Axis(1, count, literal(count), start)


