"""tilec-run in place of libtilec: each kernel in a process of its own, on the simulated GPU."""

import os
import signal
import subprocess
import tempfile

import numpy as np

from elements import ELEMENTS, decode, encode
from library import KernelError

_SECONDS = 100  # after which a kernel hangs


def _number_text(value, element):
    number = decode(np.array([value]), element)[0].item()
    if isinstance(number, float) and (number != number or abs(number) == float("inf")):
        return 'float("%r")' % number
    return repr(number)


class CommandLibrary:
    """The interface of library.Library, for `--target=simulator`."""

    def __init__(self, tool, arch, fp_fusion=False):
        self.tool, self.arch, self.fp_fusion = tool, arch, fp_fusion

    def command(self, folder, name, arguments, constants, grid, num_warps, num_stages):
        """What runs the kernel whose file and arrays are in the folder."""
        command = [self.tool, folder + "/kernel.py", "--kernel=" + name, "--target=simulator", "--arch=" + self.arch,
                   "--grid=" + ",".join(map(str, grid)), "--enable-fp-fusion=" + str(self.fp_fusion).lower()]
        command += ["--num-warps=%d" % num_warps] if num_warps else []
        command += ["--num-stages=%d" % num_stages] if num_stages else []
        for key, text in constants.items():
            command += ["-D", "%s=%s" % (key, text)]
        types = []
        for each in arguments:
            if each.is_array:
                shift = "+%d" % each.shift if each.shift else ""
                text = "@%s/%s.npy:%s%s" % (folder, each.name, each.element.name, shift)
                command += ["--save", "%s=%s/%s.npy" % (each.name, folder, each.name)]
            else:
                text = _number_text(each.value, each.element)
                if each.element is not ELEMENTS["i32"]:
                    types.append("%s=%s" % (each.name, each.element.name))
            command += ["--arg", "%s=%s" % (each.name, text)]
        return command + (["--sig", ",".join(types)] if types else [])

    def run(self, source, name, arguments, constants, grid, num_warps=0, num_stages=0):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/kernel.py", "w") as file:
                file.write(source)
            arrays = [each for each in arguments if each.is_array]
            for each in arrays:
                np.save("%s/%s.npy" % (folder, each.name), each.value)
            command = self.command(folder, name, arguments, constants, grid, num_warps, num_stages)
            self.execute(command, folder)
            for each in arrays:
                saved = np.load("%s/%s.npy" % (folder, each.name))
                if saved.dtype != each.value.dtype:  # types that NumPy lacks come as float32
                    saved = encode(saved, each.element)
                each.value[:] = saved

    def execute(self, command, folder):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise KernelError("hang: more than %d s" % _SECONDS) from None
        if done.returncode < 0:
            raise KernelError("crash: signal %s" % signal.Signals(-done.returncode).name)
        if done.returncode != 0:
            raise KernelError((done.stderr or done.stdout).replace(folder + os.sep, "")[-2000:])
