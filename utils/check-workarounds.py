#!/usr/bin/env python3
"""Says which workarounds of faults in LLVM and ptxas are no longer needed.

    utils/check-workarounds.py [--tilec=tilec] [--run=tilec-run] [--kernels=FOLDER] [NAME..]
    utils/check-workarounds.py [--tilec=tilec] --page=docs/workarounds.md [--write]

Each row of include/tilec/Support/Workarounds.def has a kernel, test/Workarounds/NAME.py, whose results are wrong
without the workaround. For each, or those named, this compiles the kernel with and without the workaround, runs it
without it where there is a GPU, and prints one line:

    needed      the fault is still there, and what shows it
    not needed  the tool no longer has the fault: the workaround can go once no supported version has it
    skipped     this machine cannot decide; why

The kernels are conformance files (utils/conformance.py), and two more lines of theirs are read:

    # COMPILE: OPTIONS         tilec's options for the kernel, for what is decided without running it; with --arch of
                               a processor the code compared is that of an object, and no GPU is asked
    # SHOWS-BY: cpu            the fault shows on processors as well
    # SHOWS-BY: cpu FLAG       the same, on processors that have this flag in /proc/cpuinfo
    # SHOWS-BY: failure        without the workaround tilec fails or crashes
    # SHOWS-BY: ptx REGEX      the PTX without the workaround has a part that matches, and with it none
    # SHOWS-BY: spills         without the workaround ptxas spills more bytes

The exit status is 1 if a row has no kernel or a kernel no row, if the workaround does not change the kernel's code,
and if a tool of a version that the row names does not show the fault: then the kernel proves nothing. With --page,
only the table in that page is compared with the compiler's; --write puts it there.
"""

import argparse
import ctypes
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "test"), os.path.join(ROOT, "utils")]
import conformance  # noqa: E402
import features  # noqa: E402

SECONDS = 120


class Failure(Exception):
    """What makes the exit status 1."""


# ===------------------------------------------------------------------------------------------------
# Versions
# ===------------------------------------------------------------------------------------------------


def output_of(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=SECONDS).stdout


def numbers(text):
    return [int(number) for number in text.split(".")]


def is_seen(version, versions):
    """Whether `version` is in "13.0", "22" or "11.8 to 13.0"; a row that says 22 means 22.1 as well."""
    first, _, last = versions.partition(" to ")
    first, last = numbers(first), numbers(last or first)
    number = numbers(version)
    return first <= number[:len(first)] and number[:len(last)] <= last


def is_older(version, versions):
    first = numbers(versions.partition(" to ")[0])
    return numbers(version)[:len(first)] < first


def has_cpu_flag(flag):
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return re.search(r"^flags\s*:.*\b%s\b" % re.escape(flag), file.read(), re.M) is not None
    except OSError:
        return False


