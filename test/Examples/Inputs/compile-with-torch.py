"""compile-with-torch.py SOURCE FOLDER: whether a file compiles against torch, and the headers in FOLDER."""

import os
import subprocess
import sys

import torch

source, folder = sys.argv[1:]
include = os.path.join(torch.__path__[0], "include")
sys.exit(subprocess.call(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-fopenmp", "-I", folder,
                          "-I", os.path.dirname(source), "-isystem", include,
                          "-isystem", os.path.join(include, "torch", "csrc", "api", "include"), source]))
