//===- DecoratorsTest.cpp - What a kernel's decorators say ------*- C++ -*-===//

#include "tilec/Language/Decorators.h"
#include "tilec/Language/Parser.h"
#include "llvm/ADT/StringMap.h"
#include "gtest/gtest.h"

using namespace tilec;
using llvm::StringRef;

namespace {

/// Reads the decorators in front of the kernel `k(x, n, m, BLOCK, EVEN, FLAG)`. `globals` are lines
/// of the module before them, `given` the parameters that the caller has values for.
class Reader {
public:
  explicit Reader(StringRef decorators, StringRef globals = "", std::vector<StringRef> given = {},
                  StringRef body = "pass") {
    std::string text = "import triton\nimport triton.language as tl\nimport math\n" +
                       globals.str() + decorators.str() +
                       "\n@triton.jit\ndef k(x, n, m, BLOCK: tl.constexpr, EVEN: tl.constexpr, "
                       "FLAG: tl.constexpr = 0):\n    " +
                       body.str() + "\n";
    unsigned buffer = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "k.py"),
                                                 llvm::SMLoc());
    const ast::Module *module = parseModule(sources, buffer, diagnostics, tree);
    result = readDecorators(*module, *module->findFunction("k"), sources, diagnostics,
                            [&](StringRef name) { return llvm::is_contained(given, name); });
    EXPECT_EQ(result.has_value(), !diagnostics.hasErrors()) << messages;
  }

  /// The configurations, one a line.
  std::string configs() const {
    std::string text;
    if (result && result->autotune)
      for (const TuneConfig &config : result->autotune->configs)
        text += config.str() + "\n";
    return text;
  }

  /// Evaluates the heuristics for these arguments: "EVEN=True" and so on, or the messages.
  std::string apply(const llvm::StringMap<ConstValue> &arguments, TuneConfig config = {}) {
    auto lookup = [&](StringRef name) -> const ConstValue * {
      auto found = arguments.find(name);
      return found == arguments.end() ? nullptr : &found->second;
    };
    if (!result || !applyHeuristics(result->heuristics, lookup, diagnostics, config))
      return messages;
    return config.str();
  }

  llvm::SourceMgr sources;
  std::string messages;
  llvm::raw_string_ostream os{messages};
  DiagnosticEngine diagnostics{sources, os};
  ast::Context tree;
  std::optional<KernelDecorators> result;
};

/// The body of a kernel for which num_stages matters.
const char *const readsStages = "tl.dot(x, x)";

std::string heuristic(StringRef lambda, int64_t n = 12, int64_t m = 5) {
  Reader reader(("@triton.heuristics({'FLAG': lambda args: " + lambda + "})").str());
  return reader.apply(
      {{"n", ConstValue::integer(n)}, {"m", ConstValue::integer(m)}, {"x", ConstValue::none()}});
}

void rejects(StringRef decorators, StringRef message, StringRef globals = "") {
  Reader reader(decorators, globals);
  EXPECT_FALSE(reader.result);
  EXPECT_TRUE(StringRef(reader.messages).contains(message)) << "expected: " << message.str() << "\n"
                                                            << reader.messages;
}

void rejectsConfigs(StringRef configs, StringRef message, StringRef globals = "") {
  rejects(("@triton.autotune(configs=" + configs + ", key=[])").str(), message, globals);
}

} // namespace

