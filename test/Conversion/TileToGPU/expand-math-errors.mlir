// RUN: tile-opt %s -tile-expand-math -split-input-file -verify-diagnostics

func.func @power(%x: f64, %y: f64) -> f64 {
  // expected-error @+1 {{powf of 'f64' is not supported on GPUs yet}}
  %0 = math.powf %x, %y : f64
  return %0 : f64
}

// -----

func.func @halfExp(%x: f16) -> f16 {
  // expected-error @+1 {{exp of 'f16' is not supported on GPUs yet}}
  %0 = math.exp %x : f16
  return %0 : f16
}

// -----

func.func @halfLog(%x: vector<4xf16>) -> vector<4xf16> {
  // expected-error @+1 {{log of 'f16' is not supported on GPUs yet}}
  %0 = math.log %x : vector<4xf16>
  return %0 : vector<4xf16>
}

// -----

// Every one is reported.
func.func @two(%x: f64) -> (f64, f64) {
  // expected-error @+1 {{sinh of 'f64' is not supported on GPUs yet}}
  %0 = math.sinh %x : f64
  // expected-error @+1 {{erf of 'f64' is not supported on GPUs yet}}
  %1 = math.erf %x : f64
  return %0, %1 : f64, f64
}
