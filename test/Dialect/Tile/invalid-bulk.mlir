// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects the shape of a tile}}
func.func private @blockShape(!tile.block<3x16xf32>)

// -----

// expected-error @+1 {{expects elements that are integers or floats, found 'index'}}
func.func private @blockElement(!tile.block<8x16xindex>)

// -----

// expected-error @+1 {{expected '<'}}
func.func private @blockOfNothing(!tile.block)

// -----

// expected-error @+1 {{expects the shape of a tile}}
func.func private @mapShape(!tile.tensor_map<6xf32, #tile.shared<[1, 2, 4]>>)

// -----

// expected-error @+1 {{expects elements that are integers or floats, found '!tile.ptr<f32>'}}
func.func private @mapElement(!tile.tensor_map<8x!tile.ptr<f32>, #tile.shared<[1, 2, 4]>>)

// -----

// expected-error @+1 {{expects a map with an offset for each of the 3 bits of an index, found #tile.shared<[1, 2]>}}
func.func private @mapBits(!tile.tensor_map<8xf32, #tile.shared<[1, 2]>>)

// -----

// expected-error @+1 {{expects a map that boxes of the hardware fill, found #tile.shared<[1, 2, 4, 8, 16, 32, 64]>}}
func.func private @mapInOrder(!tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>)

// -----

// expected-error @+1 {{expects a map that boxes of the hardware fill, found #tile.shared<[1, 2, 4, 8]>}}
func.func private @mapOfLine(!tile.tensor_map<16xf16, #tile.shared<[1, 2, 4, 8]>>)

// -----

// expected-error @+1 {{expected ','}}
func.func private @mapOfNoBuffer(!tile.tensor_map<8xf32>)

// -----

func.func @blockOffsets(%p: !tile.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tile.block' op expects an offset for each of 2 axes, found 1}}
  %b = tile.block %p sizes [%n, %n] strides [%n, %n] offsets [%i] : !tile.block<8x16xf32>
  return
}

// -----

func.func @blockSizes(%p: !tile.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tile.block' op expects a size and a stride for each of 2 axes, found 1 and 2}}
  %b = tile.block %p sizes [%n] strides [%n, %n] offsets [%i, %i] : !tile.block<8x16xf32>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @blockBase(%p: !tile.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{use of value '%p' expects different type than prior uses: '!tile.ptr<f32>' vs '!tile.ptr<f16>'}}
  %b = tile.block %p sizes [%n] strides [%n] offsets [%i] : !tile.block<8xf32>
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>

func.func @noMaps(%p: !tile.ptr<f32>, %n: i64, %scratch: !tile.buffer<128xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects a base for each of 0 maps, found 1}}
  %place = "tile.make_tensor_maps"(%p, %scratch) <{operandSegmentSizes = array<i32: 1, 0, 0, 1>}>
    : (!tile.ptr<f32>, !tile.buffer<128xi8, #scratch>) -> !tile.map_place
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @bases(%p: !tile.ptr<f32>, %n: i64, %scratch: !tile.buffer<128xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects a base for each of 1 maps, found 2}}
  %place, %map = tile.make_tensor_maps %p, %p : !tile.ptr<f32>, !tile.ptr<f32> sizes [%n, %n] strides [%n, %n]
    through %scratch : !tile.buffer<128xi8, #scratch> -> !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @baseType(%p: !tile.ptr<i32>, %n: i64, %scratch: !tile.buffer<128xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects a base of type '!tile.ptr<f32>', found '!tile.ptr<i32>'}}
  %place, %map = tile.make_tensor_maps %p : !tile.ptr<i32> sizes [%n, %n] strides [%n, %n]
    through %scratch : !tile.buffer<128xi8, #scratch> -> !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @scratch(%p: !tile.ptr<f32>, %n: i64, %scratch: !tile.buffer<128xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects 256 bytes to compose in}}
  %place, %maps:2 = tile.make_tensor_maps %p, %p : !tile.ptr<f32>, !tile.ptr<f32> sizes [%n, %n, %n, %n] strides [%n, %n, %n, %n]
    through %scratch : !tile.buffer<128xi8, #scratch> -> !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128]>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @sizes(%p: !tile.ptr<f32>, %n: i64, %scratch: !tile.buffer<256xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects a size and a stride for each of 4 axes, found 2 and 4}}
  %place, %maps:2 = tile.make_tensor_maps %p, %p : !tile.ptr<f32>, !tile.ptr<f32> sizes [%n, %n] strides [%n, %n, %n, %n]
    through %scratch : !tile.buffer<256xi8, #scratch> -> !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#plain = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>

func.func @otherPlacement(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #plain>) {
  // expected-error @+1 {{'tile.bulk_copy' op expects a map for buffers such as '!tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>', found '!tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>'}}
  tile.bulk_copy %map[%i, %i] into %b : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #plain>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @otherElement(%map: !tile.tensor_map<8x16xi32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines>) {
  // expected-error @+1 {{'tile.bulk_copy' op expects a map for buffers such as}}
  tile.bulk_copy %map[%i, %i] into %b : !tile.tensor_map<8x16xi32, #lines>, !tile.buffer<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @rounds(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines, rounds = 2>) {
  // expected-error @+1 {{'tile.bulk_copy' op expects a map for buffers such as}}
  tile.bulk_copy %map[%i, %i] into %b : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines, rounds = 2>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @offsets(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines>) {
  // expected-error @+1 {{'tile.bulk_copy' op expects an offset for each of 2 axes, found 1}}
  tile.bulk_copy %map[%i] into %b : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @slot(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines, slots = 2>) {
  // expected-error @+1 {{'tile.bulk_copy' op expects a slot of a buffer with several, and of no other}}
  tile.bulk_copy %map[%i, %i] into %b : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines, slots = 2>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @slotOfBarrier(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines>) {
  %ready = tile.alloc_mbarrier slots 2 arrivals 1
  // expected-error @+1 {{'tile.bulk_copy' op expects a slot, since the barrier has several}}
  tile.bulk_copy %map[%i, %i] into %b arrive %ready : !tile.tensor_map<8x16xf32, #lines>, !tile.buffer<8x16xf32, #lines>
  return
}

// -----

func.func @reset(%ready: !tile.mbarrier) {
  // expected-error @+1 {{'tile.reset_mbarrier' op expects a barrier that tile.alloc_mbarrier has made}}
  tile.reset_mbarrier %ready
  return
}

// -----

#scratch = #tile.shared<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]>
#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @many(%p: !tile.ptr<f32>, %n: i64, %scratch: !tile.buffer<8192xi8, #scratch>) {
  // expected-error @+1 {{'tile.make_tensor_maps' op expects at most 32 maps, found 33}}
  %place, %maps:33 = tile.make_tensor_maps %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p : !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>, !tile.ptr<f32>
    sizes [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n] strides [%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n]
    through %scratch : !tile.buffer<8192xi8, #scratch> -> !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

// expected-error @+1 {{'func.func' op expects 'tile.tensor_maps' to be "kernel" or "launcher", found "host"}}
func.func private @makers() attributes {tile.tensor_maps = "host"}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

// expected-error @+1 {{'func.func' op expects 'tile.map_of' to be two strings for each axis of the map, found ["@0", "16"]}}
func.func @mapOf(%map: !tile.tensor_map<8x16xf32, #lines> {tile.map_of = ["@0", "16"]}) { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.map_of' to be two strings for each axis of the map, found [0]}}
func.func @mapOfNumbers(%n: i64 {tile.map_of = [0]}) { return }

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>
#plain = #tile.shared<[1, 2, 4, 8, 16, 32, 64]>

func.func @storedPlacement(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #plain>) {
  // expected-error @+1 {{'tile.bulk_store' op expects a map for buffers such as '!tile.buffer<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 32, 64]>>', found '!tile.tensor_map<8x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72]>>'}}
  tile.bulk_store %b into %map[%i, %i] : !tile.buffer<8x16xf32, #plain>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @storedOffsets(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines>) {
  // expected-error @+1 {{'tile.bulk_store' op expects an offset for each of 2 axes, found 3}}
  tile.bulk_store %b into %map[%i, %i, %i] : !tile.buffer<8x16xf32, #lines>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @storedSlot(%map: !tile.tensor_map<8x16xf32, #lines>, %i: i32, %b: !tile.buffer<8x16xf32, #lines, slots = 2>) {
  // expected-error @+1 {{'tile.bulk_store' op expects a slot of a buffer with several, and of no other}}
  tile.bulk_store %b into %map[%i, %i] : !tile.buffer<8x16xf32, #lines, slots = 2>, !tile.tensor_map<8x16xf32, #lines>
  return
}

// -----

#lines = #tile.shared<[1, 2, 4, 8, 16, 36, 72]>

func.func @nothingStored(%b: !tile.buffer<8x16xf32, #lines>) {
  // expected-error @+1 {{'tile.bulk_store_wait' op expects a buffer that tile.bulk_store stores}}
  tile.bulk_store_wait %b : !tile.buffer<8x16xf32, #lines>
  return
}
