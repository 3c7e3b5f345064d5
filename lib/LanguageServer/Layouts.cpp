//===- Layouts.cpp - Which thread holds what of a tile ----------*- C++ -*-===//
//
// A value of the front end is found again among the tiles with layouts by the place of the
// operation that made it, and by its shape. What passes have folded away, divided, or made anew has
// none.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "Guard.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Report/LineNotes.h"

#include <thread>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tilec;
using namespace tilec::ls;
using namespace tilec::layout;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The sizes behind the element's type: "[64, 32]" of "float32[64, 32]".
static StringRef shapeOf(StringRef type) {
  size_t at = type.find('[');
  return at == StringRef::npos || !type.ends_with("]") ? "" : type.drop_front(at);
}

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text + "]";
}

void LayoutFacts::add(mlir::Location location, mlir::Type type, StringRef file) {
  auto attr = tile::getLayout(type);
  if (!attr)
    return;
  LinearLayout layout = attr.toLinearLayout(llvm::cast<mlir::RankedTensorType>(type).getShape());
  // Of a value in a helper the innermost place counts, as for the front end.
  std::optional<ValuePlace> place = placeIn(location, file);
  if (!place)
    return;
  std::vector<LinearLayout> &known = layouts[*place];
  if (!llvm::is_contained(known, layout))
    known.push_back(std::move(layout));
}

void LayoutFacts::collect(mlir::ModuleOp module, StringRef file) {
  module.walk([&](mlir::Operation *op) {
    if (tile::isInScalarCode(op))
      return;
    for (mlir::Type type : op->getResultTypes())
      add(op->getLoc(), type, file);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::BlockArgument argument : block.getArguments())
          add(argument.getLoc(), argument.getType(), file);
  });
  for (LineNote &note : describeLines(module))
    if (note.file == file)
      if (std::vector<std::string> &known = notes[note.line]; !llvm::is_contained(known, note.text))
        known.push_back(std::move(note.text));
}

std::vector<LinearLayout> LayoutFacts::find(const ValuePlace &place, StringRef type) const {
  std::vector<LinearLayout> result;
  auto found = layouts.find(place);
  if (found != layouts.end())
    llvm::copy_if(found->second, std::back_inserter(result), [&](const LinearLayout &layout) {
      return shapeText(layout.shape()) == shapeOf(type);
    });
  return result;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {

/// How the values of one hardware dimension are spread: as many along each axis, and copies.
struct Spread {
  std::vector<uint64_t> along;
  uint64_t copies = 1;
  bool isMixed = false; // A bit of it moves along several axes at once.
};

} // namespace

static Spread spreadOf(const LinearLayout &layout, InDim dim) {
  Spread spread{std::vector<uint64_t>(layout.rank(), 1)};
  for (unsigned i = 0; i < layout.numBases(dim); ++i) {
    Coords basis = layout.basis(dim, i);
    unsigned numAxes = 0;
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      if (basis[axis] != 0 && ++numAxes == 1)
        spread.along[axis] *= 2;
    spread.isMixed |= numAxes > 1;
    if (numAxes == 0)
      spread.copies *= 2;
  }
  return spread;
}

/// Neighbours along the last axis that a thread holds side by side, in registers from any even one.
static uint64_t runOf(const LinearLayout &layout) {
  uint64_t run = 1;
  auto holds = [&](uint64_t step) {
    for (unsigned i = 0; i < layout.numBases(InDim::Register); ++i)
      if (layout.flatBases(InDim::Register)[i] == step)
        return true;
    return false;
  };
  uint64_t most = layout.rank() ? uint64_t(layout.shape().back()) : 1;
  while (run < most && holds(run))
    run *= 2;
  return run;
}

static std::string plural(uint64_t count, StringRef word) {
  return std::to_string(count) + " " + word.str() + (count == 1 ? "" : "s");
}

std::string ls::describeLayout(const LinearLayout &layout) {
  constexpr std::pair<InDim, StringRef> names[] = {{InDim::Register, "registers"},
                                                   {InDim::Lane, "lanes"},
                                                   {InDim::Warp, "warps"},
                                                   {InDim::Block, "CTAs"}};
  Spread registers = spreadOf(layout, InDim::Register);
  uint64_t elements = layout.numRegisters() / registers.copies, run = runOf(layout);
  std::string text = plural(elements, "element") + " a thread";
  if (run > 1)
    text += ", " + std::to_string(run) + " neighbours side by side";
  std::string head = "\n\n| |", line = "\n|---|", rows;
  bool hasCopies = false, isMixed = false;
  for (auto [dim, name] : names) {
    Spread spread = spreadOf(layout, dim);
    hasCopies |= spread.copies > 1;
    isMixed |= spread.isMixed;
  }
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    head += " axis " + std::to_string(axis) + " |";
    line += "---|";
  }
  if (hasCopies) {
    head += " copies |";
    line += "---|";
  }
  for (auto [dim, name] : names) {
    if (layout.numBases(dim) == 0 && dim != InDim::Register)
      continue;
    Spread spread = spreadOf(layout, dim);
    rows += "\n| " + name.str() + " |";
    for (uint64_t count : spread.along)
      rows += " " + std::to_string(count) + " |";
    if (hasCopies)
      rows += " " + std::to_string(spread.copies) + " |";
  }
  return text + head + line + rows + (isMixed ? "\n\nSome move along several axes at once." : "");
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

/// Lets answers go first where processors are busy; threads that this one makes have it as well.
static void lowerPriority() {
#ifdef __linux__
  constexpr int nice = 10;
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), nice);
#endif
}

