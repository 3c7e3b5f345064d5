# Layer norm: forward in three walks over the row, backward for the input with partial sums of the weights'
# gradients, and the sum over the partial ones.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: layer_norm_forward
# TYPES: fp32 bf16
# SIZES: M=1 N=1 | M=3 N=781 | M=5 N=2048
# BENCH: M=8192 N=4096 T=bf16
# ARG: X randn(0.5,2):T[M,N]
# ARG: Y empty:T[M,N]
# ARG: W randn(1,0.2):T[N]
# ARG: B randn:T[N]
# ARG: Mean empty:fp32[M]
# ARG: Rstd empty:fp32[M]
# ARG: stride N
# ARG: N N
# ARG: eps 1e-5
# CONST: BLOCK_SIZE min(1024, next_power_of_2(N))
# GRID: M
# WARPS: 4
#
# KERNEL: layer_norm_backward_dx
# TYPES: fp32 bf16
# SIZES: M=1 N=1 G=1 | M=7 N=781 G=1 | M=12 N=512 G=4
# BENCH: M=4096 N=4096 G=256 T=bf16
# ARG: DX empty:T[M,N]
# ARG: DY randn:T[M,N]
# ARG: DW empty:fp32[G,N]
# ARG: DB empty:fp32[G,N]
# ARG: X randn:T[M,N]
# ARG: W randn(1,0.2):T[N]
# ARG: Mean randn(0,0.1):fp32[M]
# ARG: Rstd rand(0.5,2):fp32[M]
# ARG: stride N
# ARG: M M
# ARG: N N
# CONST: BLOCK_SIZE_N next_power_of_2(N)
# GRID: G
# WARPS: 8
# TOLERANCE: DW 1e-5 1e-5
# TOLERANCE: DB 1e-5 1e-5
#
# KERNEL: layer_norm_backward_dwdb
# SIZES: M=1 N=1 | M=60 N=781 | M=256 N=1024
# BENCH: M=1024 N=8192
# ARG: DW randn:fp32[M,N]
# ARG: DB randn:fp32[M,N]
# ARG: FINAL_DW empty:fp32[N]
# ARG: FINAL_DB empty:fp32[N]
# ARG: M M
# ARG: N N
# CONST: BLOCK_SIZE_M 32
# CONST: BLOCK_SIZE_N 128
# GRID: cdiv(N, BLOCK_SIZE_N)
# TOLERANCE: FINAL_DW 1e-5 1e-5
# TOLERANCE: FINAL_DB 1e-5 1e-5
import triton
import triton.language as tl


@triton.jit
def layer_norm_forward(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    # Map the program id to the row of X and Y it should compute.
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    mean = 0
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        a = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        _mean += a
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0., eviction_policy="evict_first").to(tl.float32)
        x_hat = (x - mean) * rstd
        y = x_hat * w + b
        tl.store(Y + cols, y, mask=mask)


@triton.jit
def layer_norm_backward_dx(DX, DY, DW, DB, X, W, Mean, Rstd, stride, M, N, BLOCK_SIZE_N: tl.constexpr):
    program = tl.program_id(0)
    programs = tl.num_programs(0)
    rows_per_program = tl.cdiv(M, programs)
    row_start = program * rows_per_program
    row_end = min(row_start + rows_per_program, M)
    cols = tl.arange(0, BLOCK_SIZE_N)
    mask = cols < N
    w = tl.load(W + cols, mask=mask, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK_SIZE_N,), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_N,), dtype=tl.float32)
    for row in range(row_start, row_end):
        x = tl.load(X + row * stride + cols, mask=mask, other=0).to(tl.float32)
        dy = tl.load(DY + row * stride + cols, mask=mask, other=0).to(tl.float32)
        mean = tl.load(Mean + row)
        rstd = tl.load(Rstd + row)
        xhat = (x - mean) * rstd
        wdy = w * dy
        xhat = tl.where(mask, xhat, 0.)
        wdy = tl.where(mask, wdy, 0.)
        c1 = tl.sum(xhat * wdy, axis=0) / N
        c2 = tl.sum(wdy, axis=0) / N
        dx = (wdy - (xhat * c1 + c2)) * rstd
        tl.store(DX + row * stride + cols, dx.to(DX.dtype.element_ty), mask=mask)
        dw += dy * xhat
        db += dy
    tl.store(DW + program * N + cols, dw, mask=mask)
    tl.store(DB + program * N + cols, db, mask=mask)


@triton.jit
def layer_norm_backward_dwdb(DW, DB, FINAL_DW, FINAL_DB, M, N, BLOCK_SIZE_M: tl.constexpr,
                             BLOCK_SIZE_N: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    dw = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    db = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_SIZE_M):
        rows = i + tl.arange(0, BLOCK_SIZE_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        offs = rows[:, None] * N + cols[None, :]
        dw += tl.load(DW + offs, mask=mask, other=0.)
        db += tl.load(DB + offs, mask=mask, other=0.)
    sum_dw = tl.sum(dw, axis=0)
    sum_db = tl.sum(db, axis=0)
    tl.store(FINAL_DW + cols, sum_dw, mask=cols < N)
    tl.store(FINAL_DB + cols, sum_db, mask=cols < N)


def layer_norm_forward_reference(X, W, B, eps):
    mean = X.mean(1)
    rstd = 1 / np.sqrt(X.var(1) + eps)
    return dict(Y=(X - mean[:, None]) * rstd[:, None] * W + B, Mean=mean, Rstd=rstd)


def layer_norm_backward_dx_reference(DY, X, W, Mean, Rstd, M, N, G):
    xhat = (X - Mean[:, None]) * Rstd[:, None]
    wdy = W * DY
    c1 = (xhat * wdy).mean(1, keepdims=True)
    c2 = wdy.mean(1, keepdims=True)
    rows = -(-M // G)
    parts = [slice(g * rows, min((g + 1) * rows, M)) for g in range(G)]
    return dict(DX=(wdy - (xhat * c1 + c2)) * Rstd[:, None],
                DW=np.stack([(DY * xhat)[part].sum(0) for part in parts]),
                DB=np.stack([DY[part].sum(0) for part in parts]))


def layer_norm_backward_dwdb_reference(DW, DB):
    return dict(FINAL_DW=DW.sum(0), FINAL_DB=DB.sum(0))
