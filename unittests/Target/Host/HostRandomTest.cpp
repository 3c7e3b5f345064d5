//===- HostRandomTest.cpp - random programs against an interpreter -*- C++ -*-===//
//
// Generates small programs over tiles of i32 (arithmetic, shape changes, reductions, overlapping
// loads and stores through one pointer, loops and branches that carry tiles), runs each on the host
// target and in the interpreter below, and compares all of memory. What shares a loop with what,
// and which tile is kept, must never show. A failure prints the seed and the program.
//
//===----------------------------------------------------------------------===//

#include "HostTestSupport.h"

#include <map>
#include <random>

using namespace tilec;

namespace {

using Shape = std::vector<int64_t>; // empty: a scalar
using Data = std::vector<int32_t>;

constexpr int kMemory = 1024;     // elements of the buffer
constexpr int kAddressable = 512; // where accesses start at most

enum class Kind {
  Range,
  Constant,
  Binary,
  Select,
  Reshape,
  Expand,
  Broadcast,
  Splat,
  Reduce,
  Load,
  Store,
  For,
  If
};

struct Op;
struct Block {
  std::vector<int> arguments;
  std::vector<Op> ops;
  std::vector<int> yields;
};

struct Op {
  Kind kind;
  std::vector<int> results;
  std::vector<int> operands;
  int number = 0;   // a constant, an axis, a trip count, a shift
  std::string name; // of an arith operation
  std::vector<Block> blocks;
};

struct Program {
  std::vector<Shape> shapes; // of each value
  Block body;
};

int64_t count(const Shape &shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

//===----------------------------------------------------------------------===//
// Generating
//===----------------------------------------------------------------------===//

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  Program run() {
    for (int64_t size : {8, 64, 128})
      emit(program.body, Kind::Range, {size}, {}, upTo(5));
    fill(program.body, 16, 2);
    for (int i = 0; i < 3; ++i)
      addStore(program.body);
    return std::move(program);
  }

private:
  int upTo(int limit) { return int(random() % unsigned(limit)); }
  const Shape &shapeOf(int value) { return program.shapes[value]; }

  /// One of `list`, the last ones more often: programs in which values depend on each other find
  /// more.
  int pick(const std::vector<int> &list) {
    int size = int(list.size());
    return list[upTo(2) ? size - 1 - upTo(std::min(size, 6)) : upTo(size)];
  }
  int any() { return pick(visible); }

  int anyTile() {
    int value = any();
    while (shapeOf(value).empty())
      value = any();
    return value;
  }

  /// Another visible value of the same shape (the first may come back).
  int like(int value) {
    std::vector<int> same;
    for (int other : visible)
      if (shapeOf(other) == shapeOf(value))
        same.push_back(other);
    return pick(same);
  }

  int declare(const Shape &shape) {
    program.shapes.push_back(shape);
    return int(program.shapes.size()) - 1;
  }

  int emit(Block &block, Kind kind, const Shape &shape, std::vector<int> operands, int number = 0,
           std::string name = "") {
    int result = declare(shape);
    block.ops.push_back({kind, {result}, std::move(operands), number, std::move(name), {}});
    visible.push_back(result);
    return result;
  }

  void fill(Block &block, int ops, int depth) {
    for (int i = 0; i < ops; ++i)
      addOp(block, depth);
  }

  void addOp(Block &block, int depth) {
    static const char *const names[] = {"addi", "subi", "muli", "xori", "maxsi", "remsi", "andi"};
    int value = any();
    switch (upTo(depth > 0 ? 14 : 12)) {
    case 0:
    case 1:
    case 2:
      emit(block, Kind::Binary, shapeOf(value), {value, like(value)}, 0, names[upTo(7)]);
      return;
    case 3:
      emit(block, Kind::Select, shapeOf(value), {value, like(value), like(value), like(value)});
      return;
    case 4:
      return addReshape(block);
    case 5:
      return addExpansion(block);
    case 6:
      return addSplat(block);
    case 7:
    case 8:
      return addReduction(block);
    case 9:
    case 10:
      emit(block, Kind::Load, shapeOf(value), {value, like(value), like(value)});
      return;
    case 11:
      return addStore(block);
    case 12:
      return addLoop(block, depth);
    default:
      return addBranch(block, depth);
    }
  }

  void addReshape(Block &block) {
    int value = anyTile();
    int64_t left = count(shapeOf(value));
    Shape shape;
    while (shape.size() < 2 && left > 1) {
      int64_t size = int64_t(1) << upTo(5);
      size = std::min(size, left);
      shape.push_back(size);
      left /= size;
    }
    shape.push_back(left);
    emit(block, Kind::Reshape, shape, {value});
  }

  /// A dimension of size 1, then a broadcast along it.
  void addExpansion(Block &block) {
    int value = anyTile();
    Shape shape = shapeOf(value);
    if (shape.size() >= 3 || count(shape) > 64)
      return;
    int axis = upTo(int(shape.size()) + 1);
    shape.insert(shape.begin() + axis, 1);
    int expanded = emit(block, Kind::Expand, shape, {value}, axis);
    shape[axis] = int64_t(1) << upTo(4);
    emit(block, Kind::Broadcast, shape, {expanded});
  }

  void addSplat(Block &block) {
    int value = any();
    if (shapeOf(value).empty())
      emit(block, Kind::Splat, {int64_t(1) << upTo(8)}, {value});
    else
      emit(block, Kind::Constant, shapeOf(value), {}, upTo(100) - 50);
  }

  void addReduction(Block &block) {
    int value = anyTile();
    Shape shape = shapeOf(value);
    int axis = upTo(shape.size());
    shape.erase(shape.begin() + axis);
    static const char *const names[] = {"addi", "xori", "maxsi", "mixed"};
    emit(block, Kind::Reduce, shape, {value}, axis, names[upTo(4)]);
  }

  void addStore(Block &block) {
    int value = any();
    block.ops.push_back(
        {Kind::Store, {}, {value, like(value), like(value)}, upTo(kAddressable), "", {}});
  }

  void addLoop(Block &block, int depth) {
    Op loop{Kind::For, {}, {}, upTo(5) ? 2 + upTo(2) : upTo(2), "", {Block()}};
    std::vector<int> outer = visible;
    for (int i = 1 + upTo(3); i > 0; --i) {
      loop.operands.push_back(any());
      loop.blocks[0].arguments.push_back(declare(shapeOf(loop.operands.back())));
    }
    Block &body = loop.blocks[0];
    int number = declare({});
    visible.push_back(number);
    visible.insert(visible.end(), body.arguments.begin(), body.arguments.end());
    fill(body, 3 + upTo(8), depth - 1);
    for (int argument : body.arguments)
      body.yields.push_back(like(argument));
    body.arguments.insert(body.arguments.begin(), number);
    finish(block, std::move(loop), outer);
  }

  void addBranch(Block &block, int depth) {
    std::vector<int> scalars;
    for (int value : visible)
      if (shapeOf(value).empty())
        scalars.push_back(value);
    if (scalars.empty())
      return;
    Op branch{Kind::If, {}, {scalars[upTo(scalars.size())]}, 0, "", {Block(), Block()}};
    std::vector<int> outer = visible, wanted;
    for (int i = 1 + upTo(2); i > 0; --i)
      wanted.push_back(any());
    for (Block &side : branch.blocks) {
      visible = outer;
      fill(side, upTo(5), depth - 1);
      for (int value : wanted)
        side.yields.push_back(like(value));
    }
    finish(block, std::move(branch), outer);
  }

  void finish(Block &block, Op op, const std::vector<int> &outer) {
    visible = outer;
    for (int value : op.blocks[0].yields) {
      op.results.push_back(declare(shapeOf(value)));
      visible.push_back(op.results.back());
    }
    block.ops.push_back(std::move(op));
  }

  std::mt19937 random;
  Program program;
  std::vector<int> visible;
};

//===----------------------------------------------------------------------===//
// Interpreting
//===----------------------------------------------------------------------===//

int32_t apply(const std::string &name, int32_t a, int32_t b) {
  uint32_t x = uint32_t(a), y = uint32_t(b);
  if (name == "addi" || name == "mixed")
    return int32_t(x + y);
  if (name == "subi")
    return int32_t(x - y);
  if (name == "muli")
    return int32_t(x * y);
  if (name == "xori")
    return int32_t(x ^ y);
  if (name == "andi")
    return int32_t(x & y);
  if (name == "maxsi")
    return std::max(a, b);
  return b == 0 ? a : b == -1 ? 0 : a % b; // remsi
}

class Interpreter {
public:
  Interpreter(const Program &program, Data &memory)
      : program(program), memory(memory), values(program.shapes.size()) {}

