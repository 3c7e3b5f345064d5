# The GoogleTest binaries as a lit suite, so that one run and one summary cover everything. Every
# GoogleTest case counts as one test, and a case that skips itself counts as skipped.

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import listed_google_tests

if not getattr(config, "unittest_dir", None):
    lit_config.fatal("the unit tests are known to the build only: run lit on its test folder")
config.name = "tilec-unit"
config.test_source_root = config.test_exec_root = config.unittest_dir
config.test_format = listed_google_tests.ListedGoogleTests(config.unittest_names)
for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS",
             "UBSAN_OPTIONS", "TMPDIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
