"""Reads what the header of a kernel file says, and makes cases to run out of it.

A file in test/Kernels holds kernels as people write them. For each one that is run, comments say how:

    # KERNEL: scale                       starts the description of a kernel
    # SIZES: n=1 | n=1000                 the cases; names that the lines below may use. A case may also set constants
    #                                     (BLOCK=4096) and how to compile (num_warps=8 num_stages=3) for its size
    # TYPES: fp32 bf16                    each case is run for each of these as T; left out: no T
    # BENCH: n=16777216 T=bf16            the case to measure and whose GPU code is looked at; it sets the like
    # ARG: x randn:T[n]                   one line an argument that is no constexpr, in any order
    # ARG: factor 0.5
    # ARG: y desc(randn:T[n,64], [BLOCK, 64])    a tensor descriptor; a third word nan pads with NaN
    # CONST: BLOCK min(1024, next_power_of_2(n))
    # GRID: cdiv(n, BLOCK)
    # WARPS: 4                            left out: the compiler chooses, Triton takes 4
    # CHECK: out                          left out: the arrays that start out empty
    # TOLERANCE: out 1e-5 1e-6*sqrt(n)    relative and absolute, where that of the type is not right; expressions
    #                                     without blanks, such as of the depth of a sum
    # REFERENCE: scale_reference          left out: the kernel's name with _reference behind it
    # MAXNREG: 64                         fails if the bench case needs more registers; spills always fail
    # WAITING: atomic_add                 not supported yet: must be a located error that names this
    # NO-TRITON: reason                   not compared with Triton, and why

Only comments before the first line of code are read so. A constant that is a string is text of the kernel
language: "tl.float16", "'silu'", "None", "jit_function".

Sizes are Python expressions of what stands before them. Contents of arrays: randn, randn(M,S), rand, rand(L,H),
randint(L,H) (H excluded), zeros, ones, full(X), empty, arange, permutation (of the last axis' length).
The reference is a plain function of the same file over NumPy arrays, floats as float64; it takes any of the
arguments, constants and sizes by name and returns one array, or a dictionary of them by name.
"""

import __future__
import ast
import itertools
import math
import re

# Everything that may stand in an expression of a header.
FUNCTIONS = {
    "cdiv": lambda a, b: -(-a // b),
    "next_power_of_2": lambda n: 1 << max(0, n - 1).bit_length(),
    "min": min, "max": max, "sqrt": math.sqrt, "inf": math.inf,
}

FLOATS = {"fp16": 11, "bf16": 8, "fp32": 24, "fp64": 53, "fp8e4nv": 4, "fp8e5": 3}
INTEGERS = {"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"}
LISTS = {"ARG", "CONST", "TOLERANCE"}
# What a case says to the compiler and not to the kernel.
OPTIONS = ("num_warps", "num_stages")
KEYS = LISTS | {"SIZES", "TYPES", "BENCH", "GRID", "WARPS", "CHECK", "REFERENCE", "MAXNREG", "WAITING", "NO-TRITON"}


class HeaderError(Exception):
    """A header that cannot be read."""


class Array:
    """What an array argument holds: `contents` with `parameters`, an element type and a shape. With a `block`, the
    argument is a tensor descriptor of it, whose `padding` is "zero" or "nan"."""

    def __init__(self, contents, parameters, dtype, shape):
        self.contents, self.parameters, self.dtype, self.shape = contents, parameters, dtype, shape
        self.block, self.padding = None, "zero"

    @property
    def strides(self):
        return [math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape))]

    def described(self, text):
        """`text`, which stands for the array, or the descriptor of it, as tilec-run takes it."""
        if self.block is None:
            return text
        return "desc(%s, %s, %s)" % (text, self.block, self.padding)

    @property
    def count(self):
        return math.prod(self.shape)


