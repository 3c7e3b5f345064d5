"""Compares tilec with Triton and with cuBLAS and cuDNN on matrix products and attention, by the same source.

    python3 bench/products.py [--tilec=bin/tilec] [--filter=REGEX] [--csv=products.csv] [--all] [--no-triton] [--usual]
                              [--warp-roles=auto]

The kernels are those of test/Kernels: products.py, products_quantized.py and attention_backward.py. Each problem is run with each of a few configurations (blocks,
warps, stages), the same for both compilers; the table has the best of each. --all prints each configuration, too.
--usual takes a few problems, with each of the configurations that people let their tuners try, and ends with the
geometric mean of tilec's speed over Triton's with the same one, and those where it is below 0.9.
Results are compared with the library's; times are medians of device events after 256 MiB were written, in TFLOP/s.
The exit status is 1 if a result is wrong or a kernel fails.
"""

import argparse
import csv
import itertools
import math
import os
import re
import sys
import tempfile
import types

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "bench"), os.path.join(ROOT, "test", "Kernels", "Inputs")]

import kernel_cases
import kernels
import providers

torch = None
NAMES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp8e4nv": "float8_e4m3fn", "i8": "int8",
         "u8": "uint8"}
BYTES = {"fp16": 2, "bf16": 2, "fp32": 4, "fp8e4nv": 1}


def cdiv(a, b):
    return -(-a // b)


class Case:
    """A kernel with its arguments and constants, as kernels.Tilec and kernels.Triton take it."""

    def __init__(self, kernel, tensors, scalars, constants, grid, file="products.py"):
        self.spec = types.SimpleNamespace(path=os.path.join(ROOT, "test", "Kernels", file), name=kernel)
        self.arguments = {**dict.fromkeys(tensors), **scalars}
        self.tensors, self.constants, self.grid = tensors, constants, grid

    def signature(self):
        short = {getattr(torch, long): name for name, long in NAMES.items()}
        items = []
        for name, value in self.arguments.items():
            kind = "*%s:16" % short[self.tensors[name].dtype] if name in self.tensors else \
                kernel_cases.argument_type(value)
            items.append("%s=%s" % (name, kind))
        return ",".join(items)


class Product:
    """C = A B with A of M x K; B is K x N, or N x K where `transposed`."""

    def __init__(self, m, n, k, dtype, transposed=False):
        self.size = (m, n, k)
        self.title = "%s %dx%dx%d %s" % ("NT" if transposed else "NN", m, n, k, dtype)
        self.flops = 2.0 * m * n * k
        self.dtype, self.transposed = getattr(torch, NAMES[dtype]), transposed
        # Blocks of M, N and K, warps, stages.
        bytes_of_k = 128 if m > 16 else 256
        k_block = bytes_of_k // BYTES[dtype]
        self.configs = [(128, 256, k_block, 8, 3), (256, 128, k_block, 8, 3), (128, 128, k_block, 4, 3),
                        (128, 128, k_block, 4, 4), (128, 128, k_block, 8, 3)]
        if m <= 1024:
            self.configs += [(64, 64, k_block, 4, 4), (128, 64, k_block, 4, 4), (64, 64, 2 * k_block, 4, 4),
                             (128, 64, 2 * k_block, 4, 4)]
        if m <= 16:
            self.configs = [(16, 32, k_block, 4, 4), (16, 64, k_block, 4, 4), (16, 64, 2 * k_block, 4, 3),
                            (16, 128, k_block, 4, 4)]

    def prepare(self):
        m, n, k = self.size
        self.a = torch.randn(m, k, device="cuda").to(self.dtype)
        self.b = torch.randn(n, k, device="cuda").to(self.dtype).T
        if not self.transposed:
            self.b = self.b.contiguous()
        self.c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16 if self.dtype.itemsize == 1 else self.dtype)
        self.expected = [self.library()]
        self.outs = [self.c]

    def library(self):
        if self.dtype.itemsize > 1:
            return self.a @ self.b
        # It takes bytes with neighbours along the depth only.
        right = self.b if self.transposed else self.b.T.contiguous().T
        one = torch.ones((), device="cuda")
        return torch._scaled_mm(self.a, right, one, one, out_dtype=torch.bfloat16)

    def cases(self, config):
        m, n, k = self.size
        block_m, block_n, block_k = config[:3]
        scalars = {"M": m, "N": n, "K": k, "stride_am": k, "stride_ak": 1, "stride_bk": self.b.stride(0),
                   "stride_bn": self.b.stride(1), "stride_cm": n, "stride_cn": 1}
        constants = {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k, "GROUP_M": 8,
                     "ACTIVATION": None}
        tensors = {"a_ptr": self.a, "b_ptr": self.b, "c_ptr": self.c}
        return [Case("matmul", tensors, scalars, constants, (cdiv(m, block_m) * cdiv(n, block_n),))]


