// RUN: tile-opt %s -tile-attach-target=arch=sm_80 -tile-sink-loads | FileCheck %s
// RUN: tile-opt %s -tile-attach-target="arch=sm_80 disable-heuristics=sink-loads" -tile-sink-loads | FileCheck %s --check-prefix=OFF

#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []>
#turned = #tile.layout<register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#sums = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []>
#wide = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = [], block = []>
#whole = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]>
#narrow = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>

// Where tiles fill more registers than a thread has, a factor in a slot is read at its product, through what turns it, behind stores
// to other buffers.
// CHECK-LABEL: func.func @turned
// CHECK: %[[SLOTS:.*]] = tile.alloc_buffer : {{.*}}slots = 2
// CHECK: tile.buffer_store
// CHECK-NEXT: %[[RIGHT:.*]] = tile.buffer_load %[[SLOTS]]
// CHECK-NEXT: %[[TURNED:.*]] = tile.permute %[[RIGHT]]
// CHECK-NEXT: tile.dot %{{.*}}, %[[TURNED]]
// OFF-LABEL: func.func @turned
// OFF: tile.buffer_load
// OFF-NEXT: tile.permute
// OFF: tile.buffer_store
func.func @turned(%x: tensor<16x16xf16, #left>, %y: tensor<8x16xf16, #turned>, %s: i32, %many: tensor<128x64xf32, #wide>, %more: tensor<128x64xf32, #wide>) -> (tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  %slots = tile.alloc_buffer : <8x16xf16, #narrow, slots = 2>
  %other = tile.alloc_buffer : <8x16xf16, #narrow>
  %read = tile.buffer_load %slots[%s] : <8x16xf16, #narrow, slots = 2> -> tensor<8x16xf16, #turned>
  %right = tile.permute %read order [1, 0] : tensor<8x16xf16, #turned> -> tensor<16x8xf16, #right>
  tile.buffer_store %y, %other : tensor<8x16xf16, #turned>, <8x16xf16, #narrow>
  %sum = tile.dot %x, %right, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum, %many, %more : tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>
}

// With what several operations make of it.
// CHECK-LABEL: func.func @split
// CHECK: tile.buffer_store
// CHECK-NEXT: %[[RIGHT:.*]] = tile.buffer_load
// CHECK-NEXT: %[[LARGE:.*]] = arith.negf %[[RIGHT]]
// CHECK-NEXT: %[[SMALL:.*]] = arith.subf %[[RIGHT]], %[[LARGE]]
// CHECK-NEXT: tile.dot %{{.*}}, %[[SMALL]]
// CHECK-NEXT: tile.dot %{{.*}}, %[[LARGE]]
func.func @split(%x: tensor<16x16xf16, #left>, %y: tensor<8x16xf16, #turned>, %s: i32, %many: tensor<128x64xf32, #wide>, %more: tensor<128x64xf32, #wide>) -> (tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  %slots = tile.alloc_buffer : <16x8xf16, #narrow, slots = 2>
  %other = tile.alloc_buffer : <8x16xf16, #narrow>
  %read = tile.buffer_load %slots[%s] : <16x8xf16, #narrow, slots = 2> -> tensor<16x8xf16, #right>
  %large = arith.negf %read : tensor<16x8xf16, #right>
  %small = arith.subf %read, %large : tensor<16x8xf16, #right>
  tile.buffer_store %y, %other : tensor<8x16xf16, #turned>, <8x16xf16, #narrow>
  %part = tile.dot %x, %small, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  %sum = tile.dot %x, %large, %part : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum, %many, %more : tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>
}

// Not with what is needed before the product.
// CHECK-LABEL: func.func @neededBefore
// CHECK: tile.buffer_load
// CHECK: tile.buffer_store
// CHECK: tile.dot
func.func @neededBefore(%x: tensor<16x16xf16, #left>, %s: i32, %many: tensor<128x64xf32, #wide>, %more: tensor<128x64xf32, #wide>) -> (tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  %slots = tile.alloc_buffer : <16x8xf16, #narrow, slots = 2>
  %other = tile.alloc_buffer : <16x8xf16, #narrow>
  %read = tile.buffer_load %slots[%s] : <16x8xf16, #narrow, slots = 2> -> tensor<16x8xf16, #right>
  %turned = arith.negf %read : tensor<16x8xf16, #right>
  tile.buffer_store %turned, %other : tensor<16x8xf16, #right>, <16x8xf16, #narrow>
  %sum = tile.dot %x, %turned, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum, %many, %more : tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>
}

// Not behind a copy into the same slots.
// CHECK-LABEL: func.func @overwritten
// CHECK: tile.buffer_load
// CHECK: tile.buffer_copy
// CHECK: tile.dot
func.func @overwritten(%x: tensor<16x16xf16, #left>, %p: tensor<8x16x!tile.ptr<f16>, #turned>, %s: i32, %many: tensor<128x64xf32, #wide>, %more: tensor<128x64xf32, #wide>) -> (tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  %slots = tile.alloc_buffer : <8x16xf16, #narrow, slots = 2>
  %read = tile.buffer_load %slots[%s] : <8x16xf16, #narrow, slots = 2> -> tensor<8x16xf16, #turned>
  %right = tile.permute %read order [1, 0] : tensor<8x16xf16, #turned> -> tensor<16x8xf16, #right>
  tile.buffer_copy %p into %slots[%s] : tensor<8x16x!tile.ptr<f16>, #turned>, <8x16xf16, #narrow, slots = 2>
  %sum = tile.dot %x, %right, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum, %many, %more : tensor<16x8xf32, #sums>, tensor<128x64xf32, #wide>, tensor<128x64xf32, #wide>
}

