//===- ObjectModule.cpp - Tables and launchers as an LLVM module -*- C++ -*-===//
//
// Everything but the functions of the generated header is internal, and those are hidden: two
// objects, also of two versions of tilec, share no name but those of ObjectLibrary.cpp. Tables are
// constants; what the runtime writes, the state cells of each variant, are zeros in a section of
// their own.
//
//===----------------------------------------------------------------------===//

#include "ObjectModule.h"

#include "ExprCode.h"
#include "tilec/Artifact/Object.h"
#include "tilec/aot.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace tilec;
using llvm::Constant;

// The tables below are written field by field, in the order of these structures.
static_assert(sizeof(tilec_aot_image) == 40 && sizeof(tilec_aot_variant) == 40 &&
              sizeof(tilec_aot_config) == 56 && sizeof(tilec_aot_constexpr) == 24 &&
              sizeof(tilec_aot_kernel) == 72 && sizeof(tilec_aot_tuned) == 24 &&
              sizeof(tilec_aot_library) == 16 && sizeof(tilec_param) == 16 &&
              sizeof(tilec_aot_mapped_code) == 24 && sizeof(tilec_tensor_map) == 48 &&
              sizeof(tilec_map_step) == 16);

ObjectModule::ObjectModule(llvm::LLVMContext &context, const Artifact &artifact,
                           DiagnosticEngine &diagnostics)
    : artifact(artifact), diagnostics(diagnostics),
      module(std::make_unique<llvm::Module>(artifact.nameSpace, context)), b(context) {}

void ObjectModule::setTarget(const llvm::Triple &triple, const llvm::DataLayout &layout) {
  module->setTargetTriple(triple);
  module->setDataLayout(layout);
  module->setPICLevel(llvm::PICLevel::BigPIC);
}

bool ObjectModule::build() {
  for (const ArtifactKernel &kernel : artifact.kernels) {
    llvm::GlobalVariable *table = addKernel(kernel);
    if (!sound)
      return false;
    addLauncher(kernel, table, "", "tilec_aot_launch_v1", /*hasResult=*/false);
    addLauncher(kernel, table, "_occupancy", "tilec_aot_occupancy_v1", /*hasResult=*/true);
    addEntry(kernel, table);
  }
  addLibraryFunctions();
  addDescription();
  std::string problem;
  llvm::raw_string_ostream os(problem);
  return !llvm::verifyModule(*module, &os) || error("internal error in the object: " + problem);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

llvm::GlobalVariable *ObjectModule::addGlobal(Constant *value, const llvm::Twine &name) {
  return new llvm::GlobalVariable(*module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::InternalLinkage, value, "tilec." + name);
}

Constant *ObjectModule::addString(llvm::StringRef text) {
  Constant *&known = strings[text];
  if (!known) {
    auto *global = addGlobal(llvm::ConstantDataArray::getString(module->getContext(), text), "str");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(1));
    known = global;
  }
  return known;
}

/// An array of equal elements; null when there are none.
Constant *ObjectModule::addArray(llvm::ArrayRef<Constant *> elements, const llvm::Twine &name) {
  if (elements.empty())
    return null();
  auto *type = llvm::ArrayType::get(elements.front()->getType(), elements.size());
  return addGlobal(llvm::ConstantArray::get(type, elements), name);
}

Constant *ObjectModule::addParams(const ArtifactKernel &kernel) {
  llvm::SmallVector<Constant *> params;
  for (const ArtifactParam &param : kernel.params) {
    tilec_param known = toRuntime(param);
    params.push_back(
        structOf({addString(known.name), b.getInt32(known.type), b.getInt32(known.offset)}));
  }
  // Null would mean that the parameters are not known.
  if (params.empty())
    params.push_back(structOf({null(), b.getInt32(0), b.getInt32(0)}));
  return addArray(params, kernel.name + ".params");
}

