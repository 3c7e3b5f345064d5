# The steps of the language's own sorting networks, for kernels that put them together in their own way. They see a
# block of 2^n elements as one of n axes of two elements each.


@triton.constexpr_function
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


@triton.constexpr_function
def _pick_sum_dtype(in_dtype, dtype):
    if dtype is not None:
        return dtype
    if not in_dtype.is_int() or in_dtype.int_bitwidth >= 32:
        return None
    if in_dtype.is_int_signed():
        return tl.int32
    return tl.uint32 if in_dtype.is_int_unsigned() else None


@triton.constexpr_function
def _get_flip_dim(dim, shape):
    if dim is None:
        return len(shape) - 1
    return dim + len(shape) if dim < 0 else dim


@triton.jit
def _indicator(n_dims, j):
    return tl.reshape(tl.arange(0, 2), (1,) * (n_dims - j - 1) + (2,) + (1,) * j)


@triton.jit
def _compare_and_swap(x, flip, i):
    n_dims: tl.constexpr = _log2(x.numel)
    partner = tl.flip(x, n_dims - 1 - i)
    return tl.where((x > partner) != (flip ^ _indicator(n_dims, i)), partner, x)


@triton.jit
def _bitonic_merge_hypercube(x, stage, order):
    if order == 2:
        flip = _indicator(_log2(x.numel), stage)
        for step in tl.static_range(stage):
            x = _compare_and_swap(x, flip, stage - 1 - step)
    else:
        for step in tl.static_range(stage):
            x = _compare_and_swap(x, order, stage - 1 - step)
    return x


@triton.jit
def _bitonic_merge(x, stage, order, n_dims):
    cube = tl.reshape(x, (2,) * _log2(x.numel))
    return tl.reshape(_bitonic_merge_hypercube(cube, stage, order), x.shape)


@triton.jit
def sort_impl(x, k, dim, descending):
    if k is None:
        return sort(x, dim, descending)
    else:
        return _extreme_of(x, k, dim, descending)
