"""Generated kernels as trees: expressions, statements, functions, and their text.

The trees say what a kernel means; interpreter.py gives them values, the printer here writes them in the
kernel language. Every expression knows the type and shape that it has by the language's rules.
"""


class Node:
    """An expression: an operation of operations.py (or one of the leaves that the printer knows) on others."""

    __slots__ = ("op", "args", "element", "shape", "attrs")

    def __init__(self, op, args, element, shape, **attrs):
        self.op, self.args, self.element, self.shape, self.attrs = op, list(args), element, tuple(shape), attrs

    def is_literal(self):
        return self.op == "literal"

    def walk(self):
        yield self
        for arg in self.args:
            yield from arg.walk()


class Assign:
    """names = value; several names take the parts of a tuple. `checked` adds assertions on the types."""

    def __init__(self, names, value, elements, checked=True):
        self.names, self.value, self.elements, self.checked = names, value, elements, checked


class Store:
    """Stores to an output at an index, which names every element at most once."""

    def __init__(self, buffer, index, value, mask=None):
        self.buffer, self.index, self.value, self.mask = buffer, index, value, mask


class BlockStore:
    """Stores through a block pointer: the elements of `value` from `offsets` on that are inside of the array."""

    def __init__(self, buffer, extents, offsets, value):
        self.buffer, self.extents, self.offsets, self.value = buffer, extents, offsets, value


class Effect:
    """An expression that is evaluated for what it does: a store through a block pointer or a descriptor."""

    def __init__(self, value):
        self.value = value


class If:
    """A condition known at run time, or by constants if `is_static`."""

    def __init__(self, condition, then, otherwise, is_static=False):
        self.condition, self.then, self.otherwise, self.is_static = condition, then, otherwise, is_static


class For:
    """A loop over `form`(start, stop, step), where form is range, tl.range or tl.static_range; `options` is the
    text of what tl.range takes besides."""

    def __init__(self, form, target, start, stop, step, body, options=""):
        self.form, self.target, self.start, self.stop, self.step, self.body = form, target, start, stop, step, body
        self.options = options


class While:
    """counter = start; while counter > 0: body; counter -= 1; with a condition of two scalars that may end it early."""

    def __init__(self, counter, start, body, condition=None):
        self.counter, self.start, self.body, self.condition = counter, start, body, condition


class EarlyReturn:
    """if condition: return values"""

    def __init__(self, condition, values):
        self.condition, self.values = condition, values


class Function:
    """A helper: parameters, statements, and the expressions that it returns."""

    def __init__(self, name, parameters, body, results):
        self.name, self.parameters, self.body, self.results = name, parameters, body, results


class Buffer:
    """An array argument. Outputs are compared after the run. The first element lies `shift` elements behind an
    aligned address."""

    def __init__(self, name, element, raw, is_output=False, shift=0):
        self.name, self.element, self.raw, self.is_output, self.shift = name, element, raw, is_output, shift


class Scalar:
    """A number as argument; `annotated` fixes its type in the kernel's text."""

    def __init__(self, name, element, value, annotated=True):
        self.name, self.element, self.value, self.annotated = name, element, value, annotated


class Program:
    """A kernel with everything that one run of it needs."""

    def __init__(self, seed):
        self.seed = seed
        self.buffers, self.scalars, self.constants = [], [], {}
        self.combines, self.functions, self.body = [], [], []
        self.grid = (1, 1, 1)
        self.num_warps = self.num_stages = 0  # 0: left to the compiler
        self.fp_fusion = False
        self.has_barriers = True  # on the processor too
        self.has_bounds = False  # floats have bounds, as product_interpreter.py computes them


# ===------------------------------------------------------------------------------------------------
# Text
# ===------------------------------------------------------------------------------------------------


def literal_text(value):
    if isinstance(value, float):
        if value != value:
            return 'float("nan")'
        if abs(value) == float("inf"):
            return 'float("%sinf")' % ("-" if value < 0 else "")
    return "(%r)" % value if not isinstance(value, bool) and value < 0 else repr(value)


