// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @axis() {
  // expected-error @+2 {{expected one of [x, y, z]}}
  // expected-error @+2 {{failed to parse}}
  %0 = tile.program_id w
  return
}

// -----

func.func @gridType() {
  // expected-error @+1 {{'tile.num_programs' op result #0 must be 32-bit signless integer, but got 'i64'}}
  %0 = "tile.num_programs"() <{axis = #tile<axis x>}> : () -> i64
  return
}

// -----

func.func @condition(%x: i32) {
  // expected-error @+1 {{'tile.assert' op operand #0 must be i1 or tile of i1, but got 'i32'}}
  tile.assert %x, "message" : i32
  return
}

// -----

func.func @conditionTile(%x: tensor<3xi1>) {
  // expected-error @+1 {{'tile.assert' op operand #0 must be i1 or tile of i1, but got 'tensor<3xi1>'}}
  tile.assert %x, "message" : tensor<3xi1>
  return
}

// -----

func.func @message(%x: i1) {
  // expected-error @+1 {{expected attribute value}}
  tile.assert %x, : i1
  return
}
