# Other normalisations: L2 norm of rows in tiles, group norm, batch norm's statistics and application, and Welford's
# variance over blocks with a reduction of three values.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: l2norm_forward
# TYPES: fp32 bf16
# SIZES: rows=1 D=1 | rows=37 D=80 | rows=64 D=128
# BENCH: rows=262144 D=128 T=bf16
# ARG: x randn:T[rows,D]
# ARG: y empty:T[rows,D]
# ARG: eps 1e-6
# ARG: rows rows
# CONST: D D
# CONST: BT 16
# CONST: BD next_power_of_2(D)
# GRID: cdiv(rows, BT)
#
# KERNEL: group_norm_kernel
# TYPES: fp32 fp16
# SIZES: N=1 C=4 HW=1 G=2 | N=2 C=6 HW=49 G=3 | N=2 C=8 HW=256 G=4
# BENCH: N=32 C=320 HW=1024 G=32 T=fp16
# ARG: X randn:T[N,C,HW]
# ARG: Y empty:T[N,C,HW]
# ARG: W randn:T[C]
# ARG: B randn:T[C]
# ARG: Mean empty:fp32[N,G]
# ARG: Rstd empty:fp32[N,G]
# ARG: group_size C//G
# ARG: HW HW
# ARG: num_groups G
# ARG: eps 1e-5
# CONST: BLOCK_GROUP next_power_of_2(C//G)
# CONST: BLOCK_HW next_power_of_2(HW)
# GRID: N*G
# TOLERANCE: Y 2e-3 1e-3
#
# KERNEL: batch_norm_stats
# TYPES: fp32
# SIZES: B=1 F=1 S=1 | B=5 F=3 S=49 | B=7 F=4 S=64
# BENCH: B=64 F=256 S=784 T=fp32
# ARG: input_pointer randn(1,2):T[B,F,S]
# ARG: mean_pointer empty:fp32[F]
# ARG: inv_std_pointer empty:fp32[F]
# ARG: running_mean_pointer zeros:fp32[F]
# ARG: batch_dim B
# ARG: spatial_dim S
# ARG: feat_stride S
# ARG: batch_stride F*S
# ARG: momentum 0.1
# ARG: eps 1e-5
# CONST: BLOCK_B 4
# CONST: BLOCK_S 64
# GRID: F
# CHECK: mean_pointer inv_std_pointer running_mean_pointer
# TOLERANCE: mean_pointer 1e-5 1e-5
# TOLERANCE: inv_std_pointer 1e-4 1e-5
#
# KERNEL: welford_variance
# TYPES: fp32
# SIZES: M=1 N=1 | M=5 N=781 | M=3 N=2048
# BENCH: M=8192 N=8192 T=fp32
# ARG: X randn(3,1):T[M,N]
# ARG: Var empty:T[M]
# ARG: N N
# CONST: BLOCK_N 256
# GRID: M
# TOLERANCE: Var 1e-5 1e-6
import triton
import triton.language as tl


@triton.jit
def l2norm_forward(x, y, eps, rows, D: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr):
    i_t = tl.program_id(0)
    o_t = i_t * BT + tl.arange(0, BT)
    o_d = tl.arange(0, BD)
    mask = (o_t < rows)[:, None] & (o_d < D)[None, :]
    p = o_t[:, None].to(tl.int64) * D + o_d[None, :]
    b_x = tl.load(x + p, mask=mask, other=0.0).to(tl.float32)
    b_var = tl.sum(b_x * b_x, axis=1)
    b_y = b_x * tl.rsqrt(b_var + eps)[:, None]
    tl.store(y + p, b_y.to(y.dtype.element_ty), mask=mask)


@triton.jit
def group_norm_kernel(X, Y, W, B, Mean, Rstd, group_size, HW, num_groups, eps, BLOCK_GROUP: tl.constexpr,
                      BLOCK_HW: tl.constexpr):
    pid = tl.program_id(0)
    group = pid % num_groups
    num_elements = group_size * HW
    group_offset = tl.arange(0, BLOCK_GROUP)
    hw_offset = tl.arange(0, BLOCK_HW)
    wb_offset = group * group_size + group_offset
    wb_mask = group_offset < group_size
    xy_offset = pid * num_elements + group_offset[:, None] * HW + hw_offset[None, :]
    xy_mask = wb_mask[:, None] and hw_offset[None, :] < HW
    X_val = tl.load(X + xy_offset, mask=xy_mask, other=0.0).to(tl.float32)
    mean = tl.sum(X_val) / num_elements
    x = tl.where(xy_mask, X_val - mean, 0.0)
    var = tl.sum(x * x) / num_elements
    rstd = tl.rsqrt(var + eps)
    x_hat = x * rstd
    weight = tl.load(W + wb_offset, mask=wb_mask, other=0.0)[:, None]
    bias = tl.load(B + wb_offset, mask=wb_mask, other=0.0)[:, None]
    Y_val = x_hat * weight + bias
    tl.store(Y + xy_offset, Y_val, mask=xy_mask)
    tl.store(Mean + pid, mean)
    tl.store(Rstd + pid, rstd)


