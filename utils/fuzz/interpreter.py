"""Runs a generated kernel program by program, and says what its outputs must be."""

import numpy as np

from elements import FP32, I32, convert, decode, encode
from operations import APPROXIMATE, OPERATIONS
from tile_operations import MEETING


class Returned(Exception):
    def __init__(self, values):
        super().__init__()
        self.values = values


class GeneratorError(Exception):
    """The kernel is not what its generator thinks: a mistake of the fuzzer, not of the compiler."""


class Memory:
    """An argument's array while the kernel runs."""

    def __init__(self, buffer):
        self.buffer, self.element = buffer, buffer.element
        self.raw = buffer.raw.copy()
        self.tolerance = None
        self.owner = np.full(self.raw.shape, -1)

    def read(self, indices):
        return decode(self.raw[indices], self.element)

    def write(self, program, indices, values, bound=None):
        """No two elements of a store, and no two programs, have the same address: nobody would know who wins."""
        others = self.owner[indices]
        if len(np.unique(indices)) != indices.size or ((others != -1) & (others != program)).any():
            raise GeneratorError("addresses meet in %s" % self.buffer.name)
        self.owner[indices] = program
        self.raw[indices] = encode(values, self.element)
        if bound is not None:
            if self.tolerance is None:
                self.tolerance = np.zeros(self.raw.shape)
            self.tolerance[indices] = bound


