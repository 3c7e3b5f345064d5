// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects offsets without gaps}}
func.func @gap(%b: !tile.buffer<4xf32, #tile.shared<[1, 4]>>) { return }

// -----

// expected-error @+1 {{expects offsets from 0 to 1048575, found -1}}
func.func @negative(%b: !tile.buffer<2xf32, #tile.shared<[-1]>>) { return }

// -----

// expected-error @+1 {{expects at most 20 offsets, found 21}}
func.func @many(%b: !tile.buffer<2xf32, #tile.shared<[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]>>) { return }

// -----

// expected-error @+1 {{expects the shape of a tile}}
func.func @shape(%b: !tile.buffer<3xf32, #tile.shared<[1, 2]>>) { return }

// -----

// expected-error @+1 {{expects elements that are integers, floats or pointers, found 'index'}}
func.func @element(%b: !tile.buffer<4xindex, #tile.shared<[1, 2]>>) { return }

// -----

// expected-error @+1 {{expects a map with an offset for each of the 3 bits of an index, found #tile.shared<[1, 2]>}}
func.func @bits(%b: !tile.buffer<8xf32, #tile.shared<[1, 2]>>) { return }

// -----

// expected-error @+1 {{expects at least one slot, found 0}}
func.func @slots(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>, slots = 0>) { return }

// -----

// expected-error @+1 {{expects rounds only of a buffer with a map and one slot}}
func.func @slotsAndRounds(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>, rounds = 2, slots = 2>) { return }

// -----

// expected-error @+1 {{expects rounds only of a buffer with a map and one slot}}
func.func @roundsWithoutMap(%b: !tile.buffer<4xf32, rounds = 2>) { return }

// -----

func.func @slotOfOne(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>, %slot: i32) {
  // expected-error @+1 {{'tile.buffer_load' op expects a slot of a buffer with several, and of no other, found '!tile.buffer<4xf32,}}
  %x = tile.buffer_load %b[%slot] : !tile.buffer<4xf32, #tile.shared<[1, 2]>> -> tensor<4xf32>
  return
}

// -----

func.func @maskAlone(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{'tile.buffer_load' op expects 'previous' beside a mask, and a buffer without rounds}}
  %x = tile.buffer_load %b mask %m : !tile.buffer<4xf32, #tile.shared<[1, 2]>> -> tensor<4xf32>
  return
}

// -----

func.func @storeIntoSlots(%x: tensor<4xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>, slots = 2>) {
  // expected-error @+1 {{'tile.buffer_store' op expects a slot of a buffer with several, and of no other}}
  tile.buffer_store %x, %b : tensor<4xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>, slots = 2>
  return
}

// -----

// expected-error @+1 {{expects rounds that are a power of two and at most 4, found 8}}
func.func @rounds(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>, rounds = 8>) { return }

// -----

func.func @storeElement(%x: tensor<4xi32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects a buffer of 'i32', found '!tile.buffer<4xf32, #tile.shared<[1, 2]>>'}}
  tile.buffer_store %x, %b : tensor<4xi32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @storeShape(%x: f32, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects a buffer in the shape of 'f32', found}}
  tile.buffer_store %x, %b : f32, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @storeRound(%x: tensor<4xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects a round below 1, found 1}}
  tile.buffer_store %x, %b round 1 : tensor<4xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @peers(%x: tensor<4xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects masks of one bit each, found 3}}
  tile.buffer_store %x, %b peers [3] : tensor<4xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @loadPrevious(%x: tensor<4xi32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_load' op expects 'previous' to have the result's type, found 'tensor<4xi32>'}}
  %0 = tile.buffer_load %b previous %x : tensor<4xi32> : !tile.buffer<4xf32, #tile.shared<[1, 2]>> -> tensor<4xf32>
  return
}

// -----

func.func @reversed(%b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_load' op expects a dimension below 1 to be reversed, found 1}}
  %0 = tile.buffer_load %b reversed 1 : !tile.buffer<4xf32, #tile.shared<[1, 2]>> -> tensor<4xf32>
  return
}

// -----

