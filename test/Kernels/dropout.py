# Dropout with a mask that a seed and a position give, so that the way back makes the same one: a number for each
# element, and four elements from the four words of one call.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: dropout
# TYPES: fp32
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=fp32
# ARG: x randn:T[n]
# ARG: out empty:T[n]
# ARG: n n
# ARG: rate 0.3
# ARG: seed 12345
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
#
# KERNEL: dropout_by_fours
# TYPES: bf16
# SIZES: n=4 | n=1000 | n=8192
# BENCH: n=16777216 T=bf16
# ARG: x randn:T[n]
# ARG: out empty:T[n]
# ARG: n n
# ARG: rate 0.5
# ARG: seed 123456789012345
# ARG: skipped 5
# CONST: CALLS 256
# GRID: cdiv(n, 4 * CALLS)
import triton
import triton.language as tl


@triton.jit
def dropout(x, out, n, rate, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > rate
    value = tl.load(x + i, mask=(i < n) & kept, other=0.0)
    tl.store(out + i, value * (1 / (1 - rate)), mask=i < n)


@triton.jit
def four_numbers(seed, counter):
    """Numbers from 0 to 1 in rows of four; the upper half of the counter is its own word."""
    low = (counter & 0xFFFFFFFF).to(tl.uint32)
    high = (counter >> 32).to(tl.uint32)
    a, b, c, d = tl.philox(seed, low, high, low * 0, low * 0)
    words = tl.join(tl.join(a, c), tl.join(b, d))
    return tl.uint_to_uniform_float(words.reshape(4 * counter.shape[0]))


@triton.jit
def dropout_by_fours(x, out, n, rate, seed, skipped, CALLS: tl.constexpr):
    pid = tl.program_id(0)
    calls = skipped.to(tl.int64) + pid * CALLS + tl.arange(0, CALLS)
    kept = four_numbers(seed.to(tl.int64), calls) > rate
    i = pid * (4 * CALLS) + tl.arange(0, 4 * CALLS)
    value = tl.load(x + i, mask=i < n, other=0.0, eviction_policy="evict_first").to(tl.float32)
    scaled = value * kept / (1.0 - rate)
    tl.store(out + i, scaled, mask=i < n, eviction_policy="evict_first")


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


def dropout_reference(x, rate, seed):
    kept = philox(seed, np.arange(len(x), dtype=np.uint64), np.zeros(len(x), np.uint64))[0] > rate
    return kept * x / (1 - rate)


def dropout_by_fours_reference(x, rate, seed, skipped):
    counter = np.arange(-(-len(x) // 4), dtype=np.uint64) + np.uint64(skipped)
    kept = np.stack(philox(seed, counter, 0 * counter), 1).reshape(-1)[:len(x)] > rate
    return kept * x / (1 - rate)
