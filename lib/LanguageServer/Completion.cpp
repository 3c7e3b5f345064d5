//===- Completion.cpp - Names that may stand somewhere ----------*- C++ -*-===//
//
// Behind a dot these are members of a module or methods of values, in an import the modules and
// their names, in a call also its parameters, and elsewhere what the scopes around bind.
//
//===----------------------------------------------------------------------===//

#include "BuiltinDocs.h"
#include "Callee.h"
#include "Features.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

namespace {

class Completer {
public:
  Completer(const Analysis &analysis, const Analysis *older, size_t offset);
  lsp::CompletionList run();

private:
  bool isInText() const;
  bool completeImport();
  void completeMember();
  void completeName();
  void addBuiltin(const builtins::Info &info, bool asMethod = false);
  void addMembers(const Entity &module, bool onlyModules = false);
  void addMethods(StringRef value);
  void addKeywords();
  void addScope(unsigned scope);
  void add(StringRef name, lsp::CompletionItemKind kind, StringRef detail = "",
           StringRef documentation = "", StringRef insert = "", char order = '1');
  const ValueFact *factOf(const Analysis &state, StringRef name) const;
  std::string typeOf(StringRef name) const;

  const Analysis &analysis;
  const Analysis *older;
  const Syntax &syntax;
  size_t offset;      // Of the position.
  StringRef before;   // The line up to the word that is being written.
  StringRef word;     // What there is of it.
  unsigned scope = 0; // Around the position.
  lsp::CompletionList list;
  llvm::StringSet<> added;
};

} // namespace

