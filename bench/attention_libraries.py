"""Runs operators of mlstm_kernels, adasplash, cut-cross-entropy, SageAttention, native-sparse-attention-pytorch and
stk: a program for bench/launches.py.

    python3 bench/attention_libraries.py [--library=mlstm,adasplash,cce,sage,nsa,stk] [--filter=REGEX] [--part=K/N]
                                         [--list]

It needs torch, Triton, NumPy and the sources of these libraries on PYTHONPATH; what else they import is stubbed here.
Each entry of the tables is a call of a library's own function, which runs backwards, too, where it can. --part=K/N
takes every Nth call from the Kth on, so that several processes can fill Triton's cache first. What an operator does
not support is named and left out.
"""

import argparse
import functools
import importlib
import importlib.util
import re
import sys
import types

import numpy as np
import torch
import torch.nn.functional as F

import library_calls
from library_calls import backward

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32


# Modules that the libraries import, and this machine may lack.

def rearrange(x, pattern, **sizes):
    """einops.rearrange with names and one level of parentheses."""
    groups = [[word.strip("()").split() for word in re.findall(r"\([^)]*\)|\S+", side)] for side in pattern.split("->")]
    for dimension, names in zip(x.shape, groups[0]):
        known = [sizes[name] for name in names if name in sizes]
        for name in names:
            if name not in sizes:
                sizes[name] = dimension // int(np.prod(known))
                known.append(sizes[name])
    order = [name for names in groups[0] for name in names]
    x = x.reshape([sizes[name] for name in order])
    x = x.permute([order.index(name) for names in groups[1] for name in names])
    return x.reshape([int(np.prod([sizes[name] for name in names])) for names in groups[1]])


def lacking(name):
    try:
        return importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


