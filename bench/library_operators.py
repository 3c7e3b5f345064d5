"""Runs operators of Liger-Kernel and of FlagGems: a program for bench/launches.py.

    python3 bench/library_operators.py [--library=liger,gems] [--filter=REGEX] [--part=K/N] [--dtype=bfloat16,float32]

It needs torch, Triton and the packages liger-kernel (without what that depends on), flag-gems, PyYAML, SQLAlchemy and
packaging. Each line of the tables below is an expression over the tensors that `tensors` makes; those of Liger-Kernel
run backwards, too, those of FlagGems are torch's, of which FlagGems replaces the operators. --part=K/N takes every Nth
call from the Kth on, so that several processes can fill Triton's cache first. What an operator does not support is
named and left out.
"""

import argparse
import functools

import torch
import torch.nn.functional as F

import library_calls

# x, y, z: rows × columns; wide, wider: more columns; w, b: a row; logits, logits2, labels: rows × vocabulary;
# image: N × C × H × W; q, k, v: batch × heads × time × width; i: indices of rows; m: bools.
LIGER = """
liger_cross_entropy(logits, labels)
liger_cross_entropy(logits, labels, label_smoothing=0.1, lse_square_scale=1e-4, softcap=30.0)
liger_fused_linear_cross_entropy(x, vocabulary, labels)
liger_fused_linear_jsd(x, vocabulary, y, vocabulary, labels)
liger_geglu(wide, wide2)
liger_swiglu(wide, wide2)
liger_group_norm(image.flatten(2), c1, c2, 64, 8, 1e-5)
liger_jsd(logits.log_softmax(-1), logits2.log_softmax(-1))
liger_kl_div(logits.log_softmax(-1), logits2.softmax(-1))
liger_tvd(logits.softmax(-1), logits2.softmax(-1))
liger_layer_norm(x, w, b, 1e-6)
liger_rms_norm(x, w, 1e-6)
liger_rms_norm(x, w, 1e-6, 1.0, "gemma", False)
liger_rms_norm(q, d, 1e-6)
liger_fused_add_rms_norm(x, y, w, 1e-6)
liger_poly_norm(x, three, one)
liger_relu_squared(wide)
liger_rope(q, k, angles, angles)
liger_qwen2vl_mrope(q, k, angles3, angles3, [16, 24, 24])
liger_softmax(logits)
liger_softmax(x)
liger_sparsemax(x)
liger_dyt(x, one, w, b)
liger_multi_token_attention(scores, taps, padding=1)
liger_fused_neighborhood_attention(q, k, v)
liger_attn_res(depth, w, b)
liger_mhc_pre(streams, h_pre)
liger_mhc_post_res(streams, x3, h_pre, h_res)
"""
GEMS = """
x + y
x * 2.5
x / y
x.float().cumsum(-1)
x.cumsum(0)
x[0].cumsum(0)
x.exp()
x.abs().log()
torch.tanh(x)
torch.erf(x)
torch.pow(x.abs(), 1.7)
torch.pow(x.abs(), y)
torch.where(m, x, y)
x > y
(x > 0) & m
torch.clamp(x, -0.5, 0.5)
torch.maximum(x, y)
torch.remainder(x, 0.7)
torch.div(x, y, rounding_mode="floor")
i // 3
i << 2
F.gelu(x)
F.gelu(x, approximate="tanh")
F.silu(x)
F.relu(x)
F.softplus(x)
F.elu(x)
F.glu(x)
F.prelu(x, one)
torch.sigmoid(x)
torch.rsqrt(x.abs())
torch.isnan(x)
torch.isfinite(x)
torch.lerp(x, y, 0.3)
torch.addcmul(x, y, z)
torch.hypot(x, y)
torch.atan2(x, y)
torch.nan_to_num(x)
torch.logaddexp(x, y)
torch.special.i0e(x.float())
torch.digamma(x.float().abs())
x.masked_fill(m, 0.0)
x.masked_select(m)
torch.nonzero(m)
m.count_nonzero()
x.sum()
x.sum(-1)
x.sum(0)
image.sum((0, 2, 3))
x.mean()
x.mean(-1)
x.mean(0)
x.prod(-1)
x.amax(-1)
x.amax(0)
x.max()
x.max(-1)
x.min(-1)
x.max(0)
x.argmax(-1)
x.argmax(0)
x.argmax()
x.argmin(-1)
torch.aminmax(x)
m.all()
m.any(-1)
x.var(-1)
x.var(0)
torch.var_mean(x, -1)
x.std(-1)
torch.linalg.vector_norm(x)
torch.linalg.vector_norm(x, dim=-1)
torch.linalg.vector_norm(x, ord=1, dim=0)
x.float().cummax(-1)
x.float().cummin(0)
x.sort(-1)
x[:, :512].sort(-1)
x.topk(8)
logits.topk(50)
x[:, :128].topk(4)
torch.softmax(x, -1)
torch.softmax(logits, -1)
torch.softmax(x, 0)
torch.softmax(wider[:8], -1)
torch.log_softmax(x, -1)
torch.log_softmax(logits, -1)
F.layer_norm(x, (4096,), w, b)
F.layer_norm(q, (128,), d, d)
F.layer_norm(wider, wider.shape[-1:], None, None)
F.rms_norm(x, (4096,), w)
F.group_norm(image, 8, c1, c2)
F.batch_norm(image, None, None, c1, c2, True)
F.batch_norm(image, c1, c2.abs(), c1, c2, False)
F.dropout(x, 0.3)
F.cross_entropy(logits, labels)
F.nll_loss(logits.float(), labels)
F.mse_loss(x, y)
F.embedding(i[:2048], vocabulary)
torch.gather(x, 1, j)
x.index_select(0, i % 2048)
x.index_select(1, i % 2048)
x[i % 2048]
x[i % 2048, i % 4096]
x.clone().index_add_(0, i % 2048, y)
x.clone().index_put_((i % 2048,), y, accumulate=True)
x.scatter(1, j, y)
x.scatter_add(1, j, y)
torch.cat([x, y], 0)
torch.cat([x, y, z], 1)
torch.stack([x, y])
torch.vstack([x, y])
torch.hstack([x, y])
x.repeat(2, 3)
x.tile(2, 1)
x.repeat_interleave(3, 1)
torch.flip(x, (0, 1))
torch.roll(x, 37, 1)
torch.tril(x)
torch.triu(x)
torch.diag(x[0, :1024])
torch.diag_embed(x[:64, :256])
torch.trace(x[:2048, :2048].float())
F.pad(x, (1, 2, 3, 4))
F.pad(image, (1, 1, 1, 1), mode="reflect")
F.one_hot(i % 64)
torch.isin(i, i[:500])
torch.unique(i)
torch.bincount(i % 1000)
torch.arange(1000000, device=x.device)
torch.linspace(0, 1, 100000, device=x.device)
torch.full((2048, 4096), 2.0, device=x.device)
torch.eye(2048, device=x.device)
torch.rand(2048, 4096, device=x.device)
torch.randn(2048, 4096, device=x.device)
torch.randperm(100000, device=x.device)
x.clone().uniform_()
x.clone().exponential_()
torch.multinomial(logits[:64].float().softmax(-1), 4)
x @ y.t()
x @ vocabulary[:4096].t()
x[:16] @ vocabulary.t()
x[0] @ y.t()
torch.mv(x, w)
torch.dot(w, b)
torch.outer(w, b)
torch.addmm(y[:, :2048], x, y.t())
torch.addmv(x[:, 0].clone(), y, w)
torch.baddbmm(scores[0], q[0], k[0].transpose(1, 2))
torch.bmm(q[0], k[0].transpose(1, 2))
torch.kron(x[:32, :32], y[:64, :64])
F.conv2d(image, filters, padding=1)
F.conv2d(image, filters, stride=2)
F.conv1d(image.flatten(2), filters[:, :, 0], padding=1)
F.conv2d(image, filters[:, :1], groups=64)
F.max_pool2d(image, 3, 2)
F.avg_pool2d(image, 3, 2)
F.interpolate(image, scale_factor=2, mode="nearest")
F.interpolate(image, scale_factor=1.7, mode="bicubic")
F.scaled_dot_product_attention(q, k, v)
F.scaled_dot_product_attention(q, k, v, is_causal=True)
torch.quantile(x[:256].float(), 0.3, dim=-1)
x.to(torch.float16)
x.t().contiguous()
q.transpose(1, 2).contiguous()
x.float().round(decimals=2)
torch.allclose(x, x)
torch.equal(x, y)
torch.polar(x.float(), y.float())
F.pixel_unshuffle(image, 2)
torch.pixel_unshuffle(image, 4)
"""


