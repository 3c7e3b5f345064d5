// RUN: tile-opt %s -tile-translate-assembly -split-input-file -verify-diagnostics
// Text that is malformed, has no meaning on a CPU, or is not known: one error, at the assembly.

func.func @unknown_instruction(%n: i32) -> i32 {
  // expected-error@+1 {{inline assembly: in 'frobnicate.b32 $0, $1': the instruction 'frobnicate.b32' is not supported on the CPU}}
  %v = tile.inline_asm "frobnicate.b32 $0, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @unknown_modifier(%n: f32) -> f32 {
  // expected-error@+1 {{the instruction 'add.sat.rz.rn.f32' is not supported on the CPU}}
  %v = tile.inline_asm "add.sat.rz.rn.f32 $0, $1, $1;" constraints "=f,f" pack 1 pure (%n) : (f32) -> f32
  return %v : f32
}

// -----

func.func @unknown_type(%n: i32) -> i32 {
  // expected-error@+1 {{the instruction 'add.b32' is not supported on the CPU}}
  %v = tile.inline_asm "add.b32 $0, $1, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @rounding_is_missing(%n: f32) -> f32 {
  // expected-error@+1 {{the instruction 'cvt.f16.f32' is not supported on the CPU}}
  %v = tile.inline_asm "{ .reg .b16 t; cvt.f16.f32 t, $1; cvt.f32.f16 $0, t; }" constraints "=f,f" pack 1 pure (%n) : (f32) -> f32
  return %v : f32
}

// -----

