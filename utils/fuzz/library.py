"""libtilec from Python: compiles a kernel's text and runs it once, on the processor or a GPU."""

import ctypes

import numpy as np

_TYPES = {"i1": 1, "i8": 2, "u8": 3, "i16": 4, "u16": 5, "i32": 6, "u32": 7, "i64": 8, "u64": 9, "fp16": 10, "bf16": 11,
          "fp32": 12, "fp64": 13}
_POINTER = 32  # to what the parameter's annotation says
_ALIGNMENT = 64  # bytes
_TARGETS = {"cpu": 1, "cuda": 2}


class KernelError(Exception):
    """What the library reports: an error of the source, of a launch or of the device."""


class Argument:
    """An array, which the kernel may change and whose first element lies `shift` elements behind an aligned address,
    or the bits of a number."""

    def __init__(self, name, value, element, is_array, shift=0):
        self.name, self.value, self.element, self.is_array, self.shift = name, value, element, is_array, shift


class _Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("target", ctypes.c_uint32), ("device", ctypes.c_int32),
                ("threads", ctypes.c_uint32), ("arch", ctypes.c_char_p), ("cache_dir", ctypes.c_char_p),
                ("cache_bytes", ctypes.c_uint64), ("tuned", ctypes.c_char_p), ("cache_read_only", ctypes.c_uint32),
                ("no_fp_fusion", ctypes.c_uint32), ("debug", ctypes.c_uint32), ("no_tuning", ctypes.c_uint32),
                ("import_paths", ctypes.POINTER(ctypes.c_char_p)), ("num_import_paths", ctypes.c_uint64),
                ("check_memory", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]


class _Constant(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("num_types", ctypes.c_uint32), ("num_constants", ctypes.c_uint32),
                ("num_warps", ctypes.c_uint32), ("num_ctas", ctypes.c_uint32), ("num_stages", ctypes.c_uint32),
                ("maxnreg", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("types", ctypes.POINTER(ctypes.c_uint8)), ("constants", ctypes.POINTER(_Constant)),
                ("grid", ctypes.c_char_p), ("require", ctypes.c_char_p)]


class _LaunchOptions(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("grid", ctypes.c_int64 * 3)]


class Driver:
    """The little of the CUDA driver that kernels on a GPU need: memory and waiting."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.check("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.check("cuDeviceGet", ctypes.byref(device), 0)
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.check("cuCtxSetCurrent", context)

    def check(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            raise KernelError("%s fails with CUDA error %d" % (name, code))

    def copy_in(self, array):
        address = ctypes.c_uint64()
        self.check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(array.nbytes, 1)))
        self.check("cuMemcpyHtoD_v2", address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes))
        return address

    def copy_out(self, array, address):
        self.check("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), address, ctypes.c_size_t(array.nbytes))
        self.check("cuMemFree_v2", address)


class Library:
    """One compiler of libtilec. Not for use by several threads."""

    def __init__(self, path, target, fp_fusion=False):
        self.library = ctypes.CDLL(path)
        self.library.tilec_jit_error_message.restype = ctypes.c_char_p
        for name in ("compiler_create", "module_create", "kernel_get", "launch"):
            getattr(self.library, "tilec_jit_" + name).restype = ctypes.c_void_p
        self.driver = Driver() if target == "cuda" else None
        options = _Options(struct_size=ctypes.sizeof(_Options), target=_TARGETS[target], device=-1, threads=1,
                           no_fp_fusion=not fp_fusion)
        self.compiler = ctypes.c_void_p()
        self._check("compiler_create", ctypes.byref(options), ctypes.byref(self.compiler))

    def _check(self, name, *arguments):
        error = getattr(self.library, "tilec_jit_" + name)(*arguments)
        if error:
            error = ctypes.c_void_p(error)
            message = self.library.tilec_jit_error_message(error).decode(errors="replace")
            self.library.tilec_jit_error_release(error)
            raise KernelError(message)

    def run(self, source, name, arguments, constants, grid, num_warps=0, num_stages=0):
        """Compiles `source` and launches `name`. `constants` are texts by parameter."""
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        text = source.encode()
        self._check("module_create", self.compiler, text, ctypes.c_size_t(len(text)), b"kernel.py", ctypes.byref(module))
        try:
            types = [_POINTER if each.is_array else _TYPES[each.element.name] for each in arguments]
            table = (_Constant * len(constants))(*[_Constant(key.encode(), value.encode())
                                                   for key, value in constants.items()])
            request = _Request(struct_size=ctypes.sizeof(_Request), num_types=len(types), num_constants=len(constants),
                               num_warps=num_warps, num_stages=num_stages, name=name.encode(), types=(ctypes.c_uint8 * len(types))(*types),
                               constants=table)
            self._check("kernel_get", module, ctypes.byref(request), ctypes.byref(kernel))
            self._launch(kernel, arguments, grid)
        finally:
            self.library.tilec_jit_kernel_release(kernel)
            self.library.tilec_jit_module_release(module)

    def _launch(self, kernel, arguments, grid):
        on_device = []
        addresses = (ctypes.c_void_p * len(arguments))()
        kept, arrays = [], []
        for index, each in enumerate(arguments):
            if not each.is_array:
                cell = np.array([each.value])
            else:
                whole = shifted(each)
                start = whole.ctypes.data
                if self.driver:
                    address = self.driver.copy_in(whole)
                    on_device.append((whole, address))
                    start = address.value
                arrays.append((each, whole))
                cell = np.array([start + each.shift * each.value.itemsize], np.uint64)
            kept.append(cell)
            addresses[index] = cell.ctypes.data
        options = _LaunchOptions(grid=(ctypes.c_int64 * 3)(*grid))
        self._check("launch", kernel, ctypes.byref(options), addresses)
        if self.driver:
            self.driver.check("cuCtxSynchronize")
            for value, address in on_device:
                self.driver.copy_out(value, address)
        for each, whole in arrays:
            each.value[:] = whole[each.shift:]


def shifted(argument):
    """A copy of an array behind as many elements as it is shifted by, at an aligned address."""
    size = argument.value.itemsize
    count = argument.shift + len(argument.value)
    room = np.zeros(count * size + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    whole = room[start:start + count * size].view(argument.value.dtype)
    whole[argument.shift:] = argument.value
    return whole
