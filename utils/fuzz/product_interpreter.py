"""The interpreter of kernels with products: floats with bounds, pointers in variables."""

import numpy as np

from bounded import BOUNDED, Bounded, last_place, stored
from elements import FP64, convert, literal_value
from interpreter import GeneratorError, Interpreter
from product_operations import Pointers, Region


def _is_float(element):
    return element is not None and element.kind in ("float", "fp8")


class ProductInterpreter(Interpreter):
    # Expressions

    def value(self, node, names):
        special = getattr(self, "value_" + node.op, None)
        if special:
            return special(node, names)
        rule = BOUNDED.get(node.op)
        arguments = [self.value(arg, names) for arg in node.args]
        if rule is None or not (_is_float(node.element) or any(isinstance(each, Bounded) for each in arguments)):
            return self.evaluated(node, arguments)
        result = rule(node, *arguments)
        if result.shape != node.shape:
            raise GeneratorError("%s is %s, not %s" % (node.op, result.shape, node.shape))
        return result

    def read(self, name, index, element):
        memory = self.memories[name]
        if index.size and (index.min() < 0 or index.max() >= len(memory.raw)):
            raise GeneratorError("a load outside of %s" % name)
        value = memory.read(index)
        if not _is_float(element):
            return value
        return Bounded(value.astype(np.float64), 0.0 if memory.tolerance is None else memory.tolerance[index])

    def masked(self, node, name, index, mask, other):
        """What a load gives: `other` where the mask is off."""
        value = self.read(name, np.where(mask, index, 0), node.element)
        if isinstance(value, Bounded):
            return Bounded(np.where(mask, value.value, other), np.where(mask, value.error, 0.0))
        return np.where(mask, value, np.asarray(other).astype(value.dtype))

    def value_load(self, node, names):
        index = np.broadcast_to(self.value(node.args[0], names), node.shape)
        return self.load_at(node, node.attrs["buffer"].name, index, names)

    def value_load_pointer(self, node, names):
        pointers = self.value(node.args[0], names)
        return self.load_at(node, pointers.buffer, np.broadcast_to(pointers.index, node.shape), names)

    def load_at(self, node, name, index, names):
        if len(node.args) == 1:
            return self.read(name, index, node.element)
        mask = np.broadcast_to(self.value(node.args[1], names), node.shape)
        other = 0
        if len(node.args) == 3:
            other = literal_value(node.args[2].attrs["value"], node.element)
        return self.masked(node, name, index, mask, other)

    def value_points(self, node, names):
        return Pointers(node.attrs["buffer"].name, self.value(node.args[0], names))

    def value_moved(self, node, names):
        pointers = self.value(node.args[0], names)
        return Pointers(pointers.buffer, pointers.index + self.value(node.args[1], names))

    def value_split(self, node, names):
        value = self.value(node.args[0], names)
        if isinstance(value, Bounded):
            return tuple(value.moved(lambda array, half=half: array[..., half]) for half in range(2))
        return value[..., 0], value[..., 1]

    def numbers(self, nodes, names):
        return tuple(int(self.value(node, names)) for node in nodes)

    def value_make_block(self, node, names):
        rank = len(node.shape)
        numbers = self.numbers(node.args, names)
        return Region(node.attrs["buffer"].name, numbers[:rank], numbers[rank:2 * rank], node.shape, numbers[2 * rank:])

    def value_make_descriptor(self, node, names):
        rank = len(node.shape)
        numbers = self.numbers(node.args, names)
        return Region(node.attrs["buffer"].name, numbers[:rank], numbers[rank:], node.shape)

    def value_advance(self, node, names):
        block = self.value(node.args[0], names)
        steps = self.numbers(node.args[1:], names)
        return block.at([place + step for place, step in zip(block.places, steps)])

    def value_load_block_pointer(self, node, names):
        return self.load_region(node, self.value(node.args[0], names), node.attrs["checked"], node.attrs["padding"])

    def value_load_descriptor(self, node, names):
        region = self.value(node.args[0], names).at(self.numbers(node.args[1:], names))
        return self.load_region(node, region, range(len(region.shape)), node.attrs["padding"])

    def load_region(self, node, region, checked, padding):
        index, inside = region.indices(checked)
        return self.masked(node, region.buffer, index, inside, np.nan if padding else 0)

    # Statements

    def run_Store(self, statement, names):
        memory = self.memories[statement.buffer.name]
        index = self.value(statement.index, names)
        mask = self.value(statement.mask, names) if statement.mask else True
        self.write(memory, index, np.broadcast_to(mask, index.shape), statement.value, names)

    def run_Effect(self, statement, names):
        node = statement.value
        if node.op == "debug_barrier":
            super().run_Effect(statement, names)
            return
        region = self.value(node.args[0], names)
        checked = node.attrs.get("checked", range(len(region.shape)))
        if node.op == "store_descriptor":
            region = region.at(self.numbers(node.args[2:], names))
        index, inside = region.indices(checked)
        self.write(self.memories[region.buffer], index, inside, node.args[1], names)

    def write(self, memory, index, mask, value_node, names):
        value = self.value(value_node, names)
        if index[mask].size and (index[mask].min() < 0 or index[mask].max() >= len(memory.raw)):
            raise GeneratorError("a store outside of %s" % memory.buffer.name)
        if isinstance(value, Bounded):
            value = stored(value, value_node.element, memory.element)
            error = value.error + np.where(value.error == 0, 0.0, last_place(value.most(), memory.element))
            nearest = np.broadcast_to(convert(value.value, FP64, memory.element), index.shape)[mask]
            memory.write(self.number, index[mask], nearest, np.broadcast_to(error, index.shape)[mask])
            return
        value = np.broadcast_to(convert(value, value_node.element, memory.element), index.shape)
        memory.write(self.number, index[mask], value[mask])
