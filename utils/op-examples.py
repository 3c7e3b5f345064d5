#!/usr/bin/env python3
"""Extracts the examples of the operations from docs/Dialects/Tile.md into a file that tile-opt parses.

    utils/op-examples.py docs/Dialects/Tile.md > examples.mlir

Each operation becomes a function whose arguments are the values that examples use; FileCheck lines in
the output demand that the operation is still there after parsing. An operation without an example is
an error. Examples of attributes are checked on a function of their own.
"""

import re
import sys

# The values that examples may use without defining them.
VALUES = {
    "%scalar": "f32",
    "%offset": "i32",
    "%address64": "i64",
    "%ptr": "!tile.ptr<f32>",
    "%intPtr": "!tile.ptr<i32>",
    "%range": "tensor<128xi32>",
    "%zeros": "tensor<128xf32>",
    "%mask": "tensor<128xi1>",
    "%ptrs": "tensor<128x!tile.ptr<f32>>",
    "%row": "tensor<1x16xf32>",
    "%matrix": "tensor<8x16xf32>",
    "%matrixT": "tensor<16x8xf32>",
    "%square": "tensor<8x8xf32>",
    "%tile": "tensor<32xf32, #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], "
             "warp = [], block = []>>",
    "%slot": "i32",
    "%spreadPtrs": "tensor<128x!tile.ptr<f32>, #spread>",
    "%spreadMask": "tensor<128xi1, #spread>",
    "%spreadZeros": "tensor<128xf32, #spread>",
    "%spreadRange": "tensor<128xi32, #spread>",
    "%warpZeros": "tensor<4xf32, #warpParts>",
    "%buffer": "!tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>",
    "%stages": "!tile.buffer<128xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>, slots = 2>",
    "%groupRows": "tensor<64x16xf16, #groupRows>",
    "%groupStages": "!tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>, slots = 2>",
    "%groupSum": "tensor<64x16xf32, #group>",
    "%ready": "!tile.mbarrier",
    "%full": "!tile.mbarrier",
    "%parity": "i32",
    "%condition": "i1",
    "%place": "!tile.map_place",
    "%factors": "!tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>, slots = 2>",
    "%tensorMap": "!tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>",
    "%private": "!tile.private<8 x f32>",
    "%bins": "!tile.buffer<16xi32, #tile.shared<[1, 2, 4, 8]>>",
}

# The layouts that examples may name.
ALIASES = ("#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], "
           "warp = [[32], [64]], block = []>\n"
           "#warpParts = #tile.layout<register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], "
           "warp = [[0], [0]], block = []>\n"
           "#group = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], "
           "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>\n"
           "#groupRows = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], "
           "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>\n")


def sections(page, heading):
    """(title, examples) of each third-level section below the second-level `heading`."""
    match = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % heading, page, re.MULTILINE | re.DOTALL)
    if not match:
        raise SystemExit("error: the page has no section '%s'" % heading)
    for part in re.split(r"^### ", match.group(1), flags=re.MULTILINE)[1:]:
        title = part.splitlines()[0]
        yield title, re.findall(r"```mlir\n(.*?)```", part, re.DOTALL)


def values_for(example):
    """Arguments for the values that the example does not define itself."""
    return ",\n    ".join("%s: %s" % (name, type) for name, type in VALUES.items()
                          if not re.search(r"%s(:\d+)?(, %%\w+(:\d+)?)* = " % name, example))


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    print(ALIASES)
    for title, examples in sections(page, "Operations"):
        name = re.match(r"`(tile\.\w+)`", title).group(1)
        if not examples:
            raise SystemExit("error: %s has no example" % name)
        for number, example in enumerate(examples):
            print("// CHECK-LABEL: func.func @%s_%d(" % (name, number))
            print("// CHECK: %s{{[ (]|$}}" % name)
            print("func.func @%s_%d(\n    %s) {\n%s\nreturn }\n"
                  % (name, number, values_for(example), example))
    for title, examples in sections(page, "Attributes"):
        for number, example in enumerate(examples):
            print("// CHECK-LABEL: func.func @%s_%d(" % (title, number))
            print("func.func @%s_%d() attributes {test.example = %s} {\nreturn }\n"
                  % (title, number, example.strip()))


if __name__ == "__main__":
    main()