  void run(const Block &block) {
    for (const Op &op : block.ops)
      run(op);
  }

private:
  const Shape &shapeOf(int value) { return program.shapes[value]; }

  void run(const Op &op) {
    if (op.kind == Kind::For)
      return runLoop(op);
    if (op.kind == Kind::If) {
      const Block &side = op.blocks[values[op.operands[0]][0] > 0 ? 0 : 1];
      run(side);
      return assign(op.results, side.yields);
    }
    if (op.kind == Kind::Store)
      return runStore(op);
    Data data(count(shapeOf(op.results[0])));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = element(op, int64_t(i));
    values[op.results[0]] = data;
  }

  int32_t element(const Op &op, int64_t i) {
    auto in = [&](int operand) { return values[op.operands[operand]][i]; };
    switch (op.kind) {
    case Kind::Range:
      return op.number + int32_t(i);
    case Kind::Constant:
      return op.number;
    case Kind::Binary:
      return apply(op.name, in(0), in(1));
    case Kind::Select:
      return in(0) < in(1) ? in(2) : in(3);
    case Kind::Reshape:
    case Kind::Expand:
      return in(0);
    case Kind::Splat:
      return values[op.operands[0]][0];
    case Kind::Broadcast:
      return values[op.operands[0]][broadcastIndex(op, i)];
    case Kind::Load:
      return in(1) > 3 ? memory[in(0) & (kAddressable - 1)] : in(2);
    default:
      return reduced(op, i);
    }
  }

