// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) {
  // expected-error @+1 {{'tile.dot' op expects three matrices, or three stacks of them, found ranks 1, 1 and 1}}
  %0 = tile.dot %a, %b, %c : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @ranks(%a: tensor<2x16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{'tile.dot' op expects three matrices, or three stacks of them, found ranks 3, 2 and 2}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @depth(%a: tensor<16x32xf32>, %b: tensor<16x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects as many columns on the left as rows on the right, found 32 and 16}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  return
}

// -----

func.func @shape(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<8x16xf32>) {
  // expected-error @+1 {{'tile.dot' op cannot add the product of 'tensor<16x32xf32>' and 'tensor<32x8xf32>' to 'tensor<8x16xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<8x16xf32>
  return
}

// -----

func.func @stacks(%a: tensor<2x16x32xf32>, %b: tensor<4x32x8xf32>, %c: tensor<2x16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op cannot add the product of 'tensor<2x16x32xf32>' and 'tensor<4x32x8xf32>' to 'tensor<2x16x8xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x32xf32>, tensor<4x32x8xf32> -> tensor<2x16x8xf32>
  return
}

// -----

func.func @elements(%a: tensor<16x32xf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects operands of one element type, found 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xbf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @sums(%a: tensor<16x32xbf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xbf16>) {
  // expected-error @+1 {{'tile.dot' op cannot accumulate products of 'bf16' in 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xbf16>, tensor<32x8xbf16> -> tensor<16x8xbf16>
  return
}

// -----

func.func @integers(%a: tensor<16x32xi16>, %b: tensor<32x8xi16>, %c: tensor<16x8xi32>) {
  // expected-error @+1 {{'tile.dot' op cannot accumulate products of 'i16' in 'i32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xi16>, tensor<32x8xi16> -> tensor<16x8xi32>
  return
}

// -----

func.func @precision(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects 'tf32' of operands of f32 only, found 'f16'}}
  %0 = tile.dot %a, %b, %c precision tf32 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @typeOfBytes(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects f8E4M3FN or f8E5M2 for both factors behind 'as'}}
  %0 = tile.dot %a, %b, %c as f8E4M3FN, f16 : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  return
}

// -----

func.func @oneType(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects f8E4M3FN or f8E5M2 for both factors behind 'as'}}
  %0 = "tile.dot"(%a, %b, %c) <{lhsFloat = f8E5M2}> : (tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return
}

// -----

func.func @halvesAsBytes(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op cannot accumulate products of 'f16' as 'f8E5M2' in 'f32'}}
  %0 = tile.dot %a, %b, %c as f8E5M2, f8E5M2 : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @bytesInIntegers(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xi32>) {
  // expected-error @+1 {{'tile.dot' op cannot accumulate products of 'i8' as 'f8E5M2' in 'i32'}}
  %0 = tile.dot %a, %b, %c as f8E5M2, f8E5M2 : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xi32>
  return
}

// -----

func.func @threeRows(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects 1, 2 or 4 rows together, found 3}}
  %0 = tile.dot %a, %b, %c {rowsTogether = 3 : i32} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @pieces(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op expects pieces of products of 8-bit floats only, found 'f16'}}
  %0 = tile.dot %a, %b, %c {piece = 32 : i32} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  return
}