TEST(DecoratorsTest, ReadsConfigurations) {
  Reader reader("@triton.autotune(configs=[\n"
                "    triton.Config({'BLOCK': 128, 'FLAG': True}, num_warps=4),\n"
                "    triton.Config({'BLOCK': 2 * SIZE}, 8, 2, num_ctas=2, maxnreg=128),\n"
                "    triton.Config(dict(BLOCK=64), num_stages=5, pre_hook=None),\n"
                "], key=['n', 'm'], reset_to_zero=['x'], restore_value=('x',), warmup=5, rep=20)",
                "SIZE = 256\n", {}, readsStages);
  ASSERT_TRUE(reader.result) << reader.messages;
  EXPECT_EQ(reader.configs(), "BLOCK=128, FLAG=True, num_warps=4\n"
                              "BLOCK=512, num_warps=8, num_stages=2, num_ctas=2, maxnreg=128\n"
                              "BLOCK=64, num_stages=5\n");
  const Autotune &autotune = *reader.result->autotune;
  EXPECT_EQ(autotune.key, (std::vector<std::string>{"n", "m"}));
  EXPECT_EQ(autotune.resetToZero, std::vector<std::string>{"x"});
  EXPECT_EQ(autotune.restoreValue, std::vector<std::string>{"x"});
  EXPECT_EQ(reader.messages, "");
}

TEST(DecoratorsTest, ReadsComprehensionsAndNames) {
  Reader reader("@triton.autotune(few + [C({'BLOCK': b}, num_warps=w) for b in SIZES "
                "for w in (4, 8) if b // w >= 16] + (many if MORE else []), ['n'])",
                "from triton import Config as C\n"
                "MORE = False\n"
                "SIZES = [64, 128]\n"
                "few = [*base]\n"
                "base = [C({'BLOCK': 32, **{'FLAG': 3}})]\n");
  ASSERT_TRUE(reader.result) << reader.messages;
  EXPECT_EQ(reader.configs(), "BLOCK=32, FLAG=3\n"
                              "BLOCK=64, num_warps=4\n"
                              "BLOCK=128, num_warps=4\n"
                              "BLOCK=128, num_warps=8\n");
  Reader pairs("@triton.autotune([triton.Config({'BLOCK': b, 'FLAG': f}) for b, f in "
               "[(1, 2), (3, 4)]], [])");
  EXPECT_EQ(pairs.configs(), "BLOCK=1, FLAG=2\nBLOCK=3, FLAG=4\n");
}

TEST(DecoratorsTest, ReadsWhatFunctionsReturn) {
  Reader reader("@triton.autotune(few() + many([64, 128], stages=3), ['n'])",
                "def few():\n    'Doc.'\n    return [triton.Config({'BLOCK': 32})]\n"
                "def many(sizes, warps=(4, 8), stages=2):\n"
                "    pairs = list(zip(sizes, warps))\n"
                "    made = [triton.Config({'BLOCK': b}, num_warps=w, num_stages=stages)\n"
                "            for b, w in pairs]\n"
                "    return made\n",
                {}, readsStages);
  ASSERT_TRUE(reader.result) << reader.messages;
  EXPECT_EQ(reader.configs(), "BLOCK=32\n"
                              "BLOCK=64, num_warps=4, num_stages=3\n"
                              "BLOCK=128, num_warps=8, num_stages=3\n");
}

TEST(DecoratorsTest, FunctionsAreHeuristics) {
  StringRef function = "def f(args):\n    'Doc.'\n    n = args['n']\n"
                       "    if n > 100:\n        n = n // 2\n"
                       "    elif n == 7:\n        return 1\n"
                       "    return n + EXTRA\nEXTRA = 3\n";
  for (auto [n, expected] : {std::pair(200, 103), {7, 1}, {10, 13}}) {
    Reader reader("@triton.heuristics({'FLAG': f})", function);
    ASSERT_TRUE(reader.result) << reader.messages;
    EXPECT_EQ(reader.apply({{"n", ConstValue::integer(n)}}), "FLAG=" + std::to_string(expected));
  }
  // Each branch doubles what follows it.
  std::string deep = "def f(args):\n    n = args['n']\n";
  for (unsigned i = 0; i < 40; ++i)
    deep += "    if n > 100:\n        n = n + 1\n";
  rejects("@triton.heuristics({'FLAG': f})", "too many branches", deep + "    return n\n");
}

TEST(DecoratorsTest, WithoutConfigurationsThereIsOne) {
  Reader reader("@triton.autotune([], key=[])");
  ASSERT_TRUE(reader.result) << reader.messages;
  EXPECT_EQ(reader.configs(), "\n");
  EXPECT_TRUE(Reader("").result->empty());
  // A decorator of the host program wraps the launch only.
  EXPECT_TRUE(Reader("@trace('k')", "def trace(name): pass\n").result->empty());
}

