// RUN: tile-opt %s -convert-tile-to-gpu -split-input-file -verify-diagnostics

#two = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

func.func @noWarps() attributes {tile.kernel} {
  // expected-error @+1 {{'tile.make_range' op expects a function with 'tile.num_warps' around it}}
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #two>
  return
}

// -----

#two = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

func.func @warps() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'tile.make_range' op expects a layout for the function's 4 warps, found one for 2}}
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #two>
  return
}

// -----

#cluster = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [[32]]>

func.func @cluster() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'tile.make_range' op expects a layout for the function's 1 CTAs, found one for 2}}
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #cluster>
  return
}

// -----

func.func @noLayout(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'tile.splat' op expects a tile with a layout, found 'tensor<8x!tile.ptr<i32>>'; run tile-assign-layouts first}}
  %0 = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  // expected-error @+1 {{'tile.load' op expects a tile with a layout, found 'tensor<8x!tile.ptr<i32>>'; run tile-assign-layouts first}}
  %1 = tile.load %0 : tensor<8x!tile.ptr<i32>>
  return
}

// -----

#two = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

func.func @noScratch() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #two>
  // expected-error @+2 {{'tile.reduce' op combines what several warps hold; run tile-expand-exchanges first}}
  // expected-error @+1 {{failed to legalize operation 'tile.reduce'}}
  %1 = tile.reduce(%0) axis 0 : (tensor<64xi32, #two>) -> i32 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// -----

func.func @noSharedBytes() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  // expected-error @+1 {{'tile.alloc_buffer' op expects a function with 'tile.shared_bytes' around it; run tile-allocate-shared first}}
  %0 = tile.alloc_buffer at 0 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @noSharedBytesForBarrier() attributes {tile.kernel, tile.num_warps = 8 : i32} {
  // expected-error @+1 {{'tile.alloc_mbarrier' op expects a function with 'tile.shared_bytes' around it; run tile-allocate-shared first}}
  %ready = tile.alloc_mbarrier at 1024
  return
}

// -----

func.func @noPlaceOfBarrier() attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 0 : i32} {
  // expected-error @+2 {{'tile.alloc_mbarrier' op has no place yet; run tile-allocate-shared first}}
  // expected-error @+1 {{failed to legalize operation 'tile.alloc_mbarrier'}}
  %ready = tile.alloc_mbarrier
  return
}

// -----

func.func @noPlace() attributes {tile.kernel, tile.num_warps = 2 : i32, tile.shared_bytes = 16 : i32} {
  // expected-error @+2 {{'tile.alloc_buffer' op has no place yet; run tile-allocate-shared first}}
  // expected-error @+1 {{failed to legalize operation 'tile.alloc_buffer'}}
  %0 = tile.alloc_buffer : !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @atomicResult(%p: !tile.ptr<i32>, %v: i32) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  // expected-error @+2 {{'tile.atomic_rmw' op has a result that several warps hold; run tile-expand-exchanges first}}
  // expected-error @+1 {{failed to legalize operation 'tile.atomic_rmw'}}
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i32>
  tile.store %p, %0 : !tile.ptr<i32>
  return
}

// -----

#ahead = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>
#back = #tile.layout<register = [], lane = [[32], [16], [8], [4], [2]], warp = [[1]], block = []>

func.func @conversionNoScratch() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = tile.make_range 0 to 64 : tensor<64xi32, #ahead>
  // expected-error @+2 {{'tile.convert_layout' op moves elements between warps; run tile-expand-exchanges first}}
  // expected-error @+1 {{failed to legalize operation 'tile.convert_layout'}}
  %1 = tile.convert_layout %0 : tensor<64xi32, #ahead> -> tensor<64xi32, #back>
  return
}

// -----

#diagonal = #tile.layout<register = [], lane = [[1, 1], [2, 0], [4, 0], [0, 2], [0, 4]], warp = [[0, 1]], block = []>
#result = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [[0]], block = []>

