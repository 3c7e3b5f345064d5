//===- Descriptors.cpp - Tensor descriptors of compiled kernels -*- C++ -*-===//
//
// A tensor descriptor is several parameters of a kernel. The generated header makes one of C++ out
// of them, and what code relies on becomes conditions of every configuration, since callers in C
// pass the parts.
//
//===----------------------------------------------------------------------===//

#include "BuildInternals.h"

using namespace tilec;
using namespace tilec::artifact;
using llvm::SMRange;

/// Calls `visit` for each descriptor among `items` with the number of its first parameter.
template <typename Visitor>
static void forEachDescriptor(llvm::ArrayRef<SignatureItem> items, unsigned &next, Visitor visit) {
  for (const SignatureItem &item : items) {
    if (item.descriptor)
      visit(*item.descriptor, next);
    next += item.type.has_value();
    forEachDescriptor(item.elements, next, visit);
  }
}

std::vector<ArtifactDescriptor> artifact::findDescriptors(const KernelInfo &info) {
  std::vector<ArtifactDescriptor> result;
  unsigned next = 0;
  forEachDescriptor(info.arguments, next, [&](const DescriptorType &type, unsigned first) {
    // The base is called "x.base".
    llvm::StringRef name = info.params[first].name;
    result.push_back({name.rsplit('.').first.str(), type.str(), first, type.rank()});
  });
  return result;
}

llvm::DenseMap<unsigned, ClassRule> artifact::findDescriptorClasses(const KernelInfo &info) {
  llvm::DenseMap<unsigned, ClassRule> classes;
  unsigned next = 0;
  forEachDescriptor(info.arguments, next, [&](const DescriptorType &type, unsigned first) {
    for (unsigned part = 0; part < type.numArguments(); ++part)
      classes[first + part] = type.classesOf(part);
  });
  return classes;
}

/// The argument at a path with numbers: "x.1.0".
static HostExpr::Ref argumentAt(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '.');
  HostExpr::Ref result = HostExpr::argument(parts.front().str(), SMRange());
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    int64_t index = 0;
    part.getAsInteger(10, index);
    result = HostExpr::element(std::move(result), index, SMRange());
  }
  return result;
}

/// "x.shape.0" as C calls it.
static std::string nameInC(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<Requirement> artifact::descriptorRules(const KernelInfo &info) {
  auto number = [](int64_t value) {
    return HostExpr::constant(ConstValue::integer(value), SMRange());
  };
  std::vector<Requirement> rules;
  unsigned next = 0;
  forEachDescriptor(info.arguments, next, [&](const DescriptorType &type, unsigned first) {
    for (unsigned part = 0; part < type.numArguments(); ++part) {
      const KernelParam &param = info.params[first + part];
      HostExpr::Ref value = argumentAt(param.path);
      bool isSize = part > 0 && part <= type.rank();
      int64_t divisor = type.divisorOf(part);
      if (!isSize)
        value = HostExpr::binary(ast::BinaryOp::Mod, std::move(value), number(divisor), SMRange());
      ast::CompareOp op = isSize ? ast::CompareOp::Gt : ast::CompareOp::Eq;
      std::string text =
          nameInC(param.name) + (isSize ? " > 0" : " % " + std::to_string(divisor) + " == 0");
      rules.push_back(
          {std::move(text), HostExpr::compare(op, std::move(value), number(0), SMRange())});
    }
  });
  return rules;
}