class Weights:
    """Activations in bf16 times weights of 8 or 4 bits, two of which share a byte; cuBLAS has weights in bf16."""

    def __init__(self, m, n, k, bits):
        self.size, self.bits = (m, n, k), bits
        self.title = "NN %dx%dx%d bf16 x int%d" % (m, n, k, bits)
        self.flops = 2.0 * m * n * k
        self.configs = [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3),
                        (128, 128, 128, 8, 2)]

    def prepare(self):
        m, n, k = self.size
        self.a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        if self.bits == 8:
            self.w = torch.randint(-100, 101, (k, n), device="cuda", dtype=torch.int8)
            weights, self.scale = self.w, torch.rand(n, device="cuda").bfloat16()
        else:
            self.w = torch.randint(0, 256, (k // 2, n), device="cuda", dtype=torch.uint8)
            low, high = ((self.w.view(torch.int8) << 4) >> 4, self.w.view(torch.int8) >> 4)
            weights, self.scale = torch.stack([low, high], dim=1).reshape(k, n), torch.rand(n, device="cuda")
        self.b = weights.bfloat16()
        self.c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16 if self.bits == 8 else torch.float32)
        self.outs, self.expected = [self.c], [self.library().float() * self.scale.float()]

    def library(self):
        return self.a @ self.b

    def cases(self, config):
        m, n, k = self.size
        scalars = {"M": m, "N": n, "K": k}
        constants = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), config))
        tensors = {"a_ptr": self.a, "w_ptr": self.w, "scale_ptr": self.scale}
        if self.bits == 8:
            tensors["zero_ptr"] = self.scale
            constants["HAS_ZERO"] = False
        tensors["c_ptr"] = self.c
        return [Case("bytes_to_bfloat" if self.bits == 8 else "nibbles", tensors, scalars, constants,
                     (cdiv(m, config[0]), cdiv(n, config[1])), "products_quantized.py")]


class Attention:
    """Softmax(Q K^T) V for `heads` sequences of `length`."""

    def __init__(self, heads, length, depth, causal, dtype="bf16"):
        self.size = (heads, length, depth)
        self.title = "attention %dx%dx%d%s %s" % (heads, length, depth, " causal" if causal else "", dtype)
        self.flops = 4.0 * heads * length * length * depth * (0.5 if causal else 1)
        self.dtype, self.causal = getattr(torch, NAMES[dtype]), causal
        # Blocks of queries and keys, warps, stages.
        self.configs = [(128, 64, 4, 3), (128, 128, 8, 2), (128, 64, 8, 3), (64, 64, 4, 3), (64, 128, 4, 2)]

    def prepare(self):
        from torch.nn.attention import sdpa_kernel, SDPBackend
        self.q, self.k, self.v = (torch.randn(self.size, device="cuda").to(self.dtype) for _ in range(3))
        self.out = torch.empty_like(self.q)
        self.scale = self.size[2] ** -0.5

        def library():
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return torch.nn.functional.scaled_dot_product_attention(
                    self.q[None], self.k[None], self.v[None], is_causal=self.causal)[0]

        self.library = library
        self.outs, self.expected = [self.out], [library()]

    def cases(self, config):
        heads, length, depth = self.size
        tensors = {"q_ptr": self.q, "k_ptr": self.k, "v_ptr": self.v, "out_ptr": self.out}
        constants = {"HEAD_DIM": depth, "BLOCK_M": config[0], "BLOCK_N": config[1], "CAUSAL": int(self.causal)}
        return [Case("attention", tensors, {"scale": self.scale, "length": length}, constants,
                     (cdiv(length, config[0]), heads))]


