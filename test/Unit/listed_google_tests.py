"""The lit format of the unit tests. A module of its own, since lit sends it to its worker processes."""

import os

import lit.Test
import lit.formats


class ListedGoogleTests(lit.formats.GoogleTest):
    """The binaries that the build lists, and no stale ones; one that is missing is a failure."""

    def __init__(self, names):
        super().__init__(".", "")
        self.names = names
        self.each = [lit.formats.GoogleTest(".", name, test_prefix=name) for name in names]

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        if path_in_suite:
            return
        for name, binary in zip(self.names, self.each):
            if os.path.exists(testSuite.getSourcePath((name,))):
                yield from binary.getTestsInDirectory(testSuite, path_in_suite, litConfig,
                                                      localConfig)
            else:
                # Not executable as a GoogleTest, which makes it fail.
                yield lit.Test.Test(testSuite, (name, "is_not_built"), localConfig)
