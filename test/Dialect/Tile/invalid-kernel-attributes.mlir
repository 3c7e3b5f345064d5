// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{'func.func' op expects 'tile.num_warps' to be an i32}}
func.func @warpsType() attributes {tile.num_warps = 4 : i64} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_warps' to be an i32}}
func.func @warpsKind() attributes {tile.num_warps = "4"} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_warps' to be a power of two from 1 to 32, found 3}}
func.func @warps() attributes {tile.num_warps = 3 : i32} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_warps' to be a power of two from 1 to 32, found 0}}
func.func @noWarps() attributes {tile.num_warps = 0 : i32} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_warps' to be a power of two from 1 to 32, found 64}}
func.func @manyWarps() attributes {tile.num_warps = 64 : i32} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.num_ctas' to be a power of two from 1 to 16, found 32}}
func.func @ctas() attributes {tile.num_ctas = 32 : i32} { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.kernel' to be a unit attribute}}
func.func @kernel() attributes {tile.kernel = true} { return }

// -----

func.func @place(%x: i32) {
  // expected-error @+1 {{'arith.addi' op cannot carry 'tile.num_warps', which belongs on a function}}
  %0 = arith.addi %x, %x {tile.num_warps = 4 : i32} : i32
  return
}

// -----

// expected-error @+1 {{'func.func' op expects 'tile.divisibility' to be an i32}}
func.func @divisibilityType(%x: i32 {tile.divisibility = 16 : i64}) { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.divisibility' to be a power of two from 1 to 1073741824, found 12}}
func.func @divisibility(%x: i32 {tile.divisibility = 12 : i32}) { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.divisibility' to be a power of two from 1 to 1073741824, found -2147483648}}
func.func @divisibilitySign(%x: i32 {tile.divisibility = 0x80000000 : i32}) { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.name' to be a string}}
func.func @name(%x: i32 {tile.name = 3 : i32}) { return }

// -----

// expected-error @+1 {{'func.func' op expects 'tile.shared_bytes' to be an i32 that is not negative, found -16 : i32}}
func.func @bytes() attributes {tile.shared_bytes = -16 : i32} { return }

// -----

// expected-error @+1 {{expects 'tile.persistent' to be an i32, the CTAs of a multiprocessor, 1 to 32, found 33 : i32}}
func.func @persistent() attributes {tile.persistent = 33 : i32} { return }

// -----

// expected-error @+1 {{expects 'tile.grid_axis' to be an i32 from 0 to 2, found 3 : i32}}
func.func @fourthAxis(%n: i32 {tile.grid_axis = 3 : i32}) { return }

// -----

// expected-error @+1 {{expects 'tile.packing' to be the threads of a program, whole warps, the programs of a CTA, 2 or more with at most 1024 threads, and from how many for each multiprocessor on, 0 to 255, found array<i32: 48, 2, 16>}}
func.func @partOfWarp() attributes {tile.packing = array<i32: 48, 2, 16>} { return }

// -----

// expected-error @+1 {{expects 'tile.packing' to be the threads of a program}}
func.func @onePacked() attributes {tile.packing = array<i32: 32, 1, 16>} { return }

// -----

// expected-error @+1 {{expects 'tile.packing' to be the threads of a program}}
func.func @manyPacked() attributes {tile.packing = array<i32: 256, 8, 16>} { return }

// -----

// expected-error @+1 {{expects 'tile.packing' to be the threads of a program}}
func.func @twoNumbers() attributes {tile.packing = array<i32: 32, 4>} { return }

// -----

// expected-error @+1 {{expects 'tile.packed_form_of' to be a symbol, found "k"}}
func.func @packedFormOfText() attributes {tile.packed_form_of = "k"} { return }
