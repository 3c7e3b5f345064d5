"""What bench/providers.py measures: for each kernel its inputs, the library's function, the launch of Triton's
kernel, and the result in float64.

A problem is made from a request's `size` (see PythonProviders.cpp) and has tensors on the GPU. Whoever imports this
sets `torch` and `triton`, which are loaded late since a machine may lack them.
"""

import math
import warnings

torch = None
triton = None

# Elements that are held in float64 at a time.
CHECK_ELEMENTS = 1 << 26


class Problem:
    """One case of a kernel. Inputs are dictionaries of tensors by the names of the kernel's parameters."""

    # Whether the absolute part of the tolerance counts in root mean squares of a row.
    is_relative_to_row = False

    def __init__(self, size, dtype):
        self.size, self.dtype = size, dtype

    def shapes(self):
        """Of the inputs, by name."""
        return {"x": (self.size.rows, self.size.cols)}

    def result_shape(self):
        return next(iter(self.shapes().values()))

    def make_inputs(self):
        return {name: (torch.randn(shape, device="cuda") * self.size.deviations[name]).to(self.dtype)
                for name, shape in self.shapes().items()}

    def library(self, x):
        """The result by torch. What torch.compile compiles is static, so that there are no guards for a problem."""
        raise NotImplementedError

    def library_name(self):
        """Which part of torch computes it, where that is not obvious."""
        return ""

    def launch(self, kernel, options, x, out):
        """Launches Triton's kernel, whose constants and numbers of a launch are `options`."""
        raise NotImplementedError

    def expected(self, x):
        """Parts of the result's index, and what float64 gives there."""
        raise NotImplementedError