TEST(DecoratorsTest, WarnsOfWhatIsNotObeyed) {
  Reader reader("@triton.autotune([triton.Config({'BLOCK': 1})], ['n'],\n"
                "    prune_configs_by={'early_config_prune': prune}, do_bench=timer)",
                "def prune(configs, args): return configs\n");
  EXPECT_TRUE(reader.result);
  EXPECT_EQ(reader.diagnostics.warningCount(), 2u);
  EXPECT_TRUE(StringRef(reader.messages).contains("all configurations are tried"));
  EXPECT_TRUE(StringRef(reader.messages).contains("the usual method of timing is used"));
}

TEST(DecoratorsTest, HostCodeIsNotNeededWhereAllValuesAreGiven) {
  StringRef decorators = "@triton.autotune(imported(), ['n'])\n@triton.heuristics({'EVEN': f})",
            globals = "from other import imported, f\n";
  Reader all(decorators, globals, {"BLOCK", "EVEN"});
  ASSERT_TRUE(all.result);
  EXPECT_TRUE(all.result->empty());
  EXPECT_EQ(all.diagnostics.warningCount(), 1u);
  EXPECT_TRUE(StringRef(all.messages).contains("the given values are used")) << all.messages;
  EXPECT_FALSE(Reader(decorators, globals, {"BLOCK"}).result);
  // A mistake is none the less reported.
  Reader mistake("@triton.autotune([triton.Config({}, num_warps=3)], [])", "", {"BLOCK", "EVEN"});
  EXPECT_FALSE(mistake.result);
  EXPECT_TRUE(StringRef(mistake.messages).contains("a power of two up to 32")) << mistake.messages;
  // What can be read is read: it may say how to compile.
  Reader read("@triton.autotune([triton.Config({'BLOCK': 1}, num_warps=8)], [])", "",
              {"BLOCK", "EVEN"});
  EXPECT_EQ(read.configs(), "BLOCK=1, num_warps=8\n");
  EXPECT_EQ(read.messages, "");
}

TEST(DecoratorsTest, SaysWhatCannotBeRead) {
  StringRef host = "def configs(): return []\n";
  rejectsConfigs("outside()", "cannot call 'outside' of the module", "from other import outside\n");
  rejectsConfigs("loops()", "'x' is not defined",
                 "def loops():\n    for i in x: pass\n    return []\n");
  rejectsConfigs("ends()", "ends without a return", "def ends():\n    x = 1\n");
  rejectsConfigs("takes()", "missing argument 'x'", "def takes(x):\n    return []\n");
  rejectsConfigs("again()", "nested too deeply", "def again():\n    return again()\n");
  rejectsConfigs("[triton.Config({'BLOCK': b}) for b in zip(1)]",
                 "cannot iterate over constexpr int");
  rejectsConfigs("configs", "host code is not executed", host);
  rejectsConfigs("[triton.Config({'BLOCK': configs})]", "the host function 'configs'", host);
  rejectsConfigs("[triton.Config({'BLOK': 1})]", "has no parameter 'BLOK'; did you mean 'BLOCK'?");
  rejectsConfigs("[triton.Config(12)]", "expected a dictionary of parameter values");
  rejectsConfigs("[triton.Config({1: 2})]", "expected the name of a parameter, found 1");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, num_warps=3)]", "a power of two up to 32, found 3");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, num_ctas=32)]", "up to 16, found 32");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, maxnreg=300)]", "from 1 to 256, found 300");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, num_stages=True)]", "from 1 to 64, found True");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, num_wraps=4)]", "did you mean 'num_warps'?");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, pre_hook=lambda a: 1)]", "'pre_hook' of a config");
  rejectsConfigs("[triton.Config({'BLOCK': b}) for b in 12]", "expected a list or a tuple");
  rejectsConfigs("[triton.Config({'BLOCK': b}) for b, c in [1]]", "cannot be assigned");
  rejectsConfigs("[triton.Config({'BLOCK': b}) for b in range(5000)]", "more than 4096");
  rejectsConfigs("again", "'again' cannot be evaluated without Python", "again = [again]\n");
  rejectsConfigs("[triton.Config(**options)]", "unpacked arguments", "options = 1\n");
  rejectsConfigs("[triton.Config(*options)]", "unpacked arguments", "options = 1\n");
  rejectsConfigs("[triton.Config({'BLOCK': 1}, 1, num_warps=1)]", "'num_warps' is given twice");
  rejectsConfigs("[triton.Config({'BLOCK': tl.load})]", "expected a value");
}

