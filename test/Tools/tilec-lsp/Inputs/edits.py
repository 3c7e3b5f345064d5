"""Random edits of kernel files, with questions in between. The server must answer all of them, and must not end.

    edits.py [--edits=N] [--seed=N] [--verbose] SERVER FILE ..

Edits delete, insert, double and move pieces, put in tokens that open what is never closed, undo what was done, and send the
whole text. After each one a question about some place is asked. The same seed makes the same edits. Prints how many there
were and the longest time of an answer.
"""

import argparse
import random
import re
import time

import lsp

TOKENS = ["(", ")", "[", "]", "{", "}", "'", '"', '"""', "f'{", "\\", "#", ":", "\n", "    ", "\t", "\r\n", "def ", "class ", "@", "=",
          ",", ".", "tl.", "lambda ", "for ", "in ", "if ", "while ", "return ", "import ", "from ", "*", "**", "->", "x", "0", "1 << 40",
          "é", "𝔸", "\u2028", "# tilec: ", "--sig=", "-DBLOCK=0", "tl.load(", "tl.arange(0, 3)", "tl.static_range(1000000)", "None", "...",
          "\x00", "range(10 ** 9)", "f(f(f(", "-- ", "~", "0x", "1e999", "[" * 150, "-" * 600 + "x"]
STATEMENTS = ["for _ in tl.static_range(1000000): pass", "pair = (pair, pair)", "pair = (1, 2)", "return", "while True: pass",
              "grown = tl.arange(0, 1048576)[:, None] + tl.arange(0, 1048576)", "deep = " + "(" * 190 + "1" + ")" * 190,
              "big = 10 ** 10 ** 6", "text: tl.constexpr = 'a' * 100000", "assert False, f'{larger(1, 2)}'", "add(add, add)",
              "q: tl.constexpr = [i for i in range(100000)]", "launch(1, 2)", "attention(1)", "import triton.language as tl",
              "from .kernels import *", "LOG2E = LOG2E", "x, out = out, x", "del x", "import kernels", "kernels.add(1, 2)"]
QUESTIONS = ["hover", "completion", "signatureHelp", "definition", "references", "documentHighlight", "prepareRename", "rename",
             "documentSymbol", "inlayHint", "codeAction", "codeLens"]


def change(choose, document, original):
    text = document.text
    begin = choose.randrange(len(text) + 1)
    end = min(len(text), begin + int(choose.expovariate(0.1)))
    kind = choose.randrange(20)
    words = list(re.finditer(r"\w+", text))
    if kind >= 15 and words:  # One word in the place of another, which often is correct.
        old, new = choose.choice(words), choose.choice(words).group()
        document.edit(old.start(), old.end(), choose.choice([new, new, str(choose.choice([-1, 0, 2, 3, 16, 10 ** 9, 10 ** 40]))]))
    elif kind >= 12:
        lines = text.split("\n")
        line = choose.randrange(len(lines))
        at = sum(len(line) + 1 for line in lines[:line])
        indent = lines[line][:len(lines[line]) - len(lines[line].lstrip())]
        document.edit(at, at, indent + choose.choice(STATEMENTS) + "\n")
    elif kind < 3:
        document.edit(begin, end, "")
    elif kind < 7:
        document.edit(begin, begin, choose.choice(TOKENS))
    elif kind < 8:
        document.edit(begin, begin, text[begin:end])
    elif kind < 9:
        start = choose.randrange(len(original))
        document.edit(begin, end, original[start:start + choose.randrange(200)])
    elif kind < 10:
        lines = text.split("\n")
        first, second = choose.randrange(len(lines)), choose.randrange(len(lines))
        lines[first], lines[second] = lines[second], lines[first]
        document.set("\n".join(lines))
    else:
        document.set(original)


def ask(choose, document):
    method = choose.choice(QUESTIONS)
    place = document.position(choose.randrange(len(document.text) + 1))
    if choose.randrange(10) == 0:
        place = {"line": choose.randrange(2 ** 31), "character": choose.randrange(2 ** 31)}
    params = {"position": place, "range": {"start": place, "end": document.position(len(document.text))},
              "context": {"includeDeclaration": True, "diagnostics": [], "triggerKind": 1}, "newName": choose.choice(["name", "x y", "tl", ""])}
    try:
        document.ask(method, **params)
    except lsp.ServerError:
        if method not in ("rename", "prepareRename"):
            raise
    return method


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("server")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    session = lsp.Session([arguments.server, "--check-limit=500"], timeout=30)
    documents = []
    for path in arguments.files:
        with open(path, encoding="utf-8") as file:
            documents.append(session.open(path, file.read()))
    originals = [document.text for document in documents]
    longest = (0, "nothing")
    for number in range(arguments.edits):
        index = choose.randrange(len(documents))
        if arguments.verbose:
            print(number, arguments.files[index], flush=True)
        change(choose, documents[index], originals[index])
        start = time.monotonic()
        method = ask(choose, documents[index])
        longest = max(longest, (time.monotonic() - start, "%s after edit %d" % (method, number)))
        if number % 10 == 0:
            documents[index].diagnostics()
    for document, original in zip(documents, originals):
        document.set(original)
        document.diagnostics()
    print("%d edits, status %d" % (arguments.edits, session.close()))
    print("longest answer: %.0f ms, %s" % (longest[0] * 1000, longest[1]))


main()
