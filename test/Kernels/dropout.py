# Dropout: the mask made from a seed, forward and the same again backward, four numbers at a time in one form.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: seeded_dropout
# TYPES: fp32
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=fp32
# ARG: x_ptr randn:T[n]
# ARG: output_ptr empty:T[n]
# ARG: n_elements n
# ARG: p 0.3
# ARG: seed 12345
# CONST: BLOCK_SIZE 1024
# GRID: cdiv(n, BLOCK_SIZE)
#
# KERNEL: dropout_forward
# TYPES: bf16
# SIZES: N=4 | N=1000 | N=8192
# BENCH: N=16777216 T=bf16
# ARG: X randn:T[N]
# ARG: Y empty:T[N]
# ARG: N N
# ARG: p 0.5
# ARG: philox_seed 123456789012345
# ARG: philox_offset 5
# CONST: BLOCK 256
# GRID: cdiv(N, BLOCK*4)
import triton
import triton.language as tl

UNROLL = tl.constexpr(4)


@triton.jit
def seeded_dropout(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    block_start = pid * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


@triton.jit
def dropout_forward(X, Y, N, p, philox_seed, philox_offset, BLOCK: tl.constexpr):
    philox_seed = philox_seed.to(tl.int64)
    philox_offset = philox_offset.to(tl.int64)
    c0 = (philox_offset & 0xFFFFFFFF).to(tl.uint32)
    c1 = ((philox_offset >> 32) & 0xFFFFFFFF).to(tl.uint32)
    i4 = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c0 += i4
    _O = c0 * 0
    r0, r1, r2, r3 = tl.philox(philox_seed, c0, c1, _O, _O)
    r0 = tl.uint_to_uniform_float(r0)
    r1 = tl.uint_to_uniform_float(r1)
    r2 = tl.uint_to_uniform_float(r2)
    r3 = tl.uint_to_uniform_float(r3)
    mask0, mask1, mask2, mask3 = r0 > p, r1 > p, r2 > p, r3 > p
    scale = 1.0 / (1.0 - p)
    off_0 = tl.program_id(0) * BLOCK * UNROLL + tl.arange(0, BLOCK)
    off_1 = off_0 + BLOCK
    off_2 = off_1 + BLOCK
    off_3 = off_2 + BLOCK
    x0 = tl.load(X + off_0, mask=off_0 < N, other=0.0, eviction_policy="evict_first")
    x1 = tl.load(X + off_1, mask=off_1 < N, other=0.0, eviction_policy="evict_first")
    x2 = tl.load(X + off_2, mask=off_2 < N, other=0.0, eviction_policy="evict_first")
    x3 = tl.load(X + off_3, mask=off_3 < N, other=0.0, eviction_policy="evict_first")
    tl.store(Y + off_0, x0 * scale * mask0, mask=off_0 < N, eviction_policy="evict_first")
    tl.store(Y + off_1, x1 * scale * mask1, mask=off_1 < N, eviction_policy="evict_first")
    tl.store(Y + off_2, x2 * scale * mask2, mask=off_2 < N, eviction_policy="evict_first")
    tl.store(Y + off_3, x3 * scale * mask3, mask=off_3 < N, eviction_policy="evict_first")


def philox(seed, c0, c1):
    mask = np.uint64(0xFFFFFFFF)
    c = [np.asarray(v, np.uint64) for v in (c0, c1, 0 * c0, 0 * c0)]
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64((seed >> 32) & 0xFFFFFFFF)
    for _ in range(10):
        p, q = np.uint64(0xCD9E8D57) * c[2], np.uint64(0xD2511F53) * c[0]
        c = [(p >> np.uint64(32)) ^ c[1] ^ k0, p & mask, (q >> np.uint64(32)) ^ c[3] ^ k1, q & mask]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    signed = [word.astype(np.uint32).view(np.int32).astype(np.int64) for word in c]
    return [np.where(s < 0, -s - 1, s) * 4.6566127342e-10 for s in signed]


def seeded_dropout_reference(x_ptr, p, seed):
    keep = philox(seed, np.arange(len(x_ptr), dtype=np.uint64), np.zeros(len(x_ptr), np.uint64))[0] > p
    return np.where(keep, x_ptr / (1 - p), 0)


def dropout_forward_reference(X, N, p, philox_seed, philox_offset, BLOCK):
    i = np.arange(-(-N // (4 * BLOCK)) * BLOCK, dtype=np.uint64)
    words = philox(philox_seed, i + np.uint64(philox_offset), 0 * i)
    keep = np.concatenate([np.concatenate([w[b:b + BLOCK] for w in words]) for b in range(0, len(i), BLOCK)]) > p
    return np.where(keep[:N], X / (1 - p), 0)
