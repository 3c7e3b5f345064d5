"""Unpacks a wheel as pip does, checks what pip relies on, and prints what the commands and the module print.

usage: check-wheel.py WHEEL FOLDER
"""

import base64
import configparser
import hashlib
import os
import re
import subprocess
import sys
import zipfile


def check(condition, message):
    if not condition:
        sys.exit("error: " + message)


def unpack(archive, folder):
    for info in archive.infolist():
        path = archive.extract(info, folder)
        os.chmod(path, info.external_attr >> 16 & 0o777)


def check_record(archive, metadata):
    """Each file is listed once, with its size and hash; the list itself without."""
    rows = [line.split(",") for line in archive.read(metadata + "/RECORD").decode().splitlines()]
    listed = {name: (digest, size) for name, digest, size in rows}
    check(sorted(listed) == sorted(archive.namelist()), "RECORD does not list what is in the wheel")
    check(len(rows) == len(listed), "RECORD lists a file twice")
    for name, (digest, size) in listed.items():
        if name == metadata + "/RECORD":
            check(not digest and not size, "RECORD has a hash of itself")
            continue
        contents = archive.read(name)
        expected = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        check(digest == "sha256=" + expected and int(size) == len(contents), "RECORD is wrong about " + name)


def run_module(folder, *arguments):
    command = [sys.executable, "-c", *arguments] if arguments[0].startswith("import") else \
        [sys.executable, "-m", "tilec", *arguments]
    return subprocess.run(command, cwd="/", env={"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}, check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()


def main():
    wheel, folder = sys.argv[1:]
    name = re.fullmatch(r"tilec-([0-9.]+)-(py3-none-\w+)\.whl", os.path.basename(wheel))
    check(name, "the name of the wheel is wrong")
    version, tag = name.groups()
    metadata = "tilec-%s.dist-info" % version
    with zipfile.ZipFile(wheel) as archive:
        check_record(archive, metadata)
        unpack(archive, folder)
        fields = archive.read(metadata + "/METADATA").decode()
        check("\nName: tilec\nVersion: %s\n" % version in fields, "METADATA has another name or version")
        check("\nTag: %s\n" % tag in archive.read(metadata + "/WHEEL").decode(), "WHEEL has another tag")
        entries = configparser.ConfigParser()
        entries.read_string(archive.read(metadata + "/entry_points.txt").decode())
    print("tilec", version, tag)
    for command, target in entries["console_scripts"].items():
        module, function = target.split(":")
        script = "import sys, %s; sys.argv[1:] = ['--version']; sys.exit(%s.%s())" % (module, module, function)
        print("command %s: %s" % (command, run_module(folder, script).splitlines()[0]))
    print("--version:", run_module(folder, "--version"))
    for option in ("--cmake-dir", "--pkgconfig-dir", "--include-dir", "--prefix"):
        path = run_module(folder, option)
        check(os.path.isdir(path), "there is no " + path)
        print("%s: %s" % (option, os.path.relpath(path, os.path.join(folder, "tilec"))))


if __name__ == "__main__":
    main()
