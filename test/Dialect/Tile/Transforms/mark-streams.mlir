// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-mark-streams | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=mark-streams' -tile-mark-streams | FileCheck %s --check-prefix=NONE
// RUN: tile-opt %s -tile-attach-target=arch=sm_75 -tile-mark-streams | FileCheck %s --check-prefix=NONE
// NONE-NOT: evict

!ptrs = tensor<1024x!tile.ptr<f32>>

// Each program sums up elements of its own.
// CHECK-LABEL: func.func @rows
// CHECK: tile.load {{.*}} evict = first
func.func @rows(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c1024 = arith.constant 1024 : i32
  %first = arith.muli %pid, %c1024 : i32
  %start = tile.addptr %x, %first : !tile.ptr<f32>, i32
  %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
  %v = tile.load %p : !ptrs
  %sum = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %to = tile.addptr %out, %pid : !tile.ptr<f32>, i32
  tile.store %to, %sum : !tile.ptr<f32>
  return
}

// The second axis of the grid does not count: other programs read the same.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: evict
func.func @shared(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id x
  %other = tile.program_id y
  %c1024 = arith.constant 1024 : i32
  %first = arith.muli %pid, %c1024 : i32
  %start = tile.addptr %x, %first : !tile.ptr<f32>, i32
  %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
  %v = tile.load %p : !ptrs
  %sum = tile.reduce(%v) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %to = tile.addptr %out, %other : !tile.ptr<f32>, i32
  tile.store %to, %sum : !tile.ptr<f32>
  return
}

// Windows that begin one element apart overlap, a sum that is stored as a tile is as large as what is read, and a remainder
// may be the same in two programs.
// CHECK-LABEL: func.func @windows
// CHECK-NOT: evict
func.func @windows(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id x
  %c1024 = arith.constant 1024 : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %start = tile.addptr %x, %pid : !tile.ptr<f32>, i32
  %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
  %v = tile.load %p : !ptrs
  %rest = arith.remsi %pid, %n : i32
  %wrapped = arith.muli %rest, %c1024 : i32
  %second = tile.addptr %y, %wrapped : !tile.ptr<f32>, i32
  %seconds = tile.splat %second : !tile.ptr<f32> -> !ptrs
  %q = tile.addptr %seconds, %range : !ptrs, tensor<1024xi32>
  %w = tile.load %q : !ptrs
  %both = arith.addf %v, %w : tensor<1024xf32>
  %sum = tile.reduce(%both) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %to = tile.addptr %out, %pid : !tile.ptr<f32>, i32
  tile.store %to, %sum : !tile.ptr<f32>
  return
}

// CHECK-LABEL: func.func @copied
// CHECK-NOT: evict
func.func @copied(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c1024 = arith.constant 1024 : i32
  %first = arith.muli %pid, %c1024 : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %start = tile.addptr %x, %first : !tile.ptr<f32>, i32
  %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
  %v = tile.load %p : !ptrs
  %to = tile.addptr %out, %first : !tile.ptr<f32>, i32
  %tos = tile.splat %to : !tile.ptr<f32> -> !ptrs
  %q = tile.addptr %tos, %range : !ptrs, tensor<1024xi32>
  tile.store %q, %v : !ptrs
  return
}

// A loop over a row by blocks; one over windows that move by one element is none over a row.
// CHECK-LABEL: func.func @loops
// CHECK: scf.for
// CHECK: tile.load {{.*}} evict = first
// CHECK: scf.for
// CHECK-NOT: evict
func.func @loops(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32, %stride: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %row = arith.muli %pid, %stride : i32
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%acc = %zero) -> tensor<1024xf32> : i32 {
    %o = arith.addi %row, %i : i32
    %start = tile.addptr %x, %o : !tile.ptr<f32>, i32
    %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
    %v = tile.load %p : !ptrs
    %s = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  }
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sum) -> tensor<1024xf32> : i32 {
    %o = arith.addi %row, %i : i32
    %start = tile.addptr %y, %o : !tile.ptr<f32>, i32
    %starts = tile.splat %start : !tile.ptr<f32> -> !ptrs
    %p = tile.addptr %starts, %range : !ptrs, tensor<1024xi32>
    %v = tile.load %p : !ptrs
    %s = arith.addf %acc, %v : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  }
  %total = tile.reduce(%all) axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %to = tile.addptr %out, %pid : !tile.ptr<f32>, i32
  tile.store %to, %total : !tile.ptr<f32>
  return
}

// The right factor of 16 rows, not the left one.
// CHECK-LABEL: func.func @few_rows
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<16x64x!tile.ptr<f16>>
// CHECK: tile.load %{{.*}} evict = first : tensor<64x64x!tile.ptr<f16>>
func.func @few_rows(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %column = arith.muli %pid, %c64 : i32
  %ra = arith.constant dense<0> : tensor<16x64xi32>
  %rb = arith.constant dense<0> : tensor<64x64xi32>
  %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<16x64xf32> : i32 {
    %oa = arith.addi %column, %k : i32
    %pa = tile.addptr %a, %oa : !tile.ptr<f16>, i32
    %pas = tile.splat %pa : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %pla = tile.addptr %pas, %ra : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %va = tile.load %pla : tensor<16x64x!tile.ptr<f16>>
    %ob = arith.addi %column, %k : i32
    %pb = tile.addptr %b, %ob : !tile.ptr<f16>, i32
    %pbs = tile.splat %pb : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %plb = tile.addptr %pbs, %rb : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %vb = tile.load %plb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %va, %vb, %acc : tensor<16x64xf16>, tensor<64x64xf16> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %po = tile.splat %out : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %plo = tile.addptr %po, %ra : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  tile.store %plo, %sum : tensor<16x64x!tile.ptr<f32>>
  return
}
