//===- Options.td - tilec-lsp's command line ----------------*- tablegen -*-===//

include "llvm/Option/OptParser.td"

class FF<string letters, string help> : Flag<["--"], letters>, HelpText<help>;

/// "--name=VALUE" and "--name VALUE".
multiclass Eq<string letters, string metavar, string help> {
  def _EQ : Joined<["--"], letters # "=">, MetaVarName<metavar>, HelpText<help>;
  def : Separate<["--"], letters>, Alias<!cast<Option>(NAME # "_EQ")>;
}

def check_Group : OptionGroup<"check">, HelpText<"WHAT IS CHECKED">;
def general_Group : OptionGroup<"general">, HelpText<"GENERAL">;

let Group = check_Group in {
defm option : Eq<"option", "OPTION",
  "Check all files with this option of tilec, such as -IFOLDER or --arch=sm_90a, before those of their comments; may be repeated">;
defm check_limit : Eq<"check-limit", "MS",
  "Leave kernels of a file half checked after so many milliseconds; default: 2000">;
}

let Group = general_Group in {
defm log : Eq<"log", "error|info|debug", "What is logged on standard error; default: error">;
def stdio : FF<"stdio", "Talk on standard input and output, as always; for editors that pass it">;
def help : FF<"help", "Print this text">;
def : Flag<["-"], "h">, Alias<help>;
def version : FF<"version", "Print the version">;
}
