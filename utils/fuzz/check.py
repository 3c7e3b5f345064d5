"""One generated kernel: its text, its run, and how that differs from what the interpreter says."""

import os
import re
import signal
import sys

import numpy as np

import interpreter
import product_operations  # noqa: F401 (adds to OPERATIONS)
import program as trees
from command_library import CommandLibrary
from elements import ELEMENTS, decode, encode, same
from generator import all_nodes
from library import Argument, KernelError, Library
from operations import APPROXIMATE, OPERATIONS
from product_interpreter import ProductInterpreter
from tile_operations import COMBINES

_TEXTS = dict(OPERATIONS)
_TEXTS.update(APPROXIMATE)


def source_of(program, target=None):
    """The kernel's file. A program on the processor is one thread, which needs no barriers."""
    text = trees.source(program, _TEXTS, COMBINES)
    return text.replace("tl.debug_barrier()", "pass") if target == "cpu" and not program.has_barriers else text


class Checker:
    """Runs kernels on one target: cpu, cuda, triton, or an architecture, which is simulated."""

    def __init__(self, path, target, tool=None):
        self.path, self.target, self.tool, self.libraries = path, target, tool, {}

    def library(self, fp_fusion):
        if fp_fusion not in self.libraries and self.target == "triton":
            from triton_library import TritonLibrary  # needs torch and Triton
            self.libraries[fp_fusion] = TritonLibrary(fp_fusion)
        elif fp_fusion not in self.libraries and self.target.startswith("sm_"):
            self.libraries[fp_fusion] = CommandLibrary(self.tool, self.target, fp_fusion)
        elif fp_fusion not in self.libraries:
            self.libraries[fp_fusion] = Library(self.path, self.target, fp_fusion)
        return self.libraries[fp_fusion]

    def lacks_types(self, program):
        """Whether the kernel has a type that the target does not: those are not for it."""
        version = re.match(r"sm_(\d+)", self.target)
        if not version or int(version.group(1)) >= 89:
            return False
        lacking = ELEMENTS["fp8e4nv"]
        return any(buffer.element is lacking for buffer in program.buffers) or \
            any(node.element is lacking for node in all_nodes(program))

    def problem(self, program):
        """What is wrong with a kernel, as a text of which the first word is its kind, or None."""
        if self.lacks_types(program):
            return None
        try:
            expected, source = expected_memories(program), source_of(program, self.target)
        except Exception as error:  # whatever the interpreter trips over is a mistake of this program
            return "generator: %s: %s" % (type(error).__name__, error)
        arrays = [Argument(each.name, each.raw.copy(), each.element, True, each.shift) for each in program.buffers]
        numbers = [Argument(each.name, encode(each.value, each.element)[()], each.element, False)
                   for each in program.scalars]
        constants = {name: repr(value) for name, value in program.constants.items()}
        choices = (0, 0) if self.target == "cpu" else (program.num_warps, program.num_stages)
        try:
            self.library(program.fp_fusion).run(source, "kernel", arrays + numbers, constants, program.grid,
                                                *choices)
        except KernelError as error:
            return "error: %s" % error
        for buffer, argument in zip(program.buffers, arrays):
            difference = compare(buffer, argument.value, expected[buffer.name])
            if difference:
                return "difference: " + difference
        return None

    def guarded_problem(self, program, seconds=60):
        """The same in a process of its own, so that a crash or a hang is a problem like any other."""
        self.library(program.fp_fusion)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            self._report(program, writer, seconds)
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            text = stream.read().decode()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            ended = os.WTERMSIG(status)
            return "hang: more than %d s" % seconds if ended == signal.SIGALRM else "crash: signal %d" % ended
        return text or None

    def _report(self, program, writer, seconds):
        """In the child; does not return."""
        signal.alarm(seconds)
        text = self.problem(program) or ""
        sys.stdout.flush()
        os.write(writer, text.encode()[:60000])
        os._exit(0)


def expected_memories(program):
    with np.errstate(all="ignore"):
        kind = ProductInterpreter if program.has_bounds else interpreter.Interpreter
        return kind(program).run()


def compare(buffer, found, memory):
    """Where an array is not as expected, or None."""
    if not buffer.is_output and np.array_equal(found, buffer.raw):
        return None
    found_values, expected = decode(found, buffer.element), decode(memory.raw, buffer.element)
    good = same(found_values, expected, memory.tolerance)
    if good.all():
        return None
    first = int(np.argmin(good))
    allowed = "" if memory.tolerance is None else " within %g" % memory.tolerance[first]
    return "%s[%d] is %r, expected %r%s; %d of %d elements" % (
        buffer.name, first, found_values[first].item(), expected[first].item(), allowed, int((~good).sum()), good.size)
