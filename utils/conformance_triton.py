#!/usr/bin/env python3
"""Runs the cases of conformance files under Triton, to see whether the files say what Triton does.

    utils/conformance_triton.py FILE..          on a machine with a GPU, torch and Triton

Cases and their headers are those of conformance.py. Prints each case in which Triton gives another result,
rejects what must compile, or accepts what must fail, and a count. Each case is a process of its own, since a
kernel that traps takes its context along.
"""

import argparse
import ast
import concurrent.futures
import importlib.util
import inspect
import math
import multiprocessing
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import conformance  # noqa: E402

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

TYPES = {"i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
         "i64": torch.int64, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32,
         "u64": torch.uint64, "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32,
         "fp64": torch.float64, "fp8e5": torch.float8_e5m2, "fp8e4nv": torch.float8_e4m3fn}
SPEC = re.compile(r"^(?P<how>values|zeros|empty)(?:\((?P<items>[^)]*)\))?:(?P<type>\w+)"
                  r"\[(?P<shape>\d+(?:,\d+)*)\]$")


class Unsuitable(Exception):
    """The case means nothing to Triton."""


def number(text, kind):
    return float(text) if kind.is_floating_point else int(text)


def tensor(text):
    """The array that a case describes, on the CPU."""
    match = SPEC.match(text.replace(" ", ""))
    if not match or match.group("type") not in TYPES:
        raise Unsuitable("no tensor for '%s'" % text)
    kind, shape = TYPES[match.group("type")], [int(size) for size in match.group("shape").split(",")]
    if match.group("how") != "values":
        return torch.zeros(shape, dtype=torch.uint8).to(kind) if kind.itemsize == 1 else \
            torch.zeros(shape, dtype=kind)
    items = [number(item, kind) for item in match.group("items").split(",")]
    if kind == torch.uint64:
        items = [item - 2 ** 64 if item >= 2 ** 63 else item for item in items]
        return torch.tensor(items, dtype=torch.int64).view(torch.uint64).reshape(shape)
    wide = torch.float64 if kind.is_floating_point else torch.int64
    return torch.tensor(items, dtype=wide).to(kind).reshape(shape)


def descriptor(array, block=None, padding="zero"):
    """What desc(ARRAY, [SIZES], nan) stands for, where nan is a number and sizes may be constants."""
    if block is None:
        raise Unsuitable("a descriptor without a block")
    sizes = [int(size) for size in block]
    return TensorDescriptor(array, list(array.shape), list(array.stride()), sizes,
                            "nan" if padding != "zero" else padding)


def value(text, names):
    """An argument of a case."""
    text = conformance.argument_text(text)
    arrays = {}

    def hold(match):
        name = "array_%d" % len(arrays)
        arrays[name] = tensor(match.group()).cuda()
        return name
    text = re.sub(r"(values|zeros|empty)(\([^)]*\))?:\w+\[\d+(,\d+)*\]", hold, text)
    space = dict(names, tl=tl, triton=triton, math=math, inf=math.inf, nan=math.nan, desc=descriptor, zero="zero",
                 **arrays)
    return eval(text, space)  # noqa: S307 (the files are our own)


def source_for(path, case):
    """The file without the kernels of other cases, so that what does not load there is not in the way."""
    with open(path) as file:
        text = file.read()
    lines = text.splitlines()
    others = {other.name for other in conformance.read_cases(path)} - {case.name}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in others:
            first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
            lines[first - 1:node.end_lineno] = [""] * (node.end_lineno - first + 1)
    return "\n".join(lines) + "\n"


def load(path, case):
    folder = tempfile.mkdtemp()
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w") as file:
        file.write(source_for(path, case))
    sys.path[:0] = [os.path.dirname(path), os.path.join(os.path.dirname(path), "Inputs")]
    spec = importlib.util.spec_from_file_location("case_module", copy)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def options_of(text, options, constants):
    for word in text.split():
        if word == "--debug":
            options["debug"] = True
        elif word.startswith(("--num-warps=", "--num-ctas=")):
            options[word[2:].split("=")[0].replace("-", "_")] = int(word.split("=")[1])
        elif word.startswith("-D"):
            name, _, rest = word[2:].partition("=")
            constants[name] = rest
        else:
            raise Unsuitable("the option %s" % word)


