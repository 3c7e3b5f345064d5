// RUN: tile-opt %s -tile-scale-maxima | FileCheck %s
// RUN: tile-opt %s -tile-scale-maxima -canonicalize -cse | FileCheck %s --check-prefix=FOLD

!scores = tensor<64x32xf32>
!peaks = tensor<64xf32>

// Where the number is positive and finite, the maximum is scaled; elsewhere what it is of. Whatever uses the products multiplies behind the
// branches.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: %{{[^:]*}}: tensor<64x16xf16>, %{{[^:]*}}: tensor<16x32xf16>, %[[S:[^:]*]]: f32
// CHECK: %[[X:.*]] = tile.dot
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[S]], %[[ZERO]]
// CHECK: %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[S]], %[[INF]]
// CHECK: %[[USUAL:.*]] = arith.andi %[[POSITIVE]], %[[FINITE]]
// CHECK: %[[R:.*]]:3 = scf.if %[[USUAL]]
// CHECK: %[[MAX:.*]] = tile.reduce(%[[X]]) axis 1
// CHECK: %[[SPLAT:.*]] = tile.splat %[[S]] : f32 -> tensor<64xf32>
// CHECK: %[[PEAK:.*]] = arith.mulf %[[MAX]], %[[SPLAT]] fastmath<contract>
// CHECK: scf.yield %[[PEAK]], %[[X]], %[[S]]
// CHECK: } else {
// CHECK: %[[ALL:.*]] = tile.splat %[[S]] : f32 -> tensor<64x32xf32>
// CHECK: %[[PRODUCTS:.*]] = arith.mulf %[[X]], %[[ALL]] fastmath<contract>
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[OTHER:.*]] = tile.reduce(%[[PRODUCTS]]) axis 1
// CHECK: scf.yield %[[OTHER]], %[[PRODUCTS]], %[[ONE]]
// CHECK: %[[FACTOR:.*]] = tile.splat %[[R]]#2
// CHECK: %[[LATER:.*]] = arith.mulf %[[R]]#1, %[[FACTOR]] fastmath<contract>
// CHECK: return %[[R]]#0, %[[LATER]]
func.func @scaled(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, %s: f32) -> (!peaks, !scores) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : !scores
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> !scores
  %all = tile.splat %s : f32 -> !scores
  %products = arith.mulf %x, %all fastmath<contract> : !scores
  %max = tile.reduce(%products) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %max, %products : !peaks, !scores
}

// Two maxima of the same products: the second one is of what the first one leaves.
// CHECK-LABEL: func.func @twice
// CHECK: %[[R:.*]]:3 = scf.if
// CHECK: %[[LATER:.*]] = arith.mulf %[[R]]#1
// CHECK-NOT: scf.if
// CHECK: %[[COLUMNS:.*]] = tile.reduce(%[[LATER]]) axis 0
// CHECK: return %[[R]]#0, %[[COLUMNS]]
func.func @twice(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, %s: f32) -> (!peaks, tensor<32xf32>) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : !scores
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> !scores
  %all = tile.splat %s : f32 -> !scores
  %products = arith.mulf %x, %all : !scores
  %rows = tile.reduce(%products) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %columns = tile.reduce(%products) axis 0 : (!scores) -> tensor<32xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %rows, %columns : !peaks, tensor<32xf32>
}

