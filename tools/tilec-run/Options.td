//===- Options.td - tilec-run's command line ----------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

class FF<string letters, string help> : Flag<["--"], letters>, HelpText<help>;

/// "--name=VALUE" and "--name VALUE".
multiclass Eq<string letters, string metavar, string help> {
  def _EQ : Joined<["--"], letters # "=">, MetaVarName<metavar>, HelpText<help>;
  def : Separate<["--"], letters>, Alias<!cast<Option>(NAME # "_EQ")>;
}

def kernel_Group : OptionGroup<"kernel">, HelpText<"KERNEL AND ARGUMENTS">;
def target_Group : OptionGroup<"target">, HelpText<"WHERE AND HOW IT RUNS">;
def result_Group : OptionGroup<"result">, HelpText<"RESULTS AND MEASUREMENTS">;
def general_Group : OptionGroup<"general">, HelpText<"GENERAL">;

let Group = general_Group in {
def help : FF<"help", "Print this text and the forms of values">;
def : Flag<["-"], "h">, Alias<help>;
def version : FF<"version", "Print the version">;
}

let Group = kernel_Group in {
defm kernel : Eq<"kernel", "NAME", "Kernel to run; not needed when the file has one @triton.jit function">;
def I : JoinedOrSeparate<["-"], "I">, MetaVarName<"FOLDER">,
  HelpText<"Look for imported kernel files in FOLDER too, after those around the file; may be repeated">;
defm grid : Eq<"grid", "X[,Y[,Z]]", "Programs along each axis, e.g. 'cdiv(n, BLOCK), 2'">;
defm require : Eq<"require", "EXPR",
  "A condition of the run, 'n <= BLOCK'; may be repeated; True: derive none from the masks">;
defm arg : Eq<"arg", "NAME=VALUE", "Argument: a number or other constant, @FILE.npy, or CONTENTS:TYPE[SHAPE]">;
def D : JoinedOrSeparate<["-"], "D">, MetaVarName<"NAME=VALUE">,
  HelpText<"Make a parameter a compile-time constant: 1024, 0.5, True, None, tl.float16, (1, 2), a jit function">;
defm sig : Eq<"sig", "TYPES", "Parameter types that shall not follow from the arguments: 'n=i64,x=*fp32'">;
defm seed : Eq<"seed", "N", "Seed of randn: and rand:; default: 0">;
}

let Group = target_Group in {
defm num_warps : Eq<"num-warps", "N", "Warps of a program: 1, 2, 4, 8, 16 or 32; default: chosen by the largest tile">;
defm num_ctas : Eq<"num-ctas", "N", "CTAs of a program, a cluster: 1, 2, 4, 8 or 16; default: chosen, or 1 with --num-warps">;
defm num_stages : Eq<"num-stages", "N",
  "Stages of loops that load a tl.dot's operands, 1 to 64, where tl.range says none; kernels without tl.dot do not read it">;
defm warp_roles : Eq<"warp-roles", "never|asked|auto|always",
  "Whether products on sm_90a get four more warps, which only copy: never, where a loop says warp_specialize=True, also where that is expected to be faster (the default), or wherever they can">;
defm tensor_maps : Eq<"tensor-maps", "kernel|launcher",
  "Who makes the tensor maps by which sm_90a copies blocks: the kernel, or, where arguments determine them, its launcher (the default)">;
defm maxnreg : Eq<"maxnreg", "N", "Registers of a GPU's thread at most, 1 to 256; default: what the kernel needs">;
defm enable_fp_fusion : Eq<"enable-fp-fusion", "true|false",
  "Whether a multiplication and an addition may become one operation; default: true">;
def debug : FF<"debug", "Keep assert and tl.device_assert, and check integer overflow">;
def disable_heuristic_EQ : CommaJoined<["--"], "disable-heuristic=">, MetaVarName<"NAME[,..]">, Flags<[HelpHidden]>,
  HelpText<"Do without these decisions, to measure what they are worth">;
def disable_workaround_EQ : Joined<["--"], "disable-workaround=">, MetaVarName<"NAME[,NAME]">, Flags<[HelpHidden]>,
  HelpText<"Leave out what avoids a fault of LLVM or ptxas">;
defm target : Eq<"target", "cpu|cuda|simulator|auto",
  "Where to run; auto, the default, is the GPU if there is one; simulator: the GPU's code, executed step by step here">;
defm arch : Eq<"arch", "ARCH", "Compile for this architecture instead of the GPU's own, e.g. sm_90; without a GPU an error">;
def check : FF<"check",
  "Run on the CPU and look at each access: outside of its array, of elements that nobody wrote, or in a race; with --target=cuda on the GPU, by CUDA's compute-sanitizer">;
def check_EQ : CommaJoined<["--"], "check=">, MetaVarName<"TOOL[,..]">,
  HelpText<"With --target=cuda only these of compute-sanitizer's tools: memcheck, initcheck, racecheck, synccheck">;
// How --check runs this program under compute-sanitizer.
def watched_EQ : Joined<["--"], "watched=">, MetaVarName<"TOOL:FILE">, Flags<[HelpHidden]>,
  HelpText<"Run as what this tool of compute-sanitizer watches, and write into the file where arrays are">;
def no_results : FF<"no-results", "Print, compare and save nothing">, Flags<[HelpHidden]>;
defm threads : Eq<"threads", "N", "Threads for --target=cpu; default: one for each processor">;
}

let Group = result_Group in {
defm save : Eq<"save", "NAME=FILE.npy", "Write an array after the run; bf16 and fp8 are written as float32">;
defm expect : Eq<"expect", "NAME=VALUE", "Compare an array after the run with @FILE.npy or CONTENTS:TYPE[SHAPE]">;
defm rtol : Eq<"rtol", "X", "Relative tolerance of --expect; default: by type, 1e-5 for fp32, 2e-3 for fp16, 1.6e-2 for bf16, 0 for integers">;
defm atol : Eq<"atol", "X", "Absolute tolerance of --expect; default: by type, 1e-8 for fp32, 1e-5 for fp16 and bf16, 0 for integers">;
defm print : Eq<"print", "NAME", "Print the first elements of an array after the run">;
def bench : FF<"bench", "Run many times with cold caches; print the median time and GB/s over all arrays">;
def tune : FF<"tune", "Measure the configurations of @triton.autotune, print their times, run the fastest">;
def profile : FF<"profile", "Print what all launches took, those of --bench and --tune too: times, GB/s, registers, occupancy">;
def profile_EQ : Joined<["--"], "profile=">, MetaVarName<"FILE.json">,
  HelpText<"The same, and write a trace for chrome://tracing, Perfetto and tilec --report-profile">;
defm operations : Eq<"operations", "EXPR", "Operations of arithmetic that a launch takes, for --profile: '2 * m * n * k'">;
defm tuned : Eq<"tuned", "FILE.json", "File of measured configurations: choices are read from it, and --tune adds to it">;
def v : Flag<["-"], "v">, HelpText<"Say on standard error where the kernel runs and what it needs">;
}
