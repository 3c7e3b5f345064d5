# The GoogleTest binaries as a lit suite, so that one run and one summary cover everything. Every
# GoogleTest case counts as one test, and a case that skips itself counts as skipped.

import os

import lit.Test
import lit.formats


class ListedGoogleTests(lit.formats.GoogleTest):
    """The binaries that the build lists, and no stale ones; one that is missing is a failure."""

    def __init__(self, names):
        super().__init__(".", "")
        self.names = names
        self.formats = [lit.formats.GoogleTest(".", name, test_prefix=name) for name in names]

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        if path_in_suite:
            return
        for name, each in zip(self.names, self.formats):
            if os.path.exists(testSuite.getSourcePath((name,))):
                yield from each.getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig)
            else:
                yield lit.Test.Test(testSuite, (name, "is_not_built"), localConfig)


if not getattr(config, "unittest_dir", None):
    lit_config.fatal("the unit tests are known to the build only: run lit on its test folder")
config.name = "tilec-unit"
config.test_source_root = config.test_exec_root = config.unittest_dir
config.test_format = ListedGoogleTests(config.unittest_names)
for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "ASAN_OPTIONS",
             "UBSAN_OPTIONS", "TMPDIR", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