func.func @gatherAxis(%i: tensor<4xi32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_gather' op expects an axis from 0 to 0, found 1}}
  %0 = tile.buffer_gather %b[%i] axis 1 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>, tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @gatherElement(%i: tensor<4xi32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_gather' op expects elements of the buffer in the shape of the indices, found 'tensor<4xi32>'}}
  %0 = tile.buffer_gather %b[%i] axis 0 : !tile.buffer<4xf32, #tile.shared<[1, 2]>>, tensor<4xi32> -> tensor<4xi32>
  return
}

// -----

func.func @gatherShape(%i: tensor<4x2xi32>, %b: !tile.buffer<4x4xf32, #tile.shared<[1, 2, 4, 8]>>) {
  // expected-error @+1 {{'tile.buffer_gather' op expects buffer and indices that differ along dimension 0 only, found}}
  %0 = tile.buffer_gather %b[%i] axis 0 : !tile.buffer<4x4xf32, #tile.shared<[1, 2, 4, 8]>>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @count(%i: tensor<4xi32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_count' op expects a buffer of i32 with one dimension, found}}
  tile.buffer_count %i in %b : tensor<4xi32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @storeAxisAlone(%x: tensor<4x8xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects 'axis' and 'index' together}}
  "tile.buffer_store"(%x, %b) <{axis = 1 : i32}> : (tensor<4x8xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>) -> ()
  return
}

// -----

func.func @storeIndex(%x: tensor<4x8xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects an index of one of several dimensions, found index 8 of dimension 1 of 'tensor<4x8xf32>'}}
  tile.buffer_store %x, %b axis 1 index 8 : tensor<4x8xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @storeIndexOfRow(%x: tensor<8xf32>, %b: !tile.buffer<1xf32, #tile.shared<[]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects an index of one of several dimensions, found index 0 of dimension 0 of 'tensor<8xf32>'}}
  tile.buffer_store %x, %b axis 0 index 0 : tensor<8xf32>, !tile.buffer<1xf32, #tile.shared<[]>>
  return
}

// -----

func.func @storeIndexShape(%x: tensor<4x8xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op expects a buffer in the shape of 'tensor<8xf32>'}}
  tile.buffer_store %x, %b axis 0 index 0 : tensor<4x8xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

func.func @storeIndexForPeers(%x: tensor<4x8xf32>, %b: !tile.buffer<4xf32, #tile.shared<[1, 2]>>) {
  // expected-error @+1 {{'tile.buffer_store' op cannot store an index of a dimension for peers}}
  tile.buffer_store %x, %b axis 1 index 0 peers [1] : tensor<4x8xf32>, !tile.buffer<4xf32, #tile.shared<[1, 2]>>
  return
}

// -----

#spread = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []>
func.func @partsType(%x: tensor<128xf32, #spread>) {
  // expected-error @+1 {{'tile.partial_reduce' op expects a result of type 'tensor<4xf32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]], block = []>>', found 'tensor<2xf32>'}}
  %0 = tile.partial_reduce(%x) axis 0 : (tensor<128xf32, #spread>) -> tensor<2xf32> {
  ^bb0(%a: f32, %c: f32):
    tile.yield %c : f32
  }
  return
}

// -----

func.func @partsLayout(%x: tensor<128xf32>) {
  // expected-error @+1 {{'tile.partial_reduce' op expects sources with a layout that can be reduced along axis 0}}
  %0 = tile.partial_reduce(%x) axis 0 : (tensor<128xf32>) -> tensor<2xf32> {
  ^bb0(%a: f32, %c: f32):
    tile.yield %c : f32
  }
  return
}

// -----

#lanes = #tile.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>
func.func @partsNone(%x: tensor<32xf32, #lanes>) {
  // expected-error @+1 {{'tile.partial_reduce' op expects a dimension that several warps or CTAs share}}
  %0 = tile.partial_reduce(%x) axis 0 : (tensor<32xf32, #lanes>) -> tensor<1xf32> {
  ^bb0(%a: f32, %c: f32):
    tile.yield %c : f32
  }
  return
}
