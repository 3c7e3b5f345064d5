// RUN: tile-opt %s -tile-attach-target=arch=sm_90a -tile-delay-products | FileCheck %s
// RUN: tile-opt %s -tile-attach-target='arch=sm_90a disable-heuristics=delay-products' -tile-delay-products | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.group_wait 1

#sum = #tile.layout<register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                    warp = [[16, 0], [32, 0], [64, 0]], block = []>
#row = #tile.layout<register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32], [64]], block = []>
#column = #tile.layout<register = [[8, 0]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]],
                       warp = [[16, 0], [32, 0], [64, 0]], block = []>
#rows = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128, 256, 512, 1024]>
#columns = #tile.shared<[1, 2, 4, 8, 16, 32, 72, 128]>
!queries = !tile.buffer<128x16xf16, #rows>
!slots = !tile.buffer<16x16xf16, #columns, slots = 3>
!scores = tensor<128x16xf32, #sum>
!weights = tensor<128x16xf16, #sum>
!floats = !tile.buffer<16x16xf32, #tile.shared<[1, 2, 4, 8, 16, 36, 72, 128]>, slots = 3>
!fades = tensor<128xf32, #row>

// The sum of the iteration before is made behind the scores of this one: first it is scaled, by a number of each row that the loop carries,
// not by a tile. A wait for a phase that is complete separates the work on scores from the wait for the sum, behind which registers
// of the factor are written, and the slot of the values is free.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[N:[^ ]*]]: i32
// CHECK: %[[KEYS:.*]] = tile.alloc_buffer
// CHECK: %[[VALUES:.*]] = tile.alloc_buffer
// CHECK: %[[KFULL:.*]] = tile.alloc_mbarrier
// CHECK: %[[KEMPTY:.*]] = tile.alloc_mbarrier
// CHECK: %[[VFULL:.*]] = tile.alloc_mbarrier
// CHECK: %[[VEMPTY:.*]] = tile.alloc_mbarrier
// CHECK: tile.warp_roles
// CHECK: scf.if
// CHECK: tile.mbarrier_wait %[[KFULL]][%[[ZERO:[^ ]*]]], %[[ZERO]]
// CHECK: %[[FIRST:.*]] = tile.group_dot %{{[^ ]*}}, %[[KEYS]][%[[ZERO]]]
// CHECK: tile.group_wait 0 for %[[FIRST]] :
// CHECK: %[[FADE0:.*]] = tile.reduce
// CHECK-NOT: tile.group_dot
// CHECK: tile.mbarrier_arrive %[[VEMPTY]]
// CHECK: %[[WEIGHTS0:.*]] = arith.truncf
// CHECK-NOT: tile.group_dot
// A second iteration, if there is one.
// CHECK: %[[MORE:.*]] = arith.andi
// CHECK: %[[AFTER:.*]] = arith.addi
// CHECK: %[[SECOND:.*]] = arith.select %[[MORE]], %[[AFTER]], %[[N]]
// CHECK: %[[LAST:.*]]:7 = scf.for %{{[^ ]*}} = %[[SECOND]] to %[[N]] {{.*}} iter_args(%[[ACC:[^ ]*]] = %[[ZEROS:[^ ]*]], %[[SLOT:[^ ]*]] = %{{[^ ]*}}, %[[PHASE:[^ ]*]] = %{{[^ ]*}}, %[[BEFORE:[^ ]*]] = %[[ZERO]], %[[THEN:[^ ]*]] = %[[ZERO]], %[[WEIGHTS:[^ ]*]] = %[[WEIGHTS0]], %[[FADE:[^ ]*]] = %[[FADE0]])
// CHECK: tile.mbarrier_wait %[[KFULL]][%[[SLOT]]], %[[PHASE]]
// CHECK-NEXT: %[[SCORES:.*]] = tile.group_dot %{{[^ ]*}}, %[[KEYS]][%[[SLOT]]]
// CHECK-NEXT: %[[COLUMN:.*]] = tile.expand_dims %[[FADE]]
// CHECK-NEXT: %[[FADES:.*]] = tile.broadcast %[[COLUMN]]
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[ACC]], %[[FADES]]
// CHECK-NEXT: tile.mbarrier_wait %[[VFULL]][%[[BEFORE]]], %[[THEN]]
// CHECK-NEXT: %[[SUM:.*]] = tile.group_dot %[[WEIGHTS]], %[[VALUES]][%[[BEFORE]]], %[[SCALED]]
// CHECK-NEXT: %[[DONE:.*]] = tile.group_wait 1 for %[[SCORES]] :
// CHECK: tile.mbarrier_arrive %[[KEMPTY]][%[[SLOT]]] each_warp
// CHECK: %[[NEXTFADE:.*]] = tile.reduce(%[[DONE]])
// CHECK: tile.mbarrier_wait %[[VFULL]][%[[BEFORE]]], %[[THEN]]
// CHECK-NEXT: %[[COMPLETE:.*]] = tile.group_wait 0 for %[[SUM]] :
// CHECK-NEXT: tile.mbarrier_arrive %[[VEMPTY]]
// CHECK-NEXT: %[[NEXTWEIGHTS:.*]] = arith.truncf %[[DONE]]
// CHECK-NEXT: scf.yield %[[COMPLETE]], %{{.*}}, %{{.*}}, %[[SLOT]], %[[PHASE]], %[[NEXTWEIGHTS]], %[[NEXTFADE]]
// The last sum.
// CHECK: %[[RESCALED:.*]] = arith.mulf %[[LAST]]#0
// CHECK-NEXT: tile.mbarrier_wait %[[VFULL]][%[[LAST]]#3], %[[LAST]]#4
// CHECK-NEXT: %[[ALL:.*]] = tile.group_dot %[[LAST]]#5, %[[VALUES]][%[[LAST]]#3], %[[RESCALED]]
// CHECK-NEXT: tile.group_wait 0 for %[[ALL]] :
func.func @attention(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero) -> (!scores, i32, i32) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %scaled : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase : !scores, i32, i32
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// The sums and the factor leave too few registers for the work between them.
// CHECK-LABEL: func.func @fewRegisters
// CHECK-NOT: tile.group_wait 1
// CHECK: return
func.func @fewRegisters(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 72 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero) -> (!scores, i32, i32) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %scaled : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase : !scores, i32, i32
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// Somebody else needs the scaled sum: it is scaled behind the wait, in the iteration that knows how.
// CHECK-LABEL: func.func @sumIsRead
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = %{{[^ ]*}},
// CHECK: tile.group_dot
// CHECK-NEXT: tile.mbarrier_wait
// CHECK-NEXT: %[[SUM:.*]] = tile.group_dot {{.*}}, %[[ACC]] :
// CHECK-NEXT: tile.group_wait 1
// CHECK: %[[COMPLETE:.*]] = tile.group_wait 0 for %[[SUM]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[COMPLETE]]
// CHECK: tile.reduce(%[[SCALED]])
// CHECK: scf.yield %[[SCALED]],
func.func @sumIsRead(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %none = arith.constant dense<0.0> : !fades
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:4 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero, %peak = %none) -> (!scores, i32, i32, !fades) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %largest = tile.reduce(%scaled) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %peaks = arith.maxnumf %peak, %largest : !fades
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %scaled : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase, %peaks : !scores, i32, i32, !fades
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// Two products come behind the wait: which of them could be delayed is not obvious.
// CHECK-LABEL: func.func @twoBehind
// CHECK-NOT: tile.group_wait 1
// CHECK: return
func.func @twoBehind(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero) -> (!scores, i32, i32) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %scaled : !weights, !slots -> !scores
        %again = tile.group_dot %weights, %values[%slot], %next : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %again, %nextSlot, %nextPhase : !scores, i32, i32
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// Nothing says that there is a first iteration.
// CHECK-LABEL: func.func @mayBeEmpty
// CHECK-NOT: tile.group_wait 1
// CHECK: return
func.func @mayBeEmpty(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi sle, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero) -> (!scores, i32, i32) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %scaled : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase : !scores, i32, i32
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// Work on scores ends in the registers of the factor, which the delayed product still reads.
// CHECK-LABEL: func.func @factorWithoutCast
// CHECK-NOT: tile.group_wait 1
// CHECK: return
func.func @factorWithoutCast(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !floats
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero) -> (!scores, i32, i32) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %done#0, %values[%slot], %scaled : !scores, !floats -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase : !scores, i32, i32
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}