class Interpreter:
    def __init__(self, program):
        self.program = program
        self.memories = {buffer.name: Memory(buffer) for buffer in program.buffers}
        self.pid, self.number = (0, 0, 0), 0

    def run(self):
        """The memories after all programs."""
        x, y, z = self.program.grid
        for number in range(x * y * z):
            self.pid, self.number = (number % x, number // x % y, number // (x * y)), number
            names = {scalar.name: np.array(scalar.value, scalar.element.carrier) for scalar in self.program.scalars}
            try:
                self.block(self.program.body, names)
            except Returned:
                pass
        return self.memories

    # Statements

    def block(self, statements, names):
        for statement in statements:
            getattr(self, "run_" + type(statement).__name__)(statement, names)

    def run_Assign(self, statement, names):
        value = self.value(statement.value, names)
        if len(statement.names) == 1:
            names[statement.names[0]] = value
        else:
            names.update(zip(statement.names, value))

    def run_Store(self, statement, names):
        memory = self.memories[statement.buffer.name]
        index = self.value(statement.index, names)
        bound = None
        if statement.value.op in APPROXIMATE:
            node = statement.value
            arguments = [self.value(arg, names) for arg in node.args]
            value, bound = APPROXIMATE[node.op].evaluate(node, *arguments)
            bound = np.broadcast_to(bound, index.shape)
        else:
            value = convert(self.value(statement.value, names), statement.value.element, memory.element)
        value = np.broadcast_to(value, index.shape)
        mask = np.broadcast_to(self.value(statement.mask, names), index.shape) if statement.mask else \
            np.ones(index.shape, bool)
        memory.write(self.number, index[mask], value[mask], None if bound is None else bound[mask])

    def run_Effect(self, statement, names):
        node = statement.value
        if node.op == "atomic_meeting":
            self.atomic_meeting(node, names)
        elif node.op != "debug_barrier":
            raise GeneratorError("no effect is known of " + node.op)

    def atomic_meeting(self, node, names):
        """Elements may have one address: the order of what is done there does not matter, and nobody reads it before the end."""
        memory = self.memories[node.attrs["buffer"].name]
        index, value = [np.asarray(self.value(arg, names)) for arg in node.args[:2]]
        value = np.broadcast_to(convert(value, node.args[1].element, memory.element), index.shape)
        mask = np.broadcast_to(self.value(node.args[2], names), index.shape) if len(node.args) > 2 else True
        chosen = np.broadcast_to(mask, index.shape)
        MEETING[node.attrs["kind"]].at(memory.raw, index[chosen].astype(np.int64), value[chosen])

    def run_BlockStore(self, statement, names):
        indices, inside = self.block_indices(statement.extents, statement.offsets, statement.value.shape, names)
        value = np.broadcast_to(self.value(statement.value, names), indices.shape)
        self.memories[statement.buffer.name].write(self.number, indices[inside], value[inside])

    def run_If(self, statement, names):
        chosen = statement.then if self.value(statement.condition, names) != 0 else statement.otherwise
        self.block(chosen, names)

    def run_For(self, statement, names):
        bounds = [int(self.value(bound, names)) for bound in (statement.start, statement.stop, statement.step)]
        for number in range(*bounds):
            names[statement.target] = np.array(number, np.int32)
            self.block(statement.body, names)

    def run_While(self, statement, names):
        names[statement.counter] = self.value(statement.start, names)
        while names[statement.counter] > 0 and (statement.condition is None or self.value(statement.condition, names)):
            self.block(statement.body, names)
            names[statement.counter] = names[statement.counter] - np.array(1, names[statement.counter].dtype)

    def run_EarlyReturn(self, statement, names):
        if self.value(statement.condition, names) != 0:
            raise Returned([self.value(value, names) for value in statement.values])

    # Expressions

    def value(self, node, names):
        special = getattr(self, "value_" + node.op, None)
        if special:
            return special(node, names)
        return self.evaluated(node, [self.value(arg, names) for arg in node.args])

    def evaluated(self, node, arguments):
        result = OPERATIONS[node.op].evaluate(node, *arguments)
        if isinstance(result, tuple):
            return result
        result = np.asarray(result)
        if result.shape != node.shape or result.dtype != node.element.carrier:
            raise GeneratorError("%s is %s%s, not %s%s" % (node.op, result.dtype, result.shape, node.element, node.shape))
        return result

    def value_literal(self, node, names):
        return np.asarray(node.attrs["value"], node.element and node.element.carrier)

    def value_var(self, node, names):
        return names[node.attrs["name"]]

    def value_program_id(self, node, names):
        return np.array(self.pid[node.attrs["axis"]], I32.carrier)

    def value_num_programs(self, node, names):
        return np.array(self.program.grid[node.attrs["axis"]], I32.carrier)

    def value_tuple(self, node, names):
        return tuple(self.value(arg, names) for arg in node.args)

    def value_part(self, node, names):
        return self.value(node.args[0], names)[node.attrs["index"]]

    def value_call(self, node, names):
        results = self.call(node.attrs["function"], [self.value(arg, names) for arg in node.args])
        return results[0] if len(results) == 1 else tuple(results)

    def call(self, function, arguments):
        local = dict(zip(function.parameters, arguments))
        try:
            self.block(function.body, local)
            return [self.value(result, local) for result in function.results]
        except Returned as returned:
            return returned.values

    def value_load(self, node, names):
        """Masked-off elements are `other`, or 0 without one."""
        memory = self.memories[node.attrs["buffer"].name]
        index = np.broadcast_to(self.value(node.args[0], names), node.shape)
        if len(node.args) == 1:
            return memory.read(index)
        mask = np.broadcast_to(self.value(node.args[1], names), node.shape)
        value = memory.read(np.where(mask, index, np.zeros((), index.dtype)))
        other = np.zeros((), value.dtype)
        if len(node.args) == 3:
            other = OPERATIONS["full"].evaluate(node.attrs["other"], self.value(node.args[2], names))
        return np.where(mask, value, other)

    def block_indices(self, extents, offsets, shape, names):
        """Where the elements of a block lie in a row-major array, and which of them are inside."""
        index, inside = np.zeros(shape, np.int64), np.ones(shape, bool)
        for axis, (extent, offset, size) in enumerate(zip(extents, offsets, shape)):
            place = int(self.value(offset, names)) + np.arange(size)
            place = place.reshape([-1 if other == axis else 1 for other in range(len(shape))])
            index, inside = index * extent + place, inside & (place >= 0) & (place < extent)
        return np.where(inside, index, 0), inside

    def value_load_block(self, node, names):
        indices, inside = self.block_indices(node.attrs["extents"], node.args, node.shape, names)
        value = self.memories[node.attrs["buffer"].name].read(indices)
        return np.where(inside, value, np.array(node.attrs["padding"], value.dtype))

    def value_atomic(self, node, names):
        """Every element has an address of its own, so the order does not matter."""
        memory = self.memories[node.attrs["buffer"].name]
        index, value = [np.asarray(self.value(arg, names)) for arg in node.args[:2]]
        value = np.broadcast_to(convert(value, node.args[1].element, memory.element), index.shape)
        mask = np.broadcast_to(self.value(node.args[2], names), index.shape) if len(node.args) > 2 else \
            np.ones(index.shape, bool)
        old = memory.read(np.where(mask, index, np.zeros((), index.dtype)))
        new = OPERATIONS["atomic_" + node.attrs["kind"]].evaluate(node, old, value)
        bound = None
        if node.attrs["kind"] == "add" and memory.element is FP32:
            # GPUs take and give zeros for subnormals there.
            least = np.float64(2.0) ** -126
            tiny = [np.abs(each) < least for each in (old, value, np.broadcast_to(new, index.shape))]
            bound = np.where(tiny[0] | tiny[1] | tiny[2], 3 * least, 0.0)[mask]
        memory.write(self.number, index[mask], np.broadcast_to(new, index.shape)[mask], bound)
        return np.where(mask, old, np.zeros((), old.dtype))
