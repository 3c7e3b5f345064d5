"""Launches PTX that tilec made, from Python, in torch's CUDA context.

Only for measuring beside Triton: both kernels then run on the same tensors, in one process, timed by one
function. Programs use the C++ runtime instead.
"""

import ctypes
import json
import subprocess

import torch

_cuda = ctypes.CDLL("libcuda.so.1")


def _check(result, what):
    if result != 0:
        text = ctypes.c_char_p()
        _cuda.cuGetErrorString(result, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else result}")


class Kernel:
    """One kernel of a file, compiled for the present GPU by the tilec at `tilec`."""

    def __init__(self, tilec, path, name, signature, constexprs, num_warps, extra=()):
        major, minor = torch.cuda.get_device_capability()
        command = [tilec, path, f"--kernel={name}", f"--sig={signature}",
                   f"--num-warps={num_warps}", f"--arch=sm_{major}{minor}", *extra]
        command += [f"-D{key}={value}" for key, value in constexprs.items()]
        self.ptx = self._run(command + ["--emit=ptx", "-o", "-"])
        self.record = json.loads(self._run(command + ["--emit=json", "-o", "-"]))["kernels"][0]
        torch.cuda.current_stream()  # makes torch's context current
        module = ctypes.c_void_p()
        _check(_cuda.cuModuleLoadData(ctypes.byref(module), self.ptx.encode()), "loading PTX")
        self.function = ctypes.c_void_p()
        _check(_cuda.cuModuleGetFunction(ctypes.byref(self.function), module,
                                         self.record["symbol"].encode()), "finding the kernel")
        dynamic = self.record["dynamic_shared_bytes"]
        if dynamic:
            _check(_cuda.cuFuncSetAttribute(self.function, 8, dynamic), "asking for shared memory")

    @staticmethod
    def _run(command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}\n{done.stderr}")
        return done.stdout

    def attribute(self, number):
        """A CUfunction_attribute: 4 is registers, 3 local bytes, 1 static shared bytes."""
        value = ctypes.c_int()
        _check(_cuda.cuFuncGetAttribute(ctypes.byref(value), number, self.function), "attribute")
        return value.value

    def prepare(self, grid, *values):
        """A function without arguments that launches with these values."""
        types = {"i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
                 "i64": ctypes.c_int64, "u32": ctypes.c_uint32, "u64": ctypes.c_uint64,
                 "fp32": ctypes.c_float, "fp64": ctypes.c_double}
        cells = []
        for param, value in zip(self.record["params"], values, strict=True):
            if param["type"].startswith("*"):
                cells.append(ctypes.c_void_p(value.data_ptr()))
            else:
                cells.append(types[param["type"]](value))
        pointers = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(cell) for cell in cells])
        grid = tuple(grid) + (1,) * (3 - len(grid))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def launch(keep=(cells, values)):
            _check(_cuda.cuLaunchKernel(self.function, *grid, self.record["threads"], 1, 1,
                                        self.record["dynamic_shared_bytes"], stream, pointers,
                                        None), "launching")

        return launch
