# Memories that a program keeps in registers while time goes on: one that fades, one that is corrected by what it
# would have answered, and the last inputs of a causal convolution.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: fading_memory
# TYPES: fp32
# SIZES: B=1 L=1 H=1 K=16 V=16 | B=2 L=9 H=2 K=32 V=48
# BENCH: B=8 L=256 H=16 K=64 V=64 T=fp32
# ARG: queries randn:T[B,L,H,K]
# ARG: keys randn(0,0.3):T[B,L,H,K]
# ARG: values randn:T[B,L,H,V]
# ARG: fading rand(-1,0):T[B,L,H]
# ARG: answers empty:T[B,L,H,V]
# ARG: memory empty:fp32[B,H,K,V]
# ARG: scale 0.25
# ARG: length L
# CONST: H H
# CONST: K K
# CONST: V V
# CONST: PART 16
# GRID: B*H, cdiv(V, PART)
# TOLERANCE: answers 1e-4 1e-4
# TOLERANCE: memory 1e-4 1e-4
#
# KERNEL: corrected_memory
# TYPES: bf16
# SIZES: N=1 K=16 V=16 | N=6 K=64 V=48
# BENCH: N=4096 K=128 V=128 T=bf16
# ARG: queries randn:T[N,K]
# ARG: keys randn(0,0.1):T[N,K]
# ARG: values randn:T[N,V]
# ARG: rates rand:fp32[N]
# ARG: memory randn:fp32[N,K,V]
# ARG: answers empty:T[N,V]
# CONST: K K
# CONST: V V
# CONST: PART 16
# GRID: N, cdiv(V, PART)
# CHECK: answers memory
# TOLERANCE: answers 1e-2 1e-2
# TOLERANCE: memory 1e-4 1e-4
#
# KERNEL: causal_convolution
# TYPES: fp32 bf16
# SIZES: B=1 L=1 D=1 | B=2 L=9 D=70
# BENCH: B=8 L=4096 D=1024 T=bf16
# ARG: x randn:T[B,L,D]
# ARG: taps randn:T[4,D]
# ARG: bias randn:T[D]
# ARG: out empty:T[B,L,D]
# ARG: length L
# ARG: D D
# CONST: TAPS 4
# CONST: SILU True
# CONST: TIMES 16
# CONST: CHANNELS min(256, next_power_of_2(D))
# GRID: cdiv(D, CHANNELS), cdiv(L, TIMES), B
# TOLERANCE: out 8e-3 1e-3
import triton
import triton.language as tl


@triton.jit
def fading_memory(queries, keys, values, fading, answers, memory, scale, length, H: tl.constexpr, K: tl.constexpr,
                  V: tl.constexpr, PART: tl.constexpr):
    """What a head remembers fades, takes in the outer product of key and value, and is asked by the query."""
    batch = tl.program_id(0).to(tl.int64) // H
    head = tl.program_id(0).to(tl.int64) % H
    n = tl.arange(0, triton.next_power_of_2(K))
    v = tl.program_id(1) * PART + tl.arange(0, PART)
    state = tl.zeros((PART, triton.next_power_of_2(K)), tl.float32)
    for t in range(length):
        step = (batch * length + t) * H + head
        key = tl.load(keys + step * K + n, n < K, 0.0)
        value = tl.load(values + step * V + v, v < V, 0.0)
        query = tl.load(queries + step * K + n, n < K, 0.0)
        state = state * tl.exp(tl.load(fading + step)) + value[:, None] * key[None, :]
        tl.store(answers + step * V + v, scale * tl.sum(state * query, axis=1), v < V)
    at = (batch * H + head) * K * V + n[None, :] * V + v[:, None]
    tl.store(memory + at, state, (n < K)[None, :] & (v < V)[:, None])


@triton.jit
def corrected_memory(queries, keys, values, rates, memory, answers, K: tl.constexpr, V: tl.constexpr,
                     PART: tl.constexpr):
    """The memory is moved, by a rate, to where it would have answered the key with the value."""
    n = tl.program_id(0)
    row = tl.arange(0, triton.next_power_of_2(K))
    col = tl.program_id(1) * PART + tl.arange(0, PART)
    mask = (row < K)[:, None] & (col < V)[None, :]
    cells = memory + n.to(tl.int64) * (K * V) + row[:, None] * V + col[None, :]
    state = tl.load(cells, mask=mask, other=0.0)
    key = tl.load(keys + n * K + row, mask=row < K, other=0.0).to(tl.float32)[:, None]
    wanted = tl.load(values + n * V + col, mask=col < V, other=0.0)
    missing = wanted - tl.sum(state * key, axis=0)
    state += key * (missing * tl.load(rates + n))[None, :]
    tl.store(cells, state, mask=mask)
    query = tl.load(queries + n * K + row, mask=row < K, other=0.0).to(tl.float32)[:, None]
    tl.store(answers + n * V + col, tl.sum(state * query, axis=0), mask=col < V)


@triton.jit
def causal_convolution(x, taps, bias, out, length, D, TAPS: tl.constexpr, SILU: tl.constexpr, TIMES: tl.constexpr,
                       CHANNELS: tl.constexpr):
    """A thread walks through time with the last inputs of its channels in registers."""
    tl.static_assert(TAPS == 4, "a window of four inputs")
    d = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)
    begin = tl.program_id(1) * TIMES
    row = tl.program_id(2) * length
    weights = [tl.load(taps + i * D + d, mask=d < D).to(tl.float32) for i in (0, 1, 2, 3)]
    offset = tl.load(bias + d, mask=d < D).to(tl.float32)
    oldest = tl.load(x + (row + begin - 3) * D + d, mask=(d < D) & (begin >= 3), other=0.0).to(tl.float32)
    older = tl.load(x + (row + begin - 2) * D + d, mask=(d < D) & (begin >= 2), other=0.0).to(tl.float32)
    old = tl.load(x + (row + begin - 1) * D + d, mask=(d < D) & (begin >= 1), other=0.0).to(tl.float32)
    for t in range(begin, min(begin + TIMES, length)):
        new = tl.load(x + (row + t) * D + d, mask=d < D, other=0.0).to(tl.float32)
        y = offset + weights[0] * oldest + weights[1] * older + weights[2] * old + weights[3] * new
        if SILU:
            y *= tl.sigmoid(y)
        tl.store(out + (row + t) * D + d, y.to(out.dtype.element_ty), mask=d < D)
        oldest, older, old = older, old, new


def fading_memory_reference(queries, keys, values, fading, scale, B, H, K, V):
    state = np.zeros((B, H, K, V))
    answers = np.empty_like(values)
    for t in range(queries.shape[1]):
        state = state * np.exp(fading[:, t, :, None, None]) + keys[:, t, :, :, None] * values[:, t, :, None, :]
        answers[:, t] = scale * np.einsum("bhkv,bhk->bhv", state, queries[:, t])
    return dict(answers=answers, memory=state)


def corrected_memory_reference(queries, keys, values, rates, memory):
    missing = (values - np.einsum("nkv,nk->nv", memory, keys)) * rates[:, None]
    memory = memory + keys[:, :, None] * missing[:, None, :]
    return dict(answers=np.einsum("nkv,nk->nv", memory, queries), memory=memory)


def causal_convolution_reference(x, taps, bias):
    y = bias + sum(taps[3 - back] * np.pad(x, ((0, 0), (back, 0), (0, 0)))[:, :x.shape[1]] for back in range(4))
    return y / (1 + np.exp(-y))
