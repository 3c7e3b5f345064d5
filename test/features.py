"""What the machine that runs the tests has: CUDA's tools, a GPU, NumPy.

Shared by lit.cfg.py and by utils/run-tests.py --plain, so that a test is skipped for the same reasons
with and without lit.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

# In a process of its own, since a driver may crash or keep state that a forked child cannot use.
_COUNT_GPUS = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
count = ctypes.c_int(0)
if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
    sys.exit(1)
print(count.value)
"""


def _toolkit_version(folder):
    return [int(number) for number in re.findall(r"\d+", os.path.basename(folder))]


def cuda_folders(environment):
    """The folders in which tilec looks for CUDA's tools, most deliberate first."""
    homes = [environment.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [os.path.join(home, "bin") for home in homes if home]
    folders += [folder for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    toolkits = sorted(glob.glob("/usr/local/cuda-*"), key=_toolkit_version, reverse=True)
    return folders + [os.path.join(toolkit, "bin") for toolkit in ["/usr/local/cuda"] + toolkits]


def find_cuda_tool(name, environment):
    """The path of a CUDA tool, found as tilec finds it without a flag; None when there is none."""
    chosen = environment.get("TILEC_" + name.upper().replace("-", "_"))
    if chosen:
        return shutil.which(chosen, path=environment.get("PATH"))
    return shutil.which(name, path=os.pathsep.join(cuda_folders(environment)))


def count_gpus(environment):
    """How many GPUs the driver reports; 0 when there is no driver."""
    try:
        done = subprocess.run([sys.executable, "-c", _COUNT_GPUS], env=environment, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return int(done.stdout) if done.returncode == 0 else 0
    except (subprocess.TimeoutExpired, ValueError):
        return 0


def python_with_numpy():
    """A Python that has NumPy: this one, or the distribution's, whose packages others do not see; or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.call([python, "-c", "import numpy"],
                                                      stderr=subprocess.DEVNULL) == 0:
            return python
    return None


def python_with_torch(environment):
    """A Python that has torch: TILEC_TORCH_PYTHON, this one, or the distribution's; or None. It is not imported,
    which takes seconds."""
    find = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('torch'))"
    for python in (environment.get("TILEC_TORCH_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and os.path.exists(python) and subprocess.call([python, "-c", find]) == 0:
            return python
    return None


def available(environment):
    """The names that REQUIRES, UNSUPPORTED and XFAIL lines may use on this machine."""
    found = {tool for tool in ("ptxas", "nvdisasm", "cuobjdump", "compute-sanitizer")
             if find_cuda_tool(tool, environment)}
    if count_gpus(environment) > 0:
        found.add("gpu")
    if python_with_numpy():
        found.add("numpy")
    if python_with_torch(environment):
        found.add("torch")
    return found