// The product adds to something else that the loop carries.
// CHECK-LABEL: func.func @addsToOther
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[OTHER:[^ ]*]] = %{{[^ ]*}}, {{.*}}, %[[BEFORE:[^ ]*]] = %{{[^ ]*}})
// CHECK: %[[SUM:.*]] = tile.group_dot {{.*}}, %[[BEFORE]] :
// CHECK-NEXT: tile.group_wait 1
// CHECK: %[[COMPLETE:.*]] = tile.group_wait 0 for %[[SUM]]
// CHECK: %[[SCALED:.*]] = arith.mulf %[[COMPLETE]]
// CHECK: scf.yield %[[COMPLETE]], %{{[^ ]*}}, %{{[^ ]*}}, %[[SCALED]], {{.*}}, %[[OTHER]] :
func.func @addsToOther(%n: i32) attributes {tile.kernel, tile.num_warps = 12 : i32} {
  %keys = tile.alloc_buffer : !slots
  %values = tile.alloc_buffer : !slots
  %kfull = tile.alloc_mbarrier slots 3 arrivals 128
  %kempty = tile.alloc_mbarrier slots 3 arrivals 8
  %vfull = tile.alloc_mbarrier slots 3 arrivals 128
  %vempty = tile.alloc_mbarrier slots 3 arrivals 8
  tile.barrier
  tile.warp_roles role 8 registers 232 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 2 : i32
    %zeros = arith.constant dense<0.0> : !scores
    %queries = tile.alloc_buffer : !queries
    %any = arith.cmpi slt, %zero, %n : i32
    %sum = scf.if %any -> !scores {
      %loop:4 = scf.for %i = %zero to %n step %one iter_args(%acc = %zeros, %slot = %zero, %phase = %zero, %other = %zeros) -> (!scores, i32, i32, !scores) : i32 {
        tile.mbarrier_wait %kfull[%slot], %phase
        %product = tile.group_dot %queries, %keys[%slot], %zeros : !queries, !slots -> !scores
        %done:2 = tile.group_wait 0 for %product, %acc : !scores, !scores -> !scores, !scores
        %isFirst = arith.cmpi eq, %slot, %zero : i32
        %less = arith.subi %slot, %one : i32
        %before = arith.select %isFirst, %last, %less : i32
        tile.mbarrier_arrive %vempty[%before] each_warp
        tile.mbarrier_arrive %kempty[%slot] each_warp
        %fade = tile.reduce(%done#0) axis 1 : (!scores) -> !fades {
        ^bb0(%a: f32, %b: f32):
          %c = arith.maxnumf %a, %b : f32
          tile.yield %c : f32
        }
        %fadeColumn = tile.expand_dims %fade axis 1 : !fades -> tensor<128x1xf32, #column>
        %fades = tile.broadcast %fadeColumn : tensor<128x1xf32, #column> -> !scores
        %scaled = arith.mulf %done#1, %fades : !scores
        %weights = arith.truncf %done#0 : !scores to !weights
        tile.mbarrier_wait %vfull[%slot], %phase
        %next = tile.group_dot %weights, %values[%slot], %other : !weights, !slots -> !scores
        %more = arith.addi %slot, %one : i32
        %wraps = arith.cmpi eq, %slot, %last : i32
        %nextSlot = arith.select %wraps, %zero, %more : i32
        %change = arith.extui %wraps : i1 to i32
        %nextPhase = arith.xori %phase, %change : i32
        scf.yield %next, %nextSlot, %nextPhase, %scaled : !scores, i32, i32, !scores
      }
      %all = tile.group_wait 0 for %loop#0 : !scores -> !scores
      scf.yield %all : !scores
    } else {
      tile.group_wait 0
      scf.yield %zeros : !scores
    }
  } role 4 registers 40 {
  }
  return
}
