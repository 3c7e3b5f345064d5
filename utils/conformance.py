#!/usr/bin/env python3
"""Runs the kernels of a conformance file and compares results and errors with what the file says.

    utils/conformance.py [--run=tilec-run] [--target=cpu|cuda|simulator ..] FILE..

A case is a header of `#:` lines and everything up to the next header; its kernel is the first function
after it. The header gives the kernel's arguments, one a line:

    #: out -> i32[-3, -1]              an array whose elements must be these after the run
    #: out -> fp32[0.5] ~1e-6          the same with a relative and absolute tolerance
    #: x = fp16[1, 2.5]                an array
    #: x = i32[1, 2] -> i32[3, 4]      an array before and after
    #: x = i32*64                      an array of zeros
    #: x = i32*64 as 8x8               an array with a shape, here and wherever one stands
    #: d = desc(x, [4, 8], nan)        a tensor descriptor of an array x; nan may be left out
    #: n = -7                          a number, True, None, a string, a tuple
    #: t = (i32[1, 2], 3)              a tuple with an array in it
    #: t.0 -> i32[3, 4]                that array after the run
    #: grid = 4                        programs; 1 without this line
    #: options = --debug               further options of tilec-run
    #: stdout = text                   a line that the run prints (may be repeated)
    #: kernel = name                   the kernel, where no function at the margin follows

Parameters that the header does not mention get the value of STANDARD below. A case whose lines end in
`#! text` must fail, with exactly these errors: one at each such line, containing the text. Every other
case must compile and run.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))
import features  # noqa: E402

# What parameters of these names get when the header does not say.
STANDARD = {"p": "i32*64", "f": "fp32*64", "h": "fp16*64", "b": "bf16*64", "u": "u32*64",
            "n": "5", "m": "3", "s": "0.5"}
DIAGNOSTIC = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+):\d+: error: (?P<text>.*)$")
ARRAY = re.compile(r"^(?P<type>\w+)(?:\[(?P<items>.*)\]|\*(?P<count>\d+))(?: as (?P<shape>\d+(?:x\d+)*))?$")
INNER_ARRAY = re.compile(r"\b(?:bf|fp|[iu])\d+\w*(?:\[[^\]]*\]|\*\d+)(?: as \d+(?:x\d+)*)?")


class Case:
    def __init__(self, first):
        self.first = first
        self.name = None
        self.parameters = []
        self.header = []
        self.errors = []  # (line, text)


def read_cases(path):
    cases, in_header, pending = [], False, ""
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#:"):
                if not in_header:
                    cases.append(Case(number))
                text = line[2:].strip()
                if text.startswith("kernel ="):
                    cases[-1].name = text.split("=")[1].strip()
                else:
                    cases[-1].header.append(text)
                in_header = True
                continue
            in_header = False
            if not cases:
                continue
            case = cases[-1]
            if "#!" in line:
                case.errors.append((number, line.split("#!", 1)[1].strip()))
            if case.name is None:
                pending += line if pending or line.startswith("def ") else ""
                match = re.match(r"def\s+(\w+)\s*\((.*?)\)\s*(?:->[^:]+)?:", pending, re.S)
                if match:
                    case.name, case.parameters = match.group(1), parameter_names(match.group(2))
                    pending = ""
    return cases


def parameter_names(text):
    """Names in the order of a parameter list that may have annotations and defaults."""
    names, depth, item = [], 0, ""
    for character in text + ",":
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            name = re.match(r"\s*(\w+)\s*(:|=|$)", item)
            if name:
                names.append((name.group(1), "=" in item))
            item = ""
        else:
            item += character
    return names


def array_spec(text):
    """`i32[1, 2]` as tilec-run writes it; None when `text` is no array."""
    match = ARRAY.match(text)
    if not match:
        return None
    if match.group("count"):
        return "zeros:%s[%s]" % (match.group("type"), shape_of(match))
    items = [item.strip() for item in match.group("items").split(",")]
    return "values(%s):%s[%s]" % (",".join(items), match.group("type"), shape_of(match))


def shape_of(match):
    """The shape of a match of ARRAY: "6,8"."""
    if match.group("shape"):
        return match.group("shape").replace("x", ",")
    return match.group("count") or str(len(match.group("items").split(",")))


def empty_like(text):
    match = ARRAY.match(text)
    return "empty:%s[%s]" % (match.group("type"), shape_of(match))


def argument_text(text):
    """A value as tilec-run writes it."""
    if re.match(r"\w*\(", text):
        return INNER_ARRAY.sub(lambda match: array_spec(match.group()), text)
    return array_spec(text) or text


def value_options(name, before, after):
    options = ["--arg", "%s=%s" % (name, argument_text(before))] if before else []
    if after:
        after, _, tolerance = (part.strip() for part in after.partition("~"))
        if not before and "." not in name:
            options = ["--arg", "%s=%s" % (name, empty_like(after))]
        tolerance = tolerance or "0"
        options += ["--expect", "%s=%s" % (name, array_spec(after)), "--rtol=" + tolerance,
                    "--atol=" + tolerance]
    return options


def command_of(case, arguments, target, path):
    command = [arguments.run, path, "--target=" + target, "--kernel=" + case.name]
    grid, given, printed = "1", set(), []
    for line in case.header:
        if not line:
            continue
        match = re.match(r"([\w.]+)\s*(=|->)\s*(.*)$", line)
        if not match:
            raise ValueError("%s:%d: cannot read the header line '%s'" % (path, case.first, line))
        name, mark, rest = match.groups()
        if name == "grid":
            grid = rest
        elif name == "options":
            # How many threads the CPU has for programs means nothing to a GPU.
            command += [option for option in rest.split()
                        if target == "cpu" or not option.startswith("--threads=")]
        elif name == "stdout":
            printed.append(rest)
        elif mark == "->":
            command += value_options(name, None, rest)
        else:
            before, _, after = (part.strip() for part in rest.partition("->"))
            command += value_options(name, before, after)
        given.add(name)
    for name, has_default in case.parameters:
        if name not in given and not has_default and name in STANDARD:
            command += value_options(name, STANDARD[name], None)
    return command + ["--grid=" + grid], printed


def check(case, done, printed):
    """What is wrong with the outcome of a run; an empty list if nothing is."""
    found = [(int(match.group("line")), match.group("text"))
             for match in map(DIAGNOSTIC.match, done.stderr.splitlines()) if match]
    problems = []
    if not case.errors:
        if done.returncode:
            problems.append("failed")
        problems += ["the run does not print '%s'" % text for text in printed
                     if text not in done.stdout.splitlines()]
        return problems
    if done.returncode != 1:
        problems.append("exit status %d, expected errors" % done.returncode)
    for line, text in case.errors:
        match = [error for error in found if error[0] == line and text in error[1]]
        if match:
            found.remove(match[0])
        else:
            problems.append("line %d: no error with '%s'" % (line, text))
    return problems + ["line %d: unexpected error: %s" % error for error in found]


def run_case(case, arguments, target, path):
    try:
        command, printed = command_of(case, arguments, target, path)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace", timeout=120)
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        return "%s: %s" % (case.name, error)
    problems = check(case, done, printed)
    if not problems:
        return None
    return "%s:%d: %s on %s: %s\n  %s\n%s%s" % (
        path, case.first, case.name, target, "; ".join(problems),
        " ".join("'%s'" % word if " " in word or "(" in word else word for word in command),
        done.stdout, done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", default="tilec-run", help="the tilec-run to use")
    parser.add_argument("--target", action="append",
                        help="cpu, cuda, simulator; default: cpu, and cuda where there is a GPU, or else simulator")
    parser.add_argument("--case", help="only the case of that name")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    targets = arguments.target or ["cpu", "cuda" if features.count_gpus(os.environ) > 0 else "simulator"]
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for path in arguments.files:
            cases = [case for case in read_cases(path) if arguments.case in (None, case.name)]
            nameless = [case for case in cases if case.name is None]
            if not cases or nameless:
                sys.exit("%s: %s" % (path, "no case" if not cases else
                                     "no kernel after line %d" % nameless[0].first))
            jobs += [pool.submit(run_case, case, arguments, target, path)
                     for case in cases for target in targets]
        failures = [job.result() for job in jobs if job.result()]
    for failure in failures:
        print(failure)
    print("%d of %d cases as expected" % (len(jobs) - len(failures), len(jobs)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