class Case:
    """A kernel with all sizes known: arguments (numbers or Array), constants, grid, tolerances, and the warps and
    stages that are asked for, None where the compiler chooses."""

    def __init__(self, spec, values, arguments, constants, grid, tolerances, options):
        self.spec, self.values, self.arguments = spec, values, arguments
        self.constants, self.grid, self.tolerances = constants, grid, tolerances
        self.warps, self.stages = options.get("num_warps", spec.warps), options.get("num_stages")
        self.sets_warps = "num_warps" in options

    @property
    def title(self):
        return " ".join("%s=%s" % item for item in self.values.items())

    def arrays(self):
        return {name: value for name, value in self.arguments.items() if isinstance(value, Array)}

    def signature(self):
        """The types that Triton's launcher would derive, as tilec's --sig takes them."""
        items = []
        for name, value in self.arguments.items():
            items.append("%s=%s" % (name, argument_type(value, self.spec.annotations.get(name))))
        return ",".join(items)

    def checked(self):
        return self.spec.check or [name for name, value in self.arrays().items() if value.contents == "empty"]

    def tolerance(self, name):
        """(relative, absolute) for an output."""
        if name in self.tolerances:
            return self.tolerances[name]
        dtype = self.arguments[name].dtype
        if dtype not in FLOATS:
            return 0.0, 0.0
        step = 2.0 ** (1 - FLOATS[dtype])
        return (2e-5, 2e-6) if dtype == "fp32" else (1.01 * step, step / 16)


def argument_type(value, annotation=None):
    """The type of an argument with its hints, e.g. *fp32:16, i32:1."""
    if isinstance(value, Array) and value.block:
        sizes = [value.shape[-1], *value.strides[:-1]]
        return "tensordesc<%s%s, %s>%s" % (value.dtype, value.block, value.padding,
                                           "" if any(size % 16 for size in sizes) else ":16")
    if isinstance(value, Array):
        return "*%s:16" % value.dtype
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, float):
        return "fp32"
    if annotation:
        return annotation + (":16" if value % 16 == 0 else "")
    if value == 1:
        return "i32:1"
    width = "i32" if -2**31 <= value < 2**31 else "i64"
    return width + (":16" if value % 16 == 0 else "")


class Spec:
    """The description of one kernel."""

    def __init__(self, path, name, fields, tree):
        self.path, self.name, self.fields = path, name, fields
        function = next((node for node in tree.body
                         if isinstance(node, ast.FunctionDef) and node.name == name), None)
        if function is None:
            raise HeaderError("%s has no function '%s'" % (path, name))
        self.parameters = [parameter.arg for parameter in function.args.args]
        self.annotations = {}
        for parameter in function.args.args:
            text = ast.unparse(parameter.annotation) if parameter.annotation else ""
            if text == "int":
                self.annotations[parameter.arg] = "i32"
            elif text.startswith("tl.int"):
                self.annotations[parameter.arg] = "i" + text[len("tl.int"):]
        self.check = fields.get("CHECK", "").split()
        self.warps = int(fields["WARPS"]) if "WARPS" in fields else None
        self.max_registers = int(fields["MAXNREG"]) if "MAXNREG" in fields else None
        self.waiting = fields.get("WAITING")
        self.no_triton = fields.get("NO-TRITON")
        self.reference = fields.get("REFERENCE", name + "_reference")

    def cases(self):
        """Every case of SIZES with every type."""
        for sizes, dtype in itertools.product(self.fields["SIZES"].split("|"),
                                              self.fields.get("TYPES", "").split() or [None]):
            values, options = read_values_and_options(sizes)
            if dtype:
                values["T"] = dtype
            yield self.case(values, options)

    def bench_case(self):
        """The case to measure; None without BENCH."""
        if "BENCH" not in self.fields:
            return None
        values, options = read_values_and_options(self.fields["BENCH"])
        unknown = values.keys() - self.known_names()
        if unknown:
            raise HeaderError("%s: BENCH of '%s' names '%s', which is no size and no constant" %
                              (self.path, self.name, min(unknown)))
        return self.case(values, options)

    def known_names(self):
        """What a BENCH line may set."""
        constants = {line.split()[0] for line in self.fields.get("CONST", [])}
        sizes = [read_sizes(text) for text in self.fields["SIZES"].split("|")]
        return constants.union(*sizes, {"T"} if "TYPES" in self.fields else ())

    def case(self, values, options):
        known = dict(FUNCTIONS, **{dtype: dtype for dtype in (*FLOATS, *INTEGERS)})
        known.update(values)
        constants, arguments = {}, {}
        for line in self.fields.get("CONST", []):
            name, text = line.split(None, 1)
            # A value for this case stands for the expression.
            constants[name] = known[name] = values[name] if name in values else evaluate(text, known)
        for line in self.fields.get("ARG", []):
            name, text = line.split(None, 1)
            arguments[name] = read_value(text, known)
            if not isinstance(arguments[name], Array):
                known[name] = arguments[name]
        missing = [name for name in {**arguments, **constants} if name not in self.parameters]
        if missing:
            raise HeaderError("%s: '%s' has no parameter '%s'" % (self.path, self.name, missing[0]))
        ordered = {name: arguments[name] for name in self.parameters if name in arguments}
        grid = evaluate("(%s,)" % self.fields["GRID"], known)
        return Case(self, values, ordered, constants, grid, self.tolerances(known), options)

    def tolerances(self, known):
        lines = (line.split() for line in self.fields.get("TOLERANCE", []))
        return {output: (evaluate(relative, known), evaluate(absolute, known)) for output, relative, absolute in lines}