  int64_t broadcastIndex(const Op &op, int64_t i) {
    const Shape &to = shapeOf(op.results[0]), &from = shapeOf(op.operands[0]);
    int64_t index = 0, stride = 1;
    for (size_t dim = to.size(); dim-- > 0; i /= to[dim]) {
      index += (from[dim] == 1 ? 0 : i % to[dim]) * stride;
      stride *= from[dim];
    }
    return index;
  }

  int32_t reduced(const Op &op, int64_t i) {
    const Shape &shape = shapeOf(op.operands[0]);
    int64_t inner = 1;
    for (size_t dim = op.number + 1; dim < shape.size(); ++dim)
      inner *= shape[dim];
    const Data &source = values[op.operands[0]];
    int64_t first = i / inner * inner * shape[op.number] + i % inner;
    int32_t value = source[first];
    for (int64_t j = 1; j < shape[op.number]; ++j)
      value = apply(op.name, value, source[first + j * inner]);
    return value;
  }

  void runStore(const Op &op) {
    const Data value = values[op.operands[0]], a = values[op.operands[1]],
               b = values[op.operands[2]];
    for (size_t i = 0; i < value.size(); ++i)
      if (a[i] <= b[i])
        memory[op.number + i] = value[i];
  }

  void runLoop(const Op &op) {
    const Block &body = op.blocks[0];
    std::vector<int> carried(body.arguments.begin() + 1, body.arguments.end());
    assign(carried, op.operands);
    for (int i = 0; i < op.number; ++i) {
      values[body.arguments[0]] = {i};
      run(body);
      assign(carried, body.yields);
    }
    assign(op.results, carried);
  }

  void assign(const std::vector<int> &to, const std::vector<int> &from) {
    std::vector<Data> copies;
    for (int value : from)
      copies.push_back(values[value]);
    for (size_t i = 0; i < to.size(); ++i)
      values[to[i]] = copies[i];
  }

  const Program &program;
  Data &memory;
  std::vector<Data> values;
};

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

class Printer {
public:
  explicit Printer(const Program &program) : program(program) {}