@triton.jit
def batch_norm_stats(input_pointer, mean_pointer, inv_std_pointer, running_mean_pointer, batch_dim, spatial_dim,
                     feat_stride, batch_stride, momentum, eps, BLOCK_B: tl.constexpr, BLOCK_S: tl.constexpr):
    feat_pid = tl.program_id(axis=0)
    mean = 0.0
    var = 0.0
    cnt = 0
    for m_step in range(0, tl.cdiv(batch_dim, BLOCK_B)):
        for n_step in range(0, tl.cdiv(spatial_dim, BLOCK_S)):
            spatial_offset = n_step * BLOCK_S + tl.arange(0, BLOCK_S)
            spatial_mask = spatial_offset < spatial_dim
            batch_offset = m_step * BLOCK_B + tl.arange(0, BLOCK_B)
            batch_mask = batch_offset < batch_dim
            mask = batch_mask[:, None] & spatial_mask[None, :]
            curr = tl.load(input_pointer + feat_stride * feat_pid + batch_stride * batch_offset[:, None] +
                           spatial_offset[None, :], mask=mask, other=0.0).to(tl.float32)
            step = tl.sum(mask.to(tl.int32))
            prev_mean = mean
            part = tl.sum(curr) / step
            apart = tl.where(mask, curr - part, 0.0)
            delta = part - prev_mean
            total = cnt + step
            mean = prev_mean + delta * step / total
            var = var + tl.sum(apart * apart) + delta * delta * cnt * step / total
            cnt = total
    inv_std = tl.rsqrt(var / cnt + eps)
    tl.store(feat_pid + mean_pointer, mean)
    tl.store(feat_pid + inv_std_pointer, inv_std)
    running = running_mean_pointer + feat_pid
    tl.store(running, (1 - momentum) * tl.load(running) + momentum * mean)


@triton.jit
def welford_combine(mean_1, m2_1, n_1, mean_2, m2_2, n_2):
    delta = mean_2 - mean_1
    n = n_1 + n_2
    part = tl.where(n == 0.0, 0.0, n_2 / n)
    return mean_1 + delta * part, m2_1 + m2_2 + delta * delta * n_1 * part, n


@triton.jit
def welford_variance(X, Var, N, BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    mean = tl.zeros([BLOCK_N], tl.float32)
    m2 = tl.zeros([BLOCK_N], tl.float32)
    count = tl.zeros([BLOCK_N], tl.float32)
    for start in range(0, N, BLOCK_N):
        cols = start + tl.arange(0, BLOCK_N)
        mask = cols < N
        x = tl.load(X + row * N + cols, mask=mask, other=0.0)
        count_new = count + mask.to(tl.float32)
        delta = x - mean
        new_mean = mean + delta / tl.maximum(count_new, 1.0)
        m2 = tl.where(mask, m2 + delta * (x - new_mean), m2)
        mean = tl.where(mask, new_mean, mean)
        count = count_new
    _, total, n = tl.reduce((mean, m2, count), 0, welford_combine)
    tl.store(Var + row, total / n)


def l2norm_forward_reference(x, eps):
    return x / np.sqrt((x * x).sum(1, keepdims=True) + eps)


def group_norm_kernel_reference(X, W, B, G, eps):
    x = X.reshape(X.shape[0], G, -1)
    mean, rstd = x.mean(2), 1 / np.sqrt(x.var(2) + eps)
    xhat = ((x - mean[..., None]) * rstd[..., None]).reshape(X.shape)
    return dict(Y=xhat * W[:, None] + B[:, None], Mean=mean, Rstd=rstd)


def batch_norm_stats_reference(input_pointer, momentum, eps):
    mean = input_pointer.mean((0, 2))
    return dict(mean_pointer=mean, inv_std_pointer=1 / np.sqrt(input_pointer.var((0, 2)) + eps),
                running_mean_pointer=momentum * mean)


def welford_variance_reference(X):
    return X.var(1)