TEST(DecoratorsTest, SaysWhatIsWrongWithArguments) {
  rejects("@triton.autotune([])", "needs 'configs' and 'key'");
  rejects("@triton.autotune([], [], reset_to_zero=['nn'])", "has no parameter 'nn'");
  rejects("@triton.autotune([], 'n')", "expected a list of parameter names, found 'n'");
  rejects("@triton.autotune([], [], pre_hook=f)", "'pre_hook' is host code", "def f(): pass\n");
  rejects("@triton.autotune([], [], post_hook=f)", "'post_hook' is host code", "def f(): pass\n");
  rejects("@triton.autotune([], [])\n@triton.autotune([], [])", "a second @triton.autotune");
  rejects("@triton.heuristics()", "expected a dictionary of lambdas");
  rejects("@triton.heuristics({'EVEN': f})", "expected a lambda or a function of this file",
          "from other import f\n");
  rejects("@triton.heuristics({'EVEN': f})", "expected a function of one parameter",
          "def f(): pass\n");
  rejects("@triton.heuristics({'EVEN': f})", "ends without a return",
          "def f(args):\n    if args['n']:\n        return 1\n");
  rejects("@triton.heuristics({'EVEN': f})", "expected a value to be returned",
          "def f(args):\n    return\n");
  rejects("@triton.heuristics({'EVEN': f})", "this statement cannot be evaluated",
          "def f(args):\n    while args['n']: pass\n");
  rejects("@triton.heuristics({'EVN': lambda args: 1})", "did you mean 'EVEN'?");
  rejects("@triton.heuristics({EVEN: lambda args: 1})", "expected the name of a parameter in quot");
}

TEST(DecoratorsTest, PassesOverUnknownNamesOfTheKey) {
  Reader reader("@triton.autotune([], ['nn', 'n'])");
  ASSERT_TRUE(reader.result);
  EXPECT_EQ(reader.result->autotune->key, std::vector<std::string>{"n"});
  EXPECT_EQ(reader.diagnostics.warningCount(), 1u);
}

TEST(DecoratorsTest, EvaluatesHeuristics) {
  EXPECT_EQ(heuristic("args['n'] % 4 == 0"), "FLAG=True");
  EXPECT_EQ(heuristic("triton.cdiv(args['n'], args['m'])"), "FLAG=3");
  EXPECT_EQ(heuristic("triton.next_power_of_2(args['n'])"), "FLAG=16");
  EXPECT_EQ(heuristic("min(max(args['m'], 2, 7), 100)"), "FLAG=7");
  EXPECT_EQ(heuristic("abs(args['m'] - args['n'])"), "FLAG=7");
  EXPECT_EQ(heuristic("1 if args['n'] > 10 else 1 // (args['m'] - 5)"), "FLAG=1");
  EXPECT_EQ(heuristic("args['n'] < 10 and args['BLOCK'] or 4"), "FLAG=4");
  EXPECT_EQ(heuristic("0 < args['m'] <= 5 < args['n']"), "FLAG=True");
  EXPECT_EQ(heuristic("args['m'] in (4, 5)"), "FLAG=True");
  EXPECT_EQ(heuristic("args['m'] not in [4, 5]"), "FLAG=False");
  EXPECT_EQ(heuristic("args['x'] is not None"), "FLAG=False");
  EXPECT_EQ(heuristic("not bool(args['n'])"), "FLAG=False");
  EXPECT_EQ(heuristic("int(args['n'] / 8) + float(args['m'])"), "FLAG=6.0");
  EXPECT_EQ(heuristic("-args['n'] // 5"), "FLAG=-3");
  EXPECT_EQ(heuristic("args['x'].data_ptr() is None"), "FLAG=True");
}