// Where registers are plenty it stays where it is: its latency is hidden there.
// CHECK-LABEL: func.func @few
// CHECK: tile.buffer_load
// CHECK: tile.buffer_store
func.func @few(%x: tensor<16x16xf16, #left>, %y: tensor<8x16xf16, #turned>, %s: i32) -> tensor<16x8xf32, #sums> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<16x8xf32, #sums>
  %slots = tile.alloc_buffer : <8x16xf16, #narrow, slots = 2>
  %other = tile.alloc_buffer : <8x16xf16, #narrow>
  %read = tile.buffer_load %slots[%s] : <8x16xf16, #narrow, slots = 2> -> tensor<8x16xf16, #turned>
  %right = tile.permute %read order [1, 0] : tensor<8x16xf16, #turned> -> tensor<16x8xf16, #right>
  tile.buffer_store %y, %other : tensor<8x16xf16, #turned>, <8x16xf16, #narrow>
  %sum = tile.dot %x, %right, %zeros : tensor<16x16xf16, #left>, tensor<16x8xf16, #right> -> tensor<16x8xf32, #sums>
  return %sum : tensor<16x8xf32, #sums>
}

// What only follows a loop is computed behind it, from what takes no registers; what takes as many as the result stays.
// CHECK-LABEL: func.func @behind_a_loop
// CHECK: %[[KEPT:.*]] = arith.addf
// CHECK: scf.for
// CHECK: arith.cmpi
// CHECK-NEXT: arith.select %{{.*}}, %[[KEPT]]
// OFF-LABEL: func.func @behind_a_loop
// OFF: arith.cmpi
// OFF: scf.for
func.func @behind_a_loop(%x: tensor<128x64xf32, #wide>, %i: tensor<128x64xi32, #wide>, %n: i32) -> tensor<128x64xf32, #wide> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32, #wide>
  %columns = arith.constant dense<4> : tensor<128x64xi32, #wide>
  %twice = arith.addf %x, %x : tensor<128x64xf32, #wide>
  %step = tile.splat %n : i32 -> tensor<128x64xi32, #wide>
  %mask = arith.cmpi slt, %step, %columns : tensor<128x64xi32, #wide>
  %sum = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x64xf32, #wide>) : i32 {
    %next = arith.addf %acc, %acc : tensor<128x64xf32, #wide>
    scf.yield %next : tensor<128x64xf32, #wide>
  }
  %result = arith.select %mask, %twice, %sum : tensor<128x64xi1, #wide>, tensor<128x64xf32, #wide>
  return %result : tensor<128x64xf32, #wide>
}

// So is what is loaded from a buffer that is stored once.
// CHECK-LABEL: func.func @loaded_behind_a_loop
// CHECK: tile.buffer_store
// CHECK-NOT: tile.buffer_load
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: tile.buffer_load
// OFF-LABEL: func.func @loaded_behind_a_loop
// OFF: tile.buffer_load
// OFF: scf.for
func.func @loaded_behind_a_loop(%x: tensor<128x64xf32, #wide>, %n: i32) -> tensor<128x64xf32, #wide> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x64xf32, #wide>
  %buffer = tile.alloc_buffer : !tile.buffer<128x64xf32, #whole>
  tile.buffer_store %x, %buffer : tensor<128x64xf32, #wide>, !tile.buffer<128x64xf32, #whole>
  %y = tile.buffer_load %buffer : !tile.buffer<128x64xf32, #whole> -> tensor<128x64xf32, #wide>
  %sum = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zeros) -> (tensor<128x64xf32, #wide>) : i32 {
    %next = arith.addf %acc, %acc : tensor<128x64xf32, #wide>
    scf.yield %next : tensor<128x64xf32, #wide>
  }
  %result = arith.addf %sum, %y : tensor<128x64xf32, #wide>
  return %result : tensor<128x64xf32, #wide>
}

#rows = #tile.layout<register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 0]], warp = [], block = []>
#columns = #tile.layout<register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 4]], warp = [], block = []>
#products = #tile.layout<register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 4]], warp = [], block = []>
#large = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]>
#small = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256]>

// A factor of a product without matrix instructions, too, is not kept while another one is exchanged; what is exchanged is read first.
// CHECK-LABEL: func.func @beside_exchange
// CHECK: %[[SLOTS:.*]] = tile.alloc_buffer : {{.*}}slots = 2
// CHECK: tile.buffer_store
// CHECK-NOT: %[[SLOTS]]
// CHECK: tile.buffer_load %{{.*}} : <64x64xf32
// CHECK: tile.buffer_load %[[SLOTS]]
// CHECK-NEXT: tile.dot
// OFF-LABEL: func.func @beside_exchange
// OFF: tile.buffer_load %{{.*}}slots = 2
// OFF: tile.buffer_store
func.func @beside_exchange(%x: tensor<64x64xf32, #rows>, %s: i32) -> tensor<64x8xf32, #products> attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x8xf32, #products>
  %slots = tile.alloc_buffer : <64x8xf32, #small, slots = 2>
  %other = tile.alloc_buffer : <64x64xf32, #large>
  %right = tile.buffer_load %slots[%s] : <64x8xf32, #small, slots = 2> -> tensor<64x8xf32, #columns>
  tile.buffer_store %x, %other : tensor<64x64xf32, #rows>, <64x64xf32, #large>
  %left = tile.buffer_load %other : <64x64xf32, #large> -> tensor<64x64xf32, #rows>
  %sum = tile.dot %left, %right, %zeros : tensor<64x64xf32, #rows>, tensor<64x8xf32, #columns> -> tensor<64x8xf32, #products>
  return %sum : tensor<64x8xf32, #products>
}
