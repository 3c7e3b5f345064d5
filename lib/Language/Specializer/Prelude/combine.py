# The functions that the language's own reductions and scans combine two elements with.
import triton
import triton.language as tl


@triton.jit
def _sum_combine(a, b):
    return a + b


@triton.jit
def _prod_combine(a, b):
    return a * b


@triton.jit
def _xor_combine(a, b):
    return a ^ b


@triton.jit
def _or_combine(x, y):
    return x | y


@triton.jit
def _elementwise_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _elementwise_min(a, b):
    return tl.minimum(a, b)


@triton.jit
def _first_if(takes_first, value1, index1, value2, index2):
    return tl.where(takes_first, value1, value2), tl.where(takes_first, index1, index2)


@triton.jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 > value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return _first_if(takes_first, value1, index1, value2, index2)


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@triton.jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    takes_first = value1 < value2
    if tie_break_left:
        takes_first = takes_first | ((value1 == value2) & (index1 < index2))
    return _first_if(takes_first, value1, index1, value2, index2)


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)
