# States that a program carries through time: a matrix that fades by column, one that is corrected by normalised
# keys, and a step of a selective scan with states in slots.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: fading_by_column
# SIZES: B=1 L=1 K=16 V=16 | B=2 L=9 K=64 V=32
# BENCH: B=512 L=256 K=64 V=64
# ARG: asks randn:fp32[B,L,K]
# ARG: keys randn:fp32[B,L,K]
# ARG: values randn:fp32[B,L,V]
# ARG: fading rand(-2,0):fp32[B,L,K]
# ARG: bonus randn:fp32[K]
# ARG: out empty:fp32[B,L,V]
# ARG: length L
# ARG: scale 0.125
# CONST: K K
# CONST: V V
# CONST: PART min(V, 32)
# GRID: B, V // PART
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: corrected_by_unit_keys
# TYPES: fp32 bf16
# SIZES: B=1 L=1 K=16 V=8 | B=2 L=9 K=64 V=16
# BENCH: B=512 L=256 K=128 V=64 T=bf16
# ARG: asks randn:T[B,L,K]
# ARG: keys randn:T[B,L,K]
# ARG: values randn:T[B,L,V]
# ARG: gates rand:fp32[B,L,2]
# ARG: state randn:fp32[B,V,K]
# ARG: out empty:T[B,L,V]
# ARG: length L
# CONST: K K
# CONST: V V
# CONST: PART 8
# GRID: B, V // PART
# CHECK: out state
# TOLERANCE: out 1e-2 2e-2
# TOLERANCE: state 1e-3 1e-3
#
# KERNEL: selective_step
# TYPES: fp32 bf16
# SIZES: B=1 D=8 N=16 | B=3 D=50 N=10
# BENCH: B=2048 D=128 N=128 T=bf16
# ARG: states randn:fp32[B + 1,D,N]
# ARG: slots permutation:i32[B]
# ARG: x randn:T[B,3,D]
# ARG: rates rand(-2,0):fp32[D,N]
# ARG: gates randn:T[B,2,N]
# ARG: out empty:T[B,D]
# ARG: D D
# ARG: N N
# CONST: ROWS 4
# CONST: COLS next_power_of_2(N)
# GRID: B, cdiv(D, ROWS)
# CHECK: out states
# TOLERANCE: out 1e-2 1e-2
# TOLERANCE: states 1e-4 1e-4
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


def choices():
    return [triton.Config({}, num_warps=warps, num_stages=2) for warps in (1, 2, 4)]


@triton.autotune(configs=choices(), key=["K", "V"])
@triton.jit(do_not_specialize=["length"])
def fading_by_column(asks, keys, values, fading, bonus, out, length, scale, K: tl.constexpr, V: tl.constexpr,
                     PART: tl.constexpr):
    """What is new counts at once, by a bonus; what is kept fades at a speed of its own in each column."""
    k = tl.arange(0, K)
    v = tl.program_id(1) * PART + tl.arange(0, PART)
    at_once = tl.load(bonus + k)[None, :]
    state = tl.zeros((PART, K), tl.float32)
    step = tl.program_id(0) * length
    end = step + length
    while step < end:
        new = tl.load(values + step * V + v)[:, None] * tl.load(keys + step * K + k)[None, :]
        ask = tl.load(asks + step * K + k) * scale
        seen = tl.fma(new, tl.broadcast_to(at_once, PART, K), state)
        tl.store(out + step * V + v, tl.sum(seen * ask[None, :], axis=1))
        state = state * tl.exp(tl.load(fading + step * K + k))[None, :] + new
        step += 1


@triton.jit
def unit(x):
    return x * tl.rsqrt(tl.sum(x * x) + 1e-6)


@triton.jit(do_not_specialize=["length"])
def corrected_by_unit_keys(asks, keys, values, gates, state, out, length, K: tl.constexpr, V: tl.constexpr,
                           PART: tl.constexpr):
    """Of a step's gates the first says how much is kept, the second how much of the error is taken back."""
    k = tl.arange(0, K)
    v = tl.program_id(1) * PART + tl.arange(0, PART)
    cells = state + (tl.program_id(0) * V + v)[:, None] * K + k[None, :]
    memory = tl.load(cells)
    for t in range(length):
        step = tl.program_id(0) * length + t
        key = unit(tl.load(keys + step * K + k).to(tl.float32))[None, :]
        memory *= tl.load(gates + 2 * step)
        error = tl.load(values + step * V + v) - tl.sum(memory * key, axis=1)
        memory += (error * tl.load(gates + 2 * step + 1))[:, None] * key
        ask = unit(tl.load(asks + step * K + k).to(tl.float32))[None, :]
        tl.store(out + step * V + v, tl.sum(memory * ask, axis=1).to(out.dtype.element_ty))
    tl.store(cells, memory)