class Printer:
    def __init__(self, operations):
        self.operations, self.lines = operations, []

    def expression(self, node):
        args = [self.expression(arg) for arg in node.args]
        attrs = node.attrs
        if node.op == "literal":
            return attrs.get("text") or literal_text(attrs["value"])
        if node.op == "var":
            return attrs["name"]
        if node.op == "call":
            return "%s(%s)" % (attrs["function"].name, ", ".join(args))
        if node.op == "part":
            return "%s[%d]" % (args[0], attrs["index"])
        if node.op == "tuple":
            return "(%s)" % ", ".join(args)
        return self.operations[node.op].text(node, args)

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def block(self, statements, depth):
        if not statements:
            self.line(depth, "pass")
        for statement in statements:
            getattr(self, "print_" + type(statement).__name__)(statement, depth)

    def print_Assign(self, statement, depth):
        if statement.value.attrs.get("augmented") and statement.value.args[0].attrs.get("name") == statement.names[0]:
            self.line(depth, "%s += %s" % (statement.names[0], self.expression(statement.value.args[1])))
        else:
            self.line(depth, "%s = %s" % (", ".join(statement.names), self.expression(statement.value)))
        if statement.checked:
            for name, element in zip(statement.names, statement.elements):
                self.line(depth, "tl.static_assert(%s.dtype == %s)" % (name, element.text))

    def print_Store(self, statement, depth):
        mask = ", mask=" + self.expression(statement.mask) if statement.mask else ""
        self.line(depth, "tl.store(%s + %s, %s%s)" % (statement.buffer.name, self.expression(statement.index),
                                                      self.expression(statement.value), mask))

    def print_BlockStore(self, statement, depth):
        offsets = [self.expression(offset) for offset in statement.offsets]
        pointer = block_pointer(statement.buffer, statement.extents, offsets, statement.value.shape)
        axes = ", ".join("%d" % axis for axis in range(len(statement.extents)))
        self.line(depth, "tl.store(%s, %s, boundary_check=(%s,))" % (pointer, self.expression(statement.value), axes))

    def print_Effect(self, statement, depth):
        self.line(depth, self.expression(statement.value))

    def print_If(self, statement, depth):
        self.line(depth, "if %s:" % self.expression(statement.condition))
        self.block(statement.then, depth + 1)
        if statement.otherwise:
            self.line(depth, "else:")
            self.block(statement.otherwise, depth + 1)

    def print_For(self, statement, depth):
        bounds = ", ".join(self.expression(bound) for bound in (statement.start, statement.stop, statement.step))
        self.line(depth, "for %s in %s(%s%s):" % (statement.target, statement.form, bounds, statement.options))
        self.block(statement.body, depth + 1)

    def print_While(self, statement, depth):
        self.line(depth, "%s = %s" % (statement.counter, self.expression(statement.start)))
        more = "" if statement.condition is None else " & %s" % self.expression(statement.condition)
        self.line(depth, "while %s%s:" % ("(%s > 0)" % statement.counter if more else statement.counter + " > 0", more))
        self.block(statement.body, depth + 1)
        self.line(depth + 1, "%s -= 1" % statement.counter)

    def print_EarlyReturn(self, statement, depth):
        self.line(depth, "if %s:" % self.expression(statement.condition))
        self.line(depth + 1, ("return " + ", ".join(self.expression(value) for value in statement.values)).rstrip())

    def function(self, function):
        self.lines += ["", "", "@triton.jit", "def %s(%s):" % (function.name, ", ".join(function.parameters))]
        self.block(function.body, 1) if function.body else None
        self.line(1, "return " + ", ".join(self.expression(result) for result in function.results))


def block_pointer(buffer, extents, offsets, shape):
    """The text of a block pointer to a row-major array."""
    strides, step = [], 1
    for extent in reversed(extents):
        strides.insert(0, step)
        step *= extent
    lists = (extents, strides, offsets, shape, range(len(extents) - 1, -1, -1))
    return "tl.make_block_ptr(%s, %s)" % (buffer.name, ", ".join("(%s,)" % ", ".join(map(str, each)) for each in lists))


def source(program, operations, combines):
    """The kernel's file. `combines` are the sources of functions that reductions and scans name."""
    printer = Printer(operations)
    printer.lines = ["import triton", "import triton.language as tl"]
    for combine in program.combines:
        printer.lines += ["", "", "@triton.jit"] + combines[combine].source.split("\n")
    for function in program.functions:
        printer.function(function)
    parameters = ['%s: "*%s"' % (buffer.name, buffer.element.name) for buffer in program.buffers]
    parameters += ['%s: "%s"' % (scalar.name, scalar.element.name) if scalar.annotated else scalar.name
                   for scalar in program.scalars]
    parameters += ["%s: tl.constexpr" % name for name in program.constants]
    printer.lines += ["", "", "@triton.jit", "def kernel(%s):" % ", ".join(parameters)]
    printer.block(program.body, 1)
    return "\n".join(printer.lines) + "\n"
