//===- IdleInput.h - Messages, and when there are none ----------*- C++ -*-===//

#ifndef TILEC_LIB_LANGUAGESERVER_IDLEINPUT_H
#define TILEC_LIB_LANGUAGESERVER_IDLEINPUT_H

#include "llvm/Support/LSP/Transport.h"

#include <functional>

namespace tilec::ls {

/// Messages from a file. Calls a function before it waits for one, so that work which every change
/// makes necessary is done once for all changes that have come.
class IdleInput : public llvm::lsp::JSONTransportInput {
public:
  /// `in` must be unbuffered, since the file descriptor is asked whether there is more.
  IdleInput(std::FILE *in, std::function<void()> onIdle)
      : in(in), messages(in), onIdle(std::move(onIdle)) {}

  bool hasError() const override { return messages.hasError(); }
  bool isEndOfInput() const override { return messages.isEndOfInput(); }
  llvm::LogicalResult readStandardMessage(std::string &json) override;
  llvm::LogicalResult readDelimitedMessage(std::string &json) override;

private:
  void beforeRead();

  std::FILE *in;
  llvm::lsp::JSONTransportInputOverFile messages;
  std::function<void()> onIdle;
};

} // namespace tilec::ls

#endif // TILEC_LIB_LANGUAGESERVER_IDLEINPUT_H
