// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @one() {
  // expected-error @+1 {{'tile.warp_roles' op expects two roles or more, each with its warps and registers}}
  tile.warp_roles role 4 registers 40 {
  }
  return
}

// -----

func.func @lists() {
  // expected-error @+1 {{'tile.warp_roles' op expects two roles or more, each with its warps and registers}}
  "tile.warp_roles"() <{numWarps = array<i32: 4, 4>, registers = array<i32: 40>}> ({
  ^bb0:
  }, {
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @groups() {
  // expected-error @+1 {{'tile.warp_roles' op expects roles of whole groups of 4 warps, found 2 warps}}
  tile.warp_roles role 4 registers 232 {
  } role 2 registers 40 {
  }
  return
}

// -----

func.func @registers() {
  // expected-error @+1 {{'tile.warp_roles' op expects a multiple of 8 registers from 24 to 256, found 42}}
  tile.warp_roles role 4 registers 232 {
  } role 4 registers 42 {
  }
  return
}

// -----

func.func @few() {
  // expected-error @+1 {{'tile.warp_roles' op expects a multiple of 8 registers from 24 to 256, found 16}}
  tile.warp_roles role 4 registers 232 {
  } role 4 registers 16 {
  }
  return
}

// -----

func.func @nested(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{'tile.warp_roles' op expects to stand in the body of a function}}
    tile.warp_roles role 4 registers 232 {
    } role 4 registers 40 {
    }
  }
  return
}

// -----

func.func @behind() {
  // expected-error @+1 {{'tile.warp_roles' op expects nothing but the return behind it}}
  tile.warp_roles role 4 registers 232 {
  } role 4 registers 40 {
  }
  tile.barrier
  return
}

// -----

func.func @total() attributes {tile.num_warps = 8 : i32} {
  // expected-error @+1 {{'tile.warp_roles' op expects roles for the function's 8 warps, found 12}}
  tile.warp_roles role 8 registers 232 {
  } role 4 registers 40 {
  }
  return
}

// -----

func.func @arguments() {
  // expected-error @+1 {{'tile.warp_roles' op region #1 should have no arguments}}
  "tile.warp_roles"() <{numWarps = array<i32: 4, 4>, registers = array<i32: 232, 40>}> ({
  ^bb0:
  }, {
  ^bb0(%x: i32):
  }) : () -> ()
  return
}

// -----

// expected-error @+1 {{expects 'tile.roles' to be "never", "asked", "auto" or "always", found "sometimes"}}
func.func @word() attributes {tile.roles = "sometimes"} {
  return
}

// -----

// expected-error @+1 {{cannot carry 'tile.flatten', it is no loop}}
func.func @flat() attributes {tile.flatten} {
  return
}

// -----

// expected-error @+1 {{cannot carry 'tile.warp_specialize', it is no loop}}
func.func @loop() attributes {tile.warp_specialize} {
  return
}

// -----

func.func @value(%n: index) {
  // expected-error @+1 {{expects 'tile.copies_in_place' to be a unit attribute}}
  scf.for %i = %n to %n step %n {
  } {tile.copies_in_place = 1 : i32}
  return
}

// -----

func.func @slots(%parity: i32) {
  %full = tile.alloc_mbarrier slots 2
  // expected-error @+1 {{'tile.mbarrier_wait' op expects a slot, since the barrier has several}}
  tile.mbarrier_wait %full, %parity
  return
}

// -----

func.func @slot(%slot: i32) {
  %full = tile.alloc_mbarrier
  // expected-error @+1 {{'tile.mbarrier_arrive' op names a slot of a barrier that is one object}}
  tile.mbarrier_arrive %full[%slot]
  return
}

// -----

func.func @copies() {
  %full = tile.alloc_mbarrier
  // expected-error @+1 {{'tile.mbarrier_arrive' op cannot count a warp's arrivals as one after copies, for which each thread arrives by itself}}
  tile.mbarrier_arrive %full each_warp after_copies
  return
}
