"""Triton in place of libtilec: compiles a kernel's text and runs it once on a GPU."""

import importlib.util
import os
import re
import tempfile

import numpy as np
import torch

from elements import ELEMENTS, decode
from library import KernelError, shifted

_TYPES = {"i1": torch.bool, "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "u16": torch.uint16,
          "i32": torch.int32, "u32": torch.uint32, "i64": torch.int64, "u64": torch.uint64, "fp16": torch.float16,
          "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64, "fp8e5": torch.float8_e5m2,
          "fp8e4nv": torch.float8_e4m3fn}


def _python_value(value, kind):
    """A number as a launch from Python passes it."""
    number = decode(np.array([value]), ELEMENTS[kind])[0].item()
    return number if isinstance(number, (bool, float)) else int(number)


def _natural_type(value):
    """The type that a launch gives a number whose parameter has no annotation."""
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, float):
        return "fp32"
    return "i32" if -2 ** 31 <= value < 2 ** 31 else "i64" if value < 2 ** 63 else "u64"


class TritonLibrary:
    """The interface of library.Library. Files stay until the process ends: Triton reads sources late."""

    def __init__(self, fp_fusion=False):
        self.fp_fusion = fp_fusion
        self.folder = tempfile.TemporaryDirectory()
        self.count = 0

    def _load(self, source, name):
        self.count += 1
        path = os.path.join(self.folder.name, "kernel%d.py" % self.count)
        with open(path, "w") as file:
            file.write(source)
        spec = importlib.util.spec_from_file_location("kernel%d" % self.count, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)

    def run(self, source, name, arguments, constants, grid, num_warps=0, num_stages=0):
        head = re.search(r"def %s\((.*?)\):" % name, source).group(1)
        parameters = [item.strip() for item in head.split(",")]
        values, tensors = [], []
        for index, each in enumerate(arguments):
            if each.is_array:
                whole = shifted(each)
                tensor = torch.from_numpy(whole.view(np.uint8)).cuda()
                tensors.append((each, tensor))
                values.append(tensor.view(_TYPES[each.element.name])[each.shift:])
                continue
            kind = each.element.name
            number = _python_value(each.value, kind)
            if ":" not in parameters[index] and kind != _natural_type(number) and number != 1:
                parameters[index] += ": %s" % ELEMENTS[kind].text
            values.append(number)
        source = source.replace("def %s(%s):" % (name, head), "def %s(%s):" % (name, ", ".join(parameters)))
        keywords = {key: eval(text) for key, text in constants.items()}  # noqa: S307 (our own text)
        try:
            self._load(source, name)[tuple(grid)](*values, **keywords, num_warps=num_warps or 4,
                                                  num_stages=num_stages or 3,
                                                  enable_fp_fusion=self.fp_fusion)
            torch.cuda.synchronize()
        except Exception as error:  # noqa: BLE001 (the compiler has many)
            while error.__cause__ is not None:
                error = error.__cause__
            raise KernelError("%s: %s" % (type(error).__name__, str(error)[-400:])) from None
        for each, tensor in tensors:
            each.value.view(np.uint8)[:] = tensor.cpu().numpy()[each.shift * each.value.itemsize:]