def prepare(case, module):
    """Arguments, options, grid, and the expected arrays by name."""
    names, texts, expected, options, grid = vars(module), {}, {}, {}, "1"
    for line in filter(None, case.header):
        name, mark, rest = re.match(r"([\w.]+)\s*(=|->)\s*(.*)$", line).groups()
        if name == "grid":
            grid = rest
        elif name == "options":
            options_of(rest, options, texts)
        elif name == "stdout":
            continue
        elif mark == "->":
            expected[name] = rest
            if "." not in name:
                texts.setdefault(name, conformance.empty_like(rest.partition("~")[0].strip()))
        else:
            texts[name], _, after = (part.strip() for part in rest.partition("->"))
            if after:
                expected[name] = after
    for name, has_default in case.parameters:
        if name not in texts and not has_default and name in conformance.STANDARD:
            texts[name] = conformance.STANDARD[name]
    # Sizes of descriptors' blocks may be other arguments.
    plain = {name: value(text, names) for name, text in texts.items() if "desc(" not in text}
    arguments = {name: plain[name] if name in plain else value(text, {**names, **plain})
                 for name, text in texts.items()}
    sizes = eval("(%s,)" % grid, dict(names, cdiv=triton.cdiv), dict(arguments))  # noqa: S307
    return arguments, options, sizes, expected


def differs(name, text, arguments):
    text, _, tolerance = (part.strip() for part in text.partition("~"))
    found = arguments
    for step in name.split("."):
        found = found[int(step)] if step.isdigit() else found[step]
    if isinstance(found, TensorDescriptor):
        found = found.base
    wanted = tensor(conformance.argument_text(text)).flatten()
    found = found.cpu().flatten()[:wanted.numel()]
    if wanted.dtype.is_floating_point:
        wanted, found = wanted.double(), found.double()
        close = torch.isclose(found, wanted, rtol=float(tolerance or 0), atol=float(tolerance or 0),
                              equal_nan=True)
    else:
        close = found.view(torch.uint8).reshape(wanted.numel(), -1).eq(
            wanted.view(torch.uint8).reshape(wanted.numel(), -1)).all(1)
    if bool(close.all()):
        return None
    return "%s is %s" % (name, found.tolist())


def kernel_of(module, name):
    kernel = getattr(module, name)
    inner = kernel
    while not isinstance(inner, triton.JITFunction):
        inner = inner.fn
    return kernel, list(inspect.signature(inner.fn).parameters)


def run(path, case):
    """What is remarkable about the case under Triton; None if nothing is."""
    try:
        module = load(path, case)
        kernel, parameters = kernel_of(module, case.name)
        arguments, options, grid, expected = prepare(case, module)
    except Unsuitable as reason:
        return "skipped: %s" % reason
    except Exception as error:  # noqa: BLE001 (whatever the file does)
        return None if case.errors else "skipped: %s: %s" % (type(error).__name__, error)
    given = {name: arguments[name] for name in parameters if name in arguments}
    try:
        kernel[grid](**given, **options)
        torch.cuda.synchronize()
    except Exception as error:  # noqa: BLE001
        if case.errors:
            return None
        cause = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        return "rejected: %s: %s" % (type(cause).__name__, str(cause).strip()[-300:])
    if case.errors:
        return "accepted, although it must fail: %s" % case.errors[0][1]
    found = [differs(name, text, arguments) for name, text in expected.items()]
    return "; ".join(filter(None, found)) or None


def start(path, case, pipe):
    sys.stdout = sys.stderr = open(os.devnull, "w")
    os.dup2(sys.stdout.fileno(), 1)
    os.dup2(sys.stdout.fileno(), 2)
    try:
        pipe.send(run(path, case))
    except Exception as error:  # noqa: BLE001
        pipe.send("skipped: %s: %s" % (type(error).__name__, error))


def run_apart(path, case):
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=start, args=(path, case, there))
    process.start()
    there.close()
    try:
        result = here.recv() if here.poll(60) else "no answer in a minute"
    except EOFError:
        result = None if case.errors else "the process ended"
    process.kill()
    process.join()
    return path, case, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    work = [(os.path.abspath(path), case) for path in arguments.files
            for case in conformance.read_cases(path) if case.name]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda item: run_apart(*item), work))
    for path, case, result in results:
        if result:
            print("%s:%d: %s: %s" % (os.path.basename(path), case.first, case.name, result))
    skipped = sum(1 for _, _, result in results if result and result.startswith("skipped"))
    other = sum(1 for _, _, result in results if result) - skipped
    print("%d cases under Triton %s: %d as expected, %d otherwise, %d skipped" % (
        len(results), triton.__version__, len(results) - skipped - other, other, skipped))


if __name__ == "__main__":
    main()