Constant *ObjectModule::addConstexprs(const ArtifactKernel &kernel) {
  llvm::SmallVector<Constant *> constexprs;
  for (unsigned i = 0; i < kernel.constexprs.size(); ++i) {
    llvm::SmallVector<Constant *> values;
    if (!kernel.isNumeric(i))
      for (const ConstValue &value : kernel.distinctValues(i))
        values.push_back(addString(value.str()));
    constexprs.push_back(
        structOf({addString(kernel.constexprs[i]), addArray(values, kernel.name + ".values"),
                  b.getInt32(values.size()), b.getInt32(0)}));
  }
  return addArray(constexprs, kernel.name + ".constexprs");
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Links the kernel's function in; equal code is there once.
Constant *ObjectModule::addCpuCode(const ArtifactImage &image) {
  llvm::Expected<std::unique_ptr<llvm::Module>> code =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(image.data, "cpu"), module->getContext());
  if (!code) {
    sound = error("internal error in CPU code: " + llvm::toString(code.takeError()));
    return null();
  }
  std::string name = "tilec.cpu." + std::to_string(images.size());
  for (llvm::Function &function : **code)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      function.setName(name);
  if (llvm::Linker::linkModules(*module, std::move(*code))) {
    sound = error("internal error while CPU code was linked");
    return null();
  }
  llvm::Function *entry = module->getFunction(name);
  entry->setLinkage(llvm::GlobalValue::InternalLinkage);
  return entry;
}

/// A tilec_aot_mapped_code of the code.
Constant *ObjectModule::addMapped(Constant *data, const LaunchNeeds &needs) {
  RuntimeMaps maps(needs.maps);
  llvm::SmallVector<Constant *> list;
  for (const tilec_tensor_map &map : maps.get()) {
    llvm::SmallVector<Constant *> box, steps;
    for (uint32_t size : map.box)
      box.push_back(b.getInt32(size));
    for (const tilec_map_step &step : llvm::ArrayRef(map.steps, map.num_steps))
      steps.push_back(structOf(
          {b.getInt32(step.op), b.getInt32(step.reserved), b.getInt64(uint64_t(step.value))}));
    list.push_back(
        structOf({b.getInt32(map.rank), b.getInt32(map.element_bytes), b.getInt32(map.swizzle),
                  llvm::ConstantArray::get(llvm::ArrayType::get(b.getInt32Ty(), box.size()), box),
                  b.getInt32(map.num_steps), addArray(steps, "steps")}));
  }
  const tilec_packing &packing = needs.packing;
  return addGlobal(structOf({data, addArray(list, "maps"), b.getInt32(uint32_t(list.size())),
                             structOf({b.getInt16(packing.threads), b.getInt8(packing.programs),
                                       b.getInt8(packing.least)})}),
                   "mapped");
}

Constant *ObjectModule::addImage(const ArtifactImage &image) {
  using Kind = ArtifactImage::Kind;
  bool isCpu = image.kind == Kind::CPU;
  Constant *&data = images[image.data];
  if (!data && isCpu) {
    data = addCpuCode(image);
  } else if (!data) {
    bool endsInNul = image.kind == Kind::PTX;
    auto *bytes = llvm::ConstantDataArray::getString(module->getContext(), image.data, endsInNul);
    llvm::GlobalVariable *global = addGlobal(bytes, "image");
    global->setAlignment(llvm::Align(64)); // what drivers expect of machine code
    data = global;
  }
  unsigned kind = isCpu                       ? TILEC_AOT_CPU
                  : image.kind == Kind::Cubin ? TILEC_AOT_CUBIN
                                              : TILEC_AOT_PTX;
  Constant *code = data;
  if (!image.maps.empty() || image.packing.programs != 0) {
    code = addMapped(data, image);
    kind |= TILEC_AOT_MAPPED;
  }
  return structOf({b.getInt32(kind), b.getInt32(image.level), b.getInt32(image.suffix),
                   b.getInt32(image.threads), b.getInt32(image.dynamicSharedBytes),
                   b.getInt32(image.numCTAs),
                   b.getInt64(isCpu ? image.scratchBytes : image.data.size()), code});
}