def evaluate(text, known):
    try:
        return eval(text, {"__builtins__": {}}, known)  # A header of this repository, not input.
    except Exception as error:
        raise HeaderError("cannot evaluate '%s': %s" % (text, error))


def read_sizes(text):
    sizes = {}
    for item in text.split():
        name, value = item.split("=")
        sizes[name] = value if value in FLOATS or value in INTEGERS else ast.literal_eval(value)
    return sizes


def read_values_and_options(text):
    """What a line sets for the kernel, and what it says to the compiler."""
    values = read_sizes(text)
    return values, {name: values.pop(name) for name in OPTIONS if name in values}


def read_value(text, known):
    """A number, an array written CONTENTS:TYPE[SHAPE], or a descriptor of one, desc(ARRAY, BLOCK, PADDING)."""
    described = re.fullmatch(r"desc\((.*\]),\s*(\[[^\[\]]*\])(?:,\s*(nan|zero))?\)", text.strip())
    if described:
        array = read_value(described.group(1), known)
        array.block, array.padding = evaluate(described.group(2), known), described.group(3) or "zero"
        return array
    found = re.fullmatch(r"(\w+)(?:\(([^()]*)\))?:(\w+)\[(.*)\]", text.strip())
    if not found:
        return evaluate(text, known)
    contents, parameters, dtype, shape = found.groups()
    dtype = evaluate(dtype, known)
    if dtype not in FLOATS and dtype not in INTEGERS:
        raise HeaderError("unknown type '%s'" % dtype)
    parameters = evaluate("(%s,)" % parameters, known) if parameters else ()
    return Array(contents, parameters, dtype, evaluate("(%s,)" % shape, known))


def read_file(path):
    """The Specs of a kernel file, and a function that gives its reference functions by name."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree = ast.parse(text)
    blocks = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            break
        found = re.match(r"#\s*([A-Z][A-Z-]*):\s*(.*)", line)
        if not found or found.group(1) in ("RUN", "REQUIRES"):
            continue
        key, value = found.group(1), found.group(2).strip()
        if key == "KERNEL":
            blocks.append((value, {}))
        elif key not in KEYS:
            raise HeaderError("%s: unknown line '%s:'" % (path, key))
        elif not blocks:
            raise HeaderError("%s: '%s:' before 'KERNEL:'" % (path, key))
        elif key in LISTS:
            blocks[-1][1].setdefault(key, []).append(value)
        else:
            blocks[-1][1][key] = value
    if not blocks:
        raise HeaderError("%s describes no kernel" % path)

    def references(namespace):
        # Plain functions only: the kernels, the imports and the types of host code stay unexecuted.
        plain = [node for node in tree.body
                 if isinstance(node, ast.FunctionDef) and not node.decorator_list]
        exec(compile(ast.Module(plain, []), path, "exec", __future__.annotations.compiler_flag), namespace)
        return namespace

    return [Spec(path, name, fields, tree) for name, fields in blocks], references
