"""Tensor maps that launches make: of Triton's descriptors, and of what tilec's records say of a kernel (docs/runtime.md)."""

import ctypes

import providers

NO_INTERLEAVE, PROMOTE_128 = 0, 2
UNSIGNED = {1: 0, 2: 1, 4: 2, 8: 4}  # CUtensorMapDataType by bytes.
SWIZZLES = {32: 1, 64: 2, 128: 3}


def empty():
    """128 bytes at a multiple of 64."""
    storage = ctypes.create_string_buffer(128 + 64)
    return (ctypes.c_uint64 * 16).from_buffer(storage, -ctypes.addressof(storage) % 64)


def encode(address, kind, sizes, strides, box, swizzle, fill):
    """Axes count from the outermost one; strides are in bytes, without that of the innermost axis."""
    result, rank = empty(), len(sizes)
    # The driver counts from the innermost one.
    numbers = [(ctypes.c_uint64 * len(list_))(*reversed(list_)) for list_ in (sizes, strides)]
    boxes = (ctypes.c_uint32 * rank)(*reversed(box))
    steps = (ctypes.c_uint32 * rank)(*[1] * rank)
    providers.Memory.call("cuTensorMapEncodeTiled", result, kind, rank, ctypes.c_void_p(address), *numbers, boxes,
                          steps, NO_INTERLEAVE, swizzle, PROMOTE_128, fill)
    return result


def wrapped(number, bits=64):
    """The integer of so many bits with its sign."""
    number &= (1 << bits) - 1
    return number - (number >> (bits - 1) << bits)


COMBINE = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
}


def evaluate(text, arguments):
    """The value of an expression in postfix form, of the integers and addresses that are arguments."""
    stack = []
    for token in text.split():
        if token.startswith("@"):
            stack.append(wrapped(arguments[int(token[1:])]))
        elif token.startswith("sext"):
            stack.append(wrapped(stack.pop(), int(token[4:])))
        elif token.startswith("zext"):
            stack.append(stack.pop() & ((1 << int(token[4:])) - 1))
        elif token in COMBINE:
            right, left = stack.pop(), stack.pop()
            stack.append(wrapped(COMBINE[token](left, right)))
        else:
            stack.append(int(token))
    return stack.pop()


def of_record(known, arguments):
    """The map that an entry of a record's 'tensor_maps' stands for; zeros if this launch does not need it."""
    if "when" in known and not evaluate(known["when"], arguments):
        return empty()
    number = known["element_bytes"]
    sizes = [evaluate(text, arguments) for text in known["sizes"]]
    strides = [number * evaluate(text, arguments) for text in known["strides"]]
    strides = [16 if size == 1 else stride for size, stride in zip(sizes, strides)]
    return encode(evaluate(known["base"], arguments) & (1 << 64) - 1, UNSIGNED[number], sizes, strides, known["box"],
                  SWIZZLES[known["swizzle_bytes"]], fill=0)