// A constant that is positive needs no branch, and there may be several numbers; a negative one changes nothing.
// CHECK-LABEL: func.func @constants
// CHECK: %[[X:.*]] = tile.dot
// CHECK-NOT: scf.if
// CHECK: %[[MAX:.*]] = tile.reduce(%[[X]]) axis 1
// CHECK: arith.mulf %[[MAX]],
// CHECK: %[[R:.*]]:4 = scf.if
// CHECK: tile.reduce(%[[X]]) axis 1
// CHECK: scf.yield {{.*}}, %[[X]],
// CHECK: arith.mulf %[[R]]#1,
// CHECK-NOT: scf.if
// CHECK: %[[NEGATIVE:.*]] = arith.mulf %[[X]]
// CHECK: tile.reduce(%[[NEGATIVE]]) axis 1
func.func @constants(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, %s: f32) -> (!peaks, !peaks, !peaks, !scores) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : !scores
  %half = arith.constant dense<0.5> : !scores
  %minus = arith.constant dense<-0.5> : !scores
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> !scores
  %quarter = arith.constant dense<0.25> : !scores
  %small = arith.mulf %x, %quarter : !scores
  %one = tile.reduce(%small) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %all = tile.splat %s : f32 -> !scores
  %halves = arith.mulf %x, %half : !scores
  %products = arith.mulf %halves, %all : !scores
  %two = tile.reduce(%products) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %negative = arith.mulf %x, %minus : !scores
  %three = tile.reduce(%negative) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %one, %two, %three, %products : !peaks, !peaks, !peaks, !scores
}

// A mask that is true everywhere does nothing. Rows from %m on reach columns up to %n + 31, unless those wrap around; the mask and
// the products move into the branch that needs them.
// FOLD-LABEL: func.func @masked
// FOLD-SAME: %[[S:[^:]*]]: f32, %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32
// FOLD-DAG: %[[C31:.*]] = arith.constant 31 : i64
// FOLD-DAG: %[[MOST:.*]] = arith.constant 2147483647 : i64
// FOLD-DAG: %[[MINUS:.*]] = arith.constant dense<0xFF800000>
// FOLD: %[[X:.*]] = tile.dot
// FOLD-NOT: arith.cmpi {{.*}} tensor
// FOLD-NOT: arith.mulf
// FOLD: %[[ROW:.*]] = arith.extsi %[[M]] : i32 to i64
// FOLD: %[[COLUMN:.*]] = arith.extsi %[[N]] : i32 to i64
// FOLD: %[[END:.*]] = arith.addi %[[COLUMN]], %[[C31]]
// FOLD: arith.cmpi sle, %[[END]], %[[MOST]]
// FOLD: arith.cmpi sge, %[[ROW]], %[[END]]
// FOLD: scf.if
// FOLD: tile.reduce(%[[X]])
// FOLD: } else {
// FOLD: arith.mulf %[[X]]
// FOLD: %[[MASK:.*]] = arith.cmpi sge, {{.*}} : tensor<64x32xi32>
// FOLD: %[[SELECTED:.*]] = arith.select %[[MASK]], {{.*}}, %[[MINUS]]
// FOLD: tile.reduce(%[[SELECTED]])
// FOLD: }
func.func @masked(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, %s: f32, %m: i32, %n: i32) -> (!peaks, !scores) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : !scores
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> !scores
  %all = tile.splat %s : f32 -> !scores
  %products = arith.mulf %x, %all fastmath<contract> : !scores
  %rowRange = tile.make_range 0 to 64 : tensor<64xi32>
  %columnRange = tile.make_range 0 to 32 : tensor<32xi32>
  %firstRow = tile.splat %m : i32 -> tensor<64xi32>
  %rows = arith.addi %firstRow, %rowRange : tensor<64xi32>
  %firstColumn = tile.splat %n : i32 -> tensor<32xi32>
  %columns = arith.addi %firstColumn, %columnRange : tensor<32xi32>
  %rowColumn = tile.expand_dims %rows axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %columnRow = tile.expand_dims %columns axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %left = tile.broadcast %rowColumn : tensor<64x1xi32> -> tensor<64x32xi32>
  %right = tile.broadcast %columnRow : tensor<1x32xi32> -> tensor<64x32xi32>
  %mask = arith.cmpi sge, %left, %right : tensor<64x32xi32>
  %none = arith.constant dense<0xFF800000> : !scores
  %selected = arith.select %mask, %products, %none : tensor<64x32xi1>, !scores
  %max = tile.reduce(%selected) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %max, %selected : !peaks, !scores
}

