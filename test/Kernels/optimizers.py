# One step of AdamW, SGD with momentum, and Lion, as fused kernels over a flat parameter.
#
# RUN: %{python} %S/Inputs/run.py --tilec=tilec --tilec-run=tilec-run %s
# REQUIRES: numpy
#
# KERNEL: adamw_step
# TYPES: fp32 bf16
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=bf16
# ARG: param randn:T[n]
# ARG: grad randn(0,0.1):T[n]
# ARG: exp_avg randn(0,0.1):fp32[n]
# ARG: exp_avg_sq rand(0,0.1):fp32[n]
# ARG: lr 0.01
# ARG: beta1 0.9
# ARG: beta2 0.999
# ARG: eps 1e-8
# ARG: weight_decay 0.1
# ARG: step 3
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: param exp_avg exp_avg_sq
# TOLERANCE: param 8e-3 1e-4
#
# KERNEL: sgd_momentum
# TYPES: fp32
# SIZES: n=1 NEST=False | n=1000 NEST=True
# BENCH: n=16777216 T=fp32 NEST=True
# ARG: p_ptr randn:T[n]
# ARG: g_ptr randn:T[n]
# ARG: m_ptr randn:T[n]
# ARG: lr 0.1
# ARG: momentum 0.9
# ARG: weight_decay 0.01
# ARG: n n
# CONST: NESTEROV NEST
# CONST: BLOCK 2048
# GRID: cdiv(n, BLOCK)
# CHECK: p_ptr m_ptr
#
# KERNEL: lion_step
# TYPES: fp32
# SIZES: n=1 | n=1000 | n=4096
# BENCH: n=16777216 T=fp32
# ARG: weights randn:T[n]
# ARG: gradient randn:T[n]
# ARG: momentum randn:T[n]
# ARG: rate 0.01
# ARG: decay 0.1
# ARG: near 0.9
# ARG: far 0.99
# ARG: n n
# CONST: BLOCK 1024
# GRID: cdiv(n, BLOCK)
# CHECK: weights momentum
import triton
import triton.language as tl


@triton.jit
def adamw_step(param, grad, exp_avg, exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step, n,
               BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(param + offs, mask=mask).to(tl.float32)
    g = tl.load(grad + offs, mask=mask).to(tl.float32)
    m = tl.load(exp_avg + offs, mask=mask)
    v = tl.load(exp_avg_sq + offs, mask=mask)
    m = beta1 * m + (1.0 - beta1) * g
    v = beta2 * v + (1.0 - beta2) * g * g
    bias1 = 1.0 - tl.exp2(step * tl.log2(beta1))
    bias2 = 1.0 - tl.exp2(step * tl.log2(beta2))
    m_hat = m / bias1
    v_hat = v / bias2
    p = p * (1.0 - lr * weight_decay) - lr * m_hat / (tl.sqrt(v_hat) + eps)
    tl.store(param + offs, p.to(param.dtype.element_ty), mask=mask)
    tl.store(exp_avg + offs, m, mask=mask)
    tl.store(exp_avg_sq + offs, v, mask=mask)


@triton.jit
def sgd_momentum(p_ptr, g_ptr, m_ptr, lr, momentum, weight_decay, n, NESTEROV: tl.constexpr, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask)
    g = tl.load(g_ptr + offs, mask) + weight_decay * p
    m = momentum * tl.load(m_ptr + offs, mask) + g
    update = g + momentum * m if NESTEROV else m
    tl.store(p_ptr + offs, p - lr * update, mask)
    tl.store(m_ptr + offs, m, mask)


@triton.jit
def between(a, b, share):
    return b + (a - b) * share


@triton.jit
def lion_step(weights, gradient, momentum, rate, decay, near, far, n, BLOCK: tl.constexpr):
    """A step of one size in every coordinate; only its direction is learned."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gradient + i, mask=i < n)
    m = tl.load(momentum + i, mask=i < n)
    towards = between(m, g, near)
    direction = (towards > 0).to(tl.int8) - (towards < 0).to(tl.int8)
    w = tl.load(weights + i, mask=i < n)
    tl.store(weights + i, w - rate * (decay * w + direction), mask=i < n)
    tl.store(momentum + i, between(m, g, far), mask=i < n)


def adamw_step_reference(param, grad, exp_avg, exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step):
    m = beta1 * exp_avg + (1 - beta1) * grad
    v = beta2 * exp_avg_sq + (1 - beta2) * grad**2
    update = m / (1 - beta1**step) / (np.sqrt(v / (1 - beta2**step)) + eps)
    return dict(param=param * (1 - lr * weight_decay) - lr * update, exp_avg=m, exp_avg_sq=v)


def sgd_momentum_reference(p_ptr, g_ptr, m_ptr, lr, momentum, weight_decay, NESTEROV):
    g = g_ptr + weight_decay * p_ptr
    m = momentum * m_ptr + g
    return dict(p_ptr=p_ptr - lr * (g + momentum * m if NESTEROV else m), m_ptr=m)


def lion_step_reference(weights, gradient, momentum, rate, decay, near, far):
    direction = np.sign(near * momentum + (1 - near) * gradient)
    return dict(weights=weights - rate * (decay * weights + direction), momentum=far * momentum + (1 - far) * gradient)
