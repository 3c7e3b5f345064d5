// RUN: tile-opt %s -convert-tile-to-gpu | FileCheck %s

// Elementwise operations keep their name and attributes and work on vectors of registers.

#two = #tile.layout<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []>

// CHECK-LABEL: func.func @integers
// CHECK: arith.addi %{{.*}}, %{{.*}} overflow<nsw> : vector<2xi32>
// CHECK: arith.subi {{.*}} : vector<2xi32>
// CHECK: arith.muli {{.*}} : vector<2xi32>
// CHECK: arith.divsi {{.*}} : vector<2xi32>
// CHECK: arith.divui {{.*}} : vector<2xi32>
// CHECK: arith.remsi {{.*}} : vector<2xi32>
// CHECK: arith.remui {{.*}} : vector<2xi32>
// CHECK: arith.andi {{.*}} : vector<2xi32>
// CHECK: arith.ori {{.*}} : vector<2xi32>
// CHECK: arith.xori {{.*}} : vector<2xi32>
// CHECK: arith.shli {{.*}} : vector<2xi32>
// CHECK: arith.shrsi {{.*}} : vector<2xi32>
// CHECK: arith.shrui {{.*}} : vector<2xi32>
// CHECK: arith.minsi {{.*}} : vector<2xi32>
// CHECK: arith.maxui {{.*}} : vector<2xi32>
// CHECK: arith.mului_extended {{.*}} : vector<2xi32>
// CHECK: arith.cmpi ult, {{.*}} : vector<2xi32>
// CHECK: math.absi {{.*}} : vector<2xi32>
func.func @integers(%x: tensor<64xi32, #two>, %y: tensor<64xi32, #two>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = arith.addi %x, %y overflow<nsw> : tensor<64xi32, #two>
  %1 = arith.subi %x, %y : tensor<64xi32, #two>
  %2 = arith.muli %x, %y : tensor<64xi32, #two>
  %3 = arith.divsi %x, %y : tensor<64xi32, #two>
  %4 = arith.divui %x, %y : tensor<64xi32, #two>
  %5 = arith.remsi %x, %y : tensor<64xi32, #two>
  %6 = arith.remui %x, %y : tensor<64xi32, #two>
  %7 = arith.andi %x, %y : tensor<64xi32, #two>
  %8 = arith.ori %x, %y : tensor<64xi32, #two>
  %9 = arith.xori %x, %y : tensor<64xi32, #two>
  %10 = arith.shli %x, %y : tensor<64xi32, #two>
  %11 = arith.shrsi %x, %y : tensor<64xi32, #two>
  %12 = arith.shrui %x, %y : tensor<64xi32, #two>
  %13 = arith.minsi %x, %y : tensor<64xi32, #two>
  %14 = arith.maxui %x, %y : tensor<64xi32, #two>
  %15, %16 = arith.mului_extended %x, %y : tensor<64xi32, #two>
  %17 = arith.cmpi ult, %x, %y : tensor<64xi32, #two>
  %18 = math.absi %x : tensor<64xi32, #two>
  return
}

// CHECK-LABEL: func.func @floats
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<contract> : vector<2xf16>
// CHECK: arith.subf {{.*}} : vector<2xf16>
// CHECK: arith.mulf {{.*}} : vector<2xf16>
// CHECK: arith.divf {{.*}} : vector<2xf16>
// CHECK: arith.negf {{.*}} : vector<2xf16>
// CHECK: arith.maximumf {{.*}} : vector<2xf16>
// CHECK: arith.minnumf {{.*}} : vector<2xf16>
// CHECK: arith.cmpf olt, {{.*}} : vector<2xf16>
// CHECK: math.sqrt {{.*}} : vector<2xf16>
// CHECK: math.fma {{.*}} : vector<2xf16>
func.func @floats(%x: tensor<64xf16, #two>, %y: tensor<64xf16, #two>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = arith.addf %x, %y fastmath<contract> : tensor<64xf16, #two>
  %1 = arith.subf %x, %y : tensor<64xf16, #two>
  %2 = arith.mulf %x, %y : tensor<64xf16, #two>
  %3 = arith.divf %x, %y : tensor<64xf16, #two>
  %4 = arith.negf %x : tensor<64xf16, #two>
  %5 = arith.maximumf %x, %y : tensor<64xf16, #two>
  %6 = arith.minnumf %x, %y : tensor<64xf16, #two>
  %7 = arith.cmpf olt, %x, %y : tensor<64xf16, #two>
  %8 = math.sqrt %x : tensor<64xf16, #two>
  %9 = math.fma %x, %y, %x : tensor<64xf16, #two>
  return
}