func.func @notSeparable() attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %0 = arith.constant dense<1> : tensor<8x8xi32, #diagonal>
  // expected-error @+2 {{'tile.reduce' op cannot reduce in this layout: a thread bit moves along the reduced and another dimension at once}}
  // expected-error @+1 {{failed to legalize operation 'tile.reduce'}}
  %1 = tile.reduce(%0) axis 1 : (tensor<8x8xi32, #diagonal>) -> tensor<8xi32, #result> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// -----

// The elements of the result would lie where no thread has computed them.

#source = #tile.layout<register = [], lane = [[0, 1], [0, 2], [1, 0], [0, 0], [0, 0]], warp = [], block = []>
#wrong = #tile.layout<register = [], lane = [[1], [0], [0], [0], [0]], warp = [], block = []>

func.func @resultLayout() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = arith.constant dense<1> : tensor<2x4xi32, #source>
  // expected-error @+1 {{'tile.reduce' op expects the result's layout to follow from the source's: #tile.layout<register = [], lane = [[0], [0], [1], [0], [0]], warp = [], block = []>}}
  %1 = tile.reduce(%0) axis 1 : (tensor<2x4xi32, #source>) -> tensor<2xi32, #wrong> {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }
  return
}

// -----

#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

func.func @combinePointers(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #one>
  // expected-error @+1 {{'tile.reduce' op cannot combine by operations on pointers yet}}
  %1 = tile.reduce(%0) axis 0 : (tensor<32x!tile.ptr<f32>, #one>) -> !tile.ptr<f32> {
  ^bb0(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>):
    // expected-note @+1 {{used here}}
    %c = tile.addptr %a, %n : !tile.ptr<f32>, i32
    tile.yield %c : !tile.ptr<f32>
  }
  return
}

// -----

#line = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = []>
#elsewhere = #tile.layout<register = [], lane = [[0, 4], [0, 2], [0, 1], [0, 0], [0, 0]], warp = [], block = []>

func.func @shapeElsewhere() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32, #line>
  // expected-error @+2 {{'tile.expand_dims' op needs elements of other threads; the source's layout must follow from the result's}}
  // expected-error @+1 {{failed to legalize operation 'tile.expand_dims'}}
  %1 = tile.expand_dims %0 axis 0 : tensor<8xi32, #line> -> tensor<1x8xi32, #elsewhere>
  return
}

// -----

// expected-error @+1 {{'func.func' op needs clusters of CTAs, which GPUs have from compute capability 9.0 on}}
func.func @old() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_ctas = 2 : i32} {
  return
}

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @buffer() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'tile.alloc_buffer' op expects a function with 'tile.shared_bytes' around it; run tile-allocate-shared first}}
  %buffer = tile.alloc_buffer : !tile.buffer<2xf32, #tile.shared<[1]>>
  return
}

// -----

#spread = #tile.layout<register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []>
func.func @bufferMap() attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 1024 : i32} {
  // expected-error @+2 {{'tile.alloc_buffer' op has no map yet; run tile-assign-layouts first}}
  // expected-error @+1 {{failed to legalize}}
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<2xf32, slots = 2>
  return
}

// -----

#line = #tile.layout<register = [], lane = [[1], [2], [4], [0], [0]], warp = [], block = []>
#elsewhere = #tile.layout<register = [], lane = [[4], [2], [1], [0], [0]], warp = [], block = []>

func.func @takeElsewhere(%x: tensor<2x8xi32, #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [0, 0]], warp = [], block = []>>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+2 {{'tile.take' op needs elements of other threads; the source's layout must follow from the result's}}
  // expected-error @+1 {{failed to legalize operation 'tile.take'}}
  %0 = tile.take %x axis 0 index 1 : tensor<2x8xi32, #tile.layout<register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [0, 0]], warp = [], block = []>> -> tensor<8xi32, #line>
  return
}

// -----

#mixed = #tile.layout<register = [], lane = [[16], [2], [4], [8], [1]], warp = [], block = []>

