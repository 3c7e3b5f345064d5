// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-use-warp-groups -split-input-file | FileCheck %s
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-use-warp-groups -split-input-file | FileCheck %s --check-prefix=NONE

// NONE-NOT: tile.group_dot

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>

// Both factors are in slots, and the loop only adds to the sum: its products are waited for one iteration later. A loop
// without iterations does not come to the wait behind it.
// CHECK-LABEL: func.func @accumulates
// CHECK-SAME: %[[N:[^:]*]]: i32
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK: %[[RESULT:.*]] = scf.if %[[ANY]]
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZEROS:[^)]*]])
// CHECK-NOT: tile.buffer_load
// CHECK: %[[NEXT:.*]] = tile.group_dot %{{.*}}[%[[SLOT:.*]]], %{{.*}}[%[[SLOT]]], %[[ACC]]
// CHECK-NEXT: tile.group_wait 1{{$}}
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[DONE:.*]] = tile.group_wait 0 for %[[LOOP]]
// CHECK: scf.yield %[[DONE]]
// CHECK: } else {
// CHECK-NEXT: tile.group_wait 0{{$}}
// CHECK-NEXT: scf.yield %[[ZEROS]]
// CHECK: return %[[RESULT]]
func.func @accumulates(%n: i32, %slot: i32) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !tile.buffer<64x16xf16, #rows, slots = 3>
  %rights = tile.alloc_buffer : !tile.buffer<16x16xf16, #columns, slots = 3>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %a = tile.buffer_load %lefts[%slot] : !tile.buffer<64x16xf16, #rows, slots = 3> -> tensor<64x16xf16, #left>
    %b = tile.buffer_load %rights[%slot] : !tile.buffer<16x16xf16, #columns, slots = 3> -> tensor<16x16xf16, #right>
    %next = tile.dot %a, %b, %acc : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>

