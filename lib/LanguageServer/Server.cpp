//===- Server.cpp - Kernels in editors --------------------------*- C++ -*-===//
//
// Keeps the open files and answers messages about them. A change only changes the text. A file is
// checked when something about it is asked, or when no message waits; then its diagnostics are
// published.
//
//===----------------------------------------------------------------------===//

#include "tilec/LanguageServer/Server.h"

#include "Features.h"
#include "IdleInput.h"
#include "Layouts.h"
#include "Messages.h"
#include "llvm/Support/LSP/Transport.h"

#include <cstdlib>

using namespace tilec;
using namespace tilec::ls;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// An open file.
struct Document {
  lsp::URIForFile uri;
  Text text;
  int64_t version = 0;
  std::shared_ptr<const Analysis> analysis;        // Of this text; null after a change.
  std::shared_ptr<const Analysis> checked;         // The last one without errors of syntax.
  std::chrono::steady_clock::duration checkTime{}; // What the last check took.
  bool isPublished = false;                        // The diagnostics of this text.
  bool awaitsLenses = false; // The client is to be told of the lenses of this text.
};

class Server {
public:
  Server(std::FILE *in, llvm::raw_ostream &out, const ServerOptions &options);
  int run();

private:
  using Position = lsp::TextDocumentPositionParams;
  template <typename T> using Reply = lsp::Callback<T>;

  void registerHandlers();

  // The life of a session.
  void onInitialize(const AnyParams &params, Reply<json::Value> reply);
  void onShutdown(const lsp::NoParams &, Reply<std::nullptr_t> reply);
  void onNothing(const lsp::NoParams &) {}
  void onConfiguration(const AnyParams &params);

  // Files.
  void onOpen(const lsp::DidOpenTextDocumentParams &params);
  void onChange(const lsp::DidChangeTextDocumentParams &params);
  void onClose(const lsp::DidCloseTextDocumentParams &params);
  void onSave(const AnyParams &params);

  // Questions.
  void onHover(const Position &params, Reply<json::Value> reply);
  void onCompletion(const lsp::CompletionParams &params, Reply<json::Value> reply);
  void onSignatureHelp(const Position &params, Reply<json::Value> reply);
  void onDefinition(const Position &params, Reply<json::Value> reply);
  void onReferences(const lsp::ReferenceParams &params, Reply<json::Value> reply);
  void onHighlight(const Position &params, Reply<json::Value> reply);
  void onPrepareRename(const Position &params, Reply<json::Value> reply);
  void onRename(const RenameParams &params, Reply<json::Value> reply);
  void onSymbols(const lsp::DocumentSymbolParams &params, Reply<json::Value> reply);
  void onInlayHints(const lsp::InlayHintsParams &params, Reply<json::Value> reply);
  void onCodeAction(const lsp::CodeActionParams &params, Reply<json::Value> reply);
  void onCodeLens(const AnyParams &params, Reply<json::Value> reply);

  void readOptions(const json::Value &settings);
  void refreshLenses();
  void forgetAll();
  AnalysisInput inputOf(const Document &document) const;
  std::string describeLayouts(const Document &document, const ValueFact::Type &type);
  const Analysis *analyze(const lsp::URIForFile &uri);
  void analyze(Document &document);
  void publish();

  llvm::raw_ostream &out;
  lsp::JSONTransport transport;
  lsp::MessageHandler handler;
  ServerOptions options;
  std::vector<std::string> settings; // Options that the client has set.
  std::map<std::string, Document> documents;
  lsp::OutgoingNotification<lsp::PublishDiagnosticsParams> publishDiagnostics;
  lsp::OutgoingNotification<lsp::ShowMessageParams> showMessage;
  lsp::OutgoingRequest<std::nullptr_t> askForRefresh;
  int numRefreshes = 0;
  bool canRefresh = false; // Whether the client asks for lenses again when it is told to.
  LayoutWorker layouts;
  bool isShutDown = false;
};

} // namespace

Server::Server(std::FILE *in, llvm::raw_ostream &out, const ServerOptions &options)
    : out(out), transport(std::make_unique<IdleInput>(in, [this] { publish(); }), out),
      handler(transport), options(options),
      publishDiagnostics(handler.outgoingNotification<lsp::PublishDiagnosticsParams>(
          "textDocument/publishDiagnostics")),
      showMessage(handler.outgoingNotification<lsp::ShowMessageParams>("window/showMessage")),
      askForRefresh(handler.outgoingRequest<std::nullptr_t, AnyParams>(
          "workspace/codeLens/refresh",
          [](json::Value, llvm::Expected<AnyParams> answer) {
            if (!answer)
              lsp::Logger::error("lenses: {0}", llvm::toString(answer.takeError()));
          })),
      layouts([this] { refreshLenses(); }) {
  registerHandlers();
}

