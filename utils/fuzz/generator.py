"""Random kernels: statements, control flow, helper functions, outputs."""

import random

import numpy as np

from elements import BF16, ELEMENTS, FLOATS, FP16, FP32, FP64, FP8, I1, I32, INTS
from expressions import cast, compare, count_of, literal
from inputs import long_raw, random_values
from program import Assign, BlockStore, Buffer, EarlyReturn, For, Function, If, Node, Program, Scalar, Store, While
from tile_expressions import TileExpressions

_CUDA_WARPS = [0, 1, 2, 4, 8]


class Generator:
    def __init__(self, seed):
        self.random, self.array_random = random.Random(seed), np.random.default_rng(seed)
        self.program = Program(seed)
        self.maker = self.expressions()
        self.count = 0
        self.loops = self.static_loops = 0
        self.shapes = self.common_shapes()

    def expressions(self):
        return TileExpressions(self.program, self.random, self.array_random)

    def chance(self, share):
        return self.random.random() < share

    def fresh(self, prefix="v"):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    def common_shapes(self):
        """Shapes that names of this kernel share."""
        total = 1 << self.random.choice([0, 1, 2, 3, 4, 5, 5, 6, 6, 7, 8, 9])
        return [(), self.maker.factored(total), self.maker.factored(total), self.maker.factored(max(1, total // 4))]

    def launch(self):
        self.program.grid = (self.random.choice([1, 1, 2, 3]), 1, 1)
        self.program.num_warps = self.random.choice(_CUDA_WARPS)

    def generate(self):
        program = self.program
        self.launch()
        self.arguments()
        program.body = self.block(self.random.randrange(3, 10), 0)
        self.finish(program.body)
        if not any(buffer.is_output for buffer in program.buffers):
            program.body.append(self.store())
        program.fp_fusion = not any(node.op in ("mul", "call_mul") and node.element.is_float()
                                    for node in all_nodes(program))
        return program

    def finish(self, body):
        """What a kernel does at its end."""

    def arguments(self):
        for number in range(self.random.randrange(0, 4)):
            element = self.random.choice(INTS + FLOATS + [I1])
            value = random_values(self.array_random, element, 1)[0]
            annotated = not (element.is_int() and value == 1) and self.chance(0.5) or element is I1 or value == 1
            self.program.scalars.append(Scalar("s%d" % number, element, value, annotated))
        for number in range(self.random.randrange(0, 3)):
            value = self.random.choice([0, 1, 2, 3, 16, -7, 100, 2**31, True])
            self.program.constants["C%d" % number] = value

    # Statements

    def block(self, length, depth):
        """Some statements; names made inside are forgotten by the caller where the language says so."""
        statements = []
        for _ in range(length):
            makers = self.statement_makers(depth)
            maker = self.random.choices([maker for _, maker in makers], [weight for weight, _ in makers])[0]
            made = maker(depth)
            statements += made if isinstance(made, list) else [made]
        return statements

    def statement_makers(self, depth):
        """What makes statements, with weights."""
        makers = [(8, self.assign), (1, self.atomic), (1, self.call_helper)]
        if self.static_loops == 0:
            makers.append((4, self.store))
        if self.loops == 0:
            makers.append((2, self.approximate_store))
        if depth < 2:
            makers += [(1, self.run_time_if), (1, self.loop), (0.4, self.while_loop), (0.4, self.static_if)]
        return makers

    def define(self, value, checked=True):
        name = self.fresh()
        self.maker.names.append((name, value.element, value.shape))
        return Assign([name], value, [value.element], checked)

    def assign(self, depth=0):
        shape = self.random.choice(self.shapes)
        return self.define(self.maker.tile(shape, self.random.randrange(1, 4)), self.chance(0.7))

    def output_index(self, shape, programs):
        """An index that no two elements of all programs share, and how long the output must be."""
        maker, count = self.maker, count_of(shape)
        step = count * self.random.choice([1, 1, 2]) + self.random.choice([0, 0, 3])
        shift = self.random.choice([0, 0, 0, 1, 16])
        strides = maker.strides_for(shape)
        return maker.index(shape, strides, maker.place(step, shift)), step * programs + shift + self.random.choice([0, 5])

    def output(self, element, length):
        raw = long_raw(self.array_random, element, length)
        buffer = Buffer("out%d" % len(self.program.buffers), element, raw, is_output=True)
        self.program.buffers.append(buffer)
        return buffer

    def output_element(self, element):
        """The type that a value is stored in, by a cast that is defined."""
        if self.chance(0.7):
            return element
        if element.is_float() and self.chance(0.3) and element is not FP64:
            return self.random.choice(FP8)
        return self.random.choice(INTS + FLOATS)

    def store(self, depth=0):
        shape = self.random.choice(self.shapes)
        value = self.maker.tile(shape, self.random.randrange(0, 3))
        if shape and self.chance(0.1) and self.loops == 0 and value.element is not I1:
            return self.block_store(shape, value)
        index, length = self.output_index(shape, self.program.grid[0])
        mask = self.store_mask(shape)
        if shape and self.chance(0.1):
            value = self.maker.tile(self.maker.narrow_shape(shape), 1)
        return Store(self.output(self.output_element(value.element), length), index, value, mask)

    def store_mask(self, shape):
        """Which elements are stored, or None for all."""
        return self.maker.boolean(shape, 1) if self.chance(0.3) else None

    def block_store(self, shape, value):
        """Through a block pointer that may hang over the edges. All programs store the same elements."""
        extents = [max(1, size + self.random.randrange(-3, 4)) for size in shape]
        offsets = [literal(self.random.randrange(-3, 4)) for _ in shape]
        self.program.grid = (1, 1, 1)
        return BlockStore(self.output(value.element, count_of(extents)), extents, offsets, value)

    def approximate_store(self, depth=0):
        """A result that the language only bounds goes to memory at once."""
        maker, shape = self.maker, self.random.choice(self.shapes)
        element = self.random.choice([FP32, FP64])
        name = self.random.choice(["divide", "sqrt", "rsqrt", "sum"])
        if name == "divide":
            sides = [maker.coerce(side, FP32) for side in maker.pair(shape, 1)]
            value = Node(name, sides, FP32, shape)
        elif name == "sum":
            chosen = maker.axis_for(shape)
            if chosen is None or chosen[2]:
                return self.assign()
            source = maker.real(maker.tile(chosen[0], 1), maker.summed_floats)
            finite = Node("clamp", [source, literal(-100.0), literal(100.0)],
                          FP64 if source.element is FP64 else FP32, source.shape, nan="NONE")
            finite = cast(finite, source.element)
            value = Node(name, [finite], source.element, shape, axis=chosen[1])
        else:
            value = Node(name, [maker.of(element, shape, 1)], element, shape)
        index, length = self.output_index(shape, self.program.grid[0])
        return Store(self.output(value.element, length), index, value)

    def atomic(self, depth=0):
        """Every element has its own address, so what the operation returns is defined too."""
        maker, shape = self.maker, self.random.choice(self.shapes)
        words = [ELEMENTS[name] for name in ("i32", "u32", "i64", "u64")]
        kind = self.random.choice(["add", "max", "min", "and", "or", "xor", "xchg"])
        element = self.random.choice(words + ([FP32, FP64] if kind in ("add", "xchg") else []))
        index, length = self.output_index(shape, self.program.grid[0])
        value = maker.of(element if self.chance(0.7) or element.is_float() else self.random.choice(INTS), shape, 1)
        args = [index, value] + ([maker.boolean(shape, 1)] if self.chance(0.3) else [])
        node = Node("atomic", args, element, shape, buffer=self.output(element, length), kind=kind)
        return self.define(node)

    # Control flow

    def visible(self):
        return list(self.maker.names)

    def changes(self, names, most):
        """Assignments to names of the scope, in the types that they have."""
        names = [entry for entry in names if not entry[0].startswith("w")]  # those count loops
        names = [entry for entry in names if self.may_carry(entry[2])]
        chosen = self.random.sample(names, min(len(names), self.random.randrange(0, most + 1)))
        return [Assign([name], self.maker.of(element, shape, 2), [element]) for name, element, shape in chosen]

    def may_carry(self, shape):
        """Whether names of that shape may get other values in branches and loops."""
        return True

    def condition(self):
        return self.maker.boolean((), 1)

    def run_time_if(self, depth):
        before, condition = self.visible(), self.condition()
        then = self.block(self.random.randrange(0, 3), depth + 1) + self.changes(before, 2)
        self.maker.names = list(before)
        otherwise = self.block(self.random.randrange(0, 2), depth + 1) + self.changes(before, 2)
        self.maker.names = list(before)
        if self.chance(0.4):
            name, shape = self.fresh(), self.random.choice([shape for shape in self.shapes if self.may_carry(shape)])
            value = self.maker.tile(shape, 1)
            then.append(Assign([name], value, [value.element]))
            otherwise.append(Assign([name], self.maker.of(value.element, shape, 1), [value.element]))
            self.maker.names.append((name, value.element, shape))
        return If(condition, then, otherwise)

    def static_if(self, depth):
        """Only the branch that is taken counts; its names stay."""
        value = self.random.choice([True, False])
        number = self.random.choice([0, 3, 7])
        condition = Node("literal", [], None, (), value=value,
                         text="%d %s 5" % (number, "<" if (number < 5) == value else ">="))
        before = self.visible()
        then = self.block(1, depth + 1)
        kept = self.visible()
        self.maker.names = list(before)
        otherwise = self.block(1, depth + 1)
        if value:
            self.maker.names = kept
        return If(condition, then, otherwise, is_static=True)

    def loop(self, depth):
        before = self.visible()
        start, step = self.random.choice([0, 0, 1, -2, 5]), self.random.choice([1, 1, 2, 3, -1])
        trips = self.random.choice([0, 1, 2, 3, 4])
        bounds = [start, start + step * trips, step]
        form = self.random.choice(["range", "range", "tl.range", "tl.static_range"])
        nodes = [literal(bound) for bound in bounds]
        if form != "tl.static_range" and step > 0 and self.chance(0.5):
            # A bound known at run time only: the number of the program is below 3.
            nodes[1] = Node("add", [Node("program_id", [], I32, (), axis=0), nodes[1]], I32, ())
        target = self.fresh("i")
        if form != "tl.static_range":
            self.maker.names.append((target, I32, ()))
        self.loops += 1
        self.static_loops += form == "tl.static_range"
        body = self.loop_body(before, depth)
        self.static_loops -= form == "tl.static_range"
        self.loops -= 1
        self.maker.names = before
        return For(form, target, *nodes, body)

    def loop_body(self, before, depth):
        # Outputs are written several times, and the last time counts: each element by one thread. Copies of the body
        # may give an element to different threads, and nothing orders those.
        return self.block(self.random.randrange(0, 3), depth + 1) + self.changes(before, 3)

    def while_loop(self, depth):
        before, counter = self.visible(), self.fresh("w")
        start = self.maker.integer(self.maker.tile((), 1), [I32])
        start = Node("and", [start, literal(3)], I32, ())
        self.maker.names.append((counter, I32, ()))
        self.loops += 1
        body = self.block(self.random.randrange(0, 2), depth + 1)
        body += self.changes(before, 3)
        self.loops -= 1
        self.maker.names = before
        return While(counter, start, body)

    # Helper functions

    def call_helper(self, depth):
        function_shape = self.random.choice(self.shapes)
        arguments = [self.maker.tile(self.random.choice([function_shape, function_shape, ()]), 1)
                     for _ in range(self.random.randrange(1, 4))]
        function, results = self.helper(arguments, function_shape)
        self.program.functions.append(function)
        call = Node("call", arguments, results[0].element, results[0].shape, function=function)
        if len(results) == 1:
            return self.define(call)
        if self.chance(0.3):
            call.element, call.shape = None, ()
            index = self.random.randrange(len(results))
            return self.define(Node("part", [call], results[index].element, results[index].shape, index=index))
        call.element, call.shape = None, ()
        names = [self.fresh() for _ in results]
        for name, result in zip(names, results):
            self.maker.names.append((name, result.element, result.shape))
        return Assign(names, call, [result.element for result in results])

    def helper(self, arguments, shape):
        """A function of these arguments, made with nothing else in sight."""
        outer, outer_loads, outer_shapes = self.maker.names, self.maker.may_load, self.shapes
        parameters = [self.fresh("a") for _ in arguments]
        self.maker.names = [(name, argument.element, argument.shape) for name, argument in zip(parameters, arguments)]
        self.maker.may_load, constants, self.program.constants = False, self.program.constants, {}
        self.shapes = [shape, ()]
        body = [self.assign() for _ in range(self.random.randrange(0, 3))]
        results = [self.maker.tile(self.random.choice([shape, shape, ()]), 2) for _ in range(self.random.choice([1, 1, 2]))]
        if self.chance(0.3) and all(self.may_carry(result.shape) for result in results):
            self.insert_early_return(body, results)
        self.maker.names, self.maker.may_load, self.shapes = outer, outer_loads, outer_shapes
        self.program.constants = constants
        return Function(self.fresh("helper"), parameters, body, results), results

    def insert_early_return(self, body, results):
        """if condition: return other values of the same types; before some of the assignments."""
        place = self.random.randrange(len(body) + 1)
        later = [assign.names[0] for assign in body[place:]]
        values = [self.maker.of(result.element, result.shape, 1) for result in results]
        values = [simple(self.maker, value) if uses(value, later) else value for value in values]
        condition = self.maker.boolean((), 0)
        if uses(condition, later):
            condition = compare("gt", Node("program_id", [], I32, (), axis=0), literal(0))
        body.insert(place, EarlyReturn(condition, values))


def simple(maker, node):
    """A constant of the type and shape of an expression."""
    if node.shape:
        return Node("full", [maker.value_of(node.element)], node.element, node.shape)
    return Node("cast", [maker.value_of(node.element)], node.element, (), free=True)


def uses(node, names):
    return any(each.op == "var" and each.attrs["name"] in names for each in node.walk())


def statements_of(statements):
    """All statements, those inside of others too."""
    for statement in statements:
        yield statement
        for field in ("then", "otherwise", "body"):
            yield from statements_of(getattr(statement, field, []))


def nodes_of_statement(statement):
    for field in ("value", "index", "mask", "condition", "start", "stop", "step"):
        node = getattr(statement, field, None)
        if isinstance(node, Node):
            yield node
    for field in ("values", "offsets"):
        yield from getattr(statement, field, [])


def all_nodes(program):
    bodies = [program.body] + [function.body for function in program.functions]
    for body in bodies:
        for statement in statements_of(body):
            for node in nodes_of_statement(statement):
                yield from node.walk()
    for function in program.functions:
        for result in function.results:
            yield from result.walk()


def generate(seed):
    return Generator(seed).generate()