func.func @scanOrder(%x: tensor<32xi32, #mixed>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+2 {{'tile.scan' op cannot scan in this layout: the bits of the axis must be bits of registers, lanes, warps and again registers, in this order}}
  // expected-error @+1 {{failed to legalize operation 'tile.scan'}}
  %0 = tile.scan(%x) axis 0 : (tensor<32xi32, #mixed>) -> tensor<32xi32, #mixed> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  return
}

// -----

#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

func.func @scanScratch(%x: tensor<64xi32, #warps>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  // expected-error @+2 {{'tile.scan' op combines what several warps hold; run tile-expand-exchanges first}}
  // expected-error @+1 {{failed to legalize operation 'tile.scan'}}
  %0 = tile.scan(%x) axis 0 : (tensor<64xi32, #warps>) -> tensor<64xi32, #warps> {
  ^bb0(%a: i32, %b: i32):
    tile.yield %b : i32
  }
  return
}

// -----

#warps = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []>

func.func @flipScratch(%x: tensor<64xi32, #warps>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  // expected-error @+2 {{'tile.flip' op moves elements between warps; run tile-expand-exchanges first}}
  // expected-error @+1 {{failed to legalize operation 'tile.flip'}}
  %0 = tile.flip %x axis 0 : tensor<64xi32, #warps>
  return
}

// -----

#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

func.func @scanPointers(%x: tensor<32x!tile.ptr<f32>, #one>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+1 {{'tile.scan' op cannot combine by operations on pointers yet}}
  %0 = tile.scan(%x) axis 0 : (tensor<32x!tile.ptr<f32>, #one>) -> tensor<32x!tile.ptr<f32>, #one> {
  ^bb0(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>):
    // expected-note @+1 {{used here}}
    %c = tile.addptr %a, %n : !tile.ptr<f32>, i32
    tile.yield %c : !tile.ptr<f32>
  }
  return
}

// -----

#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

func.func @constraints(%x: tensor<32xf32, #one>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+2 {{inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its 2 registers, results with '=' first, found '=r,h'}}
  // expected-error @+1 {{failed to legalize operation 'tile.inline_asm'}}
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,h" pack 1 (%x) : (tensor<32xf32, #one>) -> tensor<32xf32, #one>
  return
}

// -----

#one = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

func.func @clobbers(%x: tensor<32xf32, #one>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  // expected-error @+2 {{inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its 2 registers, results with '=' first, found '=r,r,~{memory'}}
  // expected-error @+1 {{failed to legalize operation 'tile.inline_asm'}}
  %0 = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r,~{memory" pack 1 (%x) : (tensor<32xf32, #one>) -> tensor<32xf32, #one>
  return
}

// -----

#mixed = #tile.layout<register = [[1, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 1]], warp = [], block = []>

func.func @storeIndex(%x: tensor<2x32xf32, #mixed>) attributes {tile.kernel, tile.num_warps = 1 : i32, tile.shared_bytes = 8 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<2xf32, #tile.shared<[1]>>
  // expected-error @+2 {{'tile.buffer_store' op cannot store an index of a dimension in this layout: each bit of the dimension must be one bit of a register, lane or warp}}
  // expected-error @+1 {{failed to legalize operation 'tile.buffer_store'}}
  tile.buffer_store %x, %buffer axis 1 index 31 : tensor<2x32xf32, #mixed>, !tile.buffer<2xf32, #tile.shared<[1]>>
  return
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0]], block = []>
!flat = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @notSwizzled(%a: tensor<64x16xf16, #sum>, %c: tensor<64x16xf32, #sum>, %p: tensor<64x16x!tile.ptr<f32>, #sum>)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 512 : i32} {
  %b = tile.alloc_buffer at 0 : !flat
  // expected-error @+2 {{'tile.group_dot' op cannot read matrices from}}
  // expected-error @+1 {{failed to legalize operation 'tile.group_dot'}}
  %0 = tile.group_dot %a, %b, %c : tensor<64x16xf16, #sum>, !flat -> tensor<64x16xf32, #sum>
  tile.store %p, %0 : tensor<64x16x!tile.ptr<f32>, #sum>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @copyOfNobody(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.shared_bytes = 512 : i32} {
  %buffer = tile.alloc_buffer at 0 : !tile.buffer<8x16xf32, #lines>
  // expected-error @+2 {{'tile.bulk_copy' op has no barrier yet; run tile-specialize-warps first}}
  // expected-error @+1 {{failed to legalize operation 'tile.bulk_copy'}}
  tile.bulk_copy %map[%i, %i] into %buffer : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines>
  return
}
