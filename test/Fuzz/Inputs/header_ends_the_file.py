import functools


from functools import partial


import triton


import triton.language as tl


def checked(function):
    """A decorator made of others."""
    return triton.jit(function, debug=True)