void LayoutWorker::work(std::shared_ptr<State> state) {
  lowerPriority();
  std::unique_lock<std::mutex> guard(state->lock);
  while (state->next.analysis) {
    state->current = std::exchange(state->next, Job());
    AnalysisInput input = state->current.input;
    guard.unlock();
    // What a crash leaves behind is neither used nor freed.
    auto *facts = new LayoutFacts;
    if (!runGuarded([&] { findLayouts(input, *facts); }))
      facts = new LayoutFacts;
    guard.lock();
    Found &found = state->known[input.uri.uri().str()];
    found.analysis = std::move(state->current.analysis);
    found.facts.reset(facts);
    state->current = Job();
    state->done.notify_all();
    if (!std::exchange(state->isAwaited, false))
      continue;
    guard.unlock();
    state->announce();
    guard.lock();
  }
  state->isRunning = false;
}

void LayoutWorker::State::announce() {
  std::lock_guard<std::mutex> call(callLock);
  if (onFound)
    onFound();
}

std::shared_ptr<const LayoutFacts>
LayoutWorker::find(const std::shared_ptr<const Analysis> &analysis, const AnalysisInput &input,
                   std::chrono::milliseconds wait) {
  std::unique_lock<std::mutex> guard(state->lock);
  auto isKnown = [&] { return state->find(input.uri).analysis == analysis; };
  if (isKnown())
    return state->find(input.uri).facts;
  bool isStale = state->isRunning && state->current.analysis != analysis;
  if (state->current.analysis != analysis)
    state->next = {analysis, input};
  if (!state->isRunning) {
    state->isRunning = true;
    std::thread(work, state).detach();
  }
  // Behind work for an earlier state there is nothing to wait for.
  if (!isStale)
    state->done.wait_for(guard, wait, isKnown);
  if (isKnown())
    return state->find(input.uri).facts;
  state->isAwaited = true;
  return nullptr;
}

void LayoutWorker::announce(const std::shared_ptr<const Analysis> &analysis,
                            const AnalysisInput &input) {
  if (find(analysis, input, std::chrono::milliseconds(0)))
    state->announce();
}

LayoutWorker::Found LayoutWorker::last(const lsp::URIForFile &uri) const {
  std::lock_guard<std::mutex> guard(state->lock);
  return state->find(uri);
}

void LayoutWorker::forget(const lsp::URIForFile &uri) {
  std::lock_guard<std::mutex> guard(state->lock);
  state->known.erase(uri.uri().str());
}

void LayoutWorker::beQuiet() {
  std::lock_guard<std::mutex> call(state->callLock);
  state->onFound = nullptr;
}

bool LayoutWorker::isBusy() const {
  std::lock_guard<std::mutex> guard(state->lock);
  return state->isRunning;
}