class Softmax(Problem):
    @staticmethod
    def library(x):
        return torch.softmax(x["x"], dim=-1)

    def launch(self, kernel, options, x, out):
        cols = self.size.cols
        kernel[(self.size.rows,)](out, x["x"], cols, cols, cols, **options)

    def expected(self, x):
        step = max(1, CHECK_ELEMENTS // self.size.cols)
        for begin in range(0, self.size.rows, step):
            rows = slice(begin, begin + step)
            yield rows, torch.softmax(x["x"][rows].double(), dim=-1)


class SoftmaxPersistent(Softmax):
    grid = None

    def launch(self, kernel, options, x, out):
        cols = self.size.cols
        values = (cols, cols, self.size.rows, cols)
        if self.grid is None:
            compiled = kernel.warmup(out, x["x"], *values, grid=(1,), **options)
            self.grid = (min(self.size.rows, resident_programs(compiled, options["num_warps"])),)
        kernel[self.grid](out, x["x"], *values, **options)


class Gelu(Problem):
    def shapes(self):
        return {"x": (self.size.cols,)}

    @staticmethod
    def library(x):
        return torch.nn.functional.gelu(x["x"], approximate="tanh")

    def launch(self, kernel, options, x, out):
        kernel[(triton.cdiv(self.size.cols, options["BLOCK"]),)](out, x["x"], self.size.cols, **options)

    def expected(self, x):
        for begin in range(0, self.size.cols, CHECK_ELEMENTS):
            part = slice(begin, begin + CHECK_ELEMENTS)
            yield part, torch.nn.functional.gelu(x["x"][part].double(), approximate="tanh")


def blocks_of(rows, cols, options):
    """The grid of a kernel whose programs have one block of the result each."""
    return (triton.cdiv(rows, options["BLOCK_M"]) * triton.cdiv(cols, options["BLOCK_N"]),)


class Matmul(Problem):
    is_relative_to_row = True

    def shapes(self):
        m, n, k = self.size.rows, self.size.cols, self.size.depth
        return {"a": (m, k), "b": (k, n), "bias": (n,)}

    def result_shape(self):
        return self.size.rows, self.size.cols

    def library(self, x):
        return torch.matmul(x["a"], x["b"])  # The bias is zero.

    def library_name(self):
        return "torch.matmul, cuBLAS"

    def launch(self, kernel, options, x, out):
        m, n, k = self.size.rows, self.size.cols, self.size.depth
        kernel[blocks_of(m, n, options)](out, x["a"], x["b"], x["bias"], m, n, k, ACTIVATION=None, **options)

    def expected(self, x):
        right = x["b"].double()
        step = max(1, CHECK_ELEMENTS // max(self.size.cols, self.size.depth))
        for begin in range(0, self.size.rows, step):
            rows = slice(begin, begin + step)
            yield rows, x["a"][rows].double() @ right


class Attention(Problem):
    """Tensors are [batch, length, heads, head size], as the kernel has them; torch sees them with heads first."""

    is_relative_to_row = True
    backend = None

    def shapes(self):
        shape = (self.size.batch, self.size.rows, self.size.heads, self.size.cols)
        return {"q": shape, "k": shape, "v": shape}

    def attend(self, x):
        q, k, v = (x[name].transpose(1, 2) for name in "qkv")
        result = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.size.causal)
        return result.transpose(1, 2)

    def choose_backend(self, x):
        """cuDNN, or flash attention where it cannot do the size."""
        from torch.nn.attention import SDPBackend, sdpa_kernel
        backends = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]
        for backend in backends:
            try:
                # torch warns of each backend that is off.
                with sdpa_kernel(backend), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.attend(x)
                torch.cuda.synchronize()
            except RuntimeError:
                if backend is backends[-1]:
                    raise
                continue
            return backend
        return None

    def library(self, x):
        from torch.nn.attention import sdpa_kernel
        if self.backend is None:
            self.backend = self.choose_backend(x)
        with sdpa_kernel(self.backend):
            return self.attend(x)

    def library_name(self):
        return "" if self.backend is None else f"scaled_dot_product_attention, {self.backend.name}"

    def launch(self, kernel, options, x, out):
        size = self.size
        grid = (triton.cdiv(size.rows, options["BLOCK_M"]), size.heads, size.batch)
        kernel[grid](out, x["q"], x["k"], x["v"], size.rows, size.heads, size.heads, size.cols ** -0.5,
                     HEAD_DIM=size.cols, CAUSAL=size.causal, **options)

    def expected(self, x):
        length = self.size.rows
        step = max(1, 4 * CHECK_ELEMENTS // length)
        for batch in range(self.size.batch):
            for head in range(self.size.heads):
                q, k, v = (x[name][batch, :, head].double() for name in "qkv")
                for begin in range(0, length, step):
                    rows = slice(begin, begin + step)
                    scores = q[rows] @ k.T * self.size.cols ** -0.5
                    if self.size.causal:
                        seen = torch.arange(length, device="cuda")[rows, None] >= torch.arange(length, device="cuda")
                        scores.masked_fill_(~seen, -math.inf)
                    yield (batch, rows, head), torch.softmax(scores, dim=-1) @ v


class Mlp(Problem):
    """Layers of gelu(x W^T + bias)."""

    is_relative_to_row = True
    between = None

    def shapes(self):
        rows, width, layers = self.size.rows, self.size.cols, self.size.depth
        return {"x": (rows, width), "weight": (layers, width, width), "bias": (layers, width)}

    @staticmethod
    def library(x):
        result = x["x"]
        for weight, bias in zip(x["weight"], x["bias"]):
            result = torch.nn.functional.linear(result, weight, bias)
            result = torch.nn.functional.gelu(result, approximate="tanh")
        return result

    def library_name(self):
        return "a linear, by cuBLAS, and a gelu for each layer"

    def launch(self, kernel, options, x, out):
        rows, width, layers = self.size.rows, self.size.cols, self.size.depth
        grid, source = blocks_of(rows, width, options), x["x"]
        if self.between is None:
            self.between = torch.empty_like(out)
        for layer in range(layers):
            # In turn, so that the last one writes the result.
            target = out if (layers - layer) % 2 else self.between
            kernel[grid](target, source, x["weight"][layer], x["bias"][layer], rows, width, width, **options)
            source = target

    def expected(self, x):
        step = max(1, CHECK_ELEMENTS // self.size.cols)
        for begin in range(0, self.size.rows, step):
            rows = slice(begin, begin + step)
            part = {"x": x["x"][rows].double()}
            for layer in range(self.size.depth):  # The weights of one layer are in float64 at a time.
                weight, bias = x["weight"][layer].double(), x["bias"][layer].double()
                part["x"] = torch.nn.functional.gelu(torch.nn.functional.linear(part["x"], weight, bias),
                                                     approximate="tanh")
            yield rows, part["x"]


KINDS = {"softmax_rows": Softmax, "softmax_persistent": SoftmaxPersistent, "gelu": Gelu, "matmul": Matmul,
         "attention": Attention, "linear_gelu": Mlp}


def resident_programs(kernel, warps):
    """How many programs of a compiled kernel the GPU holds at once."""
    device = torch.cuda.get_device_properties(0)
    kernel._init_handles()
    registers = max(kernel.n_regs, 16)
    per_sm = min(device.max_threads_per_multi_processor // (32 * warps), 32,
                 device.regs_per_multiprocessor // (registers * 32 * warps))
    shared = kernel.metadata.shared
    if shared:
        # A block takes 1 KiB beside what it asks for.
        per_sm = min(per_sm, device.shared_memory_per_multiprocessor // (shared + 1024))
    return max(1, per_sm) * device.multi_processor_count
