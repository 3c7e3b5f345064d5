# RUN: %{python} %s tile-lsp | FileCheck %s
"""MLIR's server knows the operations and types of tile IR."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tilec-lsp", "Inputs"))
import lsp

MODULE = """func.func @copy(%from: !tile.ptr<f32>) {
  %lanes = tile.make_range 0 to 64 : tensor<64xi32>
  %sum = arith.addi %lanes, %lanes : tensor<64xi32>
  return
}
"""
session = lsp.Session([sys.argv[1]])
document = session.open("/copy.mlir", MODULE)
lsp.show(document.diagnostics())
print(document.hover("%su^m"))
print([place["range"]["start"]["line"] + 1 for place in document.ask("definition", "%lan^es :")])
document.set(MODULE.replace("0 to 64", "0 to 32"))
lsp.show(document.diagnostics())
print(session.close())
# CHECK: no diagnostics
# CHECK-NEXT: Operation: "arith.addi"
# CHECK: Type: `tensor<64xi32>`
# CHECK: [2]
# CHECK-NEXT: 2:12-2:27 error: 'tile.make_range' op expects a one-dimensional result of 32 elements, found 'tensor<64xi32>'
# CHECK: {{^0$}}
