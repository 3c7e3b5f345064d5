#!/usr/bin/env python3
"""Compares the operators of libtorch_ops.so with torch's own, on the CPU and, where there is one, on the GPU.

    check.py LIBRARY [--device=cpu|cuda] [--compile=aot_eager|inductor] [--time]

Results and gradients are held to a float64 reference: they may be no further from it than twice as far as torch's own
in the same type, and a rounding. Then torch.library.opcheck looks at how the operators are registered, torch.compile
must keep them whole (fullgraph=True), and, on a GPU, a CUDA graph must replay them in a stream of its own.

--time prints microseconds a call, launch included, beside torch's own and, on a GPU where Triton is installed, beside
the same kernels under Triton. Exits with 1 if anything is wrong.
"""

import argparse
import importlib.util
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F

FOLDER = os.path.dirname(os.path.abspath(__file__))
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
ROUNDING = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
failures = 0


def report(is_right, text):
    global failures
    failures += not is_right
    print(("ok    " if is_right else "WRONG ") + text)


class Case:
    """An operator, torch's own, and inputs for both."""

    def __init__(self, name, ours, theirs, shapes, arguments=()):
        self.name, self.ours, self.theirs = name, ours, theirs
        self.shapes, self.arguments = shapes, arguments

    def make_inputs(self, dtype, device):
        generator = torch.Generator().manual_seed(1)
        return [torch.randn(shape, generator=generator).to(device, dtype).requires_grad_() for shape in self.shapes]


def list_cases():
    ops = torch.ops.tilec_examples
    cases = []
    for shape in ((5, 512), (2, 3, 781), (1, 1), (300, 64), (3, 8192)):
        cases.append(Case("rms_norm", ops.rms_norm,
                          lambda x, weight, eps: F.rms_norm(x, weight.shape, weight, eps), [shape, shape[-1:]], (1e-5,)))
    for shape in ((3, 1000), (1,), (7, 5, 33)):
        cases.append(Case("gelu", ops.gelu, lambda x: F.gelu(x, approximate="tanh"), [shape]))
    for shape, is_causal, scale in (((2, 3, 77, 64), True, None), ((1, 2, 128, 128), False, None), ((1, 1, 1, 64), True, None),
                                    ((2, 1, 200, 64), False, 0.2), ((1, 2, 130, 128), True, None)):
        cases.append(Case("attention", ops.attention,
                          lambda q, k, v, is_causal, scale: F.scaled_dot_product_attention(
                              q, k, v, is_causal=is_causal, scale=scale), [shape] * 3, (is_causal, scale)))
    return cases


def run(function, inputs, arguments, upstream):
    """The result and the gradients of all inputs."""
    inputs = [x.detach().clone().requires_grad_() for x in inputs]
    result = function(*inputs, *arguments)
    return [result.detach(), *torch.autograd.grad(result, inputs, upstream.to(result.dtype))]


def check_numbers(case, dtype, device):
    inputs = case.make_inputs(dtype, device)
    upstream = torch.randn(case.shapes[0], generator=torch.Generator().manual_seed(2)).to(device, dtype)
    exact = run(case.theirs, [x.double() for x in inputs], case.arguments, upstream.double())
    theirs = run(case.theirs, inputs, case.arguments, upstream)
    ours = run(case.ours, inputs, case.arguments, upstream)
    worst, is_right = 0.0, True
    for wanted, other, found in zip(exact, theirs, ours):
        # Errors in parts of the largest number, or of the inputs and the upstream gradient, which are about 1.
        size = max(wanted.abs().max().item(), 1.0)
        error = (found.double() - wanted).abs().max().item() / size
        allowed = 2 * (other.double() - wanted).abs().max().item() / size + ROUNDING[dtype]
        is_right = is_right and error <= allowed and found.dtype == other.dtype and found.shape == other.shape
        worst = max(worst, error)
    report(is_right, "%s %s on %s, sizes %s, %s: largest error %.1e" %
           (case.name, str(dtype)[6:], device, list(case.shapes[0]), case.arguments, worst))


