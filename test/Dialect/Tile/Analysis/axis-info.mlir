// RUN: tile-opt %s -test-tile-axis-info -verify-diagnostics -o /dev/null

// Ranges, splats and shape changes.

func.func @shapes(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1}}
  %range = tile.make_range 0 to 64 {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 8 constancy 1}}
  %offset = tile.make_range 24 to 88 {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64}}
  %unknown = tile.splat %n {facts} : i32 -> tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 16 constancy 8; contiguity 1 divisibility 16 constancy 16}}
  %known = tile.splat %m {facts} : i32 -> tensor<8x16xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1; contiguity 1 divisibility 1 constancy 1}}
  %column = tile.expand_dims %range axis 1 {facts} : tensor<64xi32> -> tensor<64x1xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1; contiguity 64 divisibility 1073741824 constancy 1}}
  %row = tile.expand_dims %range axis 0 {facts} : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1; contiguity 1 divisibility 1 constancy 8}}
  %wide = tile.broadcast %column {facts} : tensor<64x1xi32> -> tensor<64x8xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8; contiguity 64 divisibility 1073741824 constancy 1}}
  %high = tile.broadcast %row {facts} : tensor<1x64xi32> -> tensor<8x64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1}}
  %flat = tile.reshape %row {facts} : tensor<1x64xi32> -> tensor<64xi32>
  // Groups get shorter where rows do, not longer where rows get longer.
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1; contiguity 16 divisibility 16 constancy 1}}
  %rows = tile.reshape %range {facts} : tensor<64xi32> -> tensor<4x16xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1; contiguity 16 divisibility 16 constancy 1}}
  %longer = tile.reshape %rows {facts} : tensor<4x16xi32> -> tensor<2x32xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %equal = tile.reshape %wide {facts} : tensor<64x8xi32> -> tensor<512xi32>
  return
}

// Sums, differences and products.

func.func @arithmetic(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %unknown = tile.splat %n : i32 -> tensor<64xi32>
  %known = tile.splat %m : i32 -> tensor<64xi32>
  %four = arith.constant dense<4> : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1 constancy 1}}
  %a = arith.addi %range, %unknown {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 16 constancy 1}}
  %b = arith.addi %known, %range {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %c = arith.addi %range, %range {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 16 constancy 1}}
  %d = arith.subi %range, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %e = arith.subi %known, %range {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 64 constancy 64}}
  %f = arith.muli %known, %four {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1}}
  %g = arith.muli %range, %one {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 4 constancy 1}}
  %h = arith.muli %range, %four {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64 value 5}}
  %i = arith.addi %four, %one {facts} : tensor<64xi32>
  return
}

// Division by powers of two makes groups.

func.func @division(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %known = tile.splat %m : i32 -> tensor<64xi32>
  %unknown = tile.splat %n : i32 -> tensor<64xi32>
  %moved = arith.addi %range, %known : tensor<64xi32>
  %lost = arith.addi %range, %unknown : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %a = arith.divui %range, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 8 divisibility 8 constancy 1}}
  %b = arith.remui %range, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %c = arith.divui %moved, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %d = arith.divui %lost, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %e = arith.remui %lost, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %f = arith.divui %range, %three {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %g = arith.shrsi %range, %three {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %h = arith.shrui %moved, %three {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 128 constancy 64}}
  %i = arith.shli %known, %three {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64}}
  %j = arith.shli %known, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8 not negative}}
  %k = arith.divsi %range, %eight {facts} : tensor<64xi32>
  // Rounding toward zero does not matter where nothing is rounded.
  // expected-remark @+1 {{contiguity 1 divisibility 2 constancy 64}}
  %l = arith.divsi %known, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 8 constancy 64}}
  %o = arith.remsi %known, %eight {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64}}
  %p = arith.divsi %known, %three {facts} : tensor<64xi32>
  return
}

// Signed division makes groups where nothing is negative, by whatever divides the divisor.