void Server::registerHandlers() {
  handler.method("initialize", this, &Server::onInitialize);
  handler.method("shutdown", this, &Server::onShutdown);
  handler.notification("initialized", this, &Server::onNothing);
  handler.notification("$/cancelRequest", this, &Server::onNothing); // Answers are quick.
  handler.notification("$/setTrace", this, &Server::onNothing);
  handler.notification("workspace/didChangeConfiguration", this, &Server::onConfiguration);
  handler.notification("workspace/didChangeWatchedFiles", this, &Server::onSave);
  handler.notification("textDocument/didOpen", this, &Server::onOpen);
  handler.notification("textDocument/didChange", this, &Server::onChange);
  handler.notification("textDocument/didClose", this, &Server::onClose);
  handler.notification("textDocument/didSave", this, &Server::onSave);
  handler.method("textDocument/hover", this, &Server::onHover);
  handler.method("textDocument/completion", this, &Server::onCompletion);
  handler.method("textDocument/signatureHelp", this, &Server::onSignatureHelp);
  handler.method("textDocument/definition", this, &Server::onDefinition);
  handler.method("textDocument/references", this, &Server::onReferences);
  handler.method("textDocument/documentHighlight", this, &Server::onHighlight);
  handler.method("textDocument/prepareRename", this, &Server::onPrepareRename);
  handler.method("textDocument/rename", this, &Server::onRename);
  handler.method("textDocument/documentSymbol", this, &Server::onSymbols);
  handler.method("textDocument/inlayHint", this, &Server::onInlayHints);
  handler.method("textDocument/codeAction", this, &Server::onCodeAction);
  handler.method("textDocument/codeLens", this, &Server::onCodeLens);
}

//===----------------------------------------------------------------------===//
// The life of a session
//===----------------------------------------------------------------------===//

int Server::run() {
  if (llvm::Error error = transport.run(handler)) {
    lsp::Logger::error("{0}", llvm::toString(std::move(error)));
    isShutDown = false;
  }
  int status = isShutDown ? 0 : 1;
  if (!layouts.isBusy())
    return status;
  // Passes cannot be stopped, and must not see the process being taken down around them.
  layouts.beQuiet();
  out.flush();
  std::_Exit(status);
}

/// Whether the client asks for lenses again when it is told that there are others.
static bool supportsLensRefresh(const json::Object &params) {
  const json::Object *object = &params;
  for (StringRef name : {"capabilities", "workspace", "codeLens"})
    if (object)
      object = object->getObject(name);
  return object && object->getBoolean("refreshSupport").value_or(false);
}

void Server::onInitialize(const AnyParams &params, Reply<json::Value> reply) {
  if (const json::Object *object = params.value.getAsObject()) {
    if (const json::Value *given = object->get("initializationOptions"))
      readOptions(*given);
    canRefresh = supportsLensRefresh(*object);
  }
  json::Object sync{{"openClose", true},
                    {"change", int(lsp::TextDocumentSyncKind::Incremental)},
                    {"save", json::Object{{"includeText", false}}}};
  json::Object capabilities{
      {"textDocumentSync", std::move(sync)},
      {"hoverProvider", true},
      {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}},
      {"signatureHelpProvider", json::Object{{"triggerCharacters", json::Array{"(", ","}}}},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", json::Object{{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"inlayHintProvider", true},
      {"codeLensProvider", json::Object{{"resolveProvider", false}}},
      {"codeActionProvider",
       json::Object{{"codeActionKinds", json::Array{lsp::CodeAction::kQuickFix}}}}};
  reply(json::Object{
      {"capabilities", std::move(capabilities)},
      {"serverInfo", json::Object{{"name", "tilec-lsp"}, {"version", options.version}}}});
}

void Server::onShutdown(const lsp::NoParams &, Reply<std::nullptr_t> reply) {
  isShutDown = true;
  layouts.beQuiet(); // Nothing is said behind the answer.
  reply(nullptr);
}

void Server::readOptions(const json::Value &given) {
  std::string problem;
  if (std::optional<std::vector<std::string>> words = readSettings(given, problem))
    settings = std::move(*words);
  if (!problem.empty())
    showMessage(lsp::ShowMessageParams(lsp::MessageType::Error, problem));
}