def check_layouts(device):
    """Tensors with gaps, none at all, and what is refused."""
    ops = torch.ops.tilec_examples
    x = torch.randn(64, 96, device=device)
    weight = torch.randn(64, device=device)
    wanted = F.rms_norm(x.t(), (64,), weight, 1e-6)
    report(torch.allclose(ops.rms_norm(x.t(), weight), wanted, atol=1e-5), "rms_norm of a transposed tensor on " + device)
    report(torch.allclose(ops.gelu(x.flatten()[1:]), F.gelu(x.flatten()[1:], approximate="tanh"), atol=1e-5),
           "gelu of a tensor at an odd address on " + device)
    empty = torch.randn(0, 64, device=device, requires_grad=True)
    weight.requires_grad_()
    ops.rms_norm(empty, weight).sum().backward()
    report(empty.grad.shape == (0, 64) and not weight.grad.any(), "rms_norm without rows on " + device)
    with torch.inference_mode():
        report(ops.gelu(x).shape == x.shape, "gelu in inference mode on " + device)

    for what, call, text in (
            ("float64", lambda: ops.gelu(x.double()), "wanted elements of fp32, fp16 or bf16, found fp64"),
            ("long rows", lambda: ops.rms_norm(torch.randn(1, 9000, device=device), torch.randn(9000, device=device)),
             "n <= BLOCK"),
            ("a head of 80", lambda: ops.attention(*[torch.randn(1, 1, 4, 80, device=device)] * 3), "HEAD_DIM"),
            ("weights of another size", lambda: ops.rms_norm(x, torch.randn(95, device=device)), "one element for each")):
        try:
            call()
            report(False, "%s on %s is no error" % (what, device))
        except (RuntimeError, NotImplementedError) as error:
            report(text in str(error), "%s on %s is an error: %s" % (what, device, str(error).split("\n")[0]))

    if device == "cuda":
        try:
            ops.rms_norm(x, torch.randn(96))
            report(False, "weights on the CPU are no error")
        except RuntimeError as error:
            report("wanted on cuda:0" in str(error), "weights on the CPU are an error: %s" % error)

    y = torch.randn(4, 64, device=device, requires_grad=True)
    grad, = torch.autograd.grad(ops.gelu(y).sum(), y, create_graph=True)
    try:
        grad.sum().backward()
        report(False, "gradients of gradients on %s are no error" % device)
    except RuntimeError as error:
        report("derivative for tilec_examples::gelu_backward" in str(error),
               "gradients of gradients on %s are an error that names the operator" % device)


def check_registration(device, backend):
    chosen = {case.name: case for case in list_cases()}
    for case in chosen.values():
        inputs = case.make_inputs(torch.float32, device)
        outcome = torch.library.opcheck(case.ours.default, (*inputs, *case.arguments), raise_exception=False)
        report(all(value == "SUCCESS" for value in outcome.values()), "opcheck of %s on %s %s" % (case.name, device, {
            name: str(value) for name, value in outcome.items() if value != "SUCCESS"} or ""))

        def step(*inputs):
            return case.ours(*inputs, *case.arguments) * 2 + 1

        torch._dynamo.reset()
        compiled = torch.compile(step, fullgraph=True, backend=backend)
        upstream = torch.ones(case.shapes[0], device=device)
        pairs = zip(run(step, inputs, (), upstream), run(compiled, inputs, (), upstream))
        report(all(torch.allclose(a, b, atol=1e-5, rtol=1e-4) for a, b in pairs),
               "torch.compile(%s, fullgraph=True) of %s on %s" % (backend, case.name, device))


def check_graph():
    """Forward and backward in a CUDA graph, in a stream that is not the default one."""
    for case in {case.name: case for case in list_cases()}.values():
        inputs = case.make_inputs(torch.float16, "cuda")
        upstream = torch.ones(case.shapes[0], device="cuda", dtype=torch.float16)

        def step():
            result = case.ours(*inputs, *case.arguments)
            return [result, *torch.autograd.grad(result, inputs, upstream)]

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step()  # loads the code, which a capture may not
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kept = step()
        with torch.no_grad():
            inputs[0].mul_(0.5)
        graph.replay()
        torch.cuda.synchronize()
        report(all(torch.equal(a, b) for a, b in zip(kept, step())), "a CUDA graph of %s" % case.name)