func.func @signed_division(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %below = tile.make_range 4294967232 to 4294967296 : tensor<64xi32>
  %c768 = arith.constant dense<768> : tensor<64xi32>
  %c64 = arith.constant 64 : i32
  %hash = arith.constant 1073741888 : i32
  %pid = tile.program_id x
  %start = arith.muli %pid, %c64 : i32
  %starts = tile.splat %start : i32 -> tensor<64xi32>
  %wrapping = arith.muli %pid, %hash : i32
  %wraps = tile.splat %wrapping : i32 -> tensor<64xi32>
  %known = tile.splat %m : i32 -> tensor<64xi32>
  %unknown = tile.splat %n : i32 -> tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 64 constancy 1 not negative}}
  %at = arith.addi %starts, %range {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 64 constancy 1 not negative}}
  %a = arith.remsi %at, %c768 {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64 not negative}}
  %b = arith.divsi %at, %c768 {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 16 divisibility 16 constancy 1 not negative}}
  %c = arith.remsi %at, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 16 not negative}}
  %d = arith.divsi %at, %known {facts} : tensor<64xi32>
  // The quotient may be negative: the divisor may.
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %unknown_sign = arith.divsi %at, %unknown {facts} : tensor<64xi32>
  // But what divides a place in the grid is a count.
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %row = arith.divsi %pid, %n {facts} : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %e = arith.remsi %at, %unknown {facts} : tensor<64xi32>
  // Rounding toward zero puts more than a group's elements around zero.
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %quotient = arith.divsi %below, %c768 {facts} : tensor<64xi32>
  // The remainder counts there all the same, unless it starts at a multiple of the divisor.
  // expected-remark-re @+1 {{contiguity 64 divisibility 64 constancy 1{{$}}}}
  %f = arith.remsi %below, %c768 {facts} : tensor<64xi32>
  // expected-remark-re @+1 {{contiguity 64 divisibility 64 constancy 1{{$}}}}
  %hashed = arith.addi %wraps, %range {facts} : tensor<64xi32>
  // Such a product wraps.
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %g = arith.divsi %hashed, %c768 {facts} : tensor<64xi32>
  // expected-remark-re @+1 {{contiguity 64 divisibility 64 constancy 1{{$}}}}
  %h = arith.remui %hashed, %c768 {facts} : tensor<64xi32>
  // A divisor that changes inside of a group ends it.
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1 not negative{{$}}}}
  %i = arith.remsi %at, %range {facts} : tensor<64xi32>
  return
}

// What a launch promises to be a multiple of 16 is not negative, and an argument that a place is multiplied by is
// a program's share.

func.func @shares(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %c32 = arith.constant 32 : i32
  %minus32 = arith.constant -32 : i32
  %pid = tile.program_id x
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %a = arith.addi %m, %pid {facts} : i32
  %promised = arith.muli %m, %c32 : i32
  // expected-remark @+1 {{contiguity 1 divisibility 512 constancy 1 not negative}}
  %b = arith.muli %pid, %promised {facts} : i32
  %groups = arith.muli %n, %c32 : i32
  // expected-remark @+1 {{contiguity 1 divisibility 32 constancy 1 not negative}}
  %c = arith.muli %pid, %groups {facts} : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %wide = arith.extsi %pid {facts} : i32 to i64
  %rows = arith.extsi %n : i32 to i64
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %d = arith.muli %rows, %wide {facts} : i64
  // Backwards, and products of arguments.
  %back = arith.muli %n, %minus32 : i32
  // expected-remark-re @+1 {{contiguity 1 divisibility 32 constancy 1{{$}}}}
  %e = arith.muli %pid, %back {facts} : i32
  // expected-remark-re @+1 {{contiguity 1 divisibility 16 constancy 1{{$}}}}
  %f = arith.muli %n, %m {facts} : i32
  %start = tile.splat %b : i32 -> tensor<64xi32>
  %at = arith.addi %start, %range : tensor<64xi32>
  %divisor = tile.splat %promised : i32 -> tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64}}
  %g = arith.divsi %at, %divisor {facts} : tensor<64xi32>
  return
}

// Places that are counted from the end of the grid's axis.

func.func @from_the_end(%n: i32) {
  %c1 = arith.constant 1 : i32
  %minus1 = arith.constant -1 : i32
  %c2 = arith.constant 2 : i32
  %pid = tile.program_id x
  %count = tile.num_programs x
  %other = tile.num_programs y
  %last = arith.subi %count, %c1 : i32
  %last2 = arith.addi %count, %minus1 : i32
  %before = arith.subi %count, %c2 : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %a = arith.subi %last, %pid {facts} : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %b = arith.subi %last2, %pid {facts} : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1 not negative}}
  %c = arith.subi %count, %pid {facts} : i32
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %d = arith.subi %before, %pid {facts} : i32
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %e = arith.subi %other, %pid {facts} : i32
  // expected-remark-re @+1 {{contiguity 1 divisibility 1 constancy 1{{$}}}}
  %f = arith.subi %n, %pid {facts} : i32
  return
}

// What is never negative.