  std::string run() {
    text = "func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {\n"
           "  %lower = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n";
    print(program.body);
    return text + "  return\n}\n";
  }

private:
  std::string type(int value, const std::string &element = "i32") {
    const Shape &shape = program.shapes[value];
    if (shape.empty())
      return element;
    std::string result = "tensor<";
    for (int64_t size : shape)
      result += std::to_string(size) + "x";
    return result + element + ">";
  }
  static std::string name(int value) { return "%v" + std::to_string(value); }
  std::string fresh() { return "%t" + std::to_string(next++); }
  bool isScalar(int value) { return program.shapes[value].empty(); }

  std::string define(const std::string &body) {
    std::string id = fresh();
    text += "  " + id + " = " + body + "\n";
    return id;
  }

  std::string join(const std::vector<int> &list, bool types) {
    std::string result;
    for (int value : list)
      result += (result.empty() ? "" : ", ") + (types ? type(value) : name(value));
    return result;
  }

  std::string constant(int like, int number) {
    std::string value =
        isScalar(like) ? std::to_string(number) : "dense<" + std::to_string(number) + ">";
    return define("arith.constant " + value + " : " + type(like));
  }

  /// Pointers to %x moved by `offset`, in the shape of `like`.
  std::string pointers(int like, const std::string &offset) {
    std::string base = "%x", pointerType = type(like, "!tile.ptr<i32>");
    if (!isScalar(like))
      base = define("tile.splat %x : !tile.ptr<i32> -> " + pointerType);
    return define("tile.addptr " + base + ", " + offset + " : " + pointerType + ", " + type(like));
  }

  void print(const Block &block) {
    for (const Op &op : block.ops)
      print(op);
  }

  void print(const Op &op) {
    if (op.kind == Kind::Store)
      return printStore(op);
    if (op.kind == Kind::For || op.kind == Kind::If)
      return printControl(op);
    int result = op.results[0];
    std::string head = "  " + name(result) + " = ", tile = type(result);
    std::string conversion = op.operands.empty() ? "" : name(op.operands[0]);
    std::string suffix = op.operands.empty() ? "" : " : " + type(op.operands[0]) + " -> " + tile;
    switch (op.kind) {
    case Kind::Range:
      text += head + "tile.make_range " + std::to_string(op.number) + " to " +
              std::to_string(op.number + program.shapes[result][0]) + " : " + tile + "\n";
      return;
    case Kind::Constant:
      text += head + "arith.constant dense<" + std::to_string(op.number) + "> : " + tile + "\n";
      return;
    case Kind::Binary:
      text += head + "arith." + op.name + " " + join(op.operands, false) + " : " + tile + "\n";
      return;
    case Kind::Select: {
      std::string less = define("arith.cmpi slt, " + name(op.operands[0]) + ", " +
                                name(op.operands[1]) + " : " + tile);
      text += head + "arith.select " + less + ", " + name(op.operands[2]) + ", " +
              name(op.operands[3]) + " : " +
              (isScalar(result) ? tile : type(result, "i1") + ", " + tile) + "\n";
      return;
    }
    case Kind::Reshape:
      text += head + "tile.reshape " + conversion + suffix + "\n";
      return;
    case Kind::Expand:
      text += head + "tile.expand_dims " + conversion + " axis " + std::to_string(op.number) +
              suffix + "\n";
      return;
    case Kind::Broadcast:
      text += head + "tile.broadcast " + conversion + suffix + "\n";
      return;
    case Kind::Splat:
      text += head + "tile.splat " + conversion + suffix + "\n";
      return;
    case Kind::Load: {
      std::string limit = constant(result, kAddressable - 1), three = constant(result, 3);
      std::string offset = define("arith.andi " + conversion + ", " + limit + " : " + tile);
      std::string mask =
          define("arith.cmpi sgt, " + name(op.operands[1]) + ", " + three + " : " + tile);
      std::string pointer = pointers(result, offset);
      text += head + "tile.load " + pointer + " mask " + mask + " other " + name(op.operands[2]) +
              " : " + type(result, "!tile.ptr<i32>") + "\n";
      return;
    }
    default:
      return printReduce(op);
    }
  }

