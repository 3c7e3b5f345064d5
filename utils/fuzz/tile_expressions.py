"""Random expressions that change shapes: moving elements, reductions, scans, sorting."""

from elements import BF16, ELEMENTS, FP16, FP32, FP64, FP8, I1, I32, INTS
from expressions import INPUT_LENGTH, Expressions, cast, compare, count_of, literal
from program import Node
from tile_operations import COMBINES, extreme_element, sum_element


class TileExpressions(Expressions):
    def __init__(self, program, rng, array_rng):
        super().__init__(program, rng, array_rng)
        self.largest_tile = 1024
        self.summed_floats = [FP16, BF16, FP32, FP64]
        self.exact_sums = 256  # of so many small integers those are exact in all of these types
        self.farthest = INPUT_LENGTH - 1  # the last element that a load from where data say may reach
        self.makers += [(3, self.reshaped), (2, self.permuted), (2, self.broadcast), (1, self.joined), (1, self.split),
                        (1, self.flipped), (3, self.reduced), (2, self.scanned), (1, self.sorted), (1, self.gathered),
                        (1, self.counted), (1, self.loaded_at), (1, self.chosen), (1, self.logic), (3, self.multiplied)]

    def factored(self, count):
        """A shape of up to three axes with so many elements."""
        sizes = [1] * self.random.choice([1, 1, 2, 2, 3])
        while count > 1:
            sizes[self.random.randrange(len(sizes))] *= 2
            count //= 2
        return tuple(sizes)

    def reshaped(self, shape, depth):
        count = count_of(shape)
        if not shape:
            node = self.tile((1,) * self.random.choice([1, 2]), depth)
            return Node("item", [node], node.element, ())
        if len(shape) == 1 and self.chance(0.2):
            node = self.tile(self.factored(count), depth)
            return Node("ravel", [node], node.element, shape)
        node = self.tile(self.factored(count), depth)
        return Node("reshape", [node], node.element, shape, form=self.random.choice(["tl.reshape", "tl.view"]))

    def permuted(self, shape, depth):
        if len(shape) < 2:
            return None
        if self.chance(0.3):
            node = self.tile(shape[:-2] + (shape[-1], shape[-2]), depth)
            return Node("dot_T" if len(shape) == 2 and self.chance(0.5) else "trans", [node], node.element, shape)
        order = list(range(len(shape)))
        self.random.shuffle(order)
        source = [0] * len(shape)
        for place, axis in enumerate(order):
            source[axis] = shape[place]
        node = self.tile(source, depth)
        return Node("permute", [node], node.element, shape, order=order)

    def broadcast(self, shape, depth):
        if not shape:
            return None
        ones = [axis for axis, size in enumerate(shape) if size == 1]
        if ones and len(shape) > 1 and self.chance(0.6):
            axis = self.random.choice(ones)
            node = self.tile(shape[:axis] + shape[axis + 1:], depth)
            if self.chance(0.5):
                return Node("expand_dims", [node], node.element, shape, axis=axis)
            places = [None if other == axis else ":" for other in range(len(shape))]
            return Node("subscript", [node], node.element, shape, places=places)
        node = self.tile([1 if self.chance(0.5) else size for size in shape], depth)
        return Node("broadcast_to", [node], node.element, shape)

    def joined(self, shape, depth):
        if not shape or shape[-1] < 2:
            return None
        if len(shape) > 1 and shape[-1] == 2 and self.chance(0.7):
            left = self.tile(shape[:-1], depth)
            return Node("join", [left, self.of(left.element, shape[:-1], depth)], left.element, shape)
        half = shape[:-1] + (shape[-1] // 2,)
        left = self.tile(half, depth)
        name = "cat" if len(shape) == 1 and self.chance(0.5) else "interleave"
        return Node(name, [left, self.of(left.element, half, depth)], left.element, shape)

    def split(self, shape, depth):
        if count_of(shape) * 2 > self.largest_tile:
            return None
        node = self.tile(shape + (2,), depth)
        return Node("part", [Node("split", [node], None, ())], node.element, shape, index=self.random.randrange(2))

    def flipped(self, shape, depth):
        if not shape:
            return None
        node = self.tile(shape, depth)
        return Node("flip", [node], node.element, shape, axis=self.random.randrange(len(shape)))

    # Reductions

    def axis_for(self, shape):
        """The shape to reduce, its axis, and whether the axis stays: what gives `shape`."""
        ones = [axis for axis, size in enumerate(shape) if size == 1]
        keeps = bool(ones) and self.chance(0.5)
        most = max(1, self.largest_tile // count_of(shape))
        size = self.random.choice([size for size in (1, 2, 4, 8, 16, 32, 64) if size <= most])
        if keeps:
            axis = self.random.choice(ones)
            return shape[:axis] + (size,) + shape[axis + 1:], axis, True
        if len(shape) == 3:
            return None
        axis = self.random.randrange(len(shape) + 1)
        return shape[:axis] + (size,) + shape[axis:], axis, False

    def reduced(self, shape, depth):
        chosen = self.axis_for(shape)
        if chosen is None:
            return None
        source, axis, keeps = chosen
        attrs = {"axis": axis, "keep_dims": keeps}
        name = self.random.choice(["sum", "sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce_or", "index", "reduce"])
        if name == "sum":
            return self.summed(source, shape, depth, attrs)
        if name == "reduce":
            return self.combined("reduce", source, shape, depth, attrs)
        node = self.tile(source, depth)
        if name in ("xor_sum", "reduce_or"):
            node = self.integer(node, INTS + [I1])
            return Node(name, [node], node.element, shape, **attrs)
        if name in ("max", "min"):
            return self.plus_zero(Node(name, [node], extreme_element(node.element), shape, **attrs))
        node = self.ordered(node)
        if name in ("argmax", "argmin"):
            return Node(name, [node], I32, shape, **attrs)
        pair = Node("with_index", [node], None, (), name=self.random.choice(["max", "min"]), result=shape, **attrs)
        if self.chance(0.5):
            return Node("part", [pair], I32, shape, index=1)
        element = FP32 if node.element is BF16 else node.element
        return self.plus_zero(Node("part", [pair], element, shape, index=0))

    def ordered(self, node):
        """No NaN, whose place among the others the language does not say."""
        return self.without_nan(node) if node.element.is_float() else node

    def small_integers(self, source, depth, most):
        """Floats whose sums are exact in any order."""
        element = self.random.choice(self.summed_floats)
        node = self.integer(self.tile(source, depth))
        node = Node("and", [node, literal(most)], node.element, source)
        return cast(cast(node, FP32), element)

    def multiplied(self, shape, depth):
        """A product of small integers, which is exact in every order and every type."""
        if len(shape) < 2 or shape[-1] > 32 or shape[-2] > 32 or count_of(shape[:-2]) > 4:
            return None
        factor = self.random.choice([FP16, BF16, FP32, FP64, ELEMENTS["i8"]] + FP8)
        count = 32 if factor.bits == 8 else self.random.choice([16, 32])
        other = self.random.choice(FP8) if factor.kind == "fp8" else factor
        if count * count_of(shape[:-2]) * max(shape[-2:]) > self.input_length:
            return None
        left = self.small_factor(shape[:-1] + (count,), depth, factor)
        right = self.small_factor(shape[:-2] + (count, shape[-1]), depth, other)
        element = I32 if factor is ELEMENTS["i8"] else FP64 if factor is FP64 else FP32
        if factor is FP16 and self.chance(0.2):
            element = FP16
        acc = [self.small_factor(shape, depth, element)] if self.chance(0.4) else []
        precision = self.random.choice([None, "ieee", "tf32x3"]) if factor is FP32 else None
        return Node("dot", [left, right] + acc, element, shape, typed=element is FP16 or bool(acc) and element is not FP32,
                    precision=precision)

    def small_factor(self, shape, depth, element):
        """Integers from 0 to 7 in any type."""
        node = self.integer(self.tile(shape, min(depth, 1)))
        node = Node("and", [node, literal(7)], node.element, shape)
        return cast(node, element) if element.is_int() else cast(cast(node, FP32), element)

    def summed(self, source, shape, depth, attrs):
        if self.chance(0.35):
            node = self.small_integers(source, depth, 7 if count_of(source) <= 32 else 1)
            if count_of(source) <= self.exact_sums:
                return Node("exact_sum", [node], node.element, shape, **attrs)
        node = self.integer(self.tile(source, depth), INTS + [I1])
        if self.chance(0.2):
            return Node("exact_sum", [node], self.random.choice(INTS), shape, typed=True, **attrs)
        return Node("exact_sum", [node], sum_element(node.element), shape, **attrs)

    def combined(self, name, source, shape, depth, attrs):
        """A reduction or scan by a function of the kernel, of one tile or a pair."""
        known = [key for key, combine in COMBINES.items() if combine.is_commutative or name == "scan"]
        key = self.random.choice(known)
        if key not in self.program.combines:
            self.program.combines.append(key)
        first = self.integer(self.tile(source, depth))
        if COMBINES[key].count == 1:
            return Node(name, [first], first.element, shape, combine=key, **attrs)
        second = self.of(first.element, source, depth) if key == "combine_affine" else \
            self.integer(self.tile(source, depth))
        index = self.random.randrange(2)
        pair = Node(name, [first, second], None, (), combine=key, result=shape, **attrs)
        return Node("part", [pair], (first, second)[index].element, shape, index=index)

    def scanned(self, shape, depth):
        if not shape:
            return None
        attrs = {"axis": self.random.randrange(len(shape)), "reverse": self.chance(0.3)}
        name = self.random.choice(["cumsum", "cumsum", "cumprod", "scan"])
        if name == "scan":
            return self.combined("scan", shape, shape, depth, attrs)
        if name == "cumsum" and self.chance(0.4) and count_of(shape) <= self.exact_sums:
            node = self.small_integers(shape, depth, 1)
            return Node(name, [node], FP32 if node.element is BF16 else node.element, shape, **attrs)
        node = self.integer(self.tile(shape, depth))
        return Node(name, [node], sum_element(node.element) if name == "cumsum" else node.element, shape, **attrs)

    # Selection

    def sorted(self, shape, depth):
        if not shape or shape[-1] > 64:
            return None
        if self.chance(0.4) and count_of(shape) * 4 <= self.largest_tile:
            node = self.sortable(shape[:-1] + (shape[-1] * self.random.choice([2, 4]),), depth)
            return Node("topk", [node], extreme_element(node.element), shape)
        node = self.sortable(shape, depth)
        return Node("sort", [node], node.element, shape, descending=self.chance(0.5))

    def sortable(self, shape, depth):
        """Without NaNs and negative zeros."""
        node = self.tile(shape, depth)
        return self.plus_zero(self.ordered(node))

    def gathered(self, shape, depth):
        if not shape:
            return None
        axis = self.random.randrange(len(shape))
        size = self.random.choice([1, 2, 8, 32])
        source = self.tile(shape[:axis] + (size,) + shape[axis + 1:], depth)
        if count_of(source.shape) > self.largest_tile:
            return None
        index = self.integer(self.tile(shape, depth))
        index = Node("and", [index, literal(size - 1)], index.element, shape)
        return Node("gather", [source, index], source.element, shape, axis=axis)

    def counted(self, shape, depth):
        """Values outside of the bins are not counted."""
        if len(shape) != 1 or not 2 <= shape[0] <= 128:
            return None
        source = (self.random.choice([2, 32, 128]),)
        value = self.integer(self.tile(source, depth), [I32, ELEMENTS["i64"], ELEMENTS["u32"]])
        if self.chance(0.7):
            value = Node("and", [value, literal(shape[0] * 2 - 1)], value.element, source)
        args = [value] + ([self.boolean(source, depth)] if self.chance(0.3) else [])
        return Node("histogram", args, I32, shape)

    def loaded_at(self, shape, depth):
        """A load from where data say, inside of the array or under a mask that says so."""
        if not self.may_load:
            return None
        index = self.integer(self.tile(shape, depth))
        element = self.random.choice(INTS + [FP16, BF16, FP32, FP64, I1])
        buffer = self.input_buffer(element)
        if self.chance(0.6) or index.op != "var":
            most = {8: 63, 16: min(self.farthest, 32767)}.get(index.element.bits, self.farthest)
            index = Node("and", [index, literal(most)], index.element, shape)
            return Node("load", [index], element, shape, buffer=buffer)
        inside = compare("lt", index, literal(100))
        if index.element.is_signed():
            inside = Node("and", [inside, compare("ge", index, literal(0))], I1, shape)
        node = Node("load", [index, inside] + self.other(element, shape), element, shape, buffer=buffer)
        if len(node.args) == 3:
            node.attrs["other"] = Node("full", [node.args[2]], element, node.args[2].shape)
        return node

    def chosen(self, shape, depth):
        """A conditional expression: the condition is a scalar, the sides have the same type."""
        condition = self.boolean((), depth)
        left = self.tile(shape, depth)
        return Node("choose", [condition, left, self.of(left.element, shape, depth)], left.element, shape)

    def logic(self, shape, depth):
        name = self.random.choice(["both", "either", "logical_and", "logical_or"])
        return Node(name, [self.boolean(shape, depth), self.boolean(shape, depth)], I1, shape)
