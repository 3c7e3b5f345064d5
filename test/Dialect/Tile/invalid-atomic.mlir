// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @float(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.atomic_rmw' op can only add or compare floats, found max}}
  %0 = tile.atomic_rmw max %p, %v sem = relaxed scope = gpu : !tile.ptr<f32>
  return
}

// -----

func.func @wide(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.atomic_rmw' op compares floats of 16 bits, found 'f32'}}
  %0 = tile.atomic_rmw fmax %p, %v sem = relaxed scope = gpu : !tile.ptr<f32>
  return
}

// -----

func.func @narrow(%p: !tile.ptr<i16>, %v: i16) {
  // expected-error @+1 {{'tile.atomic_rmw' op expects floats or integers of 32 or 64 bits, found 'i16'}}
  %0 = tile.atomic_rmw add %p, %v sem = relaxed scope = gpu : !tile.ptr<i16>
  return
}

// -----

func.func @swap(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tile.atomic_cas' op expects integers of 16, 32 or 64 bits, found 'f32'}}
  %0 = tile.atomic_cas %p, %v, %v sem = relaxed scope = gpu : !tile.ptr<f32>
  return
}
