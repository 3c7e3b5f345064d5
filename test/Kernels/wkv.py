# Recurrences over time as they are trained: forward and backward of a weighted average with a bonus, a gated linear
# recurrence with its reverse, a selective scan by chunks, sums over chunks in either direction for sequences of
# different lengths, one step of a convolution's state, and a shift by one token.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: wkv_forward
# TYPES: fp32
# SIZES: B=1 TIME=1 C=1 | B=2 TIME=9 C=50
# BENCH: B=16 TIME=512 C=2048 T=fp32
# ARG: fade rand(0.1,1):T[C]
# ARG: bonus randn:T[C]
# ARG: k randn:T[B,TIME,C]
# ARG: v randn:T[B,TIME,C]
# ARG: out empty:T[B,TIME,C]
# ARG: last empty:fp32[3,B,C]
# ARG: T_len TIME
# ARG: C C
# CONST: BLOCK 32
# GRID: B, cdiv(C, BLOCK)
# TOLERANCE: out 1e-4 1e-5
# TOLERANCE: last 1e-4 1e-4
#
# KERNEL: wkv_backward
# TYPES: fp32
# SIZES: B=1 TIME=1 C=1 | B=2 TIME=9 C=50
# BENCH: B=16 TIME=512 C=2048 T=fp32
# ARG: w rand(0.1,1):T[C]
# ARG: u randn:T[C]
# ARG: k randn:T[B,TIME,C]
# ARG: v randn:T[B,TIME,C]
# ARG: grad randn:T[B,TIME,C]
# ARG: alphas empty:fp32[B,TIME,C]
# ARG: betas empty:fp32[B,TIME,C]
# ARG: gk empty:T[B,TIME,C]
# ARG: gv empty:T[B,TIME,C]
# ARG: C C
# ARG: T_len TIME
# CONST: BLOCK 32
# GRID: B, cdiv(C, BLOCK)
# CHECK: gk gv
# TOLERANCE: gk 1e-3 1e-4
# TOLERANCE: gv 1e-3 1e-4
#
# KERNEL: gated_recurrence
# TYPES: fp32 bf16
# SIZES: B=1 TIME=1 D=1 REV=False | B=2 TIME=33 D=70 REV=False | B=2 TIME=33 D=70 REV=True
# BENCH: B=16 TIME=1024 D=2048 REV=False T=bf16
# ARG: x randn:T[B,TIME,D]
# ARG: g randn:T[B,TIME,D]
# ARG: o empty:T[B,TIME,D]
# ARG: h0 randn:fp32[B,D]
# ARG: T_len TIME
# CONST: D D
# CONST: STEPS 16
# CONST: BLOCK 64
# CONST: HAS_START True
# CONST: REVERSE REV
# GRID: cdiv(D, BLOCK), B
# CHECK: o
# TOLERANCE: o 1e-2 1e-3
#
# KERNEL: selective_scan_chunk
# TYPES: fp32
# SIZES: B=1 TIME=4 D=4 N=4 | B=2 TIME=32 D=8 N=8
# BENCH: B=8 TIME=1024 D=1024 N=16 T=fp32
# ARG: x randn:T[B,D,TIME]
# ARG: dt rand(0.01,0.2):T[B,D,TIME]
# ARG: A rand(-2,-0.1):fp32[D,N]
# ARG: Bm randn:T[B,N,TIME]
# ARG: Cm randn:T[B,N,TIME]
# ARG: Dm randn:fp32[D]
# ARG: y empty:T[B,D,TIME]
# ARG: T_len TIME
# CONST: D D
# CONST: N N
# CONST: BT min(TIME, 64)
# GRID: D, B
# TOLERANCE: y 1e-3 1e-4
#
# KERNEL: chunk_sums
# TYPES: fp32
# SIZES: S=1 L=7 H=1 REV=False | S=3 L=50 H=3 REV=True
# BENCH: S=64 L=4096 H=32 REV=True T=fp32
# ARG: x randn:T[S*L,H]
# ARG: out zeros:fp32[S*L,H]
# ARG: begins arange:i32[S+1]
# ARG: order arange:i32[S*cdiv(L,16)]
# ARG: L L
# ARG: factor 0.5
# CONST: H H
# CONST: CHUNK 16
# CONST: BACKWARDS REV
# GRID: S*cdiv(L,16), H
# CHECK: out
# TOLERANCE: out 1e-4 1e-4
#
# KERNEL: convolve_step
# TYPES: fp32 bf16
# SIZES: B=1 C=1 | B=3 C=70
# BENCH: B=2048 C=4096 T=bf16
# ARG: x randn:T[B,C]
# ARG: past randn:T[B*2,C,3]
# ARG: weight randn:T[C,4]
# ARG: bias randn:T[C]
# ARG: slots permutation:i32[B]
# ARG: out empty:T[B,C]
# ARG: C C
# CONST: TAPS 4
# CONST: BLOCK 128
# GRID: B, cdiv(C, BLOCK)
# CHECK: past out
# TOLERANCE: out 2e-2 2e-2
#
# KERNEL: token_shift
# TYPES: fp32 fp16
# SIZES: B=1 TIME=1 D=1 | B=2 TIME=9 D=70
# BENCH: B=8 TIME=2048 D=2048 T=fp16
# ARG: x randn:T[B,TIME,D]
# ARG: mu rand:T[D]
# ARG: y empty:T[B,TIME,D]
# ARG: T_len TIME
# CONST: D D
# CONST: BLOCK next_power_of_2(D)
# GRID: B*TIME
# TOLERANCE: y 8e-3 8e-3
import torch
import triton
import triton.language as tl


