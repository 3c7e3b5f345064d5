#!/usr/bin/env python3
"""Runs the tests and ends with one line: `N passed, N failed, N skipped`.

With lit (the usual way, what `check-tilec` calls):

    utils/run-tests.py [--lit=PATH] build/test [build/test/Execution ..] [-- lit options]

Every lit test and every GoogleTest case counts as one. Tests that a machine cannot run (no GPU, no
ptxas) are skipped; expected failures count as passed. The exit status is 0 only if nothing failed.

Without lit, on a machine that has nothing but the built binaries and the test files:

    TILEC_BIN_DIR=folder/bin utils/run-tests.py --plain test/Execution [unittests/RuntimeDeviceTest ..]

This runs RUN lines with bash, and knows of lit's language what the execution tests use: RUN with
continuation lines, REQUIRES, UNSUPPORTED, XFAIL, %s, %S, %t, %T, %%, %{python}, `not`. A test that
uses anything else fails; it is never passed over. A path to a program is run as a GoogleTest binary.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}
NOT_TESTS = {"features.py", "lit.cfg.py", "lit.site.cfg.py"}


class Summary:
    """Counts results; anything that neither passed nor was skipped has failed."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def add(self, code):
        if code in PASSED:
            self.passed += 1
        elif code in SKIPPED:
            self.skipped += 1
        else:
            self.failed += 1

    def finish(self, problem=None):
        """Prints the last line and returns the exit status."""
        if problem:
            print("error: " + problem)
        if self.passed + self.failed == 0 and not problem:
            # Nothing ran: a wrong path must not look like success.
            problem = "no test ran"
            print("error: " + problem)
        print("%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped),
              flush=True)
        return 1 if self.failed or problem else 0


# ===------------------------------------------------------------------------------------------------
# With lit
# ===------------------------------------------------------------------------------------------------


def find_lit():
    for name in ("lit", "llvm-lit", "lit-22", "/usr/lib/llvm-22/bin/lit"):
        path = shutil.which(name)
        if path:
            return path
    return None


def run_with_lit(lit, paths, options):
    summary = Summary()
    with tempfile.TemporaryDirectory() as folder:
        report, skips = os.path.join(folder, "results.json"), os.path.join(folder, "results.xml")
        command = [sys.executable, lit, "-sv", "--output", report, "--xunit-xml-output", skips]
        status = subprocess.call(command + options + paths)
        try:
            with open(report, encoding="utf-8") as file:
                tests = json.load(file)["tests"]
            skipped = list(xml.etree.ElementTree.parse(skips).iter("skipped"))
        except (OSError, ValueError, xml.etree.ElementTree.ParseError):
            return summary.finish("lit wrote no results (exit status %d)" % status)
    for test in tests:
        summary.add(test["code"])
    # The JSON leaves out GoogleTest cases that skipped themselves; the XML has them, beside the tests
    # that --filter did not select.
    summary.skipped = sum("not selected" not in test.get("message", "") for test in skipped)
    if status != 0 and summary.failed == 0:
        return summary.finish("lit failed with exit status %d" % status)
    return summary.finish()


# ===------------------------------------------------------------------------------------------------
# Without lit
# ===------------------------------------------------------------------------------------------------

# `not CMD` succeeds when CMD fails, but a crash (a signal) is no honest failure.
PRELUDE = """set -euo pipefail
not() {
  local crash=0 status=0
  if [ "$1" = --crash ]; then crash=1; shift; fi
  "$@" || status=$?
  if [ $crash = 1 ]; then [ $status -gt 128 ]; else [ $status -gt 0 ] && [ $status -lt 126 ]; fi
}
"""


class TestError(Exception):
    """A test that cannot be interpreted."""


def read_directives(path):
    """The RUN script lines and the conditions of a test file."""
    runs, conditions = [], {"REQUIRES": [], "UNSUPPORTED": [], "XFAIL": []}
    continued = False
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            found = re.search(r"\b(RUN|REQUIRES|UNSUPPORTED|XFAIL):(.*)", line)
            if not found:
                continue
            keyword, text = found.group(1), found.group(2).strip()
            if keyword != "RUN":
                conditions[keyword] += [part.strip() for part in text.split(",") if part.strip()]
            elif continued:
                runs[-1] = runs[-1][:-1].rstrip() + " " + text
            else:
                runs.append(text)
            if keyword == "RUN":
                continued = text.endswith("\\")
    if continued:
        raise TestError("the last RUN line is continued, but nothing follows")
    return runs, conditions


