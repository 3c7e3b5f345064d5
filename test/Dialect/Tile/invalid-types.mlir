// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'i1'}}
func.func private @bool(!tile.ptr<i1>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'i4'}}
func.func private @narrow(!tile.ptr<i4>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'i128'}}
func.func private @wide(!tile.ptr<i128>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'si32'}}
func.func private @signed(!tile.ptr<si32>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'index'}}
func.func private @index(!tile.ptr<index>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'f128'}}
func.func private @float(!tile.ptr<f128>)

// -----

// expected-error @+1 {{pointee must be i8, i16, i32, i64, f16, bf16, f32, f64 or a pointer, found 'tensor<8xf32>'}}
func.func private @tile(!tile.ptr<tensor<8xf32>>)

// -----

// expected-error @+1 {{expected '<'}}
func.func private @none(!tile.ptr)

// -----

// expected-error @+1 {{unknown  type `pointer` in dialect `tile`}}
func.func private @unknown(!tile.pointer<f32>)

// -----

func.func @size(%x: f32) {
  // expected-error @+1 {{'tile.splat' op result #0 must be tile (1 or more dimensions, each a power of two, at most 2^20 elements) of integer, float or pointer, but got 'tensor<3xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<3xf32>
  return
}

// -----

func.func @rank(%x: f32) {
  // expected-error @+1 {{must be tile (1 or more dimensions, each a power of two, at most 2^20 elements)}}
  %0 = tile.splat %x : f32 -> tensor<f32>
  return
}

// -----

func.func @empty(%x: f32) {
  // expected-error @+1 {{must be tile (1 or more dimensions, each a power of two, at most 2^20 elements)}}
  %0 = tile.splat %x : f32 -> tensor<0xf32>
  return
}

// -----

func.func @dynamic(%x: f32) {
  // expected-error @+1 {{must be tile (1 or more dimensions, each a power of two, at most 2^20 elements)}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  return
}

// -----

func.func @unranked(%x: f32) {
  // expected-error @+1 {{custom op 'tile.splat' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<*xf32>
  return
}

// -----

func.func @large(%x: f32) {
  // expected-error @+1 {{must be tile (1 or more dimensions, each a power of two, at most 2^20 elements)}}
  %0 = tile.splat %x : f32 -> tensor<2x1048576xf32>
  return
}

// -----

// The product of these sizes overflows 64 bits.
func.func @huge(%x: f32) {
  // expected-error @+1 {{must be tile (1 or more dimensions, each a power of two, at most 2^20 elements)}}
  %0 = tile.splat %x : f32 -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @scalar(%x: index) {
  // expected-error @+1 {{'tile.splat' op operand #0 must be integer, float or pointer, but got 'index'}}
  %0 = tile.splat %x : index -> tensor<8xi32>
  return
}

// -----

func.func @complex(%x: complex<f32>) {
  // expected-error @+1 {{'tile.splat' op operand #0 must be integer, float or pointer, but got 'complex<f32>'}}
  %0 = tile.splat %x : complex<f32> -> tensor<8xf32>
  return
}