Constant *ObjectModule::addVariant(const ArtifactVariant &variant) {
  llvm::SmallVector<Constant *> list;
  for (const ArtifactImage &image : variant.images)
    list.push_back(addImage(image));
  auto *cells = llvm::ArrayType::get(b.getPtrTy(), 1 + list.size());
  auto *state = new llvm::GlobalVariable(*module, cells, /*isConstant=*/false,
                                         llvm::GlobalValue::InternalLinkage,
                                         llvm::ConstantAggregateZero::get(cells), "tilec.state");
  return structOf({b.getInt64(variant.aligned), b.getInt64(variant.ones), b.getInt32(list.size()),
                   b.getInt32(0), addArray(list, "images"), state});
}

Constant *ObjectModule::addConfig(const ArtifactKernel &kernel, const ArtifactConfig &config) {
  llvm::SmallVector<Constant *> values, variants;
  for (unsigned i = 0; i < kernel.constexprs.size(); ++i)
    values.push_back(b.getInt64(kernel.codeOf(config, i)));
  for (const ArtifactVariant &variant : config.variants)
    variants.push_back(addVariant(variant));
  ExprCode code(*module, kernel, config, diagnostics);
  Constant *accepts = null(), *grid = null();
  if (!kernel.heuristics.empty() || !config.requirements.empty()) {
    llvm::Function *function = code.emitAccepts("tilec." + kernel.name + ".accepts");
    sound &= function != nullptr;
    accepts = function ? function : accepts;
  }
  if (!kernel.grid.empty()) {
    llvm::Function *function = code.emitGrid("tilec." + kernel.name + ".grid");
    sound &= function != nullptr;
    grid = function ? function : grid;
  }
  // For people, who read it in errors.
  std::string text = config.text, requirements = config.requirementText();
  if (!requirements.empty())
    text += (text.empty() ? "if " : " if ") + requirements;
  return structOf({addString(config.name), addString(text),
                   addArray(values, kernel.name + ".config"), accepts, grid,
                   addArray(variants, kernel.name + ".variants"), b.getInt32(variants.size()),
                   b.getInt32(config.tune)});
}