def measure(function, device):
    """Microseconds a call, launch included: the median of several runs of many calls, waited for at their end."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    function()
    wait()
    begin = time.perf_counter()
    function()
    wait()
    count = max(1, min(1000, int(0.05 / max(time.perf_counter() - begin, 1e-6))))
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(count):
            function()
        wait()
        times.append((time.perf_counter() - begin) / count)
    return statistics.median(times) * 1e6


def load_triton_kernels(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(FOLDER, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def list_triton_forwards():
    """The kernels of this folder launched by Triton, with the blocks that CMakeLists.txt has."""
    import triton
    norm, gelu, attention = map(load_triton_kernels, ("rms_norm", "gelu", "attention"))

    def run_norm(x, weight, eps):
        out, scales = torch.empty_like(x), torch.empty(x.shape[:-1], device=x.device)
        n = x.shape[-1]
        norm.rms_norm_forward[(scales.numel(),)](out, scales, x, weight, n, eps, BLOCK=triton.next_power_of_2(n),
                                                 num_warps=8)
        return out

    def run_gelu(x):
        out = torch.empty_like(x)
        gelu.gelu_forward[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), BLOCK=1024)
        return out

    def run_attention(q, k, v, is_causal, scale):
        out, logs = torch.empty_like(q), torch.empty(q.shape[:-1], device=q.device)
        batch, heads, length, dim = q.shape
        attention.attention_forward[(triton.cdiv(length, 128), batch * heads)](
            out, logs, q, k, v, length, scale or dim ** -0.5, HEAD_DIM=dim, CAUSAL=is_causal, BLOCK_M=128, BLOCK_N=64,
            PRECISION="tf32", num_warps=8, num_stages=3)
        return out

    return {"rms_norm": run_norm, "gelu": run_gelu, "attention": run_attention}


def print_times(device):
    on_gpu = device == "cuda"
    dtype = torch.bfloat16 if on_gpu else torch.float32
    forwards = list_triton_forwards() if on_gpu and importlib.util.find_spec("triton") else {}
    sizes = {"rms_norm": ([(8, 1024), (8192, 4096)], [(8, 1024), (512, 4096)]),
             "gelu": ([(8, 1024), (8192, 8192)], [(8, 1024), (1024, 1024)]),
             "attention": ([(1, 8, 128, 128), (2, 16, 4096, 128)], [(1, 2, 64, 64), (1, 4, 512, 64)])}
    print("microseconds a call on %s, %s, launch included" %
          (torch.cuda.get_device_name() if on_gpu else "%d threads" % torch.get_num_threads(), str(dtype)[6:]))
    print("%-10s %-20s %-8s %10s %10s %10s" % ("", "sizes", "", "here", "torch", "Triton"))
    for case in {case.name: case for case in list_cases()}.values():
        for shape in sizes[case.name][0 if on_gpu else 1]:
            case.shapes = [shape, shape[-1:]] if case.name == "rms_norm" else [shape] * len(case.shapes)
            inputs = case.make_inputs(dtype, device)
            upstream = torch.ones(shape, device=device, dtype=dtype)
            row = "%-10s %-20s %-8s" % (case.name, list(shape), "%s")
            with torch.no_grad():
                times = [measure(lambda: function(*inputs, *case.arguments), device)
                         for function in (case.ours, case.theirs, forwards.get(case.name)) if function]
            print(row % "forward" + " %10.1f" * len(times) % tuple(times))
            times = []
            for function in (case.ours, case.theirs):
                result = function(*inputs, *case.arguments)
                times.append(measure(lambda: torch.autograd.grad(result, inputs, upstream, retain_graph=True), device))
            print(row % "backward" + " %10.1f" * len(times) % tuple(times))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libtorch_ops.so in the build folder")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="default: both, where there is a GPU")
    parser.add_argument("--compile", choices=["aot_eager", "inductor"], default="aot_eager",
                        help="what torch.compile makes of the rest of a function; inductor takes a minute")
    parser.add_argument("--time", action="store_true", help="measure instead of checking")
    parsed = parser.parse_args()
    if not os.path.exists(parsed.library):
        sys.exit("error: there is no '%s'; build it with CMake, and name libtorch_ops.so" % parsed.library)
    if parsed.device == "cuda" and not torch.cuda.is_available():
        sys.exit("error: --device=cuda, but torch sees no GPU")
    torch.ops.load_library(os.path.abspath(parsed.library))

    devices = [parsed.device] if parsed.device else ["cpu"] + ["cuda"] * torch.cuda.is_available()
    for device in devices:
        if parsed.time:
            print_times(device)
            continue
        for case in list_cases():
            for dtype in TYPES.values():
                check_numbers(case, dtype, device)
        check_layouts(device)
        check_registration(device, parsed.compile)
        if device == "cuda":
            check_graph()
    if not parsed.time:
        print("%s: %d wrong" % (", ".join(devices), failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
