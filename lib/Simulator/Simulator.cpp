//===- Simulator.cpp - PTX executed on the processor ------------*- C++ -*-===//
//
// The library's interface, and the one list of what opcodes are looked for where.
//
//===----------------------------------------------------------------------===//

#include "tilec/Simulator/Simulator.h"

#include "Warp.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::simulator;

static Effect effectOf(StringRef opcode, const Instruction &instruction) {
  if (opcode.starts_with("wgmma."))
    return Effect::Products;
  if (instruction.operands.empty() || instruction.operands[0].isAddress ||
      instruction.kind == Kind::Barrier || instruction.kind == Kind::Branch)
    return Effect::Reads;
  // Those without a result that have no address first, either.
  for (StringRef name : {"bar.", "call", "cp.async.", "nanosleep."})
    if (opcode.starts_with(name))
      return Effect::Reads;
  bool isOne = instruction.operands.size() == 2 && instruction.operands[0].slots.size() == 1 &&
               instruction.operands[1].slots.size() == 1;
  return opcode.starts_with("mov.") && isOne ? Effect::Copies : Effect::Writes;
}

Error tilec::simulator::decode(StringRef opcode, Instruction &instruction) {
  // There are no caches, and the policy comes last.
  std::string withoutPolicy = opcode.str();
  if (size_t at = withoutPolicy.find(".L2::cache_hint"); at != std::string::npos) {
    withoutPolicy.erase(at, StringRef(".L2::cache_hint").size());
    opcode = withoutPolicy;
    if (!instruction.operands.empty())
      instruction.operands.pop_back();
  }
  for (Handler (*find)(StringRef) : {findArithmetic, findFloatArithmetic, findComparison})
    if (!instruction.run)
      instruction.run = find(opcode);
  for (Handler (*find)(StringRef, Instruction &) :
       {findConversion, findMemory, findAtomic, findAsyncCopy, findBulkCopy, findMBarrier,
        findMatrix, findWarpgroup, findWarp})
    if (!instruction.run)
      instruction.run = find(opcode, instruction);
  instruction.effect = effectOf(opcode, instruction);
  if (instruction.run)
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "the simulator does not know '" + opcode + "'");
}

SimulatedKernel::SimulatedKernel(std::unique_ptr<Program> program) : program(std::move(program)) {}
SimulatedKernel::~SimulatedKernel() = default;

uint32_t SimulatedKernel::staticSharedBytes() const { return program->sharedBytes; }

Expected<std::unique_ptr<SimulatedKernel>> SimulatedKernel::load(StringRef ptx, StringRef name) {
  Expected<std::unique_ptr<Program>> program = readProgram(ptx, name);
  if (!program)
    return program.takeError();
  return std::unique_ptr<SimulatedKernel>(new SimulatedKernel(std::move(*program)));
}

Error SimulatedKernel::run(const SimulatedLaunch &launch) const {
  auto fail = [](const Twine &what) { return createStringError(inconvertibleErrorCode(), what); };
  size_t numMaps = program->numMaps(), numNumbers = program->parameters.size() - numMaps;
  if (launch.arguments.size() != numNumbers)
    return fail("the kernel takes " + Twine(numNumbers) + " arguments, found " +
                Twine(launch.arguments.size()));
  if (launch.maps.size() != numMaps)
    return fail("the kernel takes " + Twine(numMaps) + " tensor maps, found " +
                Twine(launch.maps.size()));
  if (launch.threads() == 0 || launch.threads() > 1024)
    return fail("a CTA has 1 to 1024 threads, not " + Twine(launch.threads()));
  if (launch.clusterSize == 0 || launch.clusterSize > 16 || launch.grid[0] % launch.clusterSize)
    return fail("the grid is not one of whole clusters");
  return Launch(*program, launch).run();
}
