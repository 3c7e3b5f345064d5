//===- Options.td - tilec-bench's command line --------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

class FF<string letters, string help> : Flag<["--"], letters>, HelpText<help>;

/// "--name=VALUE" and "--name VALUE".
multiclass Eq<string letters, string metavar, string help> {
  def _EQ : Joined<["--"], letters # "=">, MetaVarName<metavar>, HelpText<help>;
  def : Separate<["--"], letters>, Alias<!cast<Option>(NAME # "_EQ")>;
}

def measure_Group : OptionGroup<"measure">, HelpText<"WHAT IS MEASURED">;
def place_Group : OptionGroup<"place">, HelpText<"FILES AND PROGRAMS">;
def general_Group : OptionGroup<"general">, HelpText<"GENERAL">;

let Group = general_Group in {
def help : FF<"help", "Print this text">;
def : Flag<["-"], "h">, Alias<help>;
def version : FF<"version", "Print the version">;
def list_suites : FF<"list", "Print the suites, types and providers">;
}

let Group = measure_Group in {
defm suite : Eq<"suite", "NAME,..", "Suites to run; default: all">;
defm dtype : Eq<"dtype", "TYPE,..", "Element types; default: fp32,bf16,fp16">;
defm sizes : Eq<"sizes", "SIZE,..", "Sizes instead of the suite's own: 4096x781, 781 (of 4096 rows), 2^20; matmul MxNxK; attention 4x16x4096x128[-causal]; mlp ROWSxWIDTHxLAYERS">;
defm providers : Eq<"providers", "NAME,..", "What to measure; default: all that the machine has">;
def quick : FF<"quick", "Few sizes, and fewer runs of each">;
defm num_warps : Eq<"num-warps", "N|auto", "Warps of a program of tilec's and Triton's kernels; default: auto">;
}

let Group = place_Group in {
defm out : Eq<"out", "DIR", "Where table, CSV and plots go; default: bench-results">;
defm source : Eq<"source", "DIR", "Folder with examples/ and bench/; default: where this program lies">;
defm python : Eq<"python", "PROGRAM", "Python for torch, Triton and plots; default: python3">;
}
