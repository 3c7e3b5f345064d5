// RUN: tile-opt %s -split-input-file -verify-diagnostics

!rows = tensor<64x16xf16>
!columns = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>>

func.func @slotOfTile(%a: !rows, %slot: i32, %b: !columns, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_dot' op expects slots and transposed factors in buffers only, found 'tensor<64x16xf16>'}}
  %0 = tile.group_dot %a[%slot], %b, %c : !rows, !columns -> tensor<64x16xf32>
  return
}

// -----

!columns = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>, slots = 2>

func.func @noSlot(%a: tensor<64x16xf16>, %b: !columns, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_dot' op expects a slot of a buffer with several, and of no other, found}}
  %0 = tile.group_dot %a, %b, %c : tensor<64x16xf16>, !columns -> tensor<64x16xf32>
  return
}

// -----

!columns = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>>

func.func @stack(%a: tensor<2x64x16xf16>, %b: !columns, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_dot' op expects matrices, found 'tensor<2x64x16xf16>'}}
  %0 = tile.group_dot %a, %b, %c : tensor<2x64x16xf16>, !columns -> tensor<64x16xf32>
  return
}

// -----

!columns = !tile.buffer<16x32xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 136, 256]>>

func.func @shapes(%a: tensor<64x16xf16>, %b: !columns, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_dot' op cannot add the product of 'tensor<64x16xf16>' and}}
  %0 = tile.group_dot %a, transposed %b, %c : tensor<64x16xf16>, !columns -> tensor<64x16xf32>
  return
}

// -----

!columns = !tile.buffer<16x16xf16, #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>>

func.func @types(%a: tensor<64x16xbf16>, %b: !columns, %c: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_dot' op cannot accumulate products of 'bf16' and 'f16' in 'f32'}}
  %0 = tile.group_dot %a, %b, %c : tensor<64x16xbf16>, !columns -> tensor<64x16xf32>
  return
}

// -----

func.func @waits(%a: tensor<64x16xf32>) {
  // expected-error @+1 {{'tile.group_wait' op expects results of the values' types}}
  %0 = tile.group_wait 0 for %a : tensor<64x16xf32> -> tensor<64x16xf16>
  return
}

// -----

!columns = !tile.buffer<32x8xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @bytes(%a: tensor<64x32xi8>, %b: !columns, %c: tensor<64x8xf32>) {
  // expected-error @+1 {{'tile.group_dot' op cannot accumulate products of 'i8' and 'i8' in 'f32'}}
  %0 = tile.group_dot %a, %b, %c : tensor<64x32xi8>, !columns -> tensor<64x8xf32>
  return
}

// -----

!columns = !tile.buffer<32x8xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @emptyDepth(%a: tensor<64x32xi8>, %b: !columns, %c: tensor<64x8xi32>) {
  // expected-error @+1 {{'tile.group_dot' op expects the first of 32 elements of the depth and their count, both in steps of 32}}
  %0 = tile.group_dot %a, %b, %c depth [0, 0] : tensor<64x32xi8>, !columns -> tensor<64x8xi32>
  return
}

// -----

!columns = !tile.buffer<32x8xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @depthBehind(%a: tensor<64x32xi8>, %b: !columns, %c: tensor<64x8xi32>) {
  // expected-error @+1 {{'tile.group_dot' op expects the first of 32 elements of the depth and their count, both in steps of 32}}
  %0 = tile.group_dot %a, %b, %c depth [32, 32] : tensor<64x32xi8>, !columns -> tensor<64x8xi32>
  return
}

// -----

!columns = !tile.buffer<32x8xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @depthBetween(%a: tensor<64x32xi8>, %b: !columns, %c: tensor<64x8xi32>) {
  // expected-error @+1 {{'tile.group_dot' op expects the first of 32 elements of the depth and their count, both in steps of 32}}
  %0 = tile.group_dot %a, %b, %c depth [0, 16] : tensor<64x32xi8>, !columns -> tensor<64x8xi32>
  return
}

// -----

!columns = !tile.buffer<32x8xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>>

func.func @depthOfOne(%a: tensor<64x32xi8>, %b: !columns, %c: tensor<64x8xi32>) {
  // expected-error @+1 {{'tile.group_dot' op expects the first of 32 elements of the depth and their count, both in steps of 32}}
  %0 = tile.group_dot %a, %b, %c depth [0] : tensor<64x32xi8>, !columns -> tensor<64x8xi32>
  return
}

// -----

#sum = #tile.layout<register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []>
!columns = !tile.buffer<32x8xi8, #tile.shared<[32, 64, 128, 1, 2, 4, 8, 16]>>

func.func @tooManyParts(%a: !tile.buffer<64x32xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]>>, %b: !columns, %c: tensor<64x8xi32, #sum>) {
  // expected-error @+1 {{'tile.group_dot' op expects a power of two of parts, at most 1}}
  %0 = tile.group_dot %a, %b, %c parts 2 : !tile.buffer<64x32xi8, #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]>>, !columns -> tensor<64x8xi32, #sum>
  return
}