static bool isWordByte(char c) {
  return llvm::isAlnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

Completer::Completer(const Analysis &analysis, const Analysis *older, size_t offset)
    : analysis(analysis), older(older), syntax(analysis.syntax()), offset(offset) {
  StringRef text = analysis.text().str().take_front(offset);
  size_t start = text.size();
  while (start > 0 && isWordByte(text[start - 1]))
    --start;
  word = text.drop_front(start);
  before = text.take_front(start);
  before = before.drop_front(before.rfind('\n') + 1);
  scope = syntax.scopeAt(offset);
}

void Completer::add(StringRef name, lsp::CompletionItemKind kind, StringRef detail,
                    StringRef documentation, StringRef insert, char order) {
  // Names of the implementation are for those who begin to write one.
  if ((name.starts_with("_") && !word.starts_with("_")) ||
      !added.insert(insert.empty() ? name : insert).second)
    return;
  lsp::CompletionItem item(insert.empty() ? name : insert, kind, (llvm::Twine(order) + name).str());
  item.detail = detail.str();
  if (!documentation.empty())
    item.documentation = lsp::MarkupContent{lsp::MarkupKind::Markdown, documentation.str()};
  list.items.push_back(std::move(item));
}

/// Whether a token begins as a string does, perhaps with a prefix.
static bool isQuoted(StringRef token) {
  return token.take_front(3).find_first_of("'\"") != StringRef::npos;
}

/// Strings and comments are completed by nobody.
bool Completer::isInText() const {
  size_t behindString = offset - word.size() - before.size(); // The start of the line.
  for (const NameToken &token : syntax.tokens()) {
    if (token.begin >= offset)
      break;
    // A string that has no end yet is an error up to where the lexer has given up.
    bool isOpen = token.kind == TokenKind::Error && isQuoted(syntax.textOf(token));
    if (token.kind != TokenKind::String && !isOpen)
      continue;
    behindString = std::max(behindString, token.end);
    if (offset < token.end || (isOpen && offset == token.end)) {
      // In a replacement field there are names.
      std::optional<size_t> name = syntax.nameAt(offset);
      return !name || syntax.tokens()[*name].begin < token.begin;
    }
  }
  StringRef text = analysis.text().str();
  return behindString < offset && text.slice(behindString, offset).contains('#');
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static lsp::CompletionItemKind kindOf(const builtins::Info &info) {
  switch (info.kind) {
  case builtins::Info::Kind::Function:
    return lsp::CompletionItemKind::Function;
  case builtins::Info::Kind::Type:
    return lsp::CompletionItemKind::Class;
  case builtins::Info::Kind::Constant:
    return lsp::CompletionItemKind::Constant;
  case builtins::Info::Kind::Module:
    return lsp::CompletionItemKind::Module;
  }
  llvm_unreachable("all kinds are covered");
}

void Completer::addBuiltin(const builtins::Info &info, bool asMethod) {
  if (info.isSupported)
    add(info.name, asMethod ? lsp::CompletionItemKind::Method : kindOf(info),
        signatureOf(info, asMethod), describeBuiltin(info));
}

void Completer::addMembers(const Entity &module, bool onlyModules) {
  for (const builtins::Info &info : builtins::listMembers(module.module))
    if (!onlyModules || info.kind == builtins::Info::Kind::Module)
      addBuiltin(info);
  Resolver resolver(analysis);
  for (const std::string &name : resolver.membersOf(module)) {
    Entity member = resolver.memberOf(module, name);
    if (!member.function) {
      add(name, lsp::CompletionItemKind::Variable);
      continue;
    }
    Callee callee = calleeOf(*member.function);
    add(name, lsp::CompletionItemKind::Function, callee.label, callee.documentation);
  }
}

/// `from a.b import ..` and `import a.b`. False for other lines.
bool Completer::completeImport() {
  StringRef line = before.ltrim();
  bool isFrom = line.consume_front("from ");
  if (!isFrom && !line.consume_front("import "))
    return false;
  auto [path, names] = line.split(" import");
  if (isFrom && names.empty() && !line.ends_with(" import")) {
    line = line.trim();
  } else if (isFrom) {
    // The import may be incomplete, so that the parser has none; only modules of the language and
    // those that are found by their path are completed.
    Entity module;
    path = path.trim();
    unsigned level = 0;
    while (path.consume_front("."))
      ++level;
    if (level == 0 && builtins::isModule(path)) {
      module.kind = Entity::Kind::LanguageModule;
      module.module = path.str();
    } else if (ImportResult found =
                   analysis.imports().find(analysis.uri().file().str(), level, path);
               found.place) {
      module.kind = Entity::Kind::FileModule;
      module.place = *found.place;
    }
    addMembers(module);
    return true;
  } else {
    line = line.rsplit(',').second.empty() ? line.trim() : line.rsplit(',').second.trim();
  }
  if (!line.consume_back(".")) {
    for (StringRef name : {"triton", "math"})
      add(name, lsp::CompletionItemKind::Module);
    return true;
  }
  Entity module;
  module.kind = Entity::Kind::LanguageModule;
  module.module = line.str();
  addMembers(module, /*onlyModules=*/true);
  return true;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// The last value of a name in the function around the position.
const ValueFact *Completer::factOf(const Analysis &state, StringRef name) const {
  const ValueFact *found = nullptr;
  unsigned named = scope; // Comprehensions and lambdas have no names.
  while (named != 0 && !syntax.scopes()[named].nameToken)
    named = syntax.scopes()[named].parent;
  const NameScope &here = syntax.scopes()[named];
  // Another state of the file has the function elsewhere; there its name says which one it is.
  StringRef function =
      here.nameToken ? syntax.textOf(syntax.tokens()[*here.nameToken]) : StringRef();
  for (const NameScope &candidate : state.syntax().scopes()) {
    StringRef candidateName =
        candidate.nameToken ? state.syntax().textOf(state.syntax().tokens()[*candidate.nameToken])
                            : StringRef();
    bool isNamed = candidate.nameToken || candidate.kind == NameScope::Kind::Module;
    if (!isNamed || candidateName != function)
      continue;
    for (auto it = state.values().lower_bound(candidate.begin);
         it != state.values().end() && it->first < candidate.end; ++it)
      if (it->second.name == name && (&state != &analysis || it->first < offset || !found))
        found = &it->second;
  }
  return found;
}

std::string Completer::typeOf(StringRef name) const {
  const ValueFact *fact = factOf(analysis, name);
  if (!fact && older)
    fact = factOf(*older, name);
  if (!fact || fact->types.empty())
    return "";
  const ValueFact::Type &type = fact->types.front();
  return type.type + (type.constant.empty() ? "" : " = " + type.constant);
}

void Completer::addMethods(StringRef value) {
  bool isDescriptor = StringRef(typeOf(value)).contains("descriptor");
  for (const builtins::Info &info :
       isDescriptor ? builtins::listDescriptorMethods() : builtins::listMethods())
    addBuiltin(info, /*asMethod=*/true);
}

void Completer::completeMember() {
  StringRef rest = before.drop_back(); // The dot.
  std::vector<StringRef> names;
  while (true) {
    size_t start = rest.size();
    while (start > 0 && isWordByte(rest[start - 1]))
      --start;
    if (start == rest.size())
      return addMethods(""); // Of an expression.
    names.insert(names.begin(), rest.drop_front(start));
    rest = rest.take_front(start);
    if (!rest.consume_back("."))
      break;
  }
  if (llvm::isDigit(names.front().front()))
    return; // A number.
  Entity entity = Resolver(analysis).resolve(names, scope);
  if (!entity.isKnown() && older) // An incomplete line may have cost the imports.
    entity = Resolver(*older).resolve(names, 0);
  if (entity.kind == Entity::Kind::LanguageModule || entity.kind == Entity::Kind::FileModule)
    addMembers(entity);
  else if (!entity.builtin && !entity.function)
    addMethods(names.size() == 1 ? names.front() : "");
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The parameters of the function that is being called.
void Completer::addKeywords() {
  std::optional<CallSite> site = callAt(syntax, offset - word.size());
  if (!site || !site->keyword.empty())
    return;
  std::optional<Callee> callee = calleeOf(analysis, site->callee);
  if (!callee)
    return;
  for (size_t i = 0; i < callee->params.size(); ++i)
    if (callee->params[i].front() != '*')
      add(callee->nameOf(i), lsp::CompletionItemKind::Property, callee->params[i], "",
          (callee->nameOf(i) + "=").str(), '0');
}

void Completer::addScope(unsigned index) {
  const NameScope &inner = syntax.scopes()[index];
  for (const auto &[name, bindings] : inner.bindings) {
    const ScopeBinding &binding = bindings.front();
    if (bindings.size() == 1 && syntax.tokens()[binding.token].end == offset)
      continue; // The word itself.
    std::optional<Callee> callee;
    if (index == 0 || syntax.definitionOf(binding.token))
      callee = calleeOf(analysis, binding.token);
    if (callee)
      add(name, lsp::CompletionItemKind::Function, callee->label, callee->documentation);
    else if (bindings.back().isImport())
      add(name, lsp::CompletionItemKind::Module);
    else
      add(name, lsp::CompletionItemKind::Variable,
          inner.kind == NameScope::Kind::Function ? typeOf(name) : "");
  }
}

void Completer::completeName() {
  addKeywords();
  for (unsigned at = scope;; at = syntax.scopes()[at].parent) {
    if (at == scope || syntax.scopes()[at].kind != NameScope::Kind::Class)
      addScope(at);
    if (at == 0)
      break;
  }
  for (const builtins::Info &info : builtins::listPython())
    addBuiltin(info);
}

lsp::CompletionList Completer::run() {
  if (isInText() || (!word.empty() && llvm::isDigit(word.front())))
    return list;
  if (!completeImport()) {
    if (before.ends_with("."))
      completeMember();
    else
      completeName();
  }
  return std::move(list);
}

lsp::CompletionList ls::complete(const Analysis &analysis, const Analysis *older,
                                 lsp::Position position) {
  return Completer(analysis, older, analysis.text().offsetOf(position)).run();
}
