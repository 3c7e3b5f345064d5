# The lit suite: every test that is a file with RUN lines. GoogleTest binaries are the suite in Unit.
#
# It is loaded by the build's lit.site.cfg.py, which says where things are. Without a build, set
# TILEC_BIN_DIR to the folder of the tools (and LLVM_TOOLS_DIR to that of FileCheck, `not` and
# split-file, if they are not in PATH); without FileCheck only test/Execution runs.

import importlib.util
import os
import re
import shutil
import sys

import lit.formats

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import features

config.name = "tilec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".mlir", ".py", ".test"]
config.excludes = ["Inputs", "features.py", "lib", "lit.cfg.py"]
if not hasattr(config, "tilec_bin_dir"):
    config.excludes.append("Unit")  # Only a build knows its unit tests.
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

environment = os.environ
bin_dir = getattr(config, "tilec_bin_dir", None) or environment.get("TILEC_BIN_DIR")
if not bin_dir or not os.path.isdir(bin_dir):
    lit_config.fatal("no folder of tools: run lit on the build's test folder, or set TILEC_BIN_DIR")
bin_dir = os.path.abspath(bin_dir)
llvm_dir = getattr(config, "llvm_tools_dir", None) or environment.get("LLVM_TOOLS_DIR", "")
if not getattr(config, "test_exec_root", None):
    # Beside the tools: a folder of tests may be read-only.
    config.test_exec_root = os.path.join(os.path.dirname(bin_dir), "test-output")

for name in ("CUDA_HOME", "CUDA_PATH", "TILEC_PTXAS", "TILEC_NVDISASM", "LD_LIBRARY_PATH",
             "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TMPDIR", "HOME"):
    if name in environment:
        config.environment[name] = environment[name]
config.environment["PATH"] = os.pathsep.join(filter(None, [llvm_dir, environment.get("PATH", "")]))

config.available_features.update(features.available(environment))


def substitute_tool(name, path, arguments=""):
    """Names of tools in RUN lines mean these programs, whatever PATH holds."""
    pattern = r"(?<![\w./-])" + re.escape(name) + r"(?![\w./-])"
    config.substitutions.append((pattern, (path + " " + arguments).strip()))


roundtrip = lit_config.params.get("roundtrip", "0") not in ("0", "")
substitute_tool("tile-opt", os.path.join(bin_dir, "tile-opt"),
                "--verify-roundtrip" if roundtrip else "")
substitute_tool("tilec", os.path.join(bin_dir, "tilec"))
substitute_tool("tilec-llvm-opt", os.path.join(bin_dir, "tilec-llvm-opt"))
for name in ("accuracy", "tilec-run", "tilec-bench", "tilec-lsp", "tile-lsp", "tilec-demo", "tilec-fuzz-replay", "example-softmax",
             "example-gelu", "example-matmul", "example-attention", "example-mlp",
             "example-jit", "npy-softmax", "kernel-server", "split-softmax",
             "jit-console", "transformer"):
    substitute_tool(name, os.path.join(bin_dir, name))
for name in ("cuda-graph", "cuda-stream"):
    # Not built without the CUDA toolkit.
    if os.path.exists(os.path.join(bin_dir, name)):
        substitute_tool(name, os.path.join(bin_dir, name))
        config.available_features.add(name)
search = config.environment["PATH"]
for name in ("FileCheck", "not", "split-file", "mlir-tblgen"):
    path = shutil.which(name, path=search)
    if path:
        substitute_tool(name, path)
        config.available_features.add(name)
for name in ("ptxas", "nvdisasm", "cuobjdump", "compute-sanitizer"):
    path = features.find_cuda_tool(name, environment)
    if path:
        substitute_tool(name, path)
for name, value in {
    "%{source}": os.path.dirname(config.test_source_root),
    "%{build}": getattr(config, "tilec_build_dir", ""),
    "%{cmake}": getattr(config, "cmake", ""),
    "%{mlir_include}": getattr(config, "mlir_include_dir", ""),
    "%{python}": sys.executable,
    "%{python_with_torch}": features.python_with_torch(environment) or "",
    "%{unittests}": os.path.join(os.path.dirname(bin_dir), "unittests"),
    "%{lit}": os.path.abspath(sys.argv[0]),
}.items():
    config.substitutions.append((re.escape(name), value))

# What is installed comes from a build, and can be linked by other programs unless it has sanitizers.
if getattr(config, "tilec_build_dir", None) and not getattr(config, "tilec_sanitize", ""):
    config.available_features.add("build")
if getattr(config, "tilec_packable", False) and shutil.which("dpkg-deb", path=search):
    config.available_features.add("packages")
# Compilers of programs that use what is installed, each with its C compiler.
for name, c_name in (("g++", "gcc"), ("clang++", "clang")):
    if shutil.which(name, path=search) and shutil.which(c_name, path=search):
        config.available_features.add(name)
# Programs for aarch64 are built by Debian's cross compiler, and run by an emulator, with the cross compiler's glibc.
if all(shutil.which(name, path=search) for name in ("aarch64-linux-gnu-g++", "qemu-aarch64")):
    config.available_features.add("aarch64")
config.available_features.update(name for name in ("ld.gold", "ld.lld") if shutil.which(name, path=search))
config.available_features.update(name for name in ("chromium", "clang-format-22", "clang-tidy-22", "man", "mandoc", "mkdocs", "node", "zsh")
                                 if shutil.which(name, path=search))
# Without matplotlib the test of the plots is skipped.
if importlib.util.find_spec("matplotlib"):
    config.available_features.add("matplotlib")
if not importlib.util.find_spec("torch"):
    config.available_features.add("python-without-torch")

# test/Execution lifts this.
config.unsupported = "FileCheck" not in config.available_features