TEST(DecoratorsTest, HeuristicsSeeTensorDescriptors) {
  auto number = [](int64_t value) { return ConstValue::integer(value); };
  ConstValue tensor = ConstValue::tuple({number(256), ConstValue::tuple({number(6), number(8)}),
                                         ConstValue::tuple({number(8), number(1)})},
                                        descriptorClass.str());
  auto valueOf = [&](StringRef expression) {
    Reader reader(("@triton.heuristics({'FLAG': lambda args: " + expression + "})").str());
    return reader.apply({{"x", tensor}, {"n", number(3)}});
  };
  EXPECT_EQ(valueOf("args['x'].shape[0] + args['x'].strides[-2]"), "FLAG=14");
  EXPECT_EQ(valueOf("args['x'].shape[-1] == args['x'].strides[0] and 5"), "FLAG=5");
  EXPECT_TRUE(StringRef(valueOf("args['x'].shape[2]")).contains("outside of a tuple of 2"));
  EXPECT_TRUE(StringRef(valueOf("args['n'].shape[0]"))
                  .contains("'shape' is known of tensor descriptors only, found constexpr int"));
  EXPECT_TRUE(StringRef(valueOf("args['m'].shape[0]"))
                  .contains("the value of the argument 'm' is not known here"));
}

TEST(DecoratorsTest, HeuristicsSeeConfigurationsAndEachOther) {
  Reader reader("@triton.heuristics({'EVEN': lambda a: a['n'] % a['BLOCK'] == 0,\n"
                "                    'FLAG': lambda a: LIMIT if a['EVEN'] else 1})",
                "LIMIT = 2 ** 5\n");
  TuneConfig config;
  config.values = {{"BLOCK", ConstValue::integer(4), {}}, {"EVEN", ConstValue::none(), {}}};
  EXPECT_EQ(reader.apply({{"n", ConstValue::integer(12)}}, config), "BLOCK=4, EVEN=True, FLAG=32");
  EXPECT_EQ(reader.apply({{"n", ConstValue::integer(13)}}, config), "BLOCK=4, EVEN=False, FLAG=1");
  llvm::SmallVector<StringRef> names;
  ASSERT_EQ(reader.result->heuristics.size(), 2u);
  reader.result->heuristics[0].value->collectArguments(names);
  EXPECT_EQ(names, (llvm::SmallVector<StringRef>{"n", "BLOCK"}));
}

TEST(DecoratorsTest, SaysWhyAHeuristicHasNoValue) {
  auto fails = [](StringRef lambda, StringRef message) {
    std::string text = heuristic(lambda);
    EXPECT_TRUE(StringRef(text).contains(message)) << lambda.str() << "\n" << text;
  };
  fails("args['BLOCK'] + 1", "the heuristic for 'FLAG': the value of the argument 'BLOCK' is not");
  fails("args['n'] // (args['m'] - 5)", "integer division by zero");
  fails("args['n'] in 3", "expected a tuple or a list after 'in'");
  fails("triton.next_power_of_2(args['n'] / 2)", "takes an integer up to 2**61, found 6.0");
  fails("int(args['x'])", "int takes a number");
  fails("max(args['n'], 'a')", "cannot compare");
  fails("args['n'] + 'a'", "cannot apply '+'");
  // These cannot be read at all.
  fails("args['nn']", "has no parameter 'nn'");
  fails("args[0]", "expected args[\"name\"]");
  fails("args['x'].stride(0)", "this call cannot be evaluated without Python");
  fails("args['x'].dtype", "this cannot be evaluated without Python");
  fails("args['x'].base", "this cannot be evaluated without Python");
  fails("args['x'][0].shape", "'.shape' and '.strides' of an argument that is a tensor descriptor");
  fails("len(args)", "this call cannot be evaluated");
  fails("triton.cdiv(args['n'])", "triton.cdiv takes 2 arguments, found 1");
  fails("max(args['n'])", "max takes 2 or more arguments");
  fails("int(x=args['n'])", "int takes no keyword arguments");
  fails("{args['n']}", "a set is not supported");
  rejects("@triton.heuristics({'EVEN': lambda: 1})", "expected a function of one parameter");
  rejects("@triton.heuristics({'EVEN': lambda a: f})", "host code is not executed",
          "def f(): pass\n");
}