def evaluate(expression, features):
    """Whether a boolean expression over feature names (&&, ||, !, parentheses) holds."""
    tokens = re.findall(r"&&|\|\||[!()]|[\w.+-]+", expression)
    if "".join(tokens) != re.sub(r"\s", "", expression):
        raise TestError("cannot read the condition '%s'" % expression)
    words = {"&&": "and", "||": "or", "!": "not", "(": "(", ")": ")"}
    python = " ".join(words.get(token) or str(token == "true" or token in features)
                      for token in tokens)
    try:
        return bool(eval(python, {"__builtins__": {}}))  # Only True, False and operators.
    except SyntaxError:
        raise TestError("cannot read the condition '%s'" % expression)


def substitute(line, path, scratch):
    values = {"%%": "%", "%s": path, "%S": os.path.dirname(path), "%t": scratch,
              "%T": os.path.dirname(scratch), "%{python}": sys.executable}
    unknown = re.search(r"%(\{(?!python\})[^}]*\}|p\b|basename_t)", line)
    if unknown:
        raise TestError("unknown substitution '%s'" % unknown.group(0))
    for tool in ("FileCheck", "split-file"):
        if re.search(r"(?<![\w./-])%s(?![\w./-])" % tool, line):
            raise TestError("needs %s, which is not here" % tool)
    return re.sub(r"%(%|[sStT]|\{python\})", lambda found: values[found.group(0)], line)