// Bounds of sums, differences and multiples, and of several masks. A negative factor swaps them.
// FOLD-LABEL: func.func @bounds
// FOLD-SAME: %[[S:[^:]*]]: f32, %[[N:[^:]*]]: i32, %[[OPEN:[^:]*]]: i1
// FOLD-DAG: %[[END:.*]] = arith.constant -14 : i64
// FOLD: %[[WIDE:.*]] = arith.extsi %[[N]]
// FOLD: %[[LEAST:.*]] = arith.addi %[[WIDE]], %[[END]]
// FOLD: arith.cmpi sgt, %[[LEAST]],
// FOLD: arith.andi %{{.*}}, %[[OPEN]]
// FOLD: scf.if
func.func @bounds(%q: tensor<64x16xf16>, %k: tensor<16x8xf16>, %s: f32, %n: i32, %open: i1) -> !peaks attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  %all = tile.splat %s : f32 -> tensor<64x8xf32>
  %products = arith.mulf %x, %all : tensor<64x8xf32>
  %range = tile.make_range 0 to 8 : tensor<8xi32>
  %minusTwo = arith.constant dense<-2> : tensor<8xi32>
  %steps = arith.muli %range, %minusTwo : tensor<8xi32>
  %first = tile.splat %n : i32 -> tensor<8xi32>
  %ends = arith.addi %first, %steps : tensor<8xi32>
  %row = tile.expand_dims %ends axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %limit = arith.constant dense<7> : tensor<1x8xi32>
  %isAbove = arith.cmpi sgt, %row, %limit : tensor<1x8xi32>
  %isOpen = tile.splat %open : i1 -> tensor<1x8xi1>
  %both = arith.andi %isAbove, %isOpen : tensor<1x8xi1>
  %mask = tile.broadcast %both : tensor<1x8xi1> -> tensor<64x8xi1>
  %none = arith.constant dense<0xFF800000> : tensor<64x8xf32>
  %selected = arith.select %mask, %products, %none : tensor<64x8xi1>, tensor<64x8xf32>
  %max = tile.reduce(%selected) axis 1 : (tensor<64x8xf32>) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %max : !peaks
}

// A thread has too few results for a branch to pay.
// FOLD-LABEL: func.func @small
// FOLD-NOT: scf.if
// FOLD: return
func.func @small(%q: tensor<64x16xf16>, %k: tensor<16x8xf16>, %s: f32, %n: i32, %open: i1) -> !peaks attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x8xf16> -> tensor<64x8xf32>
  %all = tile.splat %s : f32 -> tensor<64x8xf32>
  %products = arith.mulf %x, %all : tensor<64x8xf32>
  %range = tile.make_range 0 to 8 : tensor<8xi32>
  %minusTwo = arith.constant dense<-2> : tensor<8xi32>
  %steps = arith.muli %range, %minusTwo : tensor<8xi32>
  %first = tile.splat %n : i32 -> tensor<8xi32>
  %ends = arith.addi %first, %steps : tensor<8xi32>
  %row = tile.expand_dims %ends axis 0 : tensor<8xi32> -> tensor<1x8xi32>
  %limit = arith.constant dense<7> : tensor<1x8xi32>
  %isAbove = arith.cmpi sgt, %row, %limit : tensor<1x8xi32>
  %isOpen = tile.splat %open : i1 -> tensor<1x8xi1>
  %both = arith.andi %isAbove, %isOpen : tensor<1x8xi1>
  %mask = tile.broadcast %both : tensor<1x8xi1> -> tensor<64x8xi1>
  %none = arith.constant dense<0xFF800000> : tensor<64x8xf32>
  %selected = arith.select %mask, %products, %none : tensor<64x8xi1>, tensor<64x8xf32>
  %max = tile.reduce(%selected) axis 1 : (tensor<64x8xf32>) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  return %max : !peaks
}

