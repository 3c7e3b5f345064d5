# RUN: %{python} %s tilec-lsp tilec %t | FileCheck %s
"""What is published while somebody types: errors of the syntax always, those of kernels whose types are known."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import lsp

KERNEL = """import triton
import triton.language as tl


@triton.jit
def helper(x):
    return x + 1


@triton.jit
def add(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, helper(tl.load(x + offsets)), mask=offsets < n)
"""
session = lsp.Session([sys.argv[1]])
document = session.open("kernel.py", KERNEL)


def publish(title):
    print("==", title)
    lsp.show(document.diagnostics())


publish("as it was opened")
document.type("    offsets = tl.arange(0, BLOCK", " +")
publish("a syntax error")
document.replace("BLOCK +", "BLOKC")
publish("a wrong name, without types")
document.edit(0, 0, "# tilec: --sig=add:x=*fp32,out=*fp32,n=i32 -DBLOCK=64\n")
publish("a wrong name, with types")
place = {"start": document.position(document.find("0, ^BLOKC")), "end": document.position(document.find("0, BLOKC"))}
for action in document.ask("codeAction", range=place, context={"diagnostics": []}):
    print(action["title"], action["kind"], "->", document.apply(action["edit"]).splitlines()[12].strip())
document.replace("BLOKC", "BLOCK")
print(document.ask("codeAction", range=place, context={"diagnostics": []}))
publish("corrected")
# CHECK: == as it was opened
# CHECK-NEXT: no diagnostics
# CHECK: == a syntax error
# CHECK-NEXT: 12:35-12:36 error: expected an expression, found ')'
# CHECK: == a wrong name, without types
# CHECK-NEXT: no diagnostics
# CHECK: == a wrong name, with types
# CHECK-NEXT: 13:28-13:33 error: 'BLOKC' is not defined; did you mean 'BLOCK'?
# CHECK-NEXT: Replace by 'BLOCK' quickfix -> offsets = tl.arange(0, BLOCK)
# CHECK-NEXT: []
# CHECK-NEXT: == corrected
# CHECK-NEXT: no diagnostics

# Notes are related places.
document.replace("return x + 1", "return x + tl.arange(0, 32)")
publish("an error in a helper")
document.replace("tl.arange(0, 32)", "1")
# CHECK: == an error in a helper
# CHECK-NEXT: 8:14-8:15 error: cannot broadcast the shapes [64] and [32]
# CHECK-NEXT: kernel.py:14:29 in call to 'helper' from here

# Columns are those of UTF-16, whatever the line holds in front.
document.replace("return x + 1", "'\U0001F600é'; return x + y")
publish("behind wide letters")
document.replace("'\U0001F600é'; return x + y", "return x + 1")
# CHECK: == behind wide letters
# CHECK-NEXT: 8:23-8:24 error: 'y' is not defined

# Wrong options are reported where they are.
document.replace("BLOCK=64", "BLOCK=(6 --arch=sm_5 --sgi")
publish("options")
document.replace("BLOCK=(6 --arch=sm_5 --sgi", "BLOCK=64")
document.replace("n=i32", "n=i33")
publish("a type")
document.replace("n=i33", "n=i32")
document.replace("--sig=add:", "--sig='sub:x=i32' -D sub.N=1 --sig=add:")
publish("a kernel")
document.replace("--sig='sub:x=i32' -D sub.N=1 --sig=add:", "--sig=add:")
# CHECK: == options
# CHECK-NEXT: 1:53-1:54 error: expected ')'
# CHECK-NEXT: kernel.py:1:52 to match this '('
# CHECK-NEXT: 1:62-1:66 error: unknown GPU architecture 'sm_5'
# CHECK-NEXT: 1:67-1:72 error: unknown option '--sgi'; did you mean '--sig'?
# CHECK: == a type
# CHECK-NEXT: 1:40-1:43 error: unknown type 'i33'
# CHECK: == a kernel
# CHECK-NEXT: 1:17-1:26 error: no @triton.jit function is called 'sub'; the file has 'helper', 'add'
# CHECK-NEXT: 1:37-1:38 error: no @triton.jit function is called 'sub'

document.replace("--sig=add:", "--sig=")
publish("of which kernel?")
document.replace("--sig=", "--sig=add:")
# CHECK: == of which kernel?
# CHECK-NEXT: 7:5-7:11 error: the file has several @triton.jit functions; say which one a signature is of with '--sig=KERNEL:...'

# Settings are options, too; those of the file come behind them.
document.replace("# tilec: --sig=add:x=*fp32,out=*fp32,n=i32 -DBLOCK=64\n", "")
document.replace("return x + 1", "return x + z")
publish("no types")
session.notify("workspace/didChangeConfiguration", {"settings": {"tilec": {"options": [
    "--sig=add:x=*fp32,out=*fp32,n=i32", "-DBLOCK=64"]}}})
document.replace("x + z", "x + zz")
publish("types of the settings")
session.notify("workspace/didChangeConfiguration", {"settings": {"tilec": {"options": ["--sig=add:x=*what"]}}})
document.replace("x + zz", "x + z")
publish("wrong settings")
session.notify("workspace/didChangeConfiguration", {"settings": {"tilec": {"options": "-DBLOCK=64"}}})
document.replace("x + z", "x + 1")
document.diagnostics()
print(session.shown)
session.notify("workspace/didChangeConfiguration", {"settings": {"tilec": {"options": []}}})
# CHECK: == no types
# CHECK-NEXT: no diagnostics
# CHECK: == types of the settings
# CHECK-NEXT: 7:16-7:18 error: 'zz' is not defined
# CHECK: == wrong settings
# CHECK-NEXT: 1:1-1:1 error: in the settings: unknown type '*what'
# CHECK: ["expected the setting 'tilec.options' to be a list of strings"]

# Errors in another file are where this one comes to them.
folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
document = session.open(os.path.join(folder, "none.py"), "# tilec: --sig=k:x=*fp32\nimport triton\nfrom helpers import broken\n"
                        "@triton.jit\ndef k(x):\n    broken(1)\n")
publish("an error in another file")
# CHECK: == an error in another file
# CHECK-NEXT: 6:5-6:14 error: 'missing_name' is not defined
# CHECK-NEXT: helpers.py:16:16 'missing_name' is not defined
# CHECK-NEXT: none.py:6:5 in call to 'broken' from here

# A file on disk that was saved is read again.
scratch = sys.argv[3]
os.makedirs(scratch, exist_ok=True)
with open(os.path.join(scratch, "other.py"), "w") as file:
    file.write("import triton\n@triton.jit\ndef f(x):\n    return y\n")
document = session.open(os.path.join(scratch, "main.py"), "# tilec: --sig=k:x=i32\nimport triton\nfrom other import f\n"
                        "@triton.jit\ndef k(x):\n    f(x)\n")
publish("before")
with open(os.path.join(scratch, "other.py"), "w") as file:
    file.write("import triton\n@triton.jit\ndef f(x):\n    return x\n")
session.published.clear()
session.notify("textDocument/didSave", {"textDocument": {"uri": "file://" + os.path.join(scratch, "other.py")}})
publish("after")
# CHECK: == before
# CHECK-NEXT: 6:5-6:9 error: 'y' is not defined
# CHECK: == after
# CHECK-NEXT: no diagnostics

# It is what tilec says.
document.replace("def k(x):\n", "def k(x):\n    tl.load(x)\n    a = x[1]\n    1 +\n")
print("== as tilec has it")
with open(os.path.join(scratch, "main.py"), "w") as file:
    file.write(document.text)
said = subprocess.run([sys.argv[2], "-fsyntax-only", "--diag-format=json", "--sig=k:x=i32", document.path], stderr=subprocess.PIPE).stderr
said = [json.loads(line) for line in said.decode().splitlines()]
assert [(one["line"], one["column"], one["message"]) for one in said] == [
    (one["range"]["start"]["line"] + 1, one["range"]["start"]["character"] + 1, one["message"]) for one in document.diagnostics()]
print(len(said) > 0)
# CHECK: == as tilec has it
# CHECK-NEXT: True

# Many errors, and a check that takes too long.
document.set("# tilec: --sig=k:x=i32\nimport triton\n@triton.jit\ndef k(x):\n" + "".join("    a%d = b%d\n" % (n, n) for n in range(300)))
print(len(document.diagnostics()))
session.close()
session = lsp.Session([sys.argv[1], "--check-limit=0", "--option=--sig=add:x=*fp32,out=*fp32,n=i32", "--option=-DBLOCK=64"])
document = session.open("kernel.py", KERNEL)
publish("no time")
print(session.close())
# CHECK: {{^}}10{{[01]$}}
# CHECK: == no time
# CHECK-NEXT: 11:5-11:8 warning: kernel 'add' was not checked to its end: it takes more than 0 ms
# CHECK-NEXT: 0
