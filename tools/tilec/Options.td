//===- Options.td - tilec's command line -------------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

class F<string letters, string help> : Flag<["-"], letters>, HelpText<help>;
class FF<string letters, string help> : Flag<["--"], letters>, HelpText<help>;

/// "--name=VALUE" and "--name VALUE".
multiclass Eq<string letters, string metavar, string help> {
  def _EQ : Joined<["--"], letters # "=">, MetaVarName<metavar>, HelpText<help>;
  def : Separate<["--"], letters>, Alias<!cast<Option>(NAME # "_EQ")>;
}

def output_Group : OptionGroup<"output">, HelpText<"OUTPUT">;
def kernel_Group : OptionGroup<"kernel">, HelpText<"KERNELS">;
def target_Group : OptionGroup<"target">, HelpText<"TARGET AND CODE">;
def object_Group : OptionGroup<"object">, HelpText<"OBJECTS (-o FILE.o, -o FILE.a or --emit=obj)">;
def report_Group : OptionGroup<"report">, HelpText<"DIAGNOSTICS AND REPORTS">;
def general_Group : OptionGroup<"general">, HelpText<"GENERAL">;

let Group = output_Group in {
def o : JoinedOrSeparate<["-"], "o">, MetaVarName<"FILE">,
  HelpText<"Write the output to FILE; its ending (.o .a .ptx .cubin .sass .ll .mlir .json) says which form. '-' is standard output. Default: PTX to the source's name with the ending .ptx in the current folder; with --emit, standard output">;
defm emit : Eq<"emit", "FORM", "ast, tile, layout, gpu, nvvm, llvm, ptx, cubin, sass, json or obj">;
def fsyntax_only : F<"fsyntax-only",
  "Report errors and write nothing: of the syntax, and of kernels whose parameter types are given or declared">;
def MD : F<"MD", "Write a dependency file for make and ninja: the files that were read">;
def MF : JoinedOrSeparate<["-"], "MF">, MetaVarName<"FILE">,
  HelpText<"Name the dependency file; default: the output with the ending .d">;
}

let Group = kernel_Group in {
def I : JoinedOrSeparate<["-"], "I">, MetaVarName<"FOLDER">,
  HelpText<"Look for imported kernel files in FOLDER too, after those around the file; may be repeated">;
defm kernel : Eq<"kernel", "NAME[,..]", "Kernels to compile; default: every kernel that has a signature">;
defm sig : Eq<"sig", "[KERNEL:]TYPES",
  "Parameter types: 'x=*fp32:16,n=i32' or by position '*fp32:16,i32,1024'; ':16' promises divisibility; in an object, 'KERNEL@NAME:' also names the C function">;
def D : JoinedOrSeparate<["-"], "D">, MetaVarName<"[KERNEL.]NAME=VALUE">,
  HelpText<"Give a parameter a compile-time value: 1024, 0.5, True, None, tl.float16, (1, 2); in an object, several with commas">;
}

let Group = target_Group in {
defm arch : Eq<"arch", "ARCH", "sm_75 to sm_121, with a or f where they exist, or compute_NN; default: sm_80. In an object several with commas, also x86-64, x86-64-v2 to -v4, host, or aarch64 with --host=aarch64">;
defm num_warps : Eq<"num-warps", "N", "Warps of a program: 1, 2, 4, 8, 16 or 32; default: chosen by the largest tile">;
defm num_ctas : Eq<"num-ctas", "N", "CTAs of a program, a cluster: 1, 2, 4, 8 or 16; default: chosen, or 1 with --num-warps">;
defm num_stages : Eq<"num-stages", "N",
  "Stages of loops that load a tl.dot's operands, 1 to 64, where tl.range says none; kernels without tl.dot do not read it">;
defm warp_roles : Eq<"warp-roles", "never|asked|auto|always",
  "Whether products on sm_90a get four more warps, which only copy: never, where a loop says warp_specialize=True, also where that is expected to be faster (the default for objects; else: asked), or wherever they can">;
defm tensor_maps : Eq<"tensor-maps", "kernel|launcher",
  "Who makes the tensor maps by which sm_90a copies blocks: the kernel, or, where arguments determine them, its launcher, for parameters behind those of the source; launchers that read the record may also give a CTA several programs (the default for objects; else: kernel)">;
defm maxnreg : Eq<"maxnreg", "N", "Registers of a thread at most, 1 to 256; default: what the kernel needs">;
defm enable_fp_fusion : Eq<"enable-fp-fusion", "true|false",
  "Whether a multiplication and an addition may become one operation; default: true">;
def O : Joined<["-"], "O">, MetaVarName<"<N>">, HelpText<"Optimisation level, 0 to 3; default: 3">;
def lineinfo : F<"lineinfo", "Map PTX and machine code to the kernel's lines">;
def debug : FF<"debug", "Keep assert and tl.device_assert, and check integer overflow">;
defm ptxas : Eq<"ptxas", "PATH", "Which ptxas makes cubins; default: TILEC_PTXAS, CUDA_HOME, PATH, /usr/local/cuda*">;
}

let Group = object_Group in {
defm header : Eq<"header", "FILE", "Write the C and C++ header of the kernels">;
defm namespace : Eq<"namespace", "NAME", "C++ namespace, and prefix of the C functions; default: kernels">;
defm host : Eq<"host", "x86-64|aarch64", "The machines whose programs link the object; default: x86-64">;
defm grid : Eq<"grid", "[KERNEL:]X[,Y[,Z]]",
  "Programs, as expressions over parameters, 'cdiv(n, BLOCK)'; default: the caller says">;
defm require : Eq<"require", "[KERNEL:]EXPR",
  "A condition of each launch, 'n <= BLOCK'; may be repeated; True: derive none from the masks">;
defm spec : Eq<"spec", "auto|none|full",
  "Variants for aligned pointers, multiples of 16 and strides of 1; default: auto">;
defm tuned : Eq<"tuned", "FILE",
  "Let launches take the fastest of the autotuner's configurations, as FILE.json has measured them">;
def j : JoinedOrSeparate<["-"], "j">, MetaVarName<"N">,
  HelpText<"Compilations at the same time; default: as many as processors">;
defm inspect : Eq<"inspect", "FILE", "Print what an object with kernels holds">;
}

let Group = report_Group in {
defm report_profile : Eq<"report-profile", "FILE.json", "Show on the page of --report what launches of the kernels took: a trace of tilec-run --profile or TILEC_PROFILE">;
defm report : Eq<"report", "FILE", "Write a page that shows what became of the kernels, in place of other output: their forms side by side down to machine code, registers, accesses to memory, layouts. '-' is standard output; --arch takes a processor, too. With -o FILE.o or --emit=obj the page has all variants of the object">;
def Rtile : F<"Rtile", "Print what was chosen for each kernel, and why">;
def Werror : F<"Werror", "Turn warnings into errors">;
def w : F<"w", "Print no warnings">;
defm error_limit : Eq<"error-limit", "N", "Stop after N errors; 0 is no limit; default: 20">;
defm diag_format : Eq<"diag-format", "text|json", "How to print diagnostics">;
defm color : Eq<"color", "auto|always|never", "Colour diagnostics; default: auto">;
def resource_usage : FF<"resource-usage",
  "Assemble, and print registers, spills, memory and occupancy of each kernel to standard error">;
// For those who work on tilec: docs/building.md.
def disable_heuristic_EQ : CommaJoined<["--"], "disable-heuristic=">, MetaVarName<"NAME[,..]">,
  Flags<[HelpHidden]>, HelpText<"Do without these decisions, to measure what they are worth">;
def time_report : FF<"time-report", "Print the time of each step to standard error">;
def v : F<"v", "Print what is done, and by which tools">;
def hash_hash_hash : F<"###", "Print the commands that would be run, and run none">;
}

def mllvm : Separate<["-"], "mllvm">, MetaVarName<"OPTION">, Flags<[HelpHidden]>,
  HelpText<"Pass an option to LLVM, such as -print-after=PASS; may be repeated">;

def disable_workaround_EQ : Joined<["--"], "disable-workaround=">, MetaVarName<"NAME[,NAME]">, Flags<[HelpHidden]>,
  HelpText<"Leave out what avoids a fault of LLVM or ptxas">;
def print_workarounds : FF<"print-workarounds", "Print what avoids faults of LLVM and ptxas, as JSON">,
  Flags<[HelpHidden]>;

let Group = general_Group in {
def help : FF<"help", "Print this text">;
def : Flag<["-"], "h">, Alias<help>;
def version : FF<"version", "Print versions">;
}
