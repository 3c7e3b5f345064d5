//===- Settings.h - Sizes of the model, and what to do with it -----*- C++ -*-===//

#ifndef TRANSFORMER_SETTINGS_H
#define TRANSFORMER_SETTINGS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// The sizes of a decoder. Heads have width / heads elements, 64 or 128.
struct ModelSizes {
  int layers = 4, heads = 8, kvHeads = 2, width = 512, hidden = 1536, vocab = 4096;
  /// Positions rotate pair i of a head's elements by position / ropeBase^(2 i / headDim).
  float ropeBase = 10000;
  /// RMSNorm divides by sqrt(mean(x^2) + epsilon).
  float epsilon = 1e-5f;

  int headDim() const { return width / heads; }
  /// Heads of queries, keys and values.
  int allHeads() const { return heads + 2 * kvHeads; }
  /// Numbers in the weights that each token goes through; those of the embedding are not.
  double weightsOfToken() const {
    double attention = double(width) * headDim() * (allHeads() + heads);
    return layers * (attention + 3.0 * width * hidden) + double(width) * vocab;
  }
};

/// The command line.
struct Settings {
  ModelSizes model;
  int batch = 4, tokens = 32, topK = 0, seed = 1;
  /// Lengths of prompts; the requests of a batch take them in turn.
  std::vector<int> prompts = {64};
  /// The tokens of every prompt, if there are any here; otherwise prompts are random.
  std::vector<int> ids;
  /// 0 is greedy.
  float temperature = 0;
  std::string weights, device = "auto";
  bool check = false, graph = false;

  int promptOf(int request) const;
  int longestPrompt() const;
  int allPromptTokens() const;
  /// Places that each request has in the cache.
  int capacity() const { return longestPrompt() + tokens; }
};

/// Reads the command line, and checks that the sizes fit each other. If not, says why, to standard
/// error.
bool parseSettings(int argc, char **argv, Settings &settings);

#endif // TRANSFORMER_SETTINGS_H