void Server::onConfiguration(const AnyParams &params) {
  if (const json::Object *object = params.value.getAsObject())
    if (const json::Value *given = object->get("settings"))
      readOptions(*given);
  forgetAll();
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void Server::onOpen(const lsp::DidOpenTextDocumentParams &params) {
  Document &document = documents[params.textDocument.uri.uri().str()];
  document = Document();
  document.uri = params.textDocument.uri;
  document.text = Text(params.textDocument.text);
  document.version = params.textDocument.version;
}

void Server::onChange(const lsp::DidChangeTextDocumentParams &params) {
  auto found = documents.find(params.textDocument.uri.uri().str());
  if (found == documents.end())
    return lsp::Logger::error("change of a file that is not open: {0}",
                              params.textDocument.uri.uri());
  Document &document = found->second;
  for (const lsp::TextDocumentContentChangeEvent &change : params.contentChanges)
    document.text.apply(change);
  document.version = params.textDocument.version;
  document.analysis.reset();
  document.isPublished = false;
}

void Server::onClose(const lsp::DidCloseTextDocumentParams &params) {
  if (!documents.erase(params.textDocument.uri.uri().str()))
    return;
  layouts.forget(params.textDocument.uri);
  // Diagnostics of files that are not open are nobody's.
  publishDiagnostics(lsp::PublishDiagnosticsParams(params.textDocument.uri, 0));
}

/// A file on disk has changed, which others may import.
void Server::onSave(const AnyParams &) { forgetAll(); }

void Server::forgetAll() {
  for (auto &[uri, document] : documents) {
    document.analysis.reset();
    document.isPublished = false;
  }
}

AnalysisInput Server::inputOf(const Document &document) const {
  AnalysisInput input;
  input.uri = document.uri;
  input.text = document.text;
  input.limit = options.checkLimit;
  for (const std::vector<std::string> *list : {&options.compileOptions, &settings})
    for (const std::string &option : *list)
      input.settings.push_back({option, {}});
  return input;
}

void Server::analyze(Document &document) {
  if (document.analysis)
    return;
  auto start = std::chrono::steady_clock::now();
  document.analysis = Analysis::make(inputOf(document));
  document.checkTime = std::chrono::steady_clock::now() - start;
  if (!document.checked || document.analysis->isWhole())
    document.checked = document.analysis;
}

const Analysis *Server::analyze(const lsp::URIForFile &uri) {
  auto found = documents.find(uri.uri().str());
  if (found == documents.end())
    return nullptr;
  analyze(found->second);
  return found->second.analysis.get();
}

/// Checks the files that have changed. Called when no message waits.
void Server::publish() {
  for (auto &[uri, document] : documents) {
    if (document.isPublished)
      continue;
    analyze(document);
    document.isPublished = true;
    lsp::PublishDiagnosticsParams params(document.uri, document.version);
    params.diagnostics = document.analysis->diagnostics();
    publishDiagnostics(params);
    if (std::exchange(document.awaitsLenses, false))
      layouts.announce(document.analysis, inputOf(document));
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// A list as the value of a reply.
template <typename T> static json::Value listOf(const std::vector<T> &items) {
  json::Array array;
  for (const T &item : items)
    array.push_back(toJSON(item));
  return array;
}

/// How long an answer waits for layouts, so that it comes within the 50 ms in which one is felt to
/// be at once. They take several times as long as the check, so after a slow one it is in vain.
static std::chrono::milliseconds layoutWait(const Document &document) {
  constexpr std::chrono::milliseconds most(20);
  constexpr int timesCheck = 4;
  return document.checkTime * timesCheck > most ? std::chrono::milliseconds(0) : most;
}

/// The layouts of a tile, or that they are being found.
std::string Server::describeLayouts(const Document &document, const ValueFact::Type &type) {
  std::shared_ptr<const LayoutFacts> facts =
      layouts.find(document.analysis, inputOf(document), layoutWait(document));
  if (!facts)
    return "Its layout is being found.";
  std::vector<layout::LinearLayout> found;
  for (const ValuePlace &place : type.places)
    for (layout::LinearLayout &layout : facts->find(place, type.type))
      if (!llvm::is_contained(found, layout))
        found.push_back(std::move(layout));
  constexpr size_t most = 3;
  std::string text;
  for (const layout::LinearLayout &layout : llvm::ArrayRef(found).take_front(most))
    text += (text.empty() ? "" : "\n\nIn another layout: ") + describeLayout(layout);
  if (found.size() > most)
    text += "\n\nThere are " + std::to_string(found.size() - most) + " more.";
  return text;
}

void Server::onHover(const Position &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  std::optional<lsp::Hover> found;
  if (analysis) {
    const Document &document = documents[params.textDocument.uri.uri().str()];
    found = hover(*analysis, params.position,
                  [&](const ValueFact::Type &type) { return describeLayouts(document, type); });
  }
  reply(found ? toJSON(*found) : json::Value(nullptr));
}

void Server::onCompletion(const lsp::CompletionParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  if (!analysis)
    return reply(nullptr);
  const Document &document = documents[params.textDocument.uri.uri().str()];
  reply(toJSON(complete(*analysis, document.checked.get(), params.position)));
}

void Server::onSignatureHelp(const Position &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  lsp::SignatureHelp help;
  if (analysis)
    help = signatureHelp(*analysis, params.position);
  reply(help.signatures.empty() ? json::Value(nullptr) : toJSON(help));
}

void Server::onDefinition(const Position &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  reply(analysis ? listOf(definition(*analysis, params.position)) : json::Value(nullptr));
}

void Server::onReferences(const lsp::ReferenceParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  std::vector<lsp::Location> locations;
  if (analysis) {
    std::vector<lsp::Location> defined = definition(*analysis, params.position);
    for (const lsp::Range &range : occurrences(*analysis, params.position)) {
      lsp::Location location(analysis->uri(), range);
      if (params.context.includeDeclaration || !llvm::is_contained(defined, location))
        locations.push_back(location);
    }
  }
  reply(listOf(locations));
}

void Server::onHighlight(const Position &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  json::Array highlights;
  if (analysis)
    for (const lsp::Range &range : occurrences(*analysis, params.position))
      highlights.push_back(json::Object{{"range", toJSON(range)}});
  reply(std::move(highlights));
}

static llvm::Error notOpen() {
  return llvm::make_error<lsp::LSPError>("this file is not open", lsp::ErrorCode::InvalidParams);
}

void Server::onPrepareRename(const Position &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  if (!analysis)
    return reply(notOpen());
  llvm::Expected<lsp::Range> range = prepareRename(*analysis, params.position);
  if (!range)
    return reply(range.takeError());
  reply(toJSON(*range));
}

void Server::onRename(const RenameParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  if (!analysis)
    return reply(notOpen());
  llvm::Expected<lsp::WorkspaceEdit> edit = rename(*analysis, params.position, params.newName);
  if (!edit)
    return reply(edit.takeError());
  reply(toJSON(*edit));
}

void Server::onSymbols(const lsp::DocumentSymbolParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  reply(analysis ? listOf(documentSymbols(*analysis)) : json::Value(nullptr));
}

void Server::onInlayHints(const lsp::InlayHintsParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  reply(analysis ? listOf(inlayHints(*analysis, params.range)) : json::Value(nullptr));
}

void Server::onCodeAction(const lsp::CodeActionParams &params, Reply<json::Value> reply) {
  const Analysis *analysis = analyze(params.textDocument.uri);
  reply(analysis ? listOf(codeActions(*analysis, params.range)) : json::Value(nullptr));
}

/// A client that can be told of others has what was found last, without a check. Another one does
/// not ask again, so for it the answer waits a little.
void Server::onCodeLens(const AnyParams &params, Reply<json::Value> reply) {
  const json::Object *object = params.value.getAsObject();
  const json::Object *file = object ? object->getObject("textDocument") : nullptr;
  auto found = documents.find(file ? file->getString("uri").value_or("").str() : "");
  if (found == documents.end())
    return reply(nullptr);
  Document &document = found->second;
  if (!canRefresh)
    analyze(document);
  if (document.analysis)
    layouts.find(document.analysis, inputOf(document),
                 canRefresh ? std::chrono::milliseconds(0) : layoutWait(document));
  else
    document.awaitsLenses = true;
  LayoutWorker::Found last = layouts.last(document.uri);
  reply(last.facts ? codeLenses(document.text, last.analysis->text(), *last.facts) : json::Array());
}

/// Called on the thread that finds layouts, or on that of the messages; never on both at a time.
void Server::refreshLenses() {
  if (canRefresh)
    askForRefresh(nullptr, "refresh-" + std::to_string(++numRefreshes));
}

int tilec::runLanguageServer(std::FILE *in, llvm::raw_ostream &out, const ServerOptions &options) {
  return Server(in, out, options).run();
}
