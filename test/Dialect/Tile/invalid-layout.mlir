// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a basis with 1 coordinates, found 2}}
func.func private @ragged(tensor<4xf32, #tile.layout<register = [], lane = [[1], [2], [0, 0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected a basis with 1 coordinates, found 2}}
func.func private @raggedParts(tensor<4xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[0, 0]], block = []>>)

// -----

// expected-error @+1 {{expected five lane bases with at least one coordinate each}}
func.func private @fewLanes(tensor<4xf32, #tile.layout<register = [], lane = [[1], [2]], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected five lane bases with at least one coordinate each}}
func.func private @manyLanes(tensor<4xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected five lane bases with at least one coordinate each}}
func.func private @noCoordinates(tensor<4xf32, #tile.layout<register = [], lane = [[], [], [], [], []], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected five lane bases with at least one coordinate each}}
func.func private @nothing(tensor<4xf32, #tile.layout<register = [], lane = [], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected 'register'}}
func.func private @order(tensor<4xf32, #tile.layout<lane = [], register = [], warp = [], block = []>>)

// -----

// expected-error @+1 {{expected '['}}
func.func private @flat(tensor<4xf32, #tile.layout<register = [1], lane = [], warp = [], block = []>>)

// -----

// expected-error @+1 {{integer value too large}}
func.func private @wide(tensor<4xf32, #tile.layout<register = [[4294967296]], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{layout has rank 1, the tile has rank 2}}
func.func private @rank(tensor<4x1xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{layout has rank 1, the tile has rank 0}}
func.func private @rankZero(tensor<f32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{a layout needs dimensions that are powers of two}}
func.func private @three(tensor<3xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{a layout needs dimensions that are powers of two}}
func.func private @dynamic(tensor<?xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{invalid layout: expected each lane basis to lie inside the tile [4], found [4]}}
func.func private @outside(tensor<4xf32, #tile.layout<register = [], lane = [[1], [4], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{invalid layout: expected each warp basis to lie inside the tile [4], found [-1]}}
func.func private @negative(tensor<4xf32, #tile.layout<register = [], lane = [[1], [2], [0], [0], [0]], warp = [[-1]], block = []>>)

// -----

// expected-error @+1 {{invalid layout: expected the bases to reach all 4 elements of the tile [4], found that they reach only 2}}
func.func private @unreached(tensor<4xf32, #tile.layout<register = [], lane = [[1], [1], [0], [0], [0]], warp = [], block = []>>)

// -----

// expected-error @+1 {{invalid layout: expected at most 20 bases in a dimension and 63 in all, found 21 warp bases}}
func.func private @many(tensor<1xf32, #tile.layout<register = [], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]], block = []>>)
