//===- ToolSearch.cpp - Where CUDA's tools are ------------------*- C++ -*-===//
//
// Finds ptxas and the disassemblers. An explicit choice is never passed over in silence, since the
// user would get another version's code without knowing it; the rest is searched from the most to
// the least deliberate place.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Ptxas.h"

#include "PTXInternals.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <algorithm>

using namespace llvm;
using namespace tilec;

ToolPlaces::ToolPlaces()
    : environment([](StringRef name) -> std::optional<std::string> {
        return sys::Process::GetEnv(name);
      }) {}

static bool isProgram(const Twine &path) {
  return sys::fs::can_execute(path) && !sys::fs::is_directory(path);
}

static std::optional<std::string> programIn(const Twine &folder, StringRef name) {
  SmallString<128> path;
  folder.toVector(path);
  sys::path::append(path, name);
  if (path.empty() || !isProgram(path))
    return std::nullopt;
  return std::string(path);
}

/// Looks \p name up in the folders of \p path, separated by colons.
static std::optional<std::string> programInPath(const std::string &path, StringRef name) {
  SmallVector<StringRef, 32> folders;
  StringRef(path).split(folders, sys::EnvPathSeparator, -1, /*KeepEmpty=*/false);
  for (StringRef folder : folders)
    if (std::optional<std::string> found = programIn(folder, name))
      return found;
  return std::nullopt;
}

/// A tool that the user named; \p origin says how.
static Expected<Tool> chosenTool(StringRef name, StringRef chosen, StringRef origin,
                                 const ToolPlaces &places) {
  std::optional<std::string> path;
  if (chosen.contains('/'))
    path = isProgram(chosen) ? std::optional(chosen.str()) : std::nullopt;
  else
    path = programInPath(places.environment("PATH").value_or(""), chosen);
  if (path)
    return Tool{*path, origin.str()};
  return makeError(origin + " names no program: '" + chosen + "' (" + name + " was looked for)");
}

/// The version in the name of a toolkit's folder, "cuda-12.8"; nothing for any other folder.
static std::optional<Version> toolkitVersion(StringRef folder) {
  StringRef text = sys::path::filename(folder);
  Version version;
  if (!text.consume_front("cuda-") || text.consumeInteger(10, version.major))
    return std::nullopt;
  if (text.consume_front(".") && text.consumeInteger(10, version.minor))
    return std::nullopt;
  return text.empty() ? std::optional(version) : std::nullopt;
}

/// The toolkits below \p parent: the one called cuda, then the others, newest first.
static std::vector<std::string> toolkitFolders(StringRef parent) {
  std::vector<std::pair<Version, std::string>> versioned;
  std::error_code error;
  for (sys::fs::directory_iterator entry(parent, error), end; entry != end && !error;
       entry.increment(error))
    if (std::optional<Version> version = toolkitVersion(entry->path()))
      versioned.emplace_back(*version, entry->path());
  std::sort(versioned.begin(), versioned.end(),
            [](const auto &a, const auto &b) { return b.first < a.first; });
  std::vector<std::string> folders{(parent + "/cuda").str()};
  for (auto &[version, path] : versioned)
    folders.push_back(path);
  return folders;
}

static std::string shownOrUnset(const std::optional<std::string> &value) {
  return value ? "'" + *value + "'" : "not set";
}

Expected<Tool> tilec::findTool(StringRef name, StringRef explicitPath, const ToolPlaces &places) {
  if (!explicitPath.empty())
    return chosenTool(name, explicitPath, ("--" + name).str(), places);
  std::string variable = "TILEC_" + name.upper();
  std::replace(variable.begin(), variable.end(), '-', '_');
  if (std::optional<std::string> chosen = places.environment(variable))
    if (!chosen->empty())
      return chosenTool(name, *chosen, variable, places);
  for (StringRef home : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> folder = places.environment(home))
      if (!folder->empty())
        if (std::optional<std::string> path = programIn(*folder + "/bin", name))
          return Tool{*path, home.str()};
  if (std::optional<std::string> path =
          programInPath(places.environment("PATH").value_or(""), name))
    return Tool{*path, "PATH"};
  for (const std::string &folder : toolkitFolders(places.toolkitParent))
    if (std::optional<std::string> path = programIn(folder + "/bin", name))
      return Tool{*path, folder};
  std::string option = name == "ptxas" ? "--ptxas not given, " : "";
  return makeError("cannot find " + name + ", which is part of the CUDA toolkit: " + option +
                   variable + " not set, CUDA_HOME " +
                   shownOrUnset(places.environment("CUDA_HOME")) + ", CUDA_PATH " +
                   shownOrUnset(places.environment("CUDA_PATH")) + ", not in PATH, not in " +
                   places.toolkitParent + "/cuda*/bin");
}
