// RUN: tile-opt %s -convert-tile-to-cpu -split-input-file -verify-diagnostics

func.func @results(%n: i32) -> i32 attributes {tile.kernel} { // expected-error@-0 {{expects a kernel without results, found 1}}
  return %n : i32
}

// -----

// expected-error@+1 {{is a kernel without a body}}
func.func private @external(%n: i32) attributes {tile.kernel}

// -----

// expected-error@+1 {{expects scalar and pointer parameters, found 'tensor<4xf32>' for parameter 1}}
func.func @tile_parameter(%n: i32, %t: tensor<4xf32>) attributes {tile.kernel} {
  return
}

// -----

// expected-error@+1 {{expects structured control flow, found 2 blocks}}
func.func @blocks() attributes {tile.kernel} {
  cf.br ^next
^next:
  return
}

// -----

func.func private @callee(i32)
func.func @call(%n: i32) attributes {tile.kernel} {
  // expected-error@+1 {{is not supported on the CPU}}
  func.call @callee(%n) : (i32) -> ()
  return
}

// -----

func.func @vectors(%n: i32) attributes {tile.kernel} {
  // expected-error@+1 {{is not supported on the CPU}}
  %v = vector.broadcast %n : i32 to vector<4xi32>
  return
}

// -----

func.func @assembly(%n: i32) attributes {tile.kernel} {
  // expected-error@+1 {{'inline_asm' is not supported on the CPU}}
  %v = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return
}

// -----

func.func @bytes(%p: !tile.ptr<i8>) attributes {tile.kernel} {
  %a = arith.constant dense<0> : tensor<16x32xi8>
  %b = arith.constant dense<0> : tensor<32x16xi8>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{'tile.dot' op multiplies as 'f8E5M2', which is not supported on the CPU}}
  %sum = tile.dot %a, %b, %c as f8E5M2, f8E4M3FN : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xf32>
  return
}