class Tensors(dict):
    """The tensors that expressions name, made when one is named first."""

    SHAPES = {
        "x": (2048, 4096), "y": (2048, 4096), "z": (2048, 4096), "wide": (2048, 11008), "wide2": (2048, 11008),
        "wider": (256, 65536), "w": (4096,), "b": (4096,), "d": (128,), "one": (1,), "three": (3,),
        "logits": (2048, 32000), "logits2": (2048, 32000), "vocabulary": (32000, 4096), "image": (16, 64, 56, 56),
        "c1": (64,), "c2": (64,), "filters": (64, 64, 3, 3), "q": (4, 16, 1024, 128), "k": (4, 16, 1024, 128),
        "v": (4, 16, 1024, 128), "angles": (1, 1024, 128), "angles3": (3, 4, 1024, 128), "scores": (4, 16, 1024, 1024),
        "taps": (16, 16, 3, 3), "depth": (4, 2, 1024, 4096), "streams": (2, 512, 4, 2048), "x3": (2, 512, 2048),
        "h_pre": (2, 512, 4), "h_res": (2, 512, 4, 4),
    }

    def __init__(self, dtype, needs_gradients):
        super().__init__(torch=torch, F=F)
        self.dtype, self.needs_gradients = dtype, needs_gradients

    def __missing__(self, name):
        random = lambda most, *shape: torch.randint(0, most, shape, device="cuda")
        others = {"i": lambda: random(32000, 2048), "j": lambda: random(4096, 2048, 4096),
                  "labels": lambda: random(32000, 2048), "m": lambda: random(2, 2048, 4096) > 0}
        if name in others:
            self[name] = others[name]()
        elif name in self.SHAPES:
            self[name] = torch.randn(self.SHAPES[name], device="cuda", dtype=self.dtype)
            self[name].requires_grad_(self.needs_gradients)
        else:
            raise KeyError(name)
        return self[name]


def call_liger(expression, dtype):
    from liger_kernel.transformers import functional

    tensors = Tensors(dtype, needs_gradients=True)
    tensors.update({name: value for name, value in vars(functional).items() if name.startswith("liger_")})
    outputs = eval(expression, {}, tensors)
    library_calls.backward(outputs)


def call_gems(expression, dtype):
    import flag_gems

    tensors = Tensors(dtype, needs_gradients=False)
    eval(compile(expression, "", "eval"), {}, tensors)  # Makes them, by torch.
    with flag_gems.use_gems():
        eval(expression, {}, tensors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default="liger,gems", help="liger, gems, or both")
    library_calls.add_options(parser)
    parser.add_argument("--dtype", default="bfloat16", help="types of elements, with commas")
    args = parser.parse_args()
    tables = {"liger": (call_liger, LIGER), "gems": (call_gems, GEMS)}
    calls = [(expression, functools.partial(tables[library][0], expression, getattr(torch, dtype)))
             for library in args.library.split(",") for dtype in args.dtype.split(",")
             for expression in tables[library][1].strip().splitlines()]
    library_calls.run(calls, args)


if __name__ == "__main__":
    main()