func.func @signs(%n: i32, %byte: i8, %true: i1) {
  %c7 = arith.constant 7 : i32
  %c20 = arith.constant 20 : i32
  %c0 = arith.constant 0 : i32
  %pid = tile.program_id y
  %programs = tile.num_programs x
  // expected-remark @+1 {{not negative}}
  %wide = arith.extui %byte {facts} : i8 to i32
  // expected-remark-re @+1 {{constancy 1{{$}}}}
  %signed = arith.extsi %byte {facts} : i8 to i32
  // expected-remark @+1 {{not negative}}
  %masked = arith.andi %n, %c7 {facts} : i32
  // expected-remark @+1 {{not negative}}
  %clamped = arith.maxsi %n, %c0 {facts} : i32
  // expected-remark @+1 {{not negative}}
  %least = arith.minsi %pid, %programs {facts} : i32
  // expected-remark @+1 {{not negative}}
  %shifted = arith.shli %pid, %c20 {facts} : i32
  // expected-remark @+1 {{not negative}}
  %half = arith.shrsi %shifted, %c7 {facts} : i32
  // expected-remark @+1 {{not negative}}
  %some = arith.select %true, %pid, %masked {facts} : i32
  // expected-remark @+1 {{not negative}}
  %bits = arith.xori %pid, %masked {facts} : i32
  %step = arith.constant 64 : i32
  scf.for %i = %shifted to %n step %step : i32 {
    // expected-remark @+1 {{divisibility 64 constancy 1 not negative}}
    %next = arith.addi %i, %step {facts} : i32
  }
  return
}

// Widths of integers.

func.func @widths(%m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 512 : tensor<512xi32>
  // expected-remark @+1 {{contiguity 512 divisibility 1073741824 constancy 1}}
  %wide = arith.extsi %range {facts} : tensor<512xi32> to tensor<512xi64>
  // expected-remark @+1 {{contiguity 512 divisibility 1073741824 constancy 1}}
  %zero = arith.extui %range {facts} : tensor<512xi32> to tensor<512xi64>
  // expected-remark @+1 {{contiguity 128 divisibility 128 constancy 1}}
  %byte = arith.trunci %range {facts} : tensor<512xi32> to tensor<512xi8>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %bit = arith.trunci %range {facts} : tensor<512xi32> to tensor<512xi1>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %f = arith.sitofp %range {facts} : tensor<512xi32> to tensor<512xf32>
  return
}

// Masks are constant over groups that the bound cannot split.

func.func @masks(%n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %known = tile.splat %m : i32 -> tensor<64xi32>
  %unknown = tile.splat %n : i32 -> tensor<64xi32>
  %c40 = arith.constant dense<40> : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 16}}
  %a = arith.cmpi slt, %range, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %b = arith.cmpi slt, %range, %unknown {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %c = arith.cmpi ult, %range, %c40 {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 16}}
  %d = arith.cmpi sge, %range, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %e = arith.cmpi sle, %range, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 16}}
  %f = arith.cmpi sgt, %known, %range {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %g = arith.cmpi eq, %range, %known {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 8}}
  %h = arith.andi %a, %c {facts} : tensor<64xi1>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 64}}
  %i = arith.cmpi slt, %known, %unknown {facts} : tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %both = arith.select %a, %range, %known {facts} : tensor<64xi1>, tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1}}
  %same = arith.select %i, %range, %range {facts} : tensor<64xi1>, tensor<64xi32>
  return
}

// Pointers count by elements, and divide by bytes.

func.func @pointers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16>,
                    %n: i32 {tile.divisibility = 4 : i32}, %o: i32, %pp: !tile.ptr<!tile.ptr<i8>> {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // expected-remark @+1 {{contiguity 64 divisibility 16 constancy 1}}
  %ptrs = tile.addptr %base, %range {facts} : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 16 constancy 1}}
  %row = tile.addptr %p, %n {facts} : !tile.ptr<f32>, i32
  // expected-remark @+1 {{contiguity 1 divisibility 4 constancy 1}}
  %any = tile.addptr %p, %o {facts} : !tile.ptr<f32>, i32
  %halfs = tile.splat %q : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  // expected-remark @+1 {{contiguity 64 divisibility 1 constancy 1}}
  %unaligned = tile.addptr %halfs, %range {facts} : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 4 constancy 1}}
  %bytes = tile.ptr_cast %ptrs {facts} : tensor<64x!tile.ptr<f32>> -> tensor<64x!tile.ptr<i8>>
  // expected-remark @+1 {{contiguity 1 divisibility 4 constancy 1}}
  %ints = tile.ptr_to_int %ptrs {facts} : tensor<64x!tile.ptr<f32>> -> tensor<64xi64>
  %tables = tile.splat %pp : !tile.ptr<!tile.ptr<i8>> -> tensor<64x!tile.ptr<!tile.ptr<i8>>>
  // expected-remark @+1 {{contiguity 64 divisibility 16 constancy 1}}
  %entries = tile.addptr %tables, %range {facts} : tensor<64x!tile.ptr<!tile.ptr<i8>>>, tensor<64xi32>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
  // expected-remark @+1 {{width 2}}
  %loaded = tile.load %entries {facts} : tensor<64x!tile.ptr<!tile.ptr<i8>>>
  return
}

// Control flow joins what it knows.

