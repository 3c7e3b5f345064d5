//===- Navigation.cpp - Definitions, names and symbols ----------*- C++ -*-===//
//
// Where names are defined and written, other names for them, and the outline of a file.
//
//===----------------------------------------------------------------------===//

#include "Features.h"
#include "Resolver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;

static std::optional<size_t> tokenAt(const Analysis &analysis, lsp::Position position) {
  return analysis.syntax().nameAt(analysis.text().offsetOf(position));
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// A place in a file on disk.
static std::optional<lsp::Location> locationIn(const SourceFile &file, llvm::SMRange place) {
  llvm::SmallString<128> path(file.path());
  if (llvm::sys::fs::make_absolute(path))
    return std::nullopt;
  llvm::Expected<lsp::URIForFile> uri = lsp::URIForFile::fromFile(path);
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  lsp::Range range;
  const char *begin = file.text().begin();
  if (place.isValid())
    range = Text(file.text().str())
                .rangeOf(place.Start.getPointer() - begin, place.End.getPointer() - begin);
  return lsp::Location(*uri, range);
}

static std::optional<lsp::Location> locationOf(const Analysis &analysis, const Entity &entity) {
  if (entity.kind == Entity::Kind::FileModule && entity.place.file)
    return locationIn(*entity.place.file, llvm::SMRange());
  if (entity.kind != Entity::Kind::Definition)
    return std::nullopt;
  if (entity.file)
    return locationIn(*entity.file, entity.range);
  std::optional<size_t> begin = analysis.offsetOf(entity.range.Start);
  std::optional<size_t> end = analysis.offsetOf(entity.range.End);
  if (!begin || !end)
    return std::nullopt;
  return lsp::Location(analysis.uri(), analysis.text().rangeOf(*begin, *end));
}

std::vector<lsp::Location> ls::definition(const Analysis &analysis, lsp::Position position) {
  std::vector<lsp::Location> locations;
  std::optional<size_t> token = tokenAt(analysis, position);
  if (!token)
    return locations;
  const Syntax &syntax = analysis.syntax();
  std::optional<lsp::Location> found =
      locationOf(analysis, Resolver(analysis).resolveToken(*token));
  if (!found)
    if (std::optional<unsigned> scope = syntax.scopeOf(*token)) {
      // In functions the first assignment; of a module the last definition counts.
      auto &bindings =
          syntax.scopes()[*scope].bindings.find(syntax.textOf(syntax.tokens()[*token]))->second;
      const ScopeBinding &binding = *scope == 0 ? bindings.back() : bindings.front();
      const NameToken &name = syntax.tokens()[binding.token];
      found = lsp::Location(analysis.uri(), analysis.text().rangeOf(name.begin, name.end));
    }
  if (found)
    locations.push_back(*found);
  return locations;
}

std::vector<lsp::Range> ls::occurrences(const Analysis &analysis, lsp::Position position) {
  std::vector<lsp::Range> ranges;
  const Syntax &syntax = analysis.syntax();
  std::optional<size_t> token = tokenAt(analysis, position);
  std::optional<unsigned> scope = token ? syntax.scopeOf(*token) : std::nullopt;
  if (!scope)
    return ranges;
  for (size_t index : syntax.occurrences(*scope, syntax.textOf(syntax.tokens()[*token])))
    ranges.push_back(
        analysis.text().rangeOf(syntax.tokens()[index].begin, syntax.tokens()[index].end));
  return ranges;
}

//===----------------------------------------------------------------------===//
// Rename
//===----------------------------------------------------------------------===//

static llvm::Error refuse(const llvm::Twine &message) {
  return llvm::make_error<lsp::LSPError>(message.str(), lsp::ErrorCode::RequestFailed);
}

/// The token at a position, if its name can be changed.
static llvm::Expected<size_t> renamable(const Analysis &analysis, lsp::Position position) {
  const Syntax &syntax = analysis.syntax();
  std::optional<size_t> token = tokenAt(analysis, position);
  if (!token)
    return refuse("there is no name here");
  StringRef name = syntax.textOf(syntax.tokens()[*token]);
  std::optional<unsigned> scope = syntax.scopeOf(*token);
  if (!scope)
    return refuse("'" + name + "' is not defined in this file");
  for (const ScopeBinding &binding : syntax.scopes()[*scope].bindings.find(name)->second)
    if (binding.kind == ScopeBinding::Kind::Import)
      return refuse("'" + name + "' is the name in another file; import it 'as' another one");
  return *token;
}

llvm::Expected<lsp::Range> ls::prepareRename(const Analysis &analysis, lsp::Position position) {
  llvm::Expected<size_t> token = renamable(analysis, position);
  if (!token)
    return token.takeError();
  const NameToken &name = analysis.syntax().tokens()[*token];
  return analysis.text().rangeOf(name.begin, name.end);
}

static bool isName(StringRef text) {
  Lexer lexer(text);
  TokenList list;
  lexer.lexExpression(text.begin(), text.end(), list);
  return list.errors.empty() && list.tokens.size() == 2 &&
         list.tokens.front().kind == TokenKind::Name && list.tokens.front().text() == text;
}

llvm::Expected<lsp::WorkspaceEdit> ls::rename(const Analysis &analysis, lsp::Position position,
                                              StringRef name) {
  const Syntax &syntax = analysis.syntax();
  llvm::Expected<size_t> token = renamable(analysis, position);
  if (!token)
    return token.takeError();
  if (findBinaryByte(name) || !isName(name))
    return refuse("'" + name + "' cannot be a name");
  StringRef old = syntax.textOf(syntax.tokens()[*token]);
  unsigned scope = *syntax.scopeOf(*token);
  std::vector<size_t> places = syntax.occurrences(scope, old);
  // At none of the places may the new name have a meaning already.
  for (size_t index : places)
    if (name != old && (syntax.lookUp(syntax.tokens()[index].scope, name) ||
                        syntax.lookUp(scope, name) || builtins::findPython(name)))
      return refuse("'" + name + "' has a meaning already where '" + old + "' is used");
  lsp::WorkspaceEdit edit;
  std::vector<lsp::TextEdit> &edits = edit.changes[analysis.uri().uri().str()];
  for (size_t index : places)
    edits.push_back(
        {analysis.text().rangeOf(syntax.tokens()[index].begin, syntax.tokens()[index].end),
         name.str()});
  return edit;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

namespace {

/// What becomes a symbol.
struct Outlined {
  size_t begin, end;
  const NameToken *name;
  lsp::SymbolKind kind;
  std::optional<unsigned> scope; // Of a function or class.
};

} // namespace

/// The variables that a module or class binds, each where it is bound first.
static void addVariables(const Syntax &syntax, unsigned scope, std::vector<Outlined> &outline) {
  for (const auto &[name, bindings] : syntax.scopes()[scope].bindings) {
    const NameToken &token = syntax.tokens()[bindings.front().token];
    if (bindings.front().isImport() || syntax.definitionOf(bindings.front().token))
      continue;
    bool isConstant = llvm::all_of(name, [](char c) { return !llvm::isLower(c); });
    lsp::SymbolKind kind = syntax.scopes()[scope].kind == NameScope::Kind::Class
                               ? lsp::SymbolKind::Field
                           : isConstant ? lsp::SymbolKind::Constant
                                        : lsp::SymbolKind::Variable;
    outline.push_back({token.begin, token.end, &token, kind, std::nullopt});
  }
}

/// The functions and classes that are directly in a scope.
static void addScopes(const Analysis &analysis, unsigned scope, std::vector<Outlined> &outline) {
  const Syntax &syntax = analysis.syntax();
  for (unsigned i : syntax.scopesIn(scope)) {
    const NameScope &inner = syntax.scopes()[i];
    if (!inner.nameToken)
      continue;
    lsp::SymbolKind kind = inner.kind == NameScope::Kind::Class ? lsp::SymbolKind::Class
                           : syntax.scopes()[scope].kind == NameScope::Kind::Class
                               ? lsp::SymbolKind::Method
                               : lsp::SymbolKind::Function;
    size_t length = analysis.text().str().slice(inner.begin, inner.end).rtrim().size();
    const NameToken &name = syntax.tokens()[*inner.nameToken];
    outline.push_back({inner.begin, std::max(inner.begin + length, name.end), &name, kind, i});
  }
}

static std::vector<lsp::DocumentSymbol> symbolsIn(const Analysis &analysis, unsigned scope,
                                                  unsigned depth) {
  constexpr unsigned maxDepth = 50;
  std::vector<lsp::DocumentSymbol> symbols;
  const Syntax &syntax = analysis.syntax();
  if (depth > maxDepth)
    return symbols;
  std::vector<Outlined> outline;
  if (syntax.scopes()[scope].kind != NameScope::Kind::Function)
    addVariables(syntax, scope, outline);
  addScopes(analysis, scope, outline);
  llvm::sort(outline,
             [](const Outlined &left, const Outlined &right) { return left.begin < right.begin; });
  for (const Outlined &part : outline) {
    const Text &text = analysis.text();
    symbols.emplace_back(syntax.textOf(*part.name), part.kind, text.rangeOf(part.begin, part.end),
                         text.rangeOf(part.name->begin, part.name->end));
    if (!part.scope)
      continue;
    symbols.back().detail = llvm::join(syntax.paramsOf(*part.scope), ", ");
    symbols.back().children = symbolsIn(analysis, *part.scope, depth + 1);
  }
  return symbols;
}

std::vector<lsp::DocumentSymbol> ls::documentSymbols(const Analysis &analysis) {
  return symbolsIn(analysis, 0, 0);
}

//===----------------------------------------------------------------------===//
// Proposals
//===----------------------------------------------------------------------===//

std::vector<lsp::CodeAction> ls::codeActions(const Analysis &analysis, lsp::Range range) {
  std::vector<lsp::CodeAction> actions;
  for (const Proposal &proposal : analysis.proposals()) {
    const lsp::Range &place = proposal.diagnostic.range;
    if (range.end < place.start || place.end < range.start)
      continue;
    lsp::CodeAction action;
    action.title = proposal.edit.newText.empty() ? "Delete this"
                                                 : "Replace by '" + proposal.edit.newText + "'";
    action.kind = lsp::CodeAction::kQuickFix.str();
    action.diagnostics = {proposal.diagnostic};
    action.isPreferred = true;
    action.edit.emplace();
    action.edit->changes[analysis.uri().uri().str()].push_back(proposal.edit);
    actions.push_back(std::move(action));
  }
  return actions;
}