@triton.jit
def softplus(x):
    return tl.maximum(x, 0.0) + libdevice.log1p(tl.exp(-tl.abs(x)))


@triton.heuristics({"COLS": lambda args: triton.next_power_of_2(args["N"])})
@triton.jit
def selective_step(states, slots, x, rates, gates, out, D, N, ROWS: tl.constexpr, COLS: tl.constexpr):
    """x has inputs, step widths before softplus and gates of the output; gates has what enters and leaves the state."""
    batch = tl.program_id(0)
    d = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, COLS)
    value = tl.load(x + (3 * batch) * D + d, d < D, other=0).to(tl.float32)
    width = softplus(tl.load(x + (3 * batch + 1) * D + d, d < D, other=0).to(tl.float32))
    gate = tl.load(x + (3 * batch + 2) * D + d, d < D, other=0).to(tl.float32)
    enter = tl.load(gates + (2 * batch) * N + n, n < N, other=0).to(tl.float32)
    leave = tl.load(gates + (2 * batch + 1) * N + n, n < N, other=0).to(tl.float32)
    inside = (d < D)[:, None] & (n < N)[None, :]
    cells = states + tl.load(slots + batch).to(tl.int64) * D * N + d[:, None] * N + n[None, :]
    keep = tl.exp(tl.load(rates + d[:, None] * N + n[None, :], inside, other=0.0) * width[:, None])
    state = keep * tl.load(cells, inside, other=0.0) + (width * value)[:, None] * enter[None, :]
    tl.store(cells, state, inside)
    y = tl.sum(state * leave[None, :], axis=1)
    tl.store(out + batch * D + d, y * gate * tl.sigmoid(gate), d < D)


class FadingByColumn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, asks, keys, values, fading, bonus):
        out = torch.empty_like(values)
        (B, L, K), V = keys.shape, values.shape[-1]
        grid = lambda meta: (B, triton.cdiv(V, meta["PART"]))
        fading_by_column[grid](asks, keys, values, fading, bonus, out, L, K**-0.5, K, V, PART=min(V, 32))
        return out


def fading_by_column_reference(asks, keys, values, fading, bonus, scale):
    state = np.zeros((len(keys), values.shape[2], keys.shape[2]))
    out = np.zeros_like(values)
    for t in range(keys.shape[1]):
        new = values[:, t, :, None] * keys[:, t, None, :]
        out[:, t] = scale * np.einsum("bvk,bk->bv", state + new * bonus, asks[:, t])
        state = state * np.exp(fading[:, t, None, :]) + new
    return out


def corrected_by_unit_keys_reference(asks, keys, values, gates, state):
    asks, keys = (a / np.sqrt((a * a).sum(2, keepdims=True) + 1e-6) for a in (asks, keys))
    out = np.zeros_like(values)
    for t in range(keys.shape[1]):
        state = state * gates[:, t, 0, None, None]
        error = (values[:, t] - np.einsum("bvk,bk->bv", state, keys[:, t])) * gates[:, t, 1, None]
        state = state + error[:, :, None] * keys[:, t, None, :]
        out[:, t] = np.einsum("bvk,bk->bv", state, asks[:, t])
    return {"out": out, "state": state}


def selective_step_reference(states, slots, x, rates, gates):
    value, width, gate = x[:, 0], np.log1p(np.exp(x[:, 1])), x[:, 2]
    rows = slots.astype(int)
    new = states[rows] * np.exp(rates * width[:, :, None]) + (width * value)[:, :, None] * gates[:, 0, None, :]
    states[rows] = new
    return {"states": states, "out": np.einsum("bdn,bn->bd", new, gates[:, 1]) * gate / (1 + np.exp(-gate))}