def describe_gpu():
    """(CUDA release of the driver, whose ptxas makes machine code of PTX; the GPU's architecture)."""
    driver, version, major, minor = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(0), ctypes.c_int(0), ctypes.c_int(0)
    driver.cuInit(0)
    driver.cuDriverGetVersion(ctypes.byref(version))
    driver.cuDeviceGetAttribute(ctypes.byref(major), 75, 0)
    driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0)
    return ("%d.%d" % (version.value // 1000, version.value % 1000 // 10), "sm_%d%d" % (major.value, minor.value))


class Tools:
    """The programs and their versions; a version is None where the tool is missing."""

    def __init__(self, arguments):
        self.tilec, self.run = arguments.tilec, arguments.run
        self.llvm = re.search(r"LLVM and MLIR ([\d.]+)", output_of([self.tilec, "--version"])).group(1)
        self.ptxas_path = features.find_cuda_tool("ptxas", os.environ)
        found = self.ptxas_path and re.search(r"release ([\d.]+)", output_of([self.ptxas_path, "--version"]))
        self.ptxas = found.group(1) if found else None
        self.driver, self.arch = describe_gpu() if features.count_gpus(os.environ) > 0 else (None, None)


# ===------------------------------------------------------------------------------------------------
# One kernel
# ===------------------------------------------------------------------------------------------------


class Kernel:
    """A kernel file, compiled with and without the workaround. `folder` takes what is made of it."""

    def __init__(self, row, tools, kernels, folder):
        self.row, self.tools, self.folder = row, tools, folder
        self.path = os.path.join(kernels, row["name"] + ".py")
        if not os.path.exists(self.path):
            raise Failure("there is no kernel '%s'" % self.path)
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        options = re.search(r"^# COMPILE: (.*)$", text, re.M)
        if not options:
            raise Failure("%s has no line '# COMPILE:'" % self.path)
        self.options = shlex.split(options.group(1))
        self.is_for_gpu = not any(option.startswith("--arch=x86-64") for option in self.options)
        self.evidence = [line.partition(" ")[::2] for line in re.findall(r"^# SHOWS-BY: (.*)$", text, re.M)]
        if not self.is_for_gpu and not self.evidence:
            raise Failure("%s has no line '# SHOWS-BY: cpu'" % self.path)

    def compile(self, is_on):
        """(PTX, or the bytes of an object as text, or None; what tilec printed)."""
        form = "ptx" if self.is_for_gpu else "o"
        output = os.path.join(self.folder, "%s.%d.%s" % (self.row["name"], is_on, form))
        off = [] if is_on else ["--disable-workaround=" + self.row["name"]]
        # Without symbols: a stack trace takes longer than everything else.
        done = subprocess.run([self.tools.tilec, self.path, "-w", *self.options, *off, "-o", output],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=SECONDS, env=dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1"))
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            return None, "exit status %d%s" % (done.returncode, ": " + lines[0] if lines else "")
        with open(output, encoding="utf-8" if self.is_for_gpu else "latin-1") as file:
            return file.read(), ""

    def compile_both(self):
        self.on, message = self.compile(True)
        if self.on is None:
            raise Failure("the kernel does not compile with the workaround: " + message)
        self.off, self.message = self.compile(False)
        if self.on == self.off:
            raise Failure("the workaround does not change the code of its kernel")

    def spills(self, name):
        """Bytes that ptxas spills."""
        path = os.path.join(self.folder, "%s.%s.ptx" % (self.row["name"], name))
        target = re.search(r"^\.target (\w+)", self.on, re.M).group(1)
        text = output_of([self.tools.ptxas_path, "-v", "-arch=" + target, path, "-o", os.devnull])
        found = re.search(r"(\d+) bytes spill stores", text)
        if not found:
            raise Failure("ptxas says nothing of spills: " + text.strip())
        return int(found.group(1))

    def differs_on(self, target):
        """What is wrong with a run without the workaround; None if nothing."""
        case, = conformance.read_cases(self.path)
        command, _ = conformance.command_of(case, argparse.Namespace(run=self.tools.run), target, self.path)
        done = subprocess.run(command + ["--disable-workaround=" + self.row["name"]], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
        if done.returncode == 0:
            return None
        if done.returncode == 1 and "elements differ" in done.stderr:
            return re.search(r"expected .*", done.stderr).group()
        raise Failure("the run on %s failed: %s" % (target, done.stderr.strip()))

    def look(self, kind, detail):
        """(what shows the fault or None, the version looked at); nothing where it cannot be decided here."""
        llvm = "LLVM " + self.tools.llvm
        if kind == "failure":
            return (self.message if self.off is None else None), llvm
        if kind == "ptx":
            shown = None if self.off is None or re.search(detail, self.on) else re.search(detail, self.off)
            return ("PTX with '%s'" % " ".join(shown.group().split()) if shown else None), llvm
        if kind == "cpu":
            if detail and not has_cpu_flag(detail):
                return None
            difference = self.differs_on("cpu")
            return (difference and "on the processor " + difference), llvm
        if kind == "spills":
            if not self.tools.ptxas:
                return None
            on, off = self.spills("1"), self.spills("0")
            shown = "%d bytes spilled instead of %d" % (off, on)
            return (shown if off > on else None), "ptxas " + self.tools.ptxas
        raise Failure("unknown 'SHOWS-BY: %s'" % kind)

    def missing(self):
        """What this machine lacks where nothing could be looked at."""
        if not self.is_for_gpu:
            return "only a run on a processor with %s shows it" % self.evidence[0][1]
        return "there is no ptxas" if self.evidence else "only a run on a GPU shows it"

    def decide(self):
        """The line to print, after the name."""
        self.compile_both()
        looks = [self.look(*evidence) for evidence in self.evidence]
        # A kernel that is about spills gives the same numbers with them.
        if self.is_for_gpu and self.tools.driver and self.off is not None and ("spills", "") not in self.evidence:
            difference = self.differs_on("cuda")
            tool = "LLVM " + self.tools.llvm if self.row["tool"] == "LLVM" else "ptxas " + self.tools.driver
            looks.append((difference and "on the GPU " + difference, tool))
        looks = [look for look in looks if look]
        for shown, tool in looks:
            if shown:
                return "needed with %s: %s" % (tool, shown)
        if not looks:
            return "skipped: " + self.missing()
        tool = looks[-1][1]
        version = tool.split()[1]
        if not self.evidence and "--arch=" + self.tools.arch not in self.options:
            return "skipped: the fault was not seen on %s before either" % self.tools.arch
        if is_seen(version, self.row["versions"]):
            raise Failure("%s does not show the fault, which it should have" % tool)
        if is_older(version, self.row["versions"]):
            return "skipped: %s is older than the versions in which the fault was seen" % tool
        return "not needed with %s" % tool


# ===------------------------------------------------------------------------------------------------
# The page
# ===------------------------------------------------------------------------------------------------

MARKS = "<!-- The table is written by utils/check-workarounds.py --write. -->\n", "<!-- End of the table. -->\n"


def table_of(rows):
    lines = ["| name | fault of | what it does | what is done about it |", "|---|---|---|---|"]
    for row in rows:
        kernel = "[%s](../test/Workarounds/%s.py)" % (row["name"], row["name"])
        lines.append("| %s | %s %s | %s | %s |" % (kernel, row["tool"], row["versions"], row["fault"], row["remedy"]))
    return "\n".join(lines) + "\n"


def check_page(path, rows, is_written):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, first, rest = text.partition(MARKS[0])
    _, last, after = rest.partition(MARKS[1])
    if not first or not last:
        raise Failure("%s has no place for the table" % path)
    wanted = before + first + table_of(rows) + last + after
    if is_written:
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted)
    elif text != wanted:
        raise Failure("the table in %s is not the compiler's; run with --page=%s --write" % (path, path))


def check(rows, tools, kernels):
    """Prints a line for each row; how many of them failed."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            try:
                line = Kernel(row, tools, kernels, folder).decide()
            except (Failure, subprocess.TimeoutExpired) as failure:
                line, failures = "error: %s" % failure, failures + 1
            print("%-18s %s" % (row["name"], line), flush=True)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilec", default="tilec")
    parser.add_argument("--run", default="tilec-run", help="the tilec-run to use")
    parser.add_argument("--kernels", default=os.path.join(ROOT, "test", "Workarounds"), help="folder of the kernels")
    parser.add_argument("--page", help="the page whose table must be the compiler's")
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these workarounds")
    arguments = parser.parse_args()
    rows = json.loads(output_of([arguments.tilec, "--print-workarounds"]))
    names = [row["name"] for row in rows]
    unknown = [name for name in arguments.names if name not in names]
    files = [os.path.basename(path)[:-3] for path in glob.glob(os.path.join(arguments.kernels, "*.py"))]
    unknown += [name for name in sorted(files) if name not in names]
    if unknown:
        sys.exit("error: there is no workaround '%s'; there are %s" % (unknown[0], ", ".join(names)))
    if arguments.page:
        try:
            check_page(arguments.page, rows, arguments.write)
        except (Failure, OSError) as failure:
            sys.exit("error: %s" % failure)
        return 0
    chosen = [row for row in rows if not arguments.names or row["name"] in arguments.names]
    return 1 if check(chosen, Tools(arguments), arguments.kernels) else 0


if __name__ == "__main__":
    sys.exit(main())