  void printReduce(const Op &op) {
    std::string combine = op.name == "mixed"
                              ? "%m = arith.divsi %a, %one : i32\n    %c = arith.addi %m, %b : i32"
                              : "%c = arith." + op.name + " %a, %b : i32";
    text += "  " + name(op.results[0]) + " = tile.reduce(" + name(op.operands[0]) + ") axis " +
            std::to_string(op.number) + " : (" + type(op.operands[0]) + ") -> " +
            type(op.results[0]) + " {\n  ^bb0(%a: i32, %b: i32):\n    " + combine +
            "\n    tile.yield %c : i32\n  }\n";
  }

  void printStore(const Op &op) {
    int value = op.operands[0];
    std::string mask = define("arith.cmpi sle, " + name(op.operands[1]) + ", " +
                              name(op.operands[2]) + " : " + type(value));
    std::string offset = constant(value, op.number);
    if (!isScalar(value)) {
      std::string flat = "tensor<" + std::to_string(count(program.shapes[value])) + "xi32>";
      std::string range = define("tile.make_range 0 to " +
                                 std::to_string(count(program.shapes[value])) + " : " + flat);
      std::string place = define("tile.reshape " + range + " : " + flat + " -> " + type(value));
      offset = define("arith.addi " + place + ", " + offset + " : " + type(value));
    }
    std::string pointer = pointers(value, offset);
    text += "  tile.store " + pointer + ", " + name(value) + " mask " + mask + " : " +
            type(value, "!tile.ptr<i32>") + "\n";
  }

  void printControl(const Op &op) {
    text += "  " + join(op.results, false) + " = ";
    // The text of the header comes after that of what it needs.
    std::string head = text.substr(text.rfind('\n', text.size() - 1) + 1);
    text.resize(text.size() - head.size());
    if (op.kind == Kind::For) {
      std::string end = define("arith.constant " + std::to_string(op.number) + " : i32");
      std::string carried;
      for (size_t i = 0; i < op.operands.size(); ++i)
        carried +=
            (i ? ", " : "") + name(op.blocks[0].arguments[i + 1]) + " = " + name(op.operands[i]);
      text += head + "scf.for " + name(op.blocks[0].arguments[0]) + " = %lower to " + end +
              " step %one iter_args(" + carried + ") -> (" + join(op.results, true) + ") : i32 {\n";
      printBlock(op.blocks[0]);
      text += "  }\n";
      return;
    }
    std::string condition = define("arith.cmpi sgt, " + name(op.operands[0]) + ", %lower : i32");
    text += head + "scf.if " + condition + " -> (" + join(op.results, true) + ") {\n";
    printBlock(op.blocks[0]);
    text += "  } else {\n";
    printBlock(op.blocks[1]);
    text += "  }\n";
  }

  void printBlock(const Block &block) {
    print(block);
    text += "  scf.yield " + join(block.yields, false) + " : " + join(block.yields, true) + "\n";
  }

  const Program &program;
  std::string text;
  int next = 0;
};

bool agrees(unsigned seed) {
  Program program = Generator(seed).run();
  std::string text = Printer(program).run();
  Data initial(kMemory);
  for (int i = 0; i < kMemory; ++i)
    initial[i] = (i * 7919 + int(seed)) % 1000 - 300;
  Data expected = initial, found = initial;
  Interpreter(program, expected).run(program.body);
  auto kernel = compileText(text);
  if (!kernel) {
    ADD_FAILURE() << "seed " << seed;
    return false;
  }
  runKernel(*kernel, {1}, {arg(found.data())});
  if (found == expected)
    return true;
  size_t at = 0;
  while (found[at] == expected[at])
    ++at;
  ADD_FAILURE() << "seed " << seed << ": element " << at << " is " << found[at] << ", expected "
                << expected[at] << "\n"
                << text;
  return false;
}

} // namespace

TEST(HostRandom, ProgramsAgreeWithTheInterpreter) {
  // TILEC_RANDOM_SEEDS=FIRST,COUNT looks further than a test run should take.
  unsigned first = 1, seeds = 60;
  if (const char *range = getenv("TILEC_RANDOM_SEEDS"))
    sscanf(range, "%u,%u", &first, &seeds);
  for (unsigned seed = first; seed < first + seeds; ++seed)
    if (!agrees(seed))
      return;
}