func.func @flow(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1, %n: i32, %lo: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %other = tile.make_range 8 to 72 : tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 8 constancy 1}}
  %joined = scf.if %c -> tensor<64xi32> {
    scf.yield %range : tensor<64xi32>
  } else {
    scf.yield %other : tensor<64xi32>
  } {facts}
  %step = arith.constant 64 : i32
  %steps = arith.constant dense<64> : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %range : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 16 constancy 1}}
  %moved = scf.for %i = %lo to %n step %step iter_args(%q = %ptrs) -> tensor<64x!tile.ptr<f32>> : i32 {
    // expected-remark @+1 {{contiguity 1 divisibility 16 constancy 1}}
    %start = arith.addi %i, %step {facts} : i32
    // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
    // expected-remark @+1 {{width 4}}
    %x = tile.load %q {facts} : tensor<64x!tile.ptr<f32>>
    %next = tile.addptr %q, %steps : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f32>>
  } {facts}
  return
}

// Dimensions in another order take their facts along; of two values, what divides both divides the result.

func.func @orders(%n: i32 {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 8 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %range axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 1073741824 constancy 1; contiguity 1 divisibility 1 constancy 1}}
  %column = tile.permute %row order [1, 0] {facts} : tensor<1x64xi32> -> tensor<64x1xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 8 constancy 1}}
  %least = arith.minsi %n, %m {facts} : i32
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %most = arith.maxsi %range, %range {facts} : tensor<64xi32>
  return
}

// -----

// A loop that carries nothing: its induction variable is still a multiple of the step.
func.func @bare_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  scf.for %i = %zero to %n step %step : i32 {
    // expected-remark @+1 {{contiguity 1 divisibility 64 constancy 64}}
    %start = tile.splat %i {facts} : i32 -> tensor<64xi32>
    %offsets = arith.addi %start, %range : tensor<64xi32>
    %ptrs = tile.addptr %base, %offsets : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
    // expected-remark @+1 {{width 4}}
    %x = tile.load %ptrs {facts} : tensor<64x!tile.ptr<f32>>
  }
  return
}

// -----

// What is promised holds where it says more than what is known. A divisor of a tile is that of each group's first element.
func.func @promises(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %m: i32) {
  %range = tile.make_range 0 to 128 : tensor<128xi32>
  %limit = tile.splat %m : i32 -> tensor<128xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 16 constancy 1}}
  %stride = tile.promise %n divisibility [16] contiguity [1] constancy [1] {facts} : i32
  %wrapped = arith.remsi %range, %limit : tensor<128xi32>
  // expected-remark @+1 {{contiguity 1 divisibility 1 constancy 1}}
  %unplaced = tile.promise %wrapped divisibility [128] contiguity [1] constancy [1] {facts} : tensor<128xi32>
  // expected-remark @+1 {{contiguity 64 divisibility 128 constancy 1}}
  %placed = tile.promise %wrapped divisibility [128] contiguity [64] constancy [1] {facts} : tensor<128xi32>
  // expected-remark @+1 {{contiguity 128 divisibility 1 constancy 4}}
  %long = tile.promise %wrapped divisibility [1] contiguity [512] constancy [4] {facts} : tensor<128xi32>
  // expected-remark @+1 {{contiguity 128 divisibility 1073741824 constancy 1}}
  %less = tile.promise %range divisibility [4] contiguity [8] constancy [1] {facts} : tensor<128xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %ptrs = tile.addptr %base, %placed : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
  // expected-remark @+1 {{width 4}}
  %x = tile.load %ptrs {facts} : tensor<128x!tile.ptr<f32>>
  return
}

// What equal pointers load is equal, unless masks or other elements differ, or it may change meanwhile.
func.func @loads(%p: !tile.ptr<i32>, %page: i32 {tile.divisibility = 16 : i32}) {
  %range = tile.make_range 0 to 64 : tensor<64xi32>
  %size = arith.constant dense<16> : tensor<64xi32>
  %pages = arith.divui %range, %size : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %pages : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 16}}
  // expected-remark @+1 {{width 1}}
  %table = tile.load %pp {facts} : tensor<64x!tile.ptr<i32>>
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %few = arith.cmpi slt, %range, %c8 : tensor<64xi32>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 8}}
  // expected-remark @+1 {{width 1}}
  %masked = tile.load %pp mask %few {facts} : tensor<64x!tile.ptr<i32>>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
  // expected-remark @+1 {{width 1}}
  %others = tile.load %pp mask %few other %range {facts} : tensor<64x!tile.ptr<i32>>
  // expected-remark @+2 {{contiguity 1 divisibility 1 constancy 1}}
  // expected-remark @+1 {{width 1}}
  %changing = tile.load %pp volatile {facts} : tensor<64x!tile.ptr<i32>>
  return
}