// CHECK-LABEL: func.func @casts
// CHECK: arith.extsi {{.*}} : vector<2xi32> to vector<2xi64>
// CHECK: arith.extui {{.*}} : vector<2xi32> to vector<2xi64>
// CHECK: arith.trunci {{.*}} : vector<2xi32> to vector<2xi1>
// CHECK: arith.sitofp {{.*}} : vector<2xi32> to vector<2xf32>
// CHECK: arith.uitofp {{.*}} : vector<2xi32> to vector<2xf64>
// CHECK: arith.fptosi {{.*}} : vector<2xf32> to vector<2xi16>
// CHECK: arith.fptoui {{.*}} : vector<2xf32> to vector<2xi8>
// CHECK: arith.extf {{.*}} : vector<2xf32> to vector<2xf64>
// CHECK: arith.truncf {{.*}} : vector<2xf32> to vector<2xbf16>
// CHECK: arith.bitcast {{.*}} : vector<2xi32> to vector<2xf32>
func.func @casts(%x: tensor<64xi32, #two>, %f: tensor<64xf32, #two>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = arith.extsi %x : tensor<64xi32, #two> to tensor<64xi64, #two>
  %1 = arith.extui %x : tensor<64xi32, #two> to tensor<64xi64, #two>
  %2 = arith.trunci %x : tensor<64xi32, #two> to tensor<64xi1, #two>
  %3 = arith.sitofp %x : tensor<64xi32, #two> to tensor<64xf32, #two>
  %4 = arith.uitofp %x : tensor<64xi32, #two> to tensor<64xf64, #two>
  %5 = arith.fptosi %f : tensor<64xf32, #two> to tensor<64xi16, #two>
  %6 = arith.fptoui %f : tensor<64xf32, #two> to tensor<64xi8, #two>
  %7 = arith.extf %f : tensor<64xf32, #two> to tensor<64xf64, #two>
  %8 = arith.truncf %f : tensor<64xf32, #two> to tensor<64xbf16, #two>
  %9 = arith.bitcast %x : tensor<64xi32, #two> to tensor<64xf32, #two>
  return
}

// CHECK-LABEL: func.func @selects
// CHECK-SAME: %[[C:.*]]: i1
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<2xi1>, vector<2xf32>
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<2xi1>, vector<2x!llvm.ptr<1>>
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
func.func @selects(%c: i1, %m: tensor<64xi1, #two>, %x: tensor<64xf32, #two>,
                   %y: tensor<64xf32, #two>, %p: tensor<64x!tile.ptr<f32>, #two>,
                   %q: tensor<64x!tile.ptr<f32>, #two>, %s: !tile.ptr<f32>, %t: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = arith.select %m, %x, %y : tensor<64xi1, #two>, tensor<64xf32, #two>
  %1 = arith.select %c, %x, %y : tensor<64xf32, #two>
  %2 = arith.select %m, %p, %q : tensor<64xi1, #two>, tensor<64x!tile.ptr<f32>, #two>
  %3 = arith.select %c, %s, %t : !tile.ptr<f32>
  return
}

// An offset counts elements, and narrow ones are sign-extended; an i1 buffer's element is a byte.
// CHECK-LABEL: func.func @pointers
// CHECK: %[[WIDE:.*]] = arith.extsi %{{.*}} : i8 to i64
// CHECK: llvm.getelementptr %{{.*}}[%[[WIDE]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f64
// CHECK-NOT: arith.extsi
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] : (vector<2x!llvm.ptr<1>>, vector<2xi64>) -> vector<2x!llvm.ptr<1>>, !llvm.ptr<1>
// CHECK: llvm.ptrtoint %{{.*}} : vector<2x!llvm.ptr<1>> to vector<2xi64>
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
func.func @pointers(%p: !tile.ptr<f64>, %i: i8, %ps: tensor<64x!tile.ptr<!tile.ptr<i8>>, #two>,
                    %is: tensor<64xi64, #two>, %address: i64)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.addptr %p, %i : !tile.ptr<f64>, i8
  %1 = tile.addptr %ps, %is : tensor<64x!tile.ptr<!tile.ptr<i8>>, #two>, tensor<64xi64, #two>
  %2 = tile.ptr_to_int %ps : tensor<64x!tile.ptr<!tile.ptr<i8>>, #two> -> tensor<64xi64, #two>
  %3 = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  return
}

// All pointers are alike: a cast is nothing.
// CHECK-LABEL: func.func @cast
// CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>
// CHECK-NEXT: vector.from_elements %[[P]] : vector<1x!llvm.ptr<1>>
// CHECK: llvm.load volatile {{.*}} -> vector<1xi8>
func.func @cast(%p: !tile.ptr<f64>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.ptr_cast %p : !tile.ptr<f64> -> !tile.ptr<i8>
  %1 = tile.load %0 volatile : !tile.ptr<i8>
  return
}

// CHECK-LABEL: func.func @grid
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.read.ptx.sreg.ctaid.z
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: nvvm.read.ptx.sreg.nctaid.y
// CHECK: nvvm.read.ptx.sreg.nctaid.z
func.func @grid() attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = tile.program_id x
  %1 = tile.program_id y
  %2 = tile.program_id z
  %3 = tile.num_programs x
  %4 = tile.num_programs y
  %5 = tile.num_programs z
  return
}

// Control flow carries vectors.
// CHECK-LABEL: func.func @flow
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (vector<2xf32>)
// CHECK: scf.yield %{{.*}} : vector<2xf32>
// CHECK: scf.if %{{.*}} -> (vector<2xf32>)
// CHECK: scf.while ({{.*}}) : (vector<2xf32>) -> vector<2xf32>
func.func @flow(%x: tensor<64xf32, #two>, %n: i32, %c: i1)
    attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %0 = scf.for %i = %n to %n step %n iter_args(%a = %x) -> tensor<64xf32, #two> : i32 {
    %b = arith.addf %a, %x : tensor<64xf32, #two>
    scf.yield %b : tensor<64xf32, #two>
  }
  %1 = scf.if %c -> tensor<64xf32, #two> {
    scf.yield %0 : tensor<64xf32, #two>
  } else {
    scf.yield %x : tensor<64xf32, #two>
  }
  %2 = scf.while (%a = %1) : (tensor<64xf32, #two>) -> tensor<64xf32, #two> {
    scf.condition(%c) %a : tensor<64xf32, #two>
  } do {
  ^bb0(%b: tensor<64xf32, #two>):
    scf.yield %b : tensor<64xf32, #two>
  }
  return
}