func.func @special_register(%n: i32) -> i32 {
  // expected-error@+1 {{in 'mov.u32 $0, %tid.x': the special register '%tid.x' is not supported on the CPU}}
  %v = tile.inline_asm "mov.u32 $0, %tid.x;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @barrier(%n: i32) -> i32 {
  // expected-error@+1 {{in 'bar.sync 0': the instruction 'bar.sync' is not supported on the CPU}}
  %v = tile.inline_asm "bar.sync 0; mov.b32 $0, $1;" constraints "=r,r" pack 1 (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @label(%n: i32) -> i32 {
  // expected-error@+1 {{in 'again: add.u32 $0, $1, 1': labels are not supported on the CPU}}
  %v = tile.inline_asm "again: add.u32 $0, $1, 1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @shared_memory(%n: i64) -> i32 {
  // expected-error@+1 {{the instruction 'ld.shared.b32' is not supported on the CPU}}
  %v = tile.inline_asm "ld.shared.b32 $0, [$1];" constraints "=r,l" pack 1 (%n) : (i64) -> i32
  return %v : i32
}

// -----

func.func @directive(%n: i32) -> i32 {
  // expected-error@+1 {{the directive '.shared' is not supported on the CPU}}
  %v = tile.inline_asm "{ .shared .b32 t; mov.b32 $0, $1; }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @wide_register(%n: i32) -> i32 {
  // expected-error@+1 {{registers of the type '.b128' are not supported on the CPU}}
  %v = tile.inline_asm "{ .reg .b128 t; mov.b32 $0, $1; }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @unknown_register(%n: i32) -> i32 {
  // expected-error@+1 {{inline assembly: in 'mov.b32 $0, t': unknown register 't'}}
  %v = tile.inline_asm "{ .reg .b32 t; } mov.b32 $0, t;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @unknown_operand(%n: i32) -> i32 {
  // expected-error@+1 {{there is no operand '$2'}}
  %v = tile.inline_asm "mov.b32 $0, $2;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @operand_without_number(%n: i32) -> i32 {
  // expected-error@+1 {{'$' needs the number of an operand}}
  %v = tile.inline_asm "mov.b32 $0, ${x};" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @operand_in_name(%n: i32) -> i32 {
  // expected-error@+1 {{'$1' is part of a name}}
  %v = tile.inline_asm "mov.b32 $0, $1x;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @twice(%n: i32) -> i32 {
  // expected-error@+1 {{the register 'a1' is declared twice}}
  %v = tile.inline_asm "{ .reg .b32 a1, a<2>; mov.b32 $0, $1; }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @no_semicolon(%n: i32) -> i32 {
  // expected-error@+1 {{in 'mov.b32 $0, $1': expected ';', found the end}}
  %v = tile.inline_asm "mov.b32 $0, $1" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @no_semicolon_before_brace(%n: i32) -> i32 {
  // expected-error@+1 {{expected ';', found '}'}}
  %v = tile.inline_asm "{ mov.b32 $0, $1 }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @open_scope(%n: i32) -> i32 {
  // expected-error@+1 {{'{' without '}'}}
  %v = tile.inline_asm "{ mov.b32 $0, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @closed_twice(%n: i32) -> i32 {
  // expected-error@+1 {{'}' without '{'}}
  %v = tile.inline_asm "mov.b32 $0, $1; }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @open_comment(%n: i32) -> i32 {
  // expected-error@+1 {{a comment does not end}}
  %v = tile.inline_asm "mov.b32 $0, $1; /* and so on" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @too_few_operands(%n: i32) -> i32 {
  // expected-error@+1 {{in 'add.u32 $0, $1': 'add.u32' takes 3 operands, found 2}}
  %v = tile.inline_asm "add.u32 $0, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @wrong_size(%n: i32) -> i64 {
  // expected-error@+1 {{the register '$1' of type .b32 is no operand of type .u64}}
  %v = tile.inline_asm "add.u64 $0, $1, 1;" constraints "=l,r" pack 1 pure (%n) : (i32) -> i64
  return %v : i64
}

// -----

func.func @wrong_kind(%n: i32) -> i32 {
  // expected-error@+1 {{the register 't' of type .f32 is no operand of type .u32}}
  %v = tile.inline_asm "{ .reg .f32 t; mov.b32 t, $1; add.u32 $0, t, 1; }" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @number_as_predicate(%n: i32) -> i32 {
  // expected-error@+1 {{'@' needs a predicate}}
  %v = tile.inline_asm "@$1 mov.b32 $0, 1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @integer_as_float(%x: f32) -> f32 {
  // expected-error@+1 {{an operand of type .f32 is no such number}}
  %v = tile.inline_asm "add.f32 $0, $1, 1;" constraints "=f,f" pack 1 pure (%x) : (f32) -> f32
  return %v : f32
}

// -----

func.func @float_as_integer(%n: i32) -> i32 {
  // expected-error@+1 {{an operand of type .u32 is no such number}}
  %v = tile.inline_asm "add.u32 $0, $1, 1.5;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @digits(%n: i32) -> i32 {
  // expected-error@+1 {{cannot read the number '0f3F80'}}
  %v = tile.inline_asm "mov.b32 $0, 0f3F80;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @write_to_number(%n: i32) -> i32 {
  // expected-error@+1 {{a result needs a register}}
  %v = tile.inline_asm "mov.b32 5, $1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @registers_of_vector(%p: i64) -> i32 {
  // expected-error@+1 {{the access takes 2 registers, found 1}}
  %v = tile.inline_asm "ld.global.v2.b32 $0, [$1];" constraints "=r,l" pack 1 (%p) : (i64) -> i32
  return %v : i32
}

// -----

func.func @no_brackets(%p: i64) -> i32 {
  // expected-error@+1 {{expected an address in brackets}}
  %v = tile.inline_asm "ld.global.b32 $0, $1;" constraints "=r,l" pack 1 (%p) : (i64) -> i32
  return %v : i32
}

// -----

func.func @short_address(%p: i32) -> i32 {
  // expected-error@+1 {{the register '$1' of type .b32 is no operand of type .b64}}
  %v = tile.inline_asm "ld.global.b32 $0, [$1];" constraints "=r,r" pack 1 (%p) : (i32) -> i32
  return %v : i32
}

// -----

func.func @policy(%p: i64) -> i64 {
  // expected-error@+1 {{a cache policy is no number}}
  %v = tile.inline_asm "{ .reg .b64 t; createpolicy.fractional.L2::evict_first.b64 t, 1.0; add.u64 $0, t, $1; }" constraints "=l,l" pack 1 pure (%p) : (i64) -> i64
  return %v : i64
}

// -----

func.func @no_carry(%n: i32) -> i32 {
  // expected-error@+1 {{no instruction before leaves a carry}}
  %v = tile.inline_asm "addc.u32 $0, $1, 0;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @negated_number(%n: i32) -> i32 {
  // expected-error@+1 {{'!' needs a predicate of a comparison}}
  %v = tile.inline_asm "not.b32 $0, !$1;" constraints "=r,r" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @constraints(%x: tensor<32xf32>) -> tensor<32xf32> {
  // expected-error@+1 {{inline assembly needs a constraint (h, r, l, f, d or n) that holds each of its 2 registers, results with '=' first, found '=r,h'}}
  %v = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,h" pack 1 pure (%x) : (tensor<32xf32>) -> tensor<32xf32>
  return %v : tensor<32xf32>
}

// -----

func.func @tied_to_nothing(%n: i32) -> i32 {
  // expected-error@+1 {{inline assembly needs a constraint}}
  %v = tile.inline_asm "mov.b32 $0, $1;" constraints "=q,0" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @number_is_not_known(%n: i32) -> i32 {
  // expected-error@+1 {{the constraint 'n' of inline assembly takes an operand that is known while compiling}}
  %v = tile.inline_asm "mov.b32 $0, $1;" constraints "=r,n" pack 1 pure (%n) : (i32) -> i32
  return %v : i32
}

// -----

func.func @memory_in_scalar_code(%p: tensor<32xi64>) -> tensor<32xi32> {
  %0 = tile.map(%p) : (tensor<32xi64>) -> tensor<32xi32> {
  ^bb0(%x: i64):
    // expected-error@+1 {{code on single elements must not access memory}}
    %v = tile.inline_asm "ld.global.b32 $0, [$1];" constraints "=r,l" pack 1 pure (%x) : (i64) -> i32
    tile.yield %v : i32
  }
  return %0 : tensor<32xi32>
}

// -----

func.func @half_of_a_form(%x: f64) -> f64 {
  // expected-error@+1 {{the instruction 'rcp.rn.ftz.f64' is not supported on the CPU}}
  %v = tile.inline_asm "rcp.rn.ftz.f64 $0, $1;" constraints "=d,d" pack 1 pure (%x) : (f64) -> f64
  return %v : f64
}

// -----

func.func @half_of_a_form_of_pairs(%x: i32) -> i32 {
  // expected-error@+1 {{the instruction 'min.xorsign.f16x2' is not supported on the CPU}}
  %v = tile.inline_asm "min.xorsign.f16x2 $0, $1, $1;" constraints "=r,r" pack 1 pure (%x) : (i32) -> i32
  return %v : i32
}