def stub(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


def parent(name, path):
    """A package whose __init__ is not run."""
    module = types.ModuleType(name)
    module.__path__ = [path]
    sys.modules[name] = module


class Anything:
    def __class_getitem__(cls, item):
        return cls

    def __ror__(self, other):
        return self


def stub_all():
    if lacking("einops"):
        def repeat(x, pattern, gh):
            assert pattern == "b h ... -> b (h gh) ..."
            return x.repeat_interleave(gh, 1)
        stub("einops", rearrange=rearrange, repeat=repeat, reduce=None, einsum=None, pack=None, unpack=None)
    if lacking("packaging"):
        stub("packaging")
        stub("packaging.version", parse=lambda text: tuple(int(each) for each in re.findall(r"\d+", text)[:3]))
        sys.modules["packaging.version"].parse = lambda text: tuple(int(each) for each in re.findall(r"\d+", text)[:3])
    if lacking("einx"):
        stub("einx")
    if lacking("jaxtyping"):
        stub("jaxtyping", Float=Anything, Int=Anything, Bool=Anything)
    if lacking("pytest"):
        stub("pytest", mark=types.SimpleNamespace(parametrize=lambda *a, **k: lambda f: f))
    for root in sys.path:  # Without the modules of the models.
        name = "native_sparse_attention_pytorch"
        if importlib.machinery.PathFinder.find_spec(name, [root]):
            parent(name, root + "/" + name)
            stub(name + ".tensor_typing", Float=Anything, Int=Anything, Bool=Anything)
    # Inductor's kernels are not these libraries'.
    torch.compile = lambda function=None, **options: function if function else (lambda f: f)


# Tensors.

def randn(*shape, dtype=BF16, scale=1.0, grad=True):
    return (torch.randn(shape, device="cuda", dtype=torch.float32) * scale).to(dtype).requires_grad_(grad)


TABLES = {}


def entry(library, name, function, *args, **kwargs):
    TABLES.setdefault(library, []).append((name, functools.partial(function, *args, **kwargs)))


def get(module, name):
    return getattr(importlib.import_module(module), name)


# mlstm_kernels. Sizes: those of xLSTM 7B (8 heads of 256 and 512), and of heads of 128 for what takes no more.

def mlstm_tensors(batch, heads, time, width, width_v, dtype, gates):
    q, k = (randn(batch, heads, time, width, dtype=dtype) for _ in range(2))
    v = randn(batch, heads, time, width_v, dtype=dtype)
    i = randn(batch, heads, time, dtype=gates)
    f = (torch.randn(batch, heads, time, device="cuda") + 4.0).to(gates).requires_grad_()
    return q, k, v, i, f


def mlstm_sequence(module, name, size, dtype, states=False, has_m=True, **options):
    batch, heads, _, width, width_v = size
    if states:
        options["c_initial"] = randn(batch, heads, width, width_v, dtype=FP32)
        options["n_initial"] = randn(batch, heads, width, dtype=FP32)
        if has_m:
            options["m_initial"] = randn(batch, heads, 1, dtype=FP32)
        options["return_last_states"] = True
    # With gates of 16 bits, an assertion in Triton 3.6's LLVM fails (SLPVectorizer) in xl_chunk's fw_Hintra_kernel.
    gates = FP32 if module == XL else dtype
    q, k, v, i, f = mlstm_tensors(*size, dtype, gates)
    function = get("mlstm_kernels.torch." + module, name)
    backward(function(q, k, v, i, f, autocast_kernel_dtype=dtype, **options))


def mlstm_step(module, name, dtype, kept, batch=16, heads=8, width=256, width_v=512, **options):
    make = functools.partial(randn, grad=False)
    get("mlstm_kernels.torch.recurrent." + module, name)(
        make(batch, heads, width, dtype=dtype), make(batch, heads, width, dtype=dtype),
        make(batch, heads, width_v, dtype=dtype), make(batch, heads, 1, dtype=dtype), make(batch, heads, 1, dtype=dtype),
        make(batch, heads, width, width_v, dtype=kept), make(batch, heads, width, dtype=kept),
        make(batch, heads, 1, dtype=kept), **options)


XL, LIMIT, SIGING = "chunkwise.triton_xl_chunk", "chunkwise.triton_limit_chunk", "chunkwise.triton_xl_chunk_siging"
for dtype, tag in ((BF16, "bf16"), (FP32, "fp32"), (FP16, "fp16")):
    size = (1, 8, 4096, 256, 512)
    entry("mlstm", "mlstm_xl_chunk " + tag, mlstm_sequence, XL, "mlstm_chunkwise__xl_chunk", size, dtype)
    entry("mlstm", "mlstm_xl_chunk siging " + tag, mlstm_sequence, SIGING, "mlstm_siging_chunkwise__xl_chunk", size, dtype)
    entry("mlstm", "mlstm_limit_chunk " + tag, mlstm_sequence, LIMIT, "mlstm_chunkwise__limit_chunk", (4, 8, 2048, 128, 128), dtype)
    entry("mlstm", "mlstm_parallel_limit_headdim " + tag, mlstm_sequence, "parallel.triton_limit_headdim",
          "mlstm_parallel__limit_headdim", (2, 16, 2048, 128, 128), dtype)
size = (2, 8, 2048, 128, 256)
entry("mlstm", "mlstm_xl_chunk states", mlstm_sequence, XL, "mlstm_chunkwise__xl_chunk", size, BF16, states=True, chunk_size=256)
entry("mlstm", "mlstm_xl_chunk kept states", mlstm_sequence, XL, "mlstm_chunkwise__xl_chunk", size, BF16, recompute_states_in_bw=False)
entry("mlstm", "mlstm_xl_chunk siging states", mlstm_sequence, SIGING, "mlstm_siging_chunkwise__xl_chunk", size, BF16, states=True, has_m=False)
entry("mlstm", "mlstm_xl_chunk siging unnormalized", mlstm_sequence, SIGING, "mlstm_siging_chunkwise__xl_chunk", size, BF16, normalize=False)
entry("mlstm", "mlstm_limit_chunk states", mlstm_sequence, LIMIT, "mlstm_chunkwise__limit_chunk", size, BF16, states=True)
for dtype, tag in ((BF16, "bf16"), (FP32, "fp32")):
    entry("mlstm", "mlstm_step " + tag, mlstm_step, "triton_step", "mlstm_recurrent_step__triton", dtype, FP32)
    entry("mlstm", "mlstm_step alternate " + tag, mlstm_step, "triton_step_alternate", "mlstm_recurrent_step__triton_alternate",
          dtype, dtype, width_v=256)
entry("mlstm", "mlstm_step bf16 state", mlstm_step, "triton_step", "mlstm_recurrent_step__triton", BF16, BF16, dtype_state=BF16)

BASE = "mlstm_kernels.baselines."


class DecayCumsum:
    """chunk_util.fwd_decay_cumsum, which Triton 3.6 rejects: it reads a global that is not a tl.constexpr."""

    def __getitem__(self, grid):
        return self

    def __call__(self, g, result, *args, BT, **options):
        sums = g.detach().float().unflatten(-2, (-1, BT)).cumsum(-2) * 1.44269504
        result.copy_(sums.flatten(-3, -2))


def gla(module, name, dtype, size=(4, 8, 2048, 128), gate="row", states=False, **options):
    batch, heads, time, width = size
    q, k, v = (randn(*size, dtype=dtype, scale=0.5) for _ in range(3))
    g = None
    if gate == "row":
        g = (F.logsigmoid(torch.randn(size, device="cuda")) / 16).to(dtype).requires_grad_()
    elif gate == "scalar":
        g = F.logsigmoid(torch.randn(batch, heads, time, device="cuda")).requires_grad_()
    if states:
        options["initial_state"] = randn(batch, heads, width, width, dtype=FP32, grad=False)
        options["output_final_state"] = True
    if module == "gla.chunk_fuse":
        importlib.import_module(BASE + "flash_linear_attention." + module).fwd_decay_cumsum = DecayCumsum()
    outputs = get(BASE + "flash_linear_attention." + module, name)(q, k, v, g, **options)
    backward(outputs[:1])  # The gradient of the last state is not used.


def fused_recurrent(dtype, values=False, **options):
    size = (4, 8, 1024, 128)
    q, k, v = (randn(*size, dtype=dtype, scale=0.5) for _ in range(3))
    gate = lambda: F.logsigmoid(torch.randn(size, device="cuda")).to(dtype).requires_grad_()
    function = get(BASE + "flash_linear_attention.gla.recurrent_fuse", "fused_recurrent_gla")
    outputs = function(q, k, v, gk=gate(), gv=gate() if values else None, **options)
    backward(outputs if isinstance(outputs, list) else outputs[:1])


for dtype, tag in ((BF16, "bf16"), (FP32, "fp32")):
    entry("mlstm", "chunk_gla " + tag, gla, "gla.chunk", "chunk_gla", dtype)
    entry("mlstm", "fused_chunk_gla " + tag, gla, "gla.chunk_fuse", "fused_chunk_gla", dtype)
    entry("mlstm", "chunk_simple_gla " + tag, gla, "simple_gla.chunk", "chunk_simple_gla", dtype, gate="scalar")
    entry("mlstm", "fused_recurrent_gla " + tag, fused_recurrent, dtype)
# Triton rejects its initial state with less than float32: a loop changes a pointer's type.
entry("mlstm", "chunk_gla states", gla, "gla.chunk", "chunk_gla", FP32, states=True, checkpoint_level=0)
entry("mlstm", "chunk_gla kept", gla, "gla.chunk", "chunk_gla", BF16, checkpoint_level=0)
entry("mlstm", "fused_chunk_gla states", gla, "gla.chunk_fuse", "fused_chunk_gla", BF16, states=True)
entry("mlstm", "chunk_simple_gla states", gla, "simple_gla.chunk", "chunk_simple_gla", BF16, gate="scalar", states=True)
entry("mlstm", "fused_recurrent_gla both gates", fused_recurrent, BF16, values=True)
entry("mlstm", "fused_recurrent_gla both ways", fused_recurrent, BF16, causal=False)


def cumsum(name, dtype):
    backward(get(BASE + "flash_linear_attention.fla_utils", name).apply(randn(4, 8, 2048, 128, dtype=dtype), dtype))


def bare(name, kind, dtype, width=128):
    """Kernels of fla_utils that nothing there calls."""
    batch_heads, time = 64, 2048
    kernel = get(BASE + "flash_linear_attention.fla_utils", name)
    x, y, z = (randn(batch_heads, time, width, dtype=dtype, grad=False) for _ in range(3))
    if kind == "recurrent":
        kernel[lambda meta: (-(-width // meta["BS"]), batch_heads)](x, y, time * width, width, T=time, S=width)
    elif kind == "softmax":
        kernel[time // 32, batch_heads](*((x.softmax(-1), y, z) if "bwd" in name else (x, y)), time * width, width, 1,
                                        T=time, S=width, BT=32)
    else:
        kernel[(batch_heads,)](x, y, time * width, width, 1, T=time, S=width)


for dtype, tag in ((BF16, "bf16"), (FP32, "fp32")):
    entry("mlstm", "cumsum " + tag, cumsum, "CumsumFunction", dtype)
    entry("mlstm", "reversed_cumsum " + tag, cumsum, "ReversedCumsumFunction", dtype)
    for name in ("fwd", "bwd"):
        entry("mlstm", "softmax_%s bare %s" % (name, tag), bare, "softmax_%s_kernel" % name, "softmax", dtype)
        entry("mlstm", "recurrent_cumsum_%s bare %s" % (name, tag), bare, "recurrent_cumsum_%s_kernel" % name, "recurrent", dtype)
        entry("mlstm", "recurrent_reversed_cumsum_%s bare %s" % (name, tag), bare,
              "recurrent_reversed_cumsum_%s_kernel" % name, "recurrent", dtype)
    entry("mlstm", "logcumsumexp bare " + tag, bare, "logcumsumexp_fwd_kernel", "log", dtype, width=64)


def attention_baseline(module, size, dtype, *rest):
    backward(get(BASE + module[0], module[1])(*(randn(*size, dtype=dtype) for _ in range(3)), *rest))


def lightning(dtype, size=(2, 16, 2048, 128)):
    slopes = get(BASE + "lightning_attention.utils", "_build_slope_tensor")(size[1]).cuda().float()
    function = get(BASE + "lightning_attention.lightning_attn2", "lightning_attn2")
    backward(function(*(randn(*size, dtype=dtype) for _ in range(3)), slopes))


for width in (64, 128):
    size = (2, 16, 2048, width)
    entry("mlstm", "triton_tutorial causal %d" % width, attention_baseline,
          ("flash_attention.triton_tutorial", "attention"), size, FP16, True)
    entry("mlstm", "triton_tutorial full %d" % width, attention_baseline,
          ("flash_attention.triton_tutorial", "attention"), size, FP16, False)
    entry("mlstm", "flash_attention_triton %d" % width, attention_baseline,
          ("flash_attention.flash_attention_triton", "attention_causal"), size, FP16)
    entry("mlstm", "lightning_attn2 %d" % width, lightning, BF16, (2, 16, 2048, width))
entry("mlstm", "lightning_attn2 fp16", lightning, FP16)


# adasplash.

def entmax(module, dtype, rows=8192, columns=4096, **options):
    # Triton rejects these kernels of the backward pass: a square root or a power of bfloat16.
    v2, alpha, fast = module.endswith("v2"), options.get("alpha", 1.5), options.get("fast_math")
    grad = dtype == FP32 or (not fast and alpha != 1.5 or alpha == 2.0 if v2 else not fast)
    backward(get("adasplash." + module, "triton_entmax")(randn(rows, columns, dtype=dtype, grad=grad), **options))


for dtype, tag in ((FP32, "fp32"), (BF16, "bf16")):
    for alpha in (1.5, 2.0, 1.333):
        for fast in (False, True):
            entry("adasplash", "entmax v1 %s alpha %s%s" % (tag, alpha, " fast" * fast), entmax, "triton_entmax", dtype,
                  alpha=alpha, fast_math=fast)
            entry("adasplash", "entmax v2 %s alpha %s%s" % (tag, alpha, " fast" * fast), entmax, "triton_entmax_v2", dtype,
                  alpha=alpha, fast_math=fast)
    entry("adasplash", "entmax v2 %s without histogram" % tag, entmax, "triton_entmax_v2", dtype, use_histogram=False, n_iter=10)


def splash(module, dtype, batch=1, heads=16, time=2048, width=64, lengths=None, kv_heads=None, **options):
    q = randn(batch, heads, time, width, dtype=dtype, scale=2.0)
    k, v = (randn(batch, kv_heads or heads, time, width, dtype=dtype) for _ in range(2))
    if lengths:
        options["varlen"] = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    backward(get("adasplash." + module, "sparse_attn")(q, k, v, **options))


for module in ("adasplash_block_mask", "adasplash_no_block_mask"):
    for options in ({}, {"is_causal": True}, {"alpha": 1.333, "is_causal": True}, {"alpha": 2.0},
                    {"is_causal": True, "dtype": FP16}, {"is_causal": True, "width": 128, "heads": 8},
                    {"is_causal": True, "batch": 2, "heads": 8, "lengths": [2048, 1500]},
                    {"batch": 2, "heads": 8, "lengths": [1900, 700]}):
        options = {"dtype": BF16, **options}
        entry("adasplash", "%s %s" % (module, " ".join("%s=%s" % (key, str(value).replace("torch.", "")) for key, value in options.items())),
              splash, module, **options)
for options in ({}, {"dtype": FP16, "width": 64}, {"kv_heads": 4}, {"niter": 3},
                {"batch": 2, "heads": 16, "time": 2048, "lengths": [2048, 1500]}):
    options = {"dtype": BF16, "heads": 32, "time": 4096, "width": 128, **options}
    entry("adasplash", "adasplash_v2 %s" % " ".join("%s=%s" % (key, str(value).replace("torch.", "")) for key, value in options.items()),
          splash, "adasplash_v2", **options)


# cut-cross-entropy.

def cce(dtype, tokens=2048, hidden=2048, vocabulary=32000, ignored=False, frozen=False, batch=2, trained=False, **options):
    e = randn(batch, tokens // batch, hidden, dtype=dtype)
    c = randn(vocabulary, hidden, dtype=dtype, scale=0.02, grad=not frozen)
    labels = torch.randint(0, vocabulary, (batch, tokens // batch), device="cuda")
    if ignored:
        labels[:, : tokens // batch // 4] = -100
    backward(get("cut_cross_entropy.linear_cross_entropy", "linear_cross_entropy")(e, c, labels, **options))


for dtype, tag in ((BF16, "bf16"), (FP16, "fp16")):
    entry("cce", "cce " + tag, cce, dtype)
    entry("cce", "cce unfiltered " + tag, cce, dtype, filter_eps=None, tokens=1024)
    entry("cce", "cce ignored " + tag, cce, dtype, ignored=True)
entry("cce", "cce shift", cce, BF16, shift=True)
entry("cce", "cce softcap", cce, BF16, softcap=30.0)
entry("cce", "cce softcap unfiltered", cce, BF16, softcap=30.0, filter_eps=None, tokens=1024)
entry("cce", "cce sum", cce, BF16, reduction="sum")
entry("cce", "cce none", cce, BF16, reduction="none")
entry("cce", "cce none shift ignored", cce, BF16, reduction="none", shift=True, ignored=True)
entry("cce", "cce frozen classifier", cce, BF16, frozen=True)
entry("cce", "cce hidden 2056", cce, BF16, hidden=2056)
entry("cce", "cce short", cce, BF16, tokens=128, hidden=4096)


# SageAttention.

def sage(dtype, width, causal, layout="HND", heads=32, kv_heads=32, time=4096):
    shape = lambda h: (1, h, time, width) if layout == "HND" else (1, time, h, width)
    q, k, v = (randn(*shape(h), dtype=dtype, grad=False) for h in (heads, kv_heads, kv_heads))
    get("sageattention.core", "sageattn")(q, k, v, tensor_layout=layout, is_causal=causal)


def sage_varlen(dtype, width, causal, heads=32, kv_heads=8, lengths=(1024, 512, 2048, 512)):
    total = sum(lengths)
    q, k, v = (randn(total, h, width, dtype=dtype, grad=False) for h in (heads, kv_heads, kv_heads))
    starts = torch.tensor(np.cumsum([0, *lengths]), device="cuda", dtype=torch.int32)
    get("sageattention.core", "sageattn_varlen")(q, k, v, starts, starts, max(lengths), max(lengths), is_causal=causal)


for width in (64, 96, 128):
    for causal in (False, True):
        tag = "%d %s" % (width, "causal" if causal else "full")
        entry("sage", "sageattn fp16 HND " + tag, sage, FP16, width, causal)
        entry("sage", "sageattn bf16 NHD grouped " + tag, sage, BF16, width, causal, layout="NHD", kv_heads=8)
        if width != 96:
            entry("sage", "sageattn_varlen fp16 " + tag, sage_varlen, FP16, width, causal)
            entry("sage", "sageattn_varlen bf16 " + tag, sage_varlen, BF16, width, causal, kv_heads=32)
entry("sage", "sageattn fp32", sage, FP32, 128, True)


# native-sparse-attention-pytorch.

def native_sparse(dtype, heads=32, kv_heads=8, time=2048, width=64, block=64, selected=4, sel_heads=None, scaled=False, **options):
    q = randn(1, heads, time, width, dtype=dtype)
    k, v = (randn(1, kv_heads, time, width, dtype=dtype) for _ in range(2))
    sel_heads = sel_heads or kv_heads
    # Blocks before that of each query, as a compressed attention would choose them.
    scores = torch.rand(1, sel_heads, time, time // block, device="cuda")
    own = torch.arange(time, device="cuda")[:, None] // block
    scores = scores.masked_fill(torch.arange(time // block, device="cuda")[None, :] >= own, -1.0)
    values, indices = scores.topk(selected, dim=-1)
    mask = values > 0
    indices = torch.where(mask, indices, 0).contiguous()
    if scaled:
        options["sel_scale"] = torch.ones(indices.shape, device="cuda").requires_grad_()
    function = get("native_sparse_attention_pytorch.triton_native_sparse_attention", "native_sparse_attend")
    backward(function(q, k, v, block, indices, mask.contiguous(), **options))


entry("nsa", "nsa fp16", native_sparse, FP16)
entry("nsa", "nsa bf16 wide", native_sparse, BF16, width=128)
entry("nsa", "nsa dot", native_sparse, FP16, block_dk_dv_use_dot=True)
entry("nsa", "nsa 16 groups", native_sparse, FP16, heads=32, kv_heads=2, block_dk_dv_use_dot=True)
entry("nsa", "nsa no groups", native_sparse, FP16, heads=8, kv_heads=8)
entry("nsa", "nsa heads choose", native_sparse, FP16, heads=16, kv_heads=4, sel_heads=16)
entry("nsa", "nsa sliding", native_sparse, FP16, return_sliding_window_out=True)
entry("nsa", "nsa gates", native_sparse, FP16, scaled=True)
entry("nsa", "nsa without diagonal", native_sparse, FP16, include_block_causal=False)
entry("nsa", "nsa blocks of 16", native_sparse, FP16, block=16, selected=8)
entry("nsa", "nsa odd", native_sparse, FP16, width=48)


# stk: products as in a mixture of 8 experts, with 8192 tokens.

def topology(dtype, tokens, experts, hidden, grad=False, diagonal=True):
    """A matrix of blocks of 128: those of each expert's tokens and hidden columns, or any quarter."""
    rows, columns = tokens // 128, experts * hidden // 128
    if diagonal:
        full = (torch.arange(rows, device="cuda")[:, None] // (rows // experts)
                == torch.arange(columns, device="cuda")[None, :] // (columns // experts))
    else:
        full = torch.rand(rows, columns, device="cuda") < 0.25
    offsets = torch.cat([torch.zeros(1, device="cuda", dtype=torch.int32), full.sum(1).cumsum(0).int()])
    indices = full.nonzero()
    column_indices = indices[:, 1].short().contiguous()
    row_indices = torch.empty_like(column_indices)
    data = randn(indices.shape[0], 128, 128, dtype=dtype, scale=0.1, grad=grad)
    shape = (rows * 128, columns * 128)
    get("stk.ops", "row_indices")(shape, data, offsets, column_indices)  # The kernel; its result is known:
    row_indices = indices[:, 0].short().contiguous()
    return get("stk.matrix", "Matrix")(torch.Size(shape), data, row_indices, column_indices, offsets)


def sparse_product(kind, dtype, trans_a=False, trans_b=False, tokens=4096, experts=8, hidden=1024, width=2048, diagonal=True):
    ops = importlib.import_module("stk.ops")
    sparse = topology(dtype, tokens, experts, hidden, grad=kind != "sdd", diagonal=diagonal)

    def dense(rows, columns, transposed):
        return randn(columns, rows, dtype=dtype).t() if transposed else randn(rows, columns, dtype=dtype)

    if kind == "sdd":
        out = ops.sdd(dense(sparse.shape[0], width, trans_a), dense(width, sparse.shape[1], trans_b), sparse).data
    elif kind == "dsd":
        sparse = sparse.t() if trans_a else sparse
        out = ops.dsd(sparse, dense(sparse.shape[1], width, trans_b))
    else:
        sparse = sparse.t() if trans_b else sparse
        out = ops.dds(dense(width, sparse.shape[0], trans_a), sparse)
    backward(out)


for dtype, tag in ((BF16, "bf16"), (FP16, "fp16")):
    for kind in ("sdd", "dsd", "dds"):
        for trans_a, trans_b in ((0, 0), (0, 1), (1, 0), (1, 1)):
            entry("stk", "%s %s %d%d" % (kind, tag, trans_a, trans_b), sparse_product, kind, dtype, bool(trans_a), bool(trans_b))
        entry("stk", "%s %s scattered" % (kind, tag), sparse_product, kind, dtype, tokens=4096, hidden=512, diagonal=False)
entry("stk", "dsd fp32", sparse_product, "dsd", FP32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=",".join(TABLES), help="names of libraries, with commas")
    library_calls.add_options(parser)
    parser.add_argument("--list", action="store_true", help="only list the names")
    args = parser.parse_args()
    calls = [call for library in args.library.split(",") for call in TABLES[library]]
    if args.list:
        print("\n".join(name for name, _ in library_calls.choose(calls, args)))
        return
    stub_all()
    library_calls.run(calls, args)


if __name__ == "__main__":
    main()
