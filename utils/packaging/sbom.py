#!/usr/bin/env python3
"""Lists what is linked into tilec's binaries, as SPDX 2.3 in JSON, and gathers the notices of it.

What is linked is read from the build's link commands: each archive outside of the build belongs to a Debian
package, whose version and copyright file dpkg knows. An archive of no package, or of one that COMPONENTS does
not have, is an error: then somebody has to look at its license.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time

# By name of the Debian package: what the component is called, its license, and whose it is.
COMPONENTS = [
    (r"llvm-\d+-dev", "LLVM", "Apache-2.0 WITH LLVM-exception", "https://llvm.org"),
    (r"libmlir-\d+-dev", "MLIR", "Apache-2.0 WITH LLVM-exception", "https://mlir.llvm.org"),
    (r"zlib1g-dev", "zlib", "Zlib", "https://zlib.net"),
    (r"libzstd-dev", "zstd", "BSD-3-Clause", "https://github.com/facebook/zstd"),
    (r"libstdc\+\+-\d+-dev", "libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org"),
    (r"libgcc-\d+-dev", "libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org"),
    (r"libc6-dev", "glibc start files", "LGPL-2.1-or-later", "https://sourceware.org/glibc"),
]
# What the build links, and where the installation has it.
BINARIES = [("bin/tilec", "bin/tilec"), ("bin/tilec-run", "bin/tilec-run"), ("bin/tilec-lsp", "bin/tilec-lsp"),
            ("lib/libtilec.so.{version}", "lib/libtilec.so.{version}"),
            ("lib/libTilecRuntime.a", "lib/libTilecRuntime.a")]


def fail(message):
    sys.exit("error: " + message)


def output_of(command, **options):
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout
    except FileNotFoundError:
        fail("%s is missing" % command[0])
    except subprocess.CalledProcessError as error:
        fail("'%s' failed with exit code %d" % (" ".join(command[:6]), error.returncode))


def linked_files(build, target):
    """The archives and object files that do not come from the build and are linked into `target`."""
    if target.endswith(".a"):
        return []  # An archive holds objects of the build alone.
    words = shlex.split(output_of(["ninja", "-C", build, "-t", "commands", "-s", target]))
    files = [word for word in words if word.startswith("/") and word.endswith(".a")]
    if not files:
        fail("the link command of %s names no archive; build with TILEC_STATIC=ON" % target)
    compiler = next(word for word in words if re.search(r"(clang|g)\+\+[-0-9]*$", word))
    for name in ("libstdc++.a", "libgcc.a", "libgcc_eh.a", "crtbegin.o", "crti.o"):
        path = output_of([compiler, "-print-file-name=" + name]).strip()
        if not os.path.isabs(path):
            fail("%s does not find %s" % (compiler, name))
        files.append(path)
    build = os.path.realpath(build) + "/"
    return sorted({os.path.realpath(file) for file in files if not os.path.realpath(file).startswith(build)})


def owners(files):
    """The Debian packages that the files belong to."""
    done = subprocess.run(["dpkg-query", "-S"] + files, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        fail("of no Debian package: " + done.stderr.strip())
    return sorted({line.split(": ")[0].split(":")[0] for line in done.stdout.splitlines()})


def describe(package):
    """The component that a Debian package is: an element of the document."""
    for pattern, name, license_name, home in COMPONENTS:
        if re.fullmatch(pattern, package):
            break
    else:
        fail("%s is linked in, but its license is not in COMPONENTS of %s" % (package, sys.argv[0]))
    version, architecture = output_of(
        ["dpkg-query", "-W", "-f", "${Version} ${Architecture}\n", package]).splitlines()[0].split()
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", package),
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "homepage": home,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": license_name,
        "licenseDeclared": license_name,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": "pkg:deb/debian/%s@%s?arch=%s" % (
                package.replace("+", "%2B"), version.replace(":", "%3A").replace("+", "%2B"), architecture),
        }],
    }


def describe_file(prefix, path):
    with open(os.path.join(prefix, path), "rb") as file:
        contents = file.read()
    return {
        "SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.-]", "-", path),
        "fileName": "./" + path,
        "fileTypes": ["BINARY"],
        "checksums": [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, contents).hexdigest()}
                      for name in ("sha1", "sha256")],
        "licenseConcluded": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def document(arguments):
    """The whole document, and the names of the packages that it mentions."""
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-tilec")]
    files, components = [], {}
    for target, path in BINARIES:
        element = describe_file(arguments.prefix, path.format(version=arguments.version))
        files.append(element)
        relationships.append((element["SPDXID"], "GENERATED_FROM", "SPDXRef-tilec"))
        linked = linked_files(arguments.build, target.format(version=arguments.version))
        for package in owners(linked) if linked else []:
            if package not in components:
                components[package] = describe(package)
            relationships.append((element["SPDXID"], "STATIC_LINK", components[package]["SPDXID"]))
    tilec = {
        "SPDXID": "SPDXRef-tilec",
        "name": "tilec",
        "versionInfo": arguments.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0 WITH LLVM-exception",
        "licenseDeclared": "Apache-2.0 WITH LLVM-exception",
        "copyrightText": "NOASSERTION",
    }
    identity = hashlib.sha256("".join(file["checksums"][1]["checksumValue"] for file in files).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": "tilec-" + arguments.version,
        "documentNamespace": "https://spdx.org/spdxdocs/tilec-%s-%s" % (arguments.version, identity[:32]),
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(arguments.date)),
                         "creators": ["Tool: tilec-package-" + arguments.version]},
        "packages": [tilec] + [components[package] for package in sorted(components)],
        "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relationships],
    }, sorted(components)


def write_notices(path, packages):
    """The copyright files of what is linked in, one after the other; the licenses ask for that."""
    with open(path, "w") as out:
        out.write("tilec's binaries hold the following parts. These are their copyright notices and licenses, as\n"
                  "Debian's packages have them; a notice may be for more files of a package than are linked in.\n")
        seen = set()
        for package in packages:
            notice = os.path.realpath("/usr/share/doc/%s/copyright" % package)
            if notice in seen:
                continue
            seen.add(notice)
            try:
                with open(notice, errors="replace") as file:
                    text = file.read()
            except OSError as error:
                fail("%s cannot be read: %s" % (notice, error.strerror))
            out.write("\n%s\n%s\n%s\n\n%s\n" % ("=" * 79, package, "=" * 79, text.strip()))


def main():
    parser = argparse.ArgumentParser(description="Lists what is linked into tilec's binaries.")
    parser.add_argument("build", help="folder of the build")
    parser.add_argument("prefix", help="folder of the installed and stripped files")
    parser.add_argument("--version", required=True, help="version of tilec")
    parser.add_argument("--date", type=int, required=True, help="time of the document, in seconds since 1970")
    parser.add_argument("--out", required=True, help="file for the list")
    parser.add_argument("--notices", required=True, help="file for copyright notices and licenses")
    arguments = parser.parse_args()
    contents, packages = document(arguments)
    with open(arguments.out, "w") as file:
        json.dump(contents, file, indent=1)
        file.write("\n")
    write_notices(arguments.notices, packages)


if __name__ == "__main__":
    main()