class Backward:
    """The gradients of attention: a kernel for keys and values, and one for queries."""

    def __init__(self, heads, length, depth, causal):
        self.size, self.causal = (heads, length, depth), causal
        self.title = "attention backward %dx%dx%d%s bf16" % (heads, length, depth, " causal" if causal else "")
        self.flops = 10.0 * heads * length * length * depth * (0.5 if causal else 1)
        # Of keys and values, blocks of queries and keys; of queries, the same; warps, stages.
        self.configs = [(32, 128, 128, 32, 4, 3), (64, 128, 128, 64, 8, 2), (64, 64, 64, 64, 4, 2), (64, 128, 128, 32, 8, 3)]

    def prepare(self):
        from torch.nn.attention import sdpa_kernel, SDPBackend
        q, k, v, do = (torch.randn((1, *self.size), device="cuda").bfloat16() for _ in range(4))
        for each in (q, k, v):
            each.requires_grad_()
        self.scale = self.size[2] ** -0.5
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        self.library = lambda: torch.autograd.grad(out, (q, k, v), do, retain_graph=True)
        self.expected = [each[0] for each in self.library()]
        self.q, self.k, self.v, self.do = (each.detach()[0] for each in (q, k, v, do))
        self.delta = (out.detach()[0].float() * self.do.float()).sum(-1)
        # One head at a time, for all scores of all heads need much memory.
        self.lse = torch.stack([self.sums(each) for each in range(self.size[0])])
        self.lse2 = self.lse * math.log2(math.e)
        self.outs = [torch.empty_like(self.q) for _ in range(3)]

    def sums(self, head):
        scores = (self.q[head] @ self.k[head].T).float() * self.scale
        if self.causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
        return torch.logsumexp(scores, dim=-1)

    def cases(self, config):
        heads, length, depth = self.size
        m1, n1, m2, n2 = config[:4]
        dq, dk, dv = self.outs
        shared = {"Q": self.q, "K": self.k, "V": self.v}
        constants = {"HEAD_DIM": depth, "CAUSAL": int(self.causal)}
        tensors = {**shared, "DO": self.do, "M": self.lse2, "Delta": self.delta, "DK": dk, "DV": dv}
        scalars = {"sm_scale": self.scale, "stride_tok": depth, "stride_d": 1, "N_CTX": length}
        keys = Case("keys_and_values", tensors, scalars, {"BLOCK_M1": m1, "BLOCK_N1": n1, **constants},
                    (cdiv(length, n1), heads), "attention_backward.py")
        tensors = {**shared, "DO": self.do, "Lse": self.lse, "Delta": self.delta, "DQ": dq}
        queries = Case("queries", tensors, {"sm_scale": self.scale, "N_CTX": length},
                       {"BLOCK_M": m2, "BLOCK_N": n2, **constants}, (cdiv(length, m2), heads), "attention_backward.py")
        return [keys, queries]


def problems():
    for size in (512, 1024, 2048, 4096, 8192):
        yield Product(size, size, size, "bf16")
    yield Product(8192, 8192, 512, "bf16")
    yield Product(16384, 16384, 2048, "bf16")
    yield Product(16, 8192, 8192, "bf16")
    yield Product(8184, 4104, 4104, "bf16")
    yield Product(8192, 8192, 8192, "fp16", transposed=True)
    yield Product(8192, 8192, 8192, "fp32")
    yield Product(8192, 8192, 8192, "fp32", transposed=True)
    yield Product(8192, 8192, 8192, "fp8e4nv", transposed=True)
    yield Product(4096, 4096, 4096, "fp8e4nv")
    for bits in (8, 4):
        yield Weights(4096, 8192, 8192, bits)
    for heads, depth in ((128, 64), (64, 128)):
        for causal in (False, True):
            yield Attention(heads, 4096, depth, causal)
    for causal in (False, True):
        yield Attention(16, 16384, 128, causal)
    for causal in (False, True):
        yield Backward(64, 4096, 128, causal)


def with_usual_configs():
    """A few problems, with blocks, warps and stages as lists for tuners have them."""
    product = Product(4096, 4096, 4096, "bf16")
    blocks = [(64, 64), (64, 128), (128, 64), (128, 128), (64, 256), (256, 64), (128, 256), (256, 128)]
    product.configs = [(*block, depth, warps, stages) for block, (depth, stages), warps in
                       itertools.product(blocks, [(32, 4), (32, 7), (64, 3), (128, 2)], [4, 8])]
    yield product
    for problem in Attention(64, 4096, 128, False), Attention(128, 4096, 64, True):
        problem.configs = list(itertools.product([64, 128], [32, 64, 128], [4, 8], [2, 3, 4]))
        yield problem


