// RUN: tile-opt %s -tile-assign-layouts -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op needs 'tile.num_warps' before layouts can be assigned}}
func.func @noWarps() attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{'func.func' op needs a power of two of warps, found 12}}
func.func @warpsOfRoles() attributes {tile.kernel, tile.num_warps = 12 : i32} {
  return
}

// -----

func.func @emptyBuffer(%s: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %b = tile.alloc_buffer : !tile.buffer<512xf32, slots = 2>
  // expected-error @+1 {{'tile.buffer_load' op reads a buffer that no earlier operation copies into}}
  %x = tile.buffer_load %b[%s] : !tile.buffer<512xf32, slots = 2> -> tensor<512xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op cannot take or return tiles, found 'tensor<4xf32>'}}
func.func @argument(%x: tensor<4xf32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  return
}

// -----

// expected-error @+1 {{'func.func' op cannot take or return tiles, found 'tensor<1xi32>'}}
func.func @result() -> tensor<1xi32> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 1 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

func.func @size() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'arith.constant' op works on 'tensor<3xf32>', which is no tile: expected dimensions that are powers of two, at most 2^20 elements, and an element type of the dialect}}
  %0 = arith.constant dense<1.0> : tensor<3xf32>
  return
}

// -----

func.func @element() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-error @+1 {{'arith.extsi' op works on 'tensor<8xi128>', which is no tile}}
  %1 = arith.extsi %0 : tensor<8xi32> to tensor<8xi128>
  return
}

// -----

func.func @index() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-error @+1 {{'arith.index_cast' op works on 'tensor<8xindex>', which is no tile}}
  %1 = arith.index_cast %0 : tensor<8xi32> to tensor<8xindex>
  return
}

// -----

func.func @mixedConstant() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'arith.constant' op cannot be distributed over threads: expected a constant whose elements are all equal}}
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

func.func private @callee(tensor<8xi32>)
func.func @call() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-error @+1 {{'func.call' op cannot be distributed over threads: only elementwise operations, scf.for, scf.if and scf.while may work on tiles}}
  func.call @callee(%0) : (tensor<8xi32>) -> ()
  return
}

// -----

func.func @branch() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-error @+1 {{'cf.br' op cannot be distributed over threads}}
  cf.br ^next(%0 : tensor<8xi32>)
^next(%1: tensor<8xi32>):
  return
}

// -----

func.func @region(%i: index) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %0 = tile.make_range 0 to 8 : tensor<8xi32>
  // expected-error @+1 {{'scf.index_switch' op cannot be distributed over threads}}
  %1 = scf.index_switch %i -> tensor<8xi32>
  default {
    // expected-error @+1 {{'scf.yield' op cannot be distributed over threads}}
    scf.yield %0 : tensor<8xi32>
  }
  return
}

// -----

func.func @unregistered() attributes {tile.kernel, tile.num_warps = 4 : i32} {
  // expected-error @+1 {{'other.op' op cannot be distributed over threads}}
  %0 = "other.op"() : () -> tensor<8xi32>
  return
}

// -----

// A function that is no kernel is left alone, whatever is in it.
func.func @helper(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
