// RUN: tile-opt %s -convert-tile-to-cpu -tile-cpu-asserts | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("too many\00")
// CHECK-DAG: llvm.mlir.global internal constant @{{.*}}("kernel.py\00")
// CHECK-LABEL: func.func @k(
// CHECK-SAME:    %[[N:[^ ]*]]: i32, %[[X:[^ ]*]]: i32, {{.*}} %[[RECORD:[^ ]*]]: !llvm.ptr)
// CHECK:         cf.cond_br %{{.*}}, ^[[REST:.*]], ^[[FAILED:.*]]
// CHECK:       ^[[REST]]:
// CHECK-NEXT:    return
// CHECK:       ^[[FAILED]]:
// CHECK:         %[[OLD:.*]] = llvm.atomicrmw xchg %[[RECORD]], %{{.*}} monotonic
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[OLD]]
// CHECK:         cf.cond_br %[[FIRST]], ^[[REPORT:.*]], ^[[DONE:.*]]
// CHECK:       ^[[REPORT]]:
// CHECK:         arith.constant 12 : i32
// CHECK:         llvm.getelementptr %[[RECORD]][4]
// CHECK:         arith.constant 5 : i32
// CHECK:         llvm.getelementptr %[[RECORD]][8]
// CHECK:         %[[AT:.*]] = llvm.getelementptr %[[RECORD]][12]
// CHECK:         llvm.store %[[X]], %[[AT]]
// CHECK:       ^[[DONE]]:
// CHECK-NEXT:    return
func.func @k(%n: i32) attributes {tile.kernel} {
  %c = arith.constant 10 : i32
  %s = arith.cmpi slt, %n, %c : i32
  tile.assert %s, "too many" : i1 loc("kernel.py":12:5)
  return
}

// What is no kernel keeps its assertions.
// CHECK-LABEL: func.func @other
// CHECK:         cf.assert
func.func @other(%ok: i1) {
  cf.assert %ok, "kept"
  return
}
