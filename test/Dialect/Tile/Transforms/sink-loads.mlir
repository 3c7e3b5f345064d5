// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-assign-layouts -cse -tile-expand-exchanges -tile-sink-loads -tile-allocate-shared -tile-insert-barriers | FileCheck %s

// Both factors come from elsewhere in registers. They lie side by side until the product reads them, behind one barrier; if the left
// one were read first, the right one would go to the same place, and the left one had to be in registers as a whole.
// CHECK-LABEL: func.func @both_factors
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at 0 : <64x64xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NOT: tile.buffer_load
// CHECK: %[[RIGHT:.*]] = tile.alloc_buffer at 8192 : <64x64xf16
// CHECK-NEXT: tile.buffer_store %{{.*}}, %[[RIGHT]]
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.buffer_load %[[LEFT]]
// CHECK-NEXT: tile.buffer_load %[[RIGHT]]
// CHECK-NEXT: tile.dot
func.func @both_factors(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x64xf32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %k = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %column = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %lines = arith.muli %column, %pitch : tensor<64x1xi32>
  %x = tile.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %lines : tensor<64x1xi32> -> tensor<64x64xi32>
  %places = arith.addi %x, %y : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %left = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %places : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %right = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %places : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// A factor that a loop does not change stays where it was stored if it would take more than 64 registers.
// CHECK-LABEL: func.func @factor_of_a_loop
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at {{.*}} : <128x128xf16
// CHECK: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NOT: tile.buffer_load %[[LEFT]]
// CHECK: scf.for
// CHECK: tile.buffer_load %[[LEFT]]
// CHECK: tile.dot
func.func @factor_of_a_loop(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %l = tile.make_range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %short = tile.expand_dims %l axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %xs = tile.broadcast %short : tensor<1x32xi32> -> tensor<128x32xi32>
  %ys = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x32xi32>
  %narrow = arith.addi %xs, %ys : tensor<128x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %left = tile.load %ap : tensor<128x128x!tile.ptr<f16>>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x32xf32>) : i32 {
    %at = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %bs = tile.splat %at : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
    %bp = tile.addptr %bs, %narrow : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
    %right = tile.load %bp : tensor<128x32x!tile.ptr<f16>>
    %next = tile.dot %left, %right, %acc : tensor<128x128xf16>, tensor<128x32xf16> -> tensor<128x32xf32>
    scf.yield %next : tensor<128x32xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  tile.store %cp, %sum : tensor<128x32x!tile.ptr<f32>>
  return
}

// So does one of a product without matrix instructions, of which each thread needs whole rows.
// CHECK-LABEL: func.func @factor_of_threads
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at {{.*}} : <128x128xf32
// CHECK: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NOT: tile.buffer_load %[[LEFT]]
// CHECK: scf.for
// CHECK: tile.buffer_load %[[LEFT]]
// CHECK: tile.dot
func.func @factor_of_threads(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %l = tile.make_range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %short = tile.expand_dims %l axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %xs = tile.broadcast %short : tensor<1x32xi32> -> tensor<128x32xi32>
  %ys = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x32xi32>
  %narrow = arith.addi %xs, %ys : tensor<128x32xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  %ap = tile.addptr %as, %places : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %left = tile.load %ap : tensor<128x128x!tile.ptr<f32>>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x32xf32>) : i32 {
    %at = tile.addptr %b, %i : !tile.ptr<f32>, i32
    %bs = tile.splat %at : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
    %bp = tile.addptr %bs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
    %right = tile.load %bp : tensor<128x32x!tile.ptr<f32>>
    %next = tile.dot %left, %right, %acc : tensor<128x128xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
    scf.yield %next : tensor<128x32xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  tile.store %cp, %sum : tensor<128x32x!tile.ptr<f32>>
  return
}

// Two products read it each for itself, the second in a branch.
// CHECK-LABEL: func.func @factor_of_branch
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at {{.*}} : <128x128xf32
// CHECK: tile.buffer_load %[[LEFT]]
// CHECK: tile.dot
// CHECK: scf.if
// CHECK: tile.buffer_load %[[LEFT]]
// CHECK: tile.dot
func.func @factor_of_branch(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %l = tile.make_range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %short = tile.expand_dims %l axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %xs = tile.broadcast %short : tensor<1x32xi32> -> tensor<128x32xi32>
  %ys = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x32xi32>
  %narrow = arith.addi %xs, %ys : tensor<128x32xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  %ap = tile.addptr %as, %places : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %left = tile.load %ap : tensor<128x128x!tile.ptr<f32>>
  %bs = tile.splat %b : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %bp = tile.addptr %bs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  %right = tile.load %bp : tensor<128x32x!tile.ptr<f32>>
  %once = tile.dot %left, %right, %zeros : tensor<128x128xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
  %twice = arith.cmpi sgt, %n, %zero : i32
  %sum = scf.if %twice -> (tensor<128x32xf32>) {
    %next = tile.dot %left, %once, %once : tensor<128x128xf32>, tensor<128x32xf32> -> tensor<128x32xf32>
    scf.yield %next : tensor<128x32xf32>
  } else {
    scf.yield %once : tensor<128x32xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  tile.store %cp, %sum : tensor<128x32x!tile.ptr<f32>>
  return
}

// Also where its axes change places on the way: that is done again, too.
// CHECK-LABEL: func.func @turned_factor_of_a_loop
// CHECK: %[[LEFT:.*]] = tile.alloc_buffer at {{.*}} : <128x128xf16
// CHECK: tile.buffer_store %{{.*}}, %[[LEFT]]
// CHECK-NOT: tile.buffer_load %[[LEFT]]
// CHECK: scf.for
// CHECK: %[[READ:.*]] = tile.buffer_load %[[LEFT]]
// CHECK-NEXT: %[[TURNED:.*]] = tile.permute %[[READ]]
// CHECK: tile.dot %[[TURNED]]
func.func @turned_factor_of_a_loop(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x32xf32>
  %pitch = arith.constant dense<128> : tensor<128x1xi32>
  %k = tile.make_range 0 to 128 : tensor<128xi32>
  %l = tile.make_range 0 to 32 : tensor<32xi32>
  %row = tile.expand_dims %k axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %short = tile.expand_dims %l axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %column = tile.expand_dims %k axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %lines = arith.muli %column, %pitch : tensor<128x1xi32>
  %x = tile.broadcast %row : tensor<1x128xi32> -> tensor<128x128xi32>
  %y = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x128xi32>
  %places = arith.addi %x, %y : tensor<128x128xi32>
  %xs = tile.broadcast %short : tensor<1x32xi32> -> tensor<128x32xi32>
  %ys = tile.broadcast %lines : tensor<128x1xi32> -> tensor<128x32xi32>
  %narrow = arith.addi %xs, %ys : tensor<128x32xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<128x128x!tile.ptr<f16>>
  %ap = tile.addptr %as, %places : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %left = tile.load %ap : tensor<128x128x!tile.ptr<f16>>
  %turned = tile.permute %left order [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
  %sum = scf.for %i = %zero to %n step %step iter_args(%acc = %zeros) -> (tensor<128x32xf32>) : i32 {
    %at = tile.addptr %b, %i : !tile.ptr<f16>, i32
    %bs = tile.splat %at : !tile.ptr<f16> -> tensor<128x32x!tile.ptr<f16>>
    %bp = tile.addptr %bs, %narrow : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
    %right = tile.load %bp : tensor<128x32x!tile.ptr<f16>>
    %next = tile.dot %turned, %right, %acc : tensor<128x128xf16>, tensor<128x32xf16> -> tensor<128x32xf32>
    scf.yield %next : tensor<128x32xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %narrow : tensor<128x32x!tile.ptr<f32>>, tensor<128x32xi32>
  tile.store %cp, %sum : tensor<128x32x!tile.ptr<f32>>
  return
}
