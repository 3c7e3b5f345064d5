// RUN: tile-opt %s -canonicalize | FileCheck %s

// What is promised of a number holds wherever the number is used behind the promise.
// CHECK-LABEL: func.func @usesBehind
// CHECK-SAME: %[[N:.*]]: i64, %[[P:.*]]: !tile.ptr<i64>
func.func @usesBehind(%n: i64, %p: !tile.ptr<i64>, %c: i1) {
  // CHECK: tile.store %[[P]], %[[N]]
  // CHECK: %[[KNOWN:.*]] = tile.promise %[[N]]
  // CHECK: tile.store %[[P]], %[[KNOWN]]
  // CHECK: scf.if
  // CHECK-NEXT: tile.store %[[P]], %[[KNOWN]]
  tile.store %p, %n : !tile.ptr<i64>
  %known = tile.promise %n divisibility [8] contiguity [1] constancy [1] : i64
  tile.store %p, %n : !tile.ptr<i64>
  scf.if %c {
    tile.store %p, %n : !tile.ptr<i64>
  }
  tile.store %p, %known : !tile.ptr<i64>
  return
}

// One in a branch says nothing of uses outside of it.
// CHECK-LABEL: func.func @usesElsewhere
// CHECK-SAME: %[[N:.*]]: i64, %[[P:.*]]: !tile.ptr<i64>
func.func @usesElsewhere(%n: i64, %p: !tile.ptr<i64>, %c: i1) {
  // CHECK: scf.if
  // CHECK: %[[KNOWN:.*]] = tile.promise %[[N]]
  // CHECK-NEXT: tile.store %[[P]], %[[KNOWN]]
  // CHECK: tile.store %[[P]], %[[N]]
  scf.if %c {
    %known = tile.promise %n divisibility [8] contiguity [1] constancy [1] : i64
    tile.store %p, %known : !tile.ptr<i64>
  }
  tile.store %p, %n : !tile.ptr<i64>
  return
}

// CHECK-LABEL: func.func @extended
// CHECK-SAME: %[[N:.*]]: i32, %[[P:.*]]: !tile.ptr<i64>, %[[Q:.*]]: !tile.ptr<i32>
func.func @extended(%n: i32, %p: !tile.ptr<i64>, %q: !tile.ptr<i32>) {
  // CHECK: %[[KNOWN:.*]] = tile.promise %[[N]] divisibility [8] contiguity [1] constancy [1] : i32
  // CHECK: %[[WIDE:.*]] = arith.extsi %[[KNOWN]]
  // CHECK: tile.store %[[P]], %[[WIDE]]
  // CHECK: tile.store %[[P]], %[[WIDE]]
  // CHECK: tile.store %[[Q]], %[[KNOWN]]
  %wide = arith.extsi %n : i32 to i64
  %known = tile.promise %wide divisibility [8] contiguity [1] constancy [1] : i64
  tile.store %p, %wide : !tile.ptr<i64>
  tile.store %p, %known : !tile.ptr<i64>
  tile.store %q, %n : !tile.ptr<i32>
  return
}

// No number of 8 bits but zero is a multiple of 1024.
// CHECK-LABEL: func.func @extendedByte
func.func @extendedByte(%n: i8) -> i64 {
  // CHECK: %[[WIDE:.*]] = arith.extui
  // CHECK: tile.promise %[[WIDE]] divisibility [1024]
  %wide = arith.extui %n : i8 to i64
  %known = tile.promise %wide divisibility [1024] contiguity [1] constancy [1] : i64
  return %known : i64
}

// CHECK-LABEL: func.func @promisedTwice
// CHECK-SAME: %[[N:.*]]: i64
func.func @promisedTwice(%n: i64) -> (i64, i64, i64) {
  // CHECK: %[[EIGHT:.*]] = tile.promise %[[N]] divisibility [8]
  // CHECK-NEXT: %[[MORE:.*]] = tile.promise %[[EIGHT]] divisibility [16]
  // CHECK-NEXT: return %[[MORE]], %[[MORE]], %[[MORE]]
  %eight = tile.promise %n divisibility [8] contiguity [1] constancy [1] : i64
  %four = tile.promise %n divisibility [4] contiguity [1] constancy [1] : i64
  %more = tile.promise %n divisibility [16] contiguity [1] constancy [1] : i64
  return %eight, %four, %more : i64, i64, i64
}

// Of a tile, groups are promised, and those of another tile may be others.
// CHECK-LABEL: func.func @tile
// CHECK-SAME: %[[T:.*]]: tensor<8xi32>
func.func @tile(%t: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  // CHECK: %[[KNOWN:.*]] = tile.promise %[[T]]
  // CHECK: return %[[T]], %[[KNOWN]]
  %known = tile.promise %t divisibility [8] contiguity [8] constancy [1] : tensor<8xi32>
  return %t, %known : tensor<8xi32>, tensor<8xi32>
}

// A constant tells everything itself.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: tile.promise
// CHECK: return
func.func @constant() -> i64 {
  %stride = arith.constant -64 : i64
  %known = tile.promise %stride divisibility [8] contiguity [1] constancy [1] : i64
  return %known : i64
}
