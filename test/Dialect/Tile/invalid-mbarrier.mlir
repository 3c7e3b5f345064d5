// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @alignment() {
  // expected-error @+1 {{'tile.alloc_mbarrier' op needs an offset that is a multiple of 8, found 12}}
  %ready = tile.alloc_mbarrier at 12
  return
}

// -----

func.func @negative() {
  // expected-error @+1 {{attribute 'offset' failed to satisfy constraint}}
  %ready = "tile.alloc_mbarrier"() {offset = -8 : i32} : () -> !tile.mbarrier
  return
}

// -----

func.func @again(%n: index, %one: index) {
  scf.for %i = %n to %n step %one {
    // expected-error @+1 {{'tile.alloc_mbarrier' op is in a loop, but an object is initialised once}}
    %ready = tile.alloc_mbarrier at 8
  }
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @parity(%ready: !tile.mbarrier, %parity: i1) {
  // expected-error @+1 {{use of value '%parity' expects different type than prior uses: 'i32' vs 'i1'}}
  tile.mbarrier_wait %ready, %parity
  return
}

// -----

func.func @condition(%ready: !tile.mbarrier, %some: i1) {
  // expected-error @+1 {{'tile.mbarrier_arrive' op has a condition, which is one for each warp's arrival}}
  tile.mbarrier_arrive %ready if %some
  return
}