// No iteration reads the sum of the one before, so its registers are free there for ptxas: the product is waited for in
// its own iteration.
// CHECK-LABEL: func.func @only_last
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = tile.group_dot
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 0 for %[[NEXT]]
// CHECK-NEXT: scf.yield %[[DONE]]
// CHECK-NOT: tile.group_wait
// CHECK: return
func.func @only_last(%n: i32, %slot: i32) -> tensor<64x16xf32, #sum> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !tile.buffer<64x16xf16, #rows, slots = 3>
  %rights = tile.alloc_buffer : !tile.buffer<16x16xf16, #columns, slots = 3>
  %sum = scf.for %i = %zero to %n step %one iter_args(%last = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %a = tile.buffer_load %lefts[%slot] : !tile.buffer<64x16xf16, #rows, slots = 3> -> tensor<64x16xf16, #left>
    %b = tile.buffer_load %rights[%slot] : !tile.buffer<16x16xf16, #columns, slots = 3> -> tensor<16x16xf16, #right>
    %next = tile.dot %a, %b, %zeros : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>

// As in attention: the left factor of the second product follows from the first one, in registers; the left factor of the
// first comes from outside, through a buffer; and the wait for the first completes the second of the iteration before.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[Q:[^:]*]]: tensor<64x16xf16
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <64x16xf16, #{{.*}}>
// CHECK: tile.buffer_store %[[Q]], %[[BUFFER]]
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[SCORES:.*]] = tile.group_dot %[[BUFFER]], transposed %{{.*}}[%{{.*}}], %{{.*}}
// CHECK: %[[DONE:.*]]:2 = tile.group_wait 0 for %[[SCORES]], %[[ACC]]
// CHECK: %[[WEIGHTS:.*]] = arith.truncf %[[DONE]]#0
// CHECK: %[[FADED:.*]] = arith.mulf %[[DONE]]#1
// CHECK: %[[OUT:.*]] = tile.group_dot %[[WEIGHTS]], %{{.*}}[%{{.*}}], %[[FADED]]
// CHECK-NEXT: scf.yield %[[OUT]]
// CHECK: tile.group_wait 0 for
func.func @chain(%q: tensor<64x16xf16, #sum>, %fade: tensor<64x16xf32, #sum>, %n: i32, %slot: i32) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %keys = tile.alloc_buffer : !tile.buffer<16x16xf16, #columns, slots = 3>
  %values = tile.alloc_buffer : !tile.buffer<16x16xf16, #columns, slots = 3>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %kt = tile.buffer_load %keys[%slot] : !tile.buffer<16x16xf16, #columns, slots = 3> -> tensor<16x16xf16, #tile.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []>>
    %k = tile.permute %kt order [1, 0] : tensor<16x16xf16, #tile.layout<register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []>> -> tensor<16x16xf16, #right>
    %scores = tile.dot %q, %k, %zeros : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    %weights = arith.truncf %scores : tensor<64x16xf32, #sum> to tensor<64x16xf16, #sum>
    %faded = arith.mulf %acc, %fade : tensor<64x16xf32, #sum>
    %v = tile.buffer_load %values[%slot] : !tile.buffer<16x16xf16, #columns, slots = 3> -> tensor<16x16xf16, #right>
    %next = tile.dot %weights, %v, %faded : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#spread = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]],
                       warp = [[4, 0], [8, 0]], block = []>

// A right factor that is computed is stored before its layout is converted. Its buffer is written again in the next
// iteration, and the left factor's registers are: the product is waited for at once.
// CHECK-LABEL: func.func @computed
// CHECK: scf.for
// CHECK: %[[A:.*]] = arith.negf %{{.*}} : tensor<64x16xf16
// CHECK: %[[B:.*]] = arith.negf %{{.*}} : tensor<16x16xf16
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <16x16xf16, #[[MAP:.*]]>
// CHECK: tile.buffer_store %[[B]], %[[BUFFER]]
// CHECK-NOT: tile.convert_layout
// CHECK: %[[NEXT:.*]] = tile.group_dot %[[A]], %[[BUFFER]], %{{.*}}
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 0 for %[[NEXT]]
// CHECK-NEXT: scf.yield %[[DONE]]
func.func @computed(%x: tensor<64x16xf16, #sum>, %y: tensor<16x16xf16, #spread>, %n: i32) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %a = arith.negf %x : tensor<64x16xf16, #sum>
    %b = arith.negf %y : tensor<16x16xf16, #spread>
    %right = tile.convert_layout %b : tensor<16x16xf16, #spread> -> tensor<16x16xf16, #right>
    %next = tile.dot %a, %right, %acc : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %sum : tensor<64x16xf32, #sum>
}

// -----


#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#spread = #tile.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]],
                       warp = [[4, 0], [8, 0]], block = []>
#lines = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384]>
#many = #tile.layout<register = [[128], [256], [512], [1024], [2048], [4096], [8192], [16384]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>

// Buffers of loops that follow one another share memory: both products find room, beside 128 KB for each loop.
// CHECK-LABEL: func.func @oneAfterTheOther
// CHECK: scf.for
// CHECK: tile.group_dot
// CHECK: scf.for
// CHECK: tile.group_dot
func.func @oneAfterTheOther(%x: tensor<64x16xf16, #sum>, %y: tensor<16x16xf16, #spread>, %p: tensor<32768x!tile.ptr<f32>, #many>, %n: i32) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %s0 = tile.alloc_buffer : <32768xf32, #lines>
  %r0 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros) -> (tensor<64x16xf32, #sum>) : i32 {
    %old = tile.buffer_load %s0 : <32768xf32, #lines> -> tensor<32768xf32, #many>
    tile.store %p, %old : tensor<32768x!tile.ptr<f32>, #many>
    %b = arith.negf %y : tensor<16x16xf16, #spread>
    %right = tile.convert_layout %b : tensor<16x16xf16, #spread> -> tensor<16x16xf16, #right>
    %next = tile.dot %x, %right, %acc : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  %s1 = tile.alloc_buffer : <32768xf32, #lines>
  %r1 = scf.for %i = %zero to %n step %one iter_args(%acc = %r0) -> (tensor<64x16xf32, #sum>) : i32 {
    %old = tile.buffer_load %s1 : <32768xf32, #lines> -> tensor<32768xf32, #many>
    tile.store %p, %old : tensor<32768x!tile.ptr<f32>, #many>
    %b = arith.negf %y : tensor<16x16xf16, #spread>
    %right = tile.convert_layout %b : tensor<16x16xf16, #spread> -> tensor<16x16xf16, #right>
    %next = tile.dot %x, %right, %acc : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.yield %next : tensor<64x16xf32, #sum>
  }
  return %r1 : tensor<64x16xf32, #sum>
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#flat = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>

// From lines that are not swizzled as wgmma's are, a factor goes through registers into another buffer.
// CHECK-LABEL: func.func @elsewhere
// CHECK: %[[READ:.*]] = tile.buffer_load
// CHECK: %[[BUFFER:.*]] = tile.alloc_buffer : <16x16xf16, #{{.*}}>
// CHECK: tile.buffer_store %[[READ]], %[[BUFFER]]
// CHECK: tile.group_dot %{{.*}}, %[[BUFFER]]
func.func @elsewhere(%x: tensor<64x16xf16, #sum>, %acc: tensor<64x16xf32, #sum>, %slot: i32) -> tensor<64x16xf32, #sum>
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %rights = tile.alloc_buffer : !tile.buffer<16x16xf16, #flat, slots = 2>
  %b = tile.buffer_load %rights[%slot] : !tile.buffer<16x16xf16, #flat, slots = 2> -> tensor<16x16xf16, #right>
  %sum = tile.dot %x, %b, %acc : tensor<64x16xf16, #sum>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
  return %sum : tensor<64x16xf32, #sum>
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
#left = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [[16, 0], [32, 0]], block = []>
#right = #tile.layout<register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]],
                      warp = [[0, 0], [0, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>

// A sum that starts anew where a condition says so, and that branches read: it is in flight from one iteration to the
// next, is waited for in the branches, and carried from there.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: %[[ENDS:[^ :]*]]: i1
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[GOES_ON:.*]] = %{{.*}}) ->
// CHECK-NOT: arith.select
// CHECK: %[[SUM:.*]] = tile.group_dot %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %[[ACC]] if %[[GOES_ON]] :
// CHECK-NEXT: tile.group_wait 1{{$}}
// CHECK: %[[FIRST:.*]] = scf.if %[[ENDS]]
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 0 for %[[SUM]]
// CHECK-NEXT: tile.store %{{.*}}, %[[DONE]]
// CHECK-NEXT: scf.yield %[[DONE]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: %[[SECOND:.*]]:2 = scf.if %[[ENDS]]
// CHECK-NEXT: scf.yield %{{.*}}, %[[FIRST]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[AGAIN:.*]] = tile.group_wait 0 for %[[FIRST]]
// CHECK-NEXT: tile.store %{{.*}}, %[[AGAIN]]
// CHECK-NEXT: scf.yield %{{.*}}, %[[AGAIN]]
// CHECK: scf.yield %[[SECOND]]#1, %[[SECOND]]#0
func.func @branches(%ends: i1, %n: i32, %slot: i32, %out: tensor<64x16x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %no = arith.constant false
  %zeros = arith.constant dense<0.0> : tensor<64x16xf32, #sum>
  %lefts = tile.alloc_buffer : !tile.buffer<64x16xf16, #rows, slots = 3>
  %rights = tile.alloc_buffer : !tile.buffer<16x16xf16, #columns, slots = 3>
  %sum:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %goesOn = %yes) -> (tensor<64x16xf32, #sum>, i1) : i32 {
    %a = tile.buffer_load %lefts[%slot] : !tile.buffer<64x16xf16, #rows, slots = 3> -> tensor<64x16xf16, #left>
    %b = tile.buffer_load %rights[%slot] : !tile.buffer<16x16xf16, #columns, slots = 3> -> tensor<16x16xf16, #right>
    %start = arith.select %goesOn, %acc, %zeros : tensor<64x16xf32, #sum>
    %next = tile.dot %a, %b, %start : tensor<64x16xf16, #left>, tensor<16x16xf16, #right> -> tensor<64x16xf32, #sum>
    scf.if %ends {
      tile.store %out, %next : tensor<64x16x!tile.ptr<f32>, #sum>
    }
    %more = scf.if %ends -> i1 {
      scf.yield %no : i1
    } else {
      tile.store %out, %next : tensor<64x16x!tile.ptr<f32>, #sum>
      scf.yield %yes : i1
    }
    scf.yield %next, %more : tensor<64x16xf32, #sum>, i1
  }
  return
}
