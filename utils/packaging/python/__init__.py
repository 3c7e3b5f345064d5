"""The commands of tilec, in a wheel. Python starts them and takes no part in what they do."""

import os
import sys

from ._version import __version__

_DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


def prefix():
    """The folder of bin, include and lib: an installation for CMAKE_PREFIX_PATH."""
    return _DATA


def cmake_dir():
    """The folder of tilecConfig.cmake, which CMake also takes as an entry of CMAKE_PREFIX_PATH."""
    return os.path.join(_DATA, "lib", "cmake", "tilec")


def pkgconfig_dir():
    """The folder of tilec.pc and tilec-runtime.pc, for PKG_CONFIG_PATH."""
    return os.path.join(_DATA, "lib", "pkgconfig")


def include_dir():
    """The folder of the headers."""
    return os.path.join(_DATA, "include")


def _replace_process(name):
    path = os.path.join(_DATA, "bin", name)
    try:
        os.execv(path, [name] + sys.argv[1:])
    except OSError as error:
        sys.exit("error: %s cannot be started: %s" % (path, error.strerror))


def run_tilec():
    """The command tilec."""
    _replace_process("tilec")


def run_tilec_run():
    """The command tilec-run."""
    _replace_process("tilec-run")


def run_tilec_lsp():
    """The command tilec-lsp."""
    _replace_process("tilec-lsp")