def print_comparison(title, speeds):
    """`speeds` has those of tilec and of Triton by configuration."""
    ratios = {config: ours / theirs for config, (ours, theirs) in speeds.items()}
    mean = kernels.geometric_mean(ratios.values())
    below = ["%s %.2f" % (config, ratio) for config, ratio in sorted(ratios.items(), key=lambda item: item[1])
             if ratio < 0.9]
    print("%-36s geometric mean %.3f of %d configurations; below 0.9: %s"
          % (title, mean, len(ratios), ", ".join(below) or "none"), flush=True)


class Runner:
    def __init__(self, args, folder):
        self.args = args
        self.timer = providers.Timer()
        self.compilers = {"tilec": kernels.Tilec(args.tilec, folder, ["--warp-roles=" + args.warp_roles])}
        if not args.no_triton:
            self.compilers["Triton"] = kernels.Triton()
        self.failures = 0

    def teraflops(self, problem, run):
        plan = types.SimpleNamespace(warmup_ms=5, most_warmups=10, least_runs=5, budget_ms=20, most_runs=50)
        times = self.timer.measure(lambda _: run(), types.SimpleNamespace(request=plan, inputs=[None]))
        return problem.flops / providers.quantile(times, 0.5) * 1e-9

    def check(self, problem):
        for found, expected in zip(problem.outs, problem.expected):
            error = ((found.float() - expected.float()).norm() / expected.float().norm()).item()
            if not error < 1e-2:
                raise kernels.Failure("the relative error is %.2g" % error)

    def best(self, name, problem):
        """The best speed and its configuration; all go to `speeds`."""
        best, where = 0.0, None
        for config in problem.configs:
            try:
                launches = [self.compilers[name].compile(case, case.tensors, *config[-2:])[0]
                            for case in problem.cases(config)]

                def run():
                    for launch in launches:
                        launch()

                for out in problem.outs:
                    out.fill_(float("nan"))
                run()
                torch.cuda.synchronize()
                self.check(problem)
                speed = self.teraflops(problem, run)
            except Exception as failure:  # One configuration must not hide the others.
                self.failures += name == "tilec"
                print("FAIL: %s %s %s: %s" % (name, problem.title, config, providers.one_line(failure)), flush=True)
                continue
            self.speeds.setdefault(config, {})[name] = speed
            if self.args.all:
                print("    %-8s %-24s %7.1f" % (name, config, speed), flush=True)
            if speed > best:
                best, where = speed, config
        return best, where

    def row(self, problem):
        problem.prepare()
        self.speeds = {}
        row = {"problem": problem.title, "library": self.teraflops(problem, problem.library)}
        for name in self.compilers:
            row[name], row[name + " config"] = self.best(name, problem)
        return row

    def compare(self, problem):
        both = {config: (speeds["tilec"], speeds["Triton"]) for config, speeds in self.speeds.items()
                if len(speeds) == 2}
        if both:
            print_comparison(problem.title, both)


def main():
    global torch
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=next((path for path in (ROOT + "/bin/tilec", ROOT + "/build/bin/tilec")
                                                 if os.path.exists(path)), "tilec"))
    parser.add_argument("--filter", default="", help="only problems whose title this regular expression finds")
    parser.add_argument("--csv", help="write the rows to this file")
    parser.add_argument("--all", action="store_true", help="print each configuration")
    parser.add_argument("--usual", action="store_true", help="each usual configuration of a few problems")
    parser.add_argument("--warp-roles", default="auto", help="tilec's option; default: auto, as for libtilec's launches")
    parser.add_argument("--no-triton", action="store_true", help="leave Triton out")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder + "/triton"
        if not providers.import_libraries(sys.stderr):
            return 2
        torch = kernels.torch = providers.torch
        kernels.triton = providers.triton
        torch.manual_seed(0)
        torch.backends.cuda.matmul.allow_tf32 = True
        runner = Runner(args, folder)
        for problem in with_usual_configs() if args.usual else problems():
            if not re.search(args.filter, problem.title):
                continue
            row = runner.row(problem)
            rows.append(row)
            print("%-36s library %7.1f" % (row["problem"], row["library"]),
                  *("| %s %7.1f %s" % (name, row[name], row[name + " config"]) for name in runner.compilers), flush=True)
            if args.usual:
                runner.compare(problem)
            torch.cuda.empty_cache()
    if rows and args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    return 1 if runner.failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
