//===- Messages.cpp - Parameters of requests --------------------*- C++ -*-===//

#include "Messages.h"

using namespace tilec;
using namespace tilec::ls;
namespace json = llvm::json;

bool ls::fromJSON(const json::Value &value, AnyParams &result, json::Path) {
  result.value = value;
  return true;
}

bool ls::fromJSON(const json::Value &value, RenameParams &result, json::Path path) {
  llvm::lsp::TextDocumentPositionParams &position = result;
  json::ObjectMapper mapper(value, path);
  return fromJSON(value, position, path) && mapper && mapper.map("newName", result.newName);
}

std::optional<std::vector<std::string>> ls::readSettings(const json::Value &settings,
                                                         std::string &problem) {
  const json::Object *object = settings.getAsObject();
  // Editors send the settings of all servers, of one, or what is in them.
  if (object)
    if (const json::Object *own = object->getObject("tilec"))
      object = own;
  const json::Value *value = object ? object->get("options") : nullptr;
  if (!value)
    return std::nullopt;
  std::vector<std::string> words;
  const json::Array *list = value->getAsArray();
  for (size_t i = 0; list && i < list->size(); ++i)
    if (std::optional<llvm::StringRef> word = (*list)[i].getAsString())
      words.push_back(word->str());
  if (!list || words.size() != list->size()) {
    problem = "expected the setting 'tilec.options' to be a list of strings";
    return std::nullopt;
  }
  return words;
}