def run_script(path, scratch, environment, timeout):
    """Runs the RUN lines; returns whether they succeeded, and the output."""
    runs, _ = read_directives(path)
    if not runs:
        raise TestError("has no RUN line")
    script = PRELUDE + "\n".join(substitute(run, path, scratch) for run in runs) + "\n"
    try:
        done = subprocess.run(["bash", "-c", script], env=environment, cwd=os.path.dirname(scratch),
                              timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as expired:
        return False, (expired.output or b"").decode(errors="replace") + "\ntimeout"
    text = "\n".join("$ " + run for run in runs) + "\n" + done.stdout.decode(errors="replace")
    return done.returncode == 0, text


def run_file(path, scratch, features, environment, timeout):
    """One test file: its result code, and what to show when it failed."""
    try:
        _, conditions = read_directives(path)
        missing = [text for text in conditions["REQUIRES"] if not evaluate(text, features)]
        barred = [text for text in conditions["UNSUPPORTED"] if evaluate(text, features)]
        if missing or barred:
            return "UNSUPPORTED", ""
        expected = any(text == "*" or evaluate(text, features) for text in conditions["XFAIL"])
        passed, text = run_script(path, scratch, environment, timeout)
    except TestError as error:
        return "UNRESOLVED", str(error)
    if expected:
        return ("XPASS", "passed, though it is expected to fail") if passed else ("XFAIL", "")
    return ("PASS", "") if passed else ("FAIL", text)


def run_googletest(path, environment, timeout):
    """Every case of a GoogleTest binary: (name, code, text) each."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "results.json")
        try:
            done = subprocess.run([path, "--gtest_output=json:" + report], env=environment,
                                  timeout=timeout, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output, status = done.stdout.decode(errors="replace"), done.returncode
            with open(report, encoding="utf-8") as file:
                suites = json.load(file)["testsuites"]
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            return [(path, "FAIL", "wrote no results: %s" % error)]
    results = []
    for suite in suites:
        for case in suite["testsuite"]:
            name = "%s %s.%s" % (path, suite["name"], case["name"])
            if case["result"] == "SUPPRESSED":
                continue  # Disabled by its author.
            if case["result"] == "SKIPPED":
                results.append((name, "SKIPPED", ""))
            elif "failures" in case:
                results.append((name, "FAIL", "\n".join(f["failure"] for f in case["failures"])))
            else:
                results.append((name, "PASS", ""))
    if status != 0 and all(code != "FAIL" for _, code, _ in results):
        results.append((path, "FAIL", "exit status %d\n%s" % (status, output)))
    return results


def find_test_files(path):
    if os.path.isfile(path):
        return [path]
    if not os.path.isdir(path):
        raise SystemExit("error: there is no '%s'" % path)
    found = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in ("Inputs", "Output"))
        found += [os.path.join(folder, name) for name in sorted(files)
                  if name.endswith((".mlir", ".py", ".test")) and name not in NOT_TESTS]
    return found


def load_features(path):
    """The module test/features.py above a test file or folder, so that features mean the same."""
    folder = os.path.abspath(path)
    while folder != os.path.dirname(folder):
        for place in (folder, os.path.join(folder, "test")):
            if os.path.exists(os.path.join(place, "features.py")):
                sys.dont_write_bytecode = True
                sys.path.insert(0, place)
                import features
                return features
        folder = os.path.dirname(folder)
    raise SystemExit("error: no features.py above '%s'" % path)


def is_program(path):
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def report(summary, name, code, text, elapsed):
    summary.add(code)
    print("%s: %s (%.1f s)" % (code, name, elapsed), flush=True)
    if code not in PASSED and text:
        print("    " + text.strip().replace("\n", "\n    "), flush=True)


def run_plain(paths, timeout, jobs):
    bin_dir = os.environ.get("TILEC_BIN_DIR")
    if not bin_dir or not os.path.isdir(bin_dir):
        raise SystemExit("error: set TILEC_BIN_DIR to the folder of the built tools")
    module = load_features(paths[0])
    features = module.available(os.environ)
    tool_paths = [module.find_cuda_tool(name, os.environ) for name in ("ptxas", "nvdisasm")]
    folders = [os.path.abspath(bin_dir)] + [os.path.dirname(path) for path in tool_paths if path]
    environment = dict(os.environ, LC_ALL="C.UTF-8", TILEC_BIN_DIR=os.path.abspath(bin_dir))
    environment["PATH"] = os.pathsep.join(folders + [os.environ.get("PATH", "")])
    with tempfile.TemporaryDirectory() as scratch:

        def run(number, path):
            """The results of a program or a test file, and the seconds that it took."""
            start = time.monotonic()
            if is_program(path):
                results = run_googletest(os.path.abspath(path), environment, timeout)
            else:
                place = os.path.join(scratch, str(number))
                os.makedirs(place)
                results = [(path, *run_file(os.path.abspath(path), os.path.join(place, "t"), features,
                                            environment, timeout))]
                shutil.rmtree(place)
            return results, time.monotonic() - start

        # Programs hold many cases each: they start first.
        tests = sorted((test for path in paths for test in find_test_files(path)), key=is_program, reverse=True)
        summary = Summary()
        workers, processors = itertools.count(), sorted(os.sched_getaffinity(0))

        def take_processors():
            # Two for each test, which its processes inherit: kernels on the CPU and NumPy would take all of them.
            first = next(workers)
            os.sched_setaffinity(0, {processors[(first + i) % len(processors)] for i in range(2)})

        with concurrent.futures.ThreadPoolExecutor(jobs, initializer=take_processors) as pool:
            started = [pool.submit(run, number, test) for number, test in enumerate(tests)]
            for done in concurrent.futures.as_completed(started):
                results, elapsed = done.result()
                for name, code, text in results:
                    report(summary, name, code, text, elapsed)
    return summary.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lit", help="the lit to use; searched when absent")
    parser.add_argument("--plain", action="store_true", help="run without lit")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one test (--plain)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        help="tests at the same time (--plain); all processors when absent")
    parser.add_argument("paths", nargs="+", help="folders or files of tests")
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        options = arguments[arguments.index("--") + 1:]
        arguments = arguments[:arguments.index("--")]
    parsed = parser.parse_args(arguments)
    if parsed.jobs < 1:
        raise SystemExit("error: --jobs must be at least 1")
    if parsed.plain:
        return run_plain(parsed.paths, parsed.timeout, parsed.jobs)
    lit = parsed.lit or find_lit()
    if not lit:
        raise SystemExit("error: lit was not found; --plain runs test/Execution without it")
    return run_with_lit(lit, parsed.paths, options)


if __name__ == "__main__":
    sys.exit(main())