// What is loaded is compared as it is multiplied: threads wait for memory there. So is what is masked by something else than -inf, or by what is
// known only in memory, what has another factor for each element, and what is added up.
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.if
// CHECK: return
func.func @others(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, %s: f32, %loaded: !scores, %mask: tensor<64x32xi1>) -> (!peaks, !peaks, !peaks, !peaks, !peaks) attributes {tile.kernel, tile.num_warps = 2 : i32} {
  %zeros = arith.constant dense<0.0> : !scores
  %none = arith.constant dense<0xFF800000> : !scores
  %x = tile.dot %q, %k, %zeros : tensor<64x16xf16>, tensor<16x32xf16> -> !scores
  %all = tile.splat %s : f32 -> !scores
  %products = arith.mulf %x, %all : !scores
  %ofLoaded = arith.mulf %loaded, %all : !scores
  %ofEach = arith.mulf %x, %loaded : !scores
  %unknown = arith.select %mask, %products, %none : tensor<64x32xi1>, !scores
  %everywhere = arith.constant true
  %true = tile.splat %everywhere : i1 -> tensor<64x32xi1>
  %zeroed = arith.select %true, %products, %zeros : tensor<64x32xi1>, !scores
  %0 = tile.reduce(%ofLoaded) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %1 = tile.reduce(%ofEach) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %2 = tile.reduce(%unknown) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %3 = tile.reduce(%zeroed) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }
  %4 = tile.reduce(%products) axis 1 : (!scores) -> !peaks {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  return %0, %1, %2, %3, %4 : !peaks, !peaks, !peaks, !peaks, !peaks
}

// Nor where the scores and the sums that the loop carries take more registers than a thread has, 128 and 128: then a part of the rows is worked
// on after the other, and a branch would need the scores of all.
// CHECK-LABEL: func.func @many
// CHECK-NOT: scf.if
// CHECK: return
// With twice the threads there is room.
// CHECK-LABEL: func.func @enough
// CHECK: scf.if
func.func @many(%q: tensor<128x16xf16>, %k: tensor<16x128xf16>, %s: f32, %sums: tensor<128x128xf32>, %n: i32) -> tensor<128x128xf32> attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %all = tile.splat %s : f32 -> tensor<128x128xf32>
  %result = scf.for %i = %zero to %n step %one iter_args(%carried = %sums) -> tensor<128x128xf32> : i32 {
    %x = tile.dot %q, %k, %zeros : tensor<128x16xf16>, tensor<16x128xf16> -> tensor<128x128xf32>
    %products = arith.mulf %x, %all fastmath<contract> : tensor<128x128xf32>
    %max = tile.reduce(%products) axis 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %column = tile.expand_dims %max axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %peaks = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %next = arith.addf %carried, %peaks : tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  return %result : tensor<128x128xf32>
}

func.func @enough(%q: tensor<128x16xf16>, %k: tensor<16x128xf16>, %s: f32, %sums: tensor<128x128xf32>, %n: i32) -> tensor<128x128xf32> attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %zeros = arith.constant dense<0.0> : tensor<128x128xf32>
  %all = tile.splat %s : f32 -> tensor<128x128xf32>
  %result = scf.for %i = %zero to %n step %one iter_args(%carried = %sums) -> tensor<128x128xf32> : i32 {
    %x = tile.dot %q, %k, %zeros : tensor<128x16xf16>, tensor<16x128xf16> -> tensor<128x128xf32>
    %products = arith.mulf %x, %all fastmath<contract> : tensor<128x128xf32>
    %max = tile.reduce(%products) axis 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    }
    %column = tile.expand_dims %max axis 1 : tensor<128xf32> -> tensor<128x1xf32>
    %peaks = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %next = arith.addf %carried, %peaks : tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  return %result : tensor<128x128xf32>
}