TEST(DecoratorsTest, HeuristicsChooseHowToCompile) {
  auto apply = [](StringRef value, unsigned warps = 0) {
    Reader reader(("@triton.heuristics({'num_warps': lambda args: " + value + "})").str());
    TuneConfig config;
    config.numWarps = warps;
    return reader.apply({{"n", ConstValue::integer(3)}}, config);
  };
  EXPECT_EQ(apply("8 if args['n'] > 2 else 4"), "num_warps=8");
  EXPECT_EQ(apply("args['n'] - 1", 16), "num_warps=2");
  EXPECT_EQ(apply("None", 16), "num_warps=16");
  EXPECT_TRUE(StringRef(apply("args['n']"))
                  .contains("error: the heuristic for 'num_warps': expected 'num_warps' to be a "
                            "power of two up to 32, found 3"));
  EXPECT_TRUE(StringRef(apply("0.5")).contains("found 0.5"));
  Reader all("@triton.heuristics({'num_stages': lambda args: 3, 'BLOCK': lambda args: 64, "
             "'num_ctas': lambda args: 2, 'maxnreg': lambda args: args['BLOCK'] + 64})",
             "", {}, readsStages);
  EXPECT_EQ(all.apply({}), "BLOCK=64, num_stages=3, num_ctas=2, maxnreg=128");
  rejects("@triton.heuristics({'num_warp': lambda args: 8})", "has no parameter 'num_warp'");
}

TEST(DecoratorsTest, StagesThatNothingReadsMakeNoConfiguration) {
  StringRef decorators = "@triton.autotune(configs=[\n"
                         "    triton.Config({'BLOCK': b}, num_warps=w, num_stages=s)\n"
                         "    for b in (64, 128) for w in (2, 4) for s in (2, 3, 4)], key=['n'])";
  Reader unread(decorators);
  EXPECT_EQ(unread.configs(), "BLOCK=64, num_warps=2\nBLOCK=64, num_warps=4\n"
                              "BLOCK=128, num_warps=2\nBLOCK=128, num_warps=4\n");
  EXPECT_EQ(unread.messages, "");
  Reader read(decorators, "", {}, readsStages);
  ASSERT_TRUE(read.result) << read.messages;
  EXPECT_EQ(read.result->autotune->configs.size(), 12u);
  // A value that cannot be is still an error.
  auto apply = [](StringRef value) {
    Reader reader(("@triton.heuristics({'num_stages': lambda args: " + value + "})").str());
    return reader.apply({{"n", ConstValue::integer(3)}});
  };
  EXPECT_EQ(apply("args['n']"), "");
  EXPECT_EQ(apply("None"), "");
  EXPECT_TRUE(
      StringRef(apply("args['n'] - 3")).contains("'num_stages' to be from 1 to 64, found 0"));
}

TEST(DecoratorsTest, HeuristicsGetArguments) {
  EXPECT_EQ(heuristic("args.get('n', 0) + 1"), "FLAG=13");
  EXPECT_EQ(heuristic("args.get('m')"), "FLAG=5");
  EXPECT_EQ(heuristic("args.get('other', 7)"), "FLAG=7");
  EXPECT_EQ(heuristic("args.get('other') is None"), "FLAG=True");
  rejects("@triton.heuristics({'FLAG': lambda args: args.get(1)})", "cannot be evaluated");
}