@triton.jit
def weigh(top, key):
    """The larger of two exponents, and what both weigh beside it."""
    peak = tl.maximum(top, key)
    return peak, tl.exp(top - peak), tl.exp(key - peak)


@triton.jit
def wkv_forward(fade, bonus, k, v, out, last, T_len, C, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    slower = tl.load(fade + c, mask=mask).to(tl.float32)
    more = tl.load(bonus + c, mask=mask).to(tl.float32)
    above = tl.zeros([BLOCK], tl.float32)
    below = tl.zeros([BLOCK], tl.float32)
    top = tl.full([BLOCK], -1e30, tl.float32)
    for t in range(T_len):
        at = (b * T_len + t) * C + c
        key = tl.load(k + at, mask=mask).to(tl.float32)
        value = tl.load(v + at, mask=mask).to(tl.float32)
        # The bonus counts for this step only.
        _, past, now = weigh(top, key + more)
        tl.store(out + at, (past * above + now * value) / (past * below + now), mask=mask)
        top, past, now = weigh(top - slower, key)
        above = past * above + now * value
        below = past * below + now
    states = last + b * C + c
    step = tl.num_programs(0) * C
    tl.store(states, above, mask=mask)
    tl.store(states + step, below, mask=mask)
    tl.store(states + 2 * step, top, mask=mask)


@triton.jit
def wkv_backward(w, u, k, v, grad, alphas, betas, gk, gv, C, T_len, BLOCK: tl.constexpr):
    """Without a running maximum: the weights stay in range here."""
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    decay = tl.exp(-tl.load(w + c, mask=mask, other=0.0).to(tl.float32))
    bonus = tl.exp(tl.load(u + c, mask=mask, other=0.0).to(tl.float32))
    p = b * T_len * C + c
    alpha = tl.zeros([BLOCK], tl.float32)
    beta = tl.zeros([BLOCK], tl.float32)
    for t in range(0, T_len):
        tl.store(alphas + p + t * C, alpha, mask=mask)
        tl.store(betas + p + t * C, beta, mask=mask)
        e = tl.exp(tl.load(k + p + t * C, mask=mask, other=0.0).to(tl.float32))
        alpha = decay * alpha + e * tl.load(v + p + t * C, mask=mask, other=0.0).to(tl.float32)
        beta = decay * beta + e
    g_alpha = tl.zeros([BLOCK], tl.float32)
    g_beta = tl.zeros([BLOCK], tl.float32)
    for t in range(T_len - 1, -1, -1):
        at = p + t * C
        e = tl.exp(tl.load(k + at, mask=mask, other=0.0).to(tl.float32))
        value = tl.load(v + at, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(grad + at, mask=mask, other=0.0).to(tl.float32)
        alpha = tl.load(alphas + at, mask=mask, other=0.0)
        beta = tl.load(betas + at, mask=mask, other=0.0)
        below = 1.0 / (beta + bonus * e)
        y = (alpha + bonus * e * value) * below
        # From y at t, and from the states after t.
        ge = g * below * bonus * (value - y) + g_alpha * value + g_beta
        tl.store(gk + at, ge * e, mask=mask)
        tl.store(gv + at, g * below * bonus * e + g_alpha * e, mask=mask)
        g_alpha = decay * g_alpha + g * below
        g_beta = decay * g_beta - g * below * y


@triton.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def gated_recurrence(x, g, o, h0, T_len, D: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr,
                     HAS_START: tl.constexpr, REVERSE: tl.constexpr):
    b = tl.program_id(1)
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    h = tl.zeros([BLOCK], tl.float32)
    if HAS_START:
        h += tl.load(h0 + b * D + d, mask=d < D, other=0).to(tl.float32)
    chunks = tl.cdiv(T_len, STEPS)
    for turn in range(0, chunks):
        chunk = (chunks - 1 - turn) if REVERSE else turn
        t = chunk * STEPS + tl.arange(0, STEPS)
        mask = (t < T_len)[:, None] & (d < D)[None, :]
        at = (b * T_len + t)[:, None] * D + d[None, :]
        value = tl.load(x + at, mask=mask, other=0).to(tl.float32)
        # Rows beyond the end keep the state.
        gate = tl.where(mask, tl.sigmoid(tl.load(g + at, mask=mask, other=0).to(tl.float32)), 1.0)
        decay, y = tl.associative_scan((gate, tl.where(mask, (1 - gate) * value, 0.0)), 0, first_order, reverse=REVERSE)
        y += decay * h[None, :]
        tl.store(o + at, y.to(o.dtype.element_ty), mask=mask)
        final = tl.arange(0, STEPS) == (0 if REVERSE else STEPS - 1)
        h = tl.sum(tl.where(final[:, None], y, 0.0), 0)


@triton.jit
def selective_scan_chunk(x, dt, A, Bm, Cm, Dm, y, T_len, D: tl.constexpr, N: tl.constexpr, BT: tl.constexpr):
    d, b = tl.program_id(0), tl.program_id(1)
    n = tl.arange(0, N)
    a = tl.load(A + d * N + n)
    skip = tl.load(Dm + d)
    h = tl.zeros([N], tl.float32)
    for start in range(0, T_len, BT):
        t = start + tl.arange(0, BT)
        row = (b * D + d) * T_len + t
        xt = tl.load(x + row).to(tl.float32)
        dtt = tl.load(dt + row).to(tl.float32)
        plane = (b * N + n)[:, None] * T_len + t[None, :]
        bt = tl.load(Bm + plane).to(tl.float32)
        ct = tl.load(Cm + plane).to(tl.float32)
        decay = tl.exp(a[:, None] * dtt[None, :])
        decays, states = tl.associative_scan((decay, (dtt * xt)[None, :] * bt), 1, first_order)
        states += decays * h[:, None]
        tl.store(y + row, tl.sum(states * ct, 0) + skip * xt)
        h = tl.sum(tl.where((tl.arange(0, BT) == BT - 1)[None, :], states, 0.0), 1)


@triton.jit(do_not_specialize=["L"])
def chunk_sums(x, out, begins, order, L, factor, H: tl.constexpr, CHUNK: tl.constexpr, BACKWARDS: tl.constexpr):
    """Running sums within chunks of sequences, every other one of which is a little shorter than its place."""
    number, head = tl.load(order + tl.program_id(0)), tl.program_id(1)
    per_sequence = tl.cdiv(L, CHUNK)
    sequence = number // per_sequence
    begin = tl.load(begins + sequence) * L
    length = tl.load(begins + sequence + 1) * L - sequence % 2 - begin
    first = number % per_sequence * CHUNK
    source = tl.make_block_ptr(x + begin * H + head, shape=(length,), strides=(H,), offsets=(first,),
                               block_shape=(CHUNK,), order=(0,))
    target = tl.make_block_ptr(out + begin * H + head, shape=(length,), strides=(H,), offsets=(first,),
                               block_shape=(CHUNK,), order=(0,))
    value = tl.load(source, boundary_check=(0,), padding_option="zero").to(tl.float32)
    sums = tl.cumsum(value, axis=0)
    if BACKWARDS:
        sums = tl.sum(value, axis=0) - sums + value
    tl.store(target, (sums * factor).to(target.dtype.element_ty), boundary_check=(0,))


@triton.jit
def convolve_step(x, past, weight, bias, slots, out, C, TAPS: tl.constexpr, BLOCK: tl.constexpr):
    """A causal convolution by one step; `past` has the inputs before it, the oldest first, and moves on."""
    row = tl.program_id(0)
    slot = tl.load(slots + row).to(tl.int64) * 2 + 1
    if slot < 0:
        return
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    before = past + (slot * C + c) * (TAPS - 1)
    new = tl.load(x + row * C + c, mask=mask, other=0.0)
    total = tl.load(bias + c, mask=mask, other=0.0).to(tl.float32)
    total += new * tl.load(weight + c * TAPS + (TAPS - 1), mask=mask, other=0.0)
    for tap in tl.static_range(TAPS - 1):
        value = tl.load(before + tap, mask=mask, other=0.0)
        total += value * tl.load(weight + c * TAPS + tap, mask=mask, other=0.0)
        if tap > 0:
            tl.store(before + (tap - 1), value, mask=mask)
    tl.store(before + (TAPS - 2), new, mask=mask)
    tl.store(out + row * C + c, total * tl.sigmoid(total), mask=mask)


@triton.jit
def token_shift(x, mu, y, T_len, D: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, BLOCK)
    mask = d < D
    now = tl.load(x + row * D + d, mask=mask, other=0)
    if row % T_len == 0:
        before = tl.zeros_like(now)
    else:
        before = tl.load(x + (row - 1) * D + d, mask=mask, other=0)
    share = tl.load(mu + d, mask=mask, other=0)
    tl.store(y + row * D + d, now + (before - now) * share, mask=mask)


def wkv_forward_reference(fade, bonus, k, v, B, C):
    above, below, top = np.zeros((B, C)), np.zeros((B, C)), np.full((B, C), -1e30)
    out = np.empty_like(k)
    for t in range(k.shape[1]):
        peak = np.maximum(bonus + k[:, t], top)
        past, now = np.exp(top - peak), np.exp(bonus + k[:, t] - peak)
        out[:, t] = (past * above + now * v[:, t]) / (past * below + now)
        peak = np.maximum(top - fade, k[:, t])
        past, now = np.exp(top - fade - peak), np.exp(k[:, t] - peak)
        above, below, top = past * above + now * v[:, t], past * below + now, peak
    return {"out": out, "last": np.stack([above, below, top])}


def wkv_backward_reference(w, u, k, v, grad, B, C, TIME):
    d, bonus, e = np.exp(-w), np.exp(u), np.exp(k)
    gk, gv = np.zeros_like(k), np.zeros_like(v)
    # y_t is a ratio of sums over s: every pair (t, s) counts for itself.
    for t in range(TIME):
        power = np.stack([d ** (t - 1 - s) if s < t else bonus for s in range(t + 1)])
        weight = power[None] * e[:, :t + 1]
        below = weight.sum(1, keepdims=True)
        y = (weight * v[:, :t + 1]).sum(1, keepdims=True) / below
        gv[:, :t + 1] += grad[:, t:t + 1] * weight / below
        gk[:, :t + 1] += grad[:, t:t + 1] * weight / below * (v[:, :t + 1] - y)
    return {"gk": gk, "gv": gv}


def gated_recurrence_reference(x, g, h0, TIME, REV):
    gate = 1 / (1 + np.exp(-g))
    o, h = np.empty_like(x), h0
    for t in (range(TIME - 1, -1, -1) if REV else range(TIME)):
        h = gate[:, t] * h + (1 - gate[:, t]) * x[:, t]
        o[:, t] = h
    return o


def selective_scan_chunk_reference(x, dt, A, Bm, Cm, Dm, B, D, N, TIME):
    h, y = np.zeros((B, D, N)), np.empty_like(x)
    for t in range(TIME):
        h = np.exp(A * dt[:, :, t, None]) * h + (dt * x)[:, :, t, None] * Bm[:, None, :, t]
        y[:, :, t] = (h * Cm[:, None, :, t]).sum(2) + Dm * x[:, :, t]
    return y


def chunk_sums_reference(x, out, S, L, REV):
    for n in range(S):
        for start in range(0, L - n % 2, 16):
            rows = slice(n * L + start, min(n * L + start + 16, (n + 1) * L - n % 2))
            out[rows] = 0.5 * (x[rows][::-1].cumsum(0)[::-1] if REV else x[rows].cumsum(0))
    return out


def convolve_step_reference(x, past, weight, bias, slots):
    at = slots.astype(int) * 2 + 1
    window = np.concatenate([past[at], x[..., None]], 2)
    past[at] = window[..., 1:]
    y = (window * weight).sum(2) + bias
    return {"past": past, "out": y / (1 + np.exp(-y))}


def token_shift_reference(x, mu):
    before = np.concatenate([np.zeros_like(x[:, :1]), x[:, :-1]], 1)
    return x + (before - x) * mu
