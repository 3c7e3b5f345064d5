// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-choose-launch | FileCheck %s
// RUN: tile-opt %s -tile-choose-launch | FileCheck %s --check-prefix=OLD
// RUN: tile-opt %s -tile-attach-target=arch=sm_90 -tile-choose-launch=remarks=true -verify-diagnostics -o /dev/null

// 64 bytes a thread where threads combine what they hold.
// CHECK-LABEL: func.func @reduce
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 8 : i32
// expected-remark @+1 {{kernel 'reduce' gets 8 warps: its largest tile has 4096 elements of 4 bytes, 16 a thread}}
func.func @reduce(%p: tensor<4096x!tile.ptr<f32>>) attributes {tile.kernel} {
  %x = tile.load %p : tensor<4096x!tile.ptr<f32>>
  %0 = tile.reduce(%x) axis 0 : (tensor<4096xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// 32 bytes where each element is on its own; bytes are those in memory.
// CHECK-LABEL: func.func @map
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 2 : i32
// expected-remark @+1 {{kernel 'map' gets 2 warps: its largest tile has 1024 elements of 2 bytes, 16 a thread}}
func.func @map(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %ptrs = tile.addptr %base, %r : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %x = tile.load %ptrs : tensor<1024x!tile.ptr<bf16>>
  tile.store %ptrs, %x : tensor<1024x!tile.ptr<bf16>>
  return
}

// Four warps are the most until a thread would have more than 32 elements; where programs wait for a lock, 32 bytes
// a thread.
// CHECK-LABEL: func.func @largeMap
// CHECK-SAME: tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'largeMap' gets 4 warps: its largest tile has 4096 elements of 4 bytes, 32 a thread}}
func.func @largeMap(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>>
  tile.store %ptrs, %x : tensor<4096x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @underLock
// CHECK-SAME: tile.num_warps = 16 : i32
// expected-remark @+1 {{kernel 'underLock' gets 16 warps: its largest tile has 4096 elements of 4 bytes, 8 a thread}}
func.func @underLock(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.make_range 0 to 4096 : tensor<4096xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %r : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %old = tile.atomic_cas %lock, %c0, %c1 sem = acq_rel scope = gpu : !tile.ptr<i32>
  %x = tile.load %ptrs : tensor<4096x!tile.ptr<f32>>
  tile.store %ptrs, %x : tensor<4096x!tile.ptr<f32>>
  return
}

// The same for reductions of elements that take two registers each.
// CHECK-LABEL: func.func @wideElements
// CHECK-SAME: tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'wideElements' gets 4 warps: its largest tile has 4096 elements of 8 bytes, 32 a thread}}
func.func @wideElements(%p: tensor<4096x!tile.ptr<i64>>) attributes {tile.kernel} {
  %x = tile.load %p : tensor<4096x!tile.ptr<i64>>
  %0 = tile.reduce(%x) axis 0 : (tensor<4096xi64>) -> i64 {
  ^bb0(%a: i64, %b: i64):
    %c = arith.addi %a, %b : i64
    tile.yield %c : i64
  }
  return
}

// A loop that carries as much as it loads works on both; one that scans works as much on each element, however small.
// CHECK-LABEL: func.func @accumulates
// CHECK-SAME: tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'accumulates' gets 4 warps: its largest tile has 2048 elements of 2 bytes, 16 a thread}}
func.func @accumulates(%p: tensor<2048x!tile.ptr<f16>>, %n: i32, %init: tensor<2048xf16>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<2048xf16> : i32 {
    %x = tile.load %p : tensor<2048x!tile.ptr<f16>>
    %most = tile.reduce(%x) axis 0 : (tensor<2048xf16>) -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maxnumf %a, %b : f16
      tile.yield %c : f16
    }
    %scale = tile.splat %most : f16 -> tensor<2048xf16>
    %more = arith.mulf %acc, %scale : tensor<2048xf16>
    scf.yield %more : tensor<2048xf16>
  }
  return
}

// CHECK-LABEL: func.func @scans
// CHECK-SAME: tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'scans' gets 4 warps: its largest tile has 2048 elements of 2 bytes, 16 a thread}}
func.func @scans(%p: tensor<2048x!tile.ptr<f16>>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.load %p : tensor<2048x!tile.ptr<f16>>
    %sums = tile.scan(%x) axis 0 : (tensor<2048xf16>) -> tensor<2048xf16> {
    ^bb0(%a: f16, %b: f16):
      %c = arith.addf %a, %b : f16
      tile.yield %c : f16
    }
    %most = tile.reduce(%sums) axis 0 : (tensor<2048xf16>) -> f16 {
    ^bb0(%a: f16, %b: f16):
      %c = arith.maxnumf %a, %b : f16
      tile.yield %c : f16
    }
  }
  return
}

// Neighbours that are only in another order are near: four warps do.
// CHECK-LABEL: func.func @reversed
// CHECK-SAME: tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'reversed' gets 4 warps: its largest tile has 1024 elements of 4 bytes, 8 a thread}}
func.func @reversed(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 1024 : tensor<1024xi32>
  %last = tile.splat %n : i32 -> tensor<1024xi32>
  %back = arith.subi %last, %r : tensor<1024xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %from = tile.addptr %base, %back : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %to = tile.addptr %base, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %from : tensor<1024x!tile.ptr<f32>>
  tile.store %to, %x : tensor<1024x!tile.ptr<f32>>
  return
}

// A cluster where one CTA's registers would not hold the tile, and there are clusters.
// CHECK-LABEL: func.func @long
// CHECK-SAME: tile.num_ctas = 8 : i32, tile.num_warps = 16 : i32
// OLD-LABEL: func.func @long
// OLD-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32
// expected-remark @+1 {{kernel 'long' gets 16 warps in each of 8 CTAs: its largest tile has 131072 elements of 2 bytes, 32 a thread; the registers of one CTA would not hold them}}
func.func @long(%p: tensor<131072x!tile.ptr<f16>>) attributes {tile.kernel} {
  %x = tile.load %p : tensor<131072x!tile.ptr<f16>>
  %0 = tile.reduce(%x) axis 0 : (tensor<131072xf16>) -> f16 {
  ^bb0(%a: f16, %b: f16):
    %c = arith.maxnumf %a, %b : f16
    tile.yield %c : f16
  }
  return
}

// Not where tiles of several shapes meet: a conversion between them could cross CTAs.
// CHECK-LABEL: func.func @shapes
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32
// expected-remark @+1 {{kernel 'shapes' gets 16 warps: its largest tile has 131072 elements of 4 bytes, 256 a thread}}
func.func @shapes(%p: tensor<256x512x!tile.ptr<f32>>) attributes {tile.kernel} {
  %x = tile.load %p : tensor<256x512x!tile.ptr<f32>>
  %0 = tile.reduce(%x) axis 1 : (tensor<256x512xf32>) -> tensor<256xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// What is given stays, and who gives warps gets no cluster.
// CHECK-LABEL: func.func @given
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// expected-remark @+1 {{kernel 'given' gets 4 warps: its largest tile has 65536 elements of 1 byte, 512 a thread}}
func.func @given(%p: tensor<65536x!tile.ptr<i8>>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<65536x!tile.ptr<i8>>
  %0 = tile.reduce(%x) axis 0 : (tensor<65536xi8>) -> i8 {
  ^bb0(%a: i8, %b: i8):
    %c = arith.addi %a, %b : i8
    tile.yield %c : i8
  }
  return
}
// CHECK-LABEL: func.func @both
// CHECK-SAME: tile.num_ctas = 2 : i32, tile.num_warps = 1 : i32
func.func @both(%p: tensor<1024x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  %x = tile.load %p : tensor<1024x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 1 : i32
// expected-remark @+1 {{kernel 'scalars' gets 1 warp: it has no tile}}
func.func @scalars(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.load %p : !tile.ptr<f32>
  return
}

// A helper is no kernel.
// CHECK-LABEL: func.func @helper()
// CHECK-NOT: tile.num_warps
// CHECK: return
func.func @helper() {
  return
}

// What one CTA's registers would hold badly is worked through in pieces where there is shared memory for it and
// the loads can be copied.
// CHECK-LABEL: func.func @stream(
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32, tile.stream}
// OLD-LABEL: func.func @stream(
// OLD-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32}
// expected-remark @+1 {{kernel 'stream' gets 4 warps: its largest tile has 16384 elements of 2 bytes, 128 a thread; it goes through shared memory in pieces}}
func.func @stream(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<16384x!tile.ptr<bf16>>
  %ptrs = tile.addptr %base, %range : tensor<16384x!tile.ptr<bf16>>, tensor<16384xi32>
  %x = tile.load %ptrs : tensor<16384x!tile.ptr<bf16>>
  %0 = tile.reduce(%x) axis 0 : (tensor<16384xbf16>) -> bf16 {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.maxnumf %a, %b : bf16
    tile.yield %c : bf16
  }
  tile.store %ptrs, %x : tensor<16384x!tile.ptr<bf16>>
  return
}

// A cluster streams too; with more than 64 KB a CTA it needs more warps.
// CHECK-LABEL: func.func @streamLong
// CHECK-SAME: tile.num_ctas = 8 : i32, tile.num_warps = 16 : i32, tile.stream}
// expected-remark @+1 {{kernel 'streamLong' gets 16 warps in each of 8 CTAs: its largest tile has 262144 elements of 4 bytes, 64 a thread; it goes through shared memory in pieces}}
func.func @streamLong(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %range = tile.make_range 0 to 262144 : tensor<262144xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<262144x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<262144x!tile.ptr<f32>>, tensor<262144xi32>
  %x = tile.load %ptrs : tensor<262144x!tile.ptr<f32>>
  %0 = tile.reduce(%x) axis 0 : (tensor<262144xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  tile.store %ptrs, %x : tensor<262144x!tile.ptr<f32>>
  return
}

// Nothing needs to wait where one reduction reads all: then no shared memory is needed, and three tiles that the
// registers would hold one by one are enough.
// CHECK-LABEL: func.func @readOnce(
// CHECK-SAME: tile.num_warps = 8 : i32, tile.stream}
// OLD-LABEL: func.func @readOnce(
// OLD-SAME: tile.num_warps = 8 : i32, tile.stream}
// expected-remark @+1 {{kernel 'readOnce' gets 8 warps: its largest tile has 32768 elements of 4 bytes, 128 a thread; it is read in pieces}}
func.func @readOnce(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 32768 : tensor<32768xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %rs = tile.splat %r : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %range : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %qa = tile.addptr %qs, %range : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %ra = tile.addptr %rs, %range : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %x = tile.load %pa : tensor<32768x!tile.ptr<f32>>
  %y = tile.load %qa : tensor<32768x!tile.ptr<f32>>
  %z = tile.load %ra : tensor<32768x!tile.ptr<f32>>
  %xy = arith.addf %x, %y : tensor<32768xf32>
  %xyz = arith.addf %xy, %z : tensor<32768xf32>
  %0 = tile.reduce(%xyz) axis 0 : (tensor<32768xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return
}

// Scattered elements are written by one thread each, up to four warps.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: tile.num_warps = 4 : i32}
// expected-remark @+1 {{kernel 'scatter' gets 4 warps: its largest tile has 128 elements of 4 bytes, 1 a thread}}
func.func @scatter(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %three = arith.constant dense<3> : tensor<128xi32>
  %far = arith.muli %range, %three : tensor<128xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %range : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %qa = tile.addptr %qs, %far : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %pa : tensor<128x!tile.ptr<f32>>
  tile.store %qa, %x : tensor<128x!tile.ptr<f32>>
  return
}

// Many splits: with 16 elements a thread they need fewer exchanges.
// CHECK-LABEL: func.func @splits(
// CHECK-SAME: tile.num_warps = 2 : i32}
// expected-remark @+1 {{kernel 'splits' gets 2 warps: its largest tile has 1024 elements of 4 bytes, 16 a thread}}
func.func @splits(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pa = tile.addptr %ps, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pa : tensor<1024x!tile.ptr<f32>>
  %bits = tile.reshape %x : tensor<1024xf32> -> tensor<2x2x2x2x64xf32>
  %a0 = tile.take %bits axis 0 index 0 : tensor<2x2x2x2x64xf32> -> tensor<2x2x2x64xf32>
  %a1 = tile.take %bits axis 0 index 1 : tensor<2x2x2x2x64xf32> -> tensor<2x2x2x64xf32>
  %a = arith.addf %a0, %a1 : tensor<2x2x2x64xf32>
  %b0 = tile.take %a axis 0 index 0 : tensor<2x2x2x64xf32> -> tensor<2x2x64xf32>
  %b1 = tile.take %a axis 0 index 1 : tensor<2x2x2x64xf32> -> tensor<2x2x64xf32>
  %b = arith.addf %b0, %b1 : tensor<2x2x64xf32>
  %c0 = tile.take %b axis 0 index 0 : tensor<2x2x64xf32> -> tensor<2x64xf32>
  %c1 = tile.take %b axis 0 index 1 : tensor<2x2x64xf32> -> tensor<2x64xf32>
  %c = arith.addf %c0, %c1 : tensor<2x64xf32>
  %d0 = tile.take %c axis 0 index 0 : tensor<2x64xf32> -> tensor<64xf32>
  %d1 = tile.take %c axis 0 index 1 : tensor<2x64xf32> -> tensor<64xf32>
  %d = arith.addf %d0, %d1 : tensor<64xf32>
  %first = tile.make_range 0 to 64 : tensor<64xi32>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %qa = tile.addptr %qs, %first : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %qa, %d : tensor<64x!tile.ptr<f32>>
  return
}

// 8 elements a thread where a loop waits for its loads in each iteration, unless copies of later iterations are under
// way, or each iteration reduces: then it is like a program of its own.
// CHECK-LABEL: func.func @walk
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// CHECK-LABEL: func.func @strided
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32
// CHECK-LABEL: func.func @deep
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 8 : i32
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 1 : i32
// CHECK-LABEL: func.func @staged
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 1 : i32
// expected-remark @+1 {{kernel 'walk' gets 4 warps: its largest tile has 1024 elements of 2 bytes, 8 a thread}}
func.func @walk(%p: tensor<1024x!tile.ptr<bf16>>, %first: tensor<1024xbf16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  %all = scf.for %i = %zero to %n step %step iter_args(%most = %first) -> (tensor<1024xbf16>) : i32 {
    %x = tile.load %p : tensor<1024x!tile.ptr<bf16>>
    %more = arith.maxnumf %most, %x : tensor<1024xbf16>
    scf.yield %more : tensor<1024xbf16>
  }
  %0 = tile.reduce(%all) axis 0 : (tensor<1024xbf16>) -> bf16 {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.maxnumf %a, %b : bf16
    tile.yield %c : bf16
  }
  return
}
// 4 where each is an access of its own.
// expected-remark @+1 {{kernel 'strided' gets 4 warps: its largest tile has 512 elements of 2 bytes, 4 a thread}}
func.func @strided(%p: !tile.ptr<bf16>, %s: i32) attributes {tile.kernel} {
  %r = tile.make_range 0 to 512 : tensor<512xi32>
  %ss = tile.splat %s : i32 -> tensor<512xi32>
  %at = arith.muli %r, %ss : tensor<512xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<512x!tile.ptr<bf16>>
  %ptrs = tile.addptr %base, %at : tensor<512x!tile.ptr<bf16>>, tensor<512xi32>
  %x = tile.load %ptrs : tensor<512x!tile.ptr<bf16>>
  tile.store %ptrs, %x : tensor<512x!tile.ptr<bf16>>
  return
}
// Half as many in a loop within a loop.
// expected-remark @+1 {{kernel 'deep' gets 8 warps: its largest tile has 1024 elements of 2 bytes, 4 a thread}}
func.func @deep(%p: tensor<1024x!tile.ptr<bf16>>, %first: tensor<1024xbf16>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  scf.for %j = %zero to %n step %step : i32 {
    %all = scf.for %i = %zero to %n step %step iter_args(%most = %first) -> (tensor<1024xbf16>) : i32 {
      %x = tile.load %p : tensor<1024x!tile.ptr<bf16>>
      %more = arith.maxnumf %most, %x : tensor<1024xbf16>
      scf.yield %more : tensor<1024xbf16>
    }
    tile.store %p, %all : tensor<1024x!tile.ptr<bf16>>
  }
  return
}
// expected-remark @+1 {{kernel 'rows' gets 1 warp: its largest tile has 1024 elements of 2 bytes, 32 a thread}}
func.func @rows(%p: tensor<1024x!tile.ptr<bf16>>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  scf.for %i = %zero to %n step %step : i32 {
    %x = tile.load %p : tensor<1024x!tile.ptr<bf16>>
    %0 = tile.reduce(%x) axis 0 : (tensor<1024xbf16>) -> bf16 {
    ^bb0(%a: bf16, %b: bf16):
      %c = arith.maxnumf %a, %b : bf16
      tile.yield %c : bf16
    }
  }
  return
}
// expected-remark @+1 {{kernel 'staged' gets 1 warp: its largest tile has 1024 elements of 2 bytes, 32 a thread}}
func.func @staged(%p: tensor<1024x!tile.ptr<bf16>>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 1024 : i32
  scf.for %i = %zero to %n step %step : i32 {
    %x = tile.load %p : tensor<1024x!tile.ptr<bf16>>
    tile.store %p, %x : tensor<1024x!tile.ptr<bf16>>
  } {tile.num_stages = 2 : i32}
  %y = tile.load %p : tensor<1024x!tile.ptr<bf16>>
  %0 = tile.reduce(%y) axis 0 : (tensor<1024xbf16>) -> bf16 {
  ^bb0(%a: bf16, %b: bf16):
    %c = arith.maxnumf %a, %b : bf16
    tile.yield %c : bf16
  }
  return
}

// Elementwise work on two bytes is held by 16 warps where a reduction would go through shared memory.
// CHECK-LABEL: func.func @wide
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 16 : i32}
// expected-remark @+1 {{kernel 'wide' gets 16 warps: its largest tile has 16384 elements of 2 bytes, 32 a thread}}
func.func @wide(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %range = tile.make_range 0 to 16384 : tensor<16384xi32>
  %base = tile.splat %p : !tile.ptr<bf16> -> tensor<16384x!tile.ptr<bf16>>
  %ptrs = tile.addptr %base, %range : tensor<16384x!tile.ptr<bf16>>, tensor<16384xi32>
  %x = tile.load %ptrs : tensor<16384x!tile.ptr<bf16>>
  tile.store %ptrs, %x : tensor<16384x!tile.ptr<bf16>>
  return
}

// Products get the warps whose registers hold their sums: two of 64 x 64 take a quarter of what four warps have, one of
// 128 x 256 all of it.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 4 : i32}
// expected-remark @+1 {{kernel 'attention' gets 4 warps: these have registers for its products}}
func.func @attention(%q: tensor<64x64xf16>, %k: tensor<64x64xf16>, %v: tensor<64x64xf16>, %zeros: tensor<64x64xf32>)
    attributes {tile.kernel} {
  %scores = tile.dot %q, %k, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %weights = arith.truncf %scores : tensor<64x64xf32> to tensor<64x64xf16>
  %out = tile.dot %weights, %v, %zeros : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// CHECK-LABEL: func.func @large_sums
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 8 : i32}
// expected-remark @+1 {{kernel 'large_sums' gets 8 warps: these have registers for its products}}
func.func @large_sums(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %zeros: tensor<128x256xf32>) attributes {tile.kernel} {
  %sum = tile.dot %a, %b, %zeros : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
  return
}

// CHECK-LABEL: func.func @small_sums
// CHECK-SAME: tile.num_ctas = 1 : i32, tile.num_warps = 2 : i32}
// expected-remark @+1 {{kernel 'small_sums' gets 2 warps: these have registers for its products}}
func.func @small_sums(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %zeros: tensor<16x16xf32>) attributes {tile.kernel} {
  %sum = tile.dot %a, %b, %zeros : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  return
}

// A barrier is for all threads of the program.
// CHECK-LABEL: func.func @barrier
// CHECK-NOT: tile.barrier
// CHECK: tile.cluster_arrive{{$}}
// CHECK-NEXT: tile.cluster_wait
func.func @barrier() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  tile.barrier
  return
}