/// 64-bit FNV-1a, by which the runtime knows a device without comparing text.
static uint64_t hashName(llvm::StringRef name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

Constant *ObjectModule::addTuned(const ArtifactKernel &kernel) {
  llvm::SmallVector<Constant *> list;
  for (const ArtifactTuned &tuned : kernel.tuned) {
    llvm::SmallVector<Constant *> key;
    for (int64_t value : tuned.key)
      key.push_back(b.getInt64(value));
    list.push_back(structOf({b.getInt64(hashName(tuned.device)), b.getInt32(tuned.level),
                             b.getInt32(tuned.tune), addArray(key, kernel.name + ".key")}));
  }
  return addArray(list, kernel.name + ".tuned");
}

llvm::GlobalVariable *ObjectModule::addKernel(const ArtifactKernel &kernel) {
  llvm::SmallVector<Constant *> configs;
  for (const ArtifactConfig &config : kernel.configs) {
    configs.push_back(addConfig(kernel, config));
    if (!sound)
      return nullptr;
  }
  Constant *params = addParams(kernel), *constexprs = addConstexprs(kernel);
  llvm::SmallVector<Constant *> key;
  for (unsigned index : kernel.key)
    key.push_back(b.getInt32(index));
  llvm::GlobalVariable *table = addGlobal(
      structOf({b.getInt32(TILEC_AOT_VERSION), b.getInt32(kernel.params.size()),
                addString(kernel.name), params, constexprs,
                addArray(configs, kernel.name + ".configs"), b.getInt32(kernel.constexprs.size()),
                b.getInt32(configs.size()), addArray(key, kernel.name + ".keys"), addTuned(kernel),
                b.getInt32(key.size()), b.getInt32(kernel.tuned.size())}),
      "");
  // The C++ functions of the header refer to it.
  table->setName(artifact.tableName(kernel));
  table->setLinkage(llvm::GlobalValue::ExternalLinkage);
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return table;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A function of the generated header.
llvm::Function *ObjectModule::addFunction(const llvm::Twine &name, llvm::Type *result,
                                          llvm::ArrayRef<llvm::Type *> params) {
  auto *type = llvm::FunctionType::get(result, params, /*isVarArg=*/false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, *module);
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  b.SetInsertPoint(llvm::BasicBlock::Create(module->getContext(), "", function));
  return function;
}

/// The type as C passes it: halves as the structure of 16 bits that they are in C++.
static llvm::Type *passedType(DType type, llvm::LLVMContext &context) {
  if (type.isPointer())
    return llvm::PointerType::getUnqual(context);
  if (type.isFP32())
    return llvm::Type::getFloatTy(context);
  if (type.isFP64())
    return llvm::Type::getDoubleTy(context);
  return llvm::IntegerType::get(context, std::max(8u, type.bits()));
}

/// The argument's bits, with zeros above.
llvm::Value *ObjectModule::toSlot(llvm::Value *argument, DType type) {
  if (type.isPointer())
    return argument;
  if (type.isFP32() || type.isFP64())
    argument = b.CreateBitCast(argument, b.getIntNTy(type.bits()));
  if (type.isBool())
    argument = b.CreateAnd(argument, b.getInt8(1));
  return b.CreateZExt(argument, b.getInt64Ty());
}

/// A function for C, which stores its arguments in slots and calls `callee` of the runtime.
/// `hasResult`: its last parameter is a pointer that is passed on.
void ObjectModule::addLauncher(const ArtifactKernel &kernel, Constant *table,
                               const llvm::Twine &suffix, llvm::StringRef callee, bool hasResult) {
  llvm::Type *pointer = b.getPtrTy();
  unsigned first = kernel.constexprs.empty() ? 1 : 2;
  llvm::SmallVector<llvm::Type *> types(first, pointer);
  for (const ArtifactParam &param : kernel.params)
    types.push_back(passedType(param.type, module->getContext()));
  if (hasResult)
    types.push_back(pointer);
  llvm::Function *function = addFunction(artifact.functionName(kernel) + suffix, pointer, types);
  auto *slotsType = llvm::ArrayType::get(b.getInt64Ty(), std::max<size_t>(1, kernel.params.size()));
  llvm::Value *slots = b.CreateAlloca(slotsType);
  for (auto [index, param] : llvm::enumerate(kernel.params))
    b.CreateStore(toSlot(function->getArg(first + index), param.type),
                  b.CreateConstGEP1_32(b.getInt64Ty(), slots, index));
  llvm::SmallVector<llvm::Value *> arguments = {table, function->getArg(0), null(), slots};
  if (first == 2)
    arguments[2] = function->getArg(1);
  if (hasResult)
    arguments.push_back(function->getArg(function->arg_size() - 1));
  auto *type = llvm::FunctionType::get(
      pointer, llvm::SmallVector<llvm::Type *>(arguments.size(), pointer), false);
  b.CreateRet(b.CreateCall(module->getOrInsertFunction(callee, type), arguments));
}

void ObjectModule::addDescription() {
  std::string text = llvm::formatv("{0}", describe(artifact));
  auto *global =
      addGlobal(llvm::ConstantDataArray::getString(module->getContext(), text, /*AddNull=*/false),
                "description");
  global->setSection(kDescriptionSection);
  global->setAlignment(llvm::Align(1));
  global->setMetadata(llvm::LLVMContext::MD_exclude, llvm::MDNode::get(module->getContext(), {}));
  llvm::appendToCompilerUsed(*module, {global});
}
