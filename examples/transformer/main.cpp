//===- main.cpp - A language model without Python ------------------*- C++ -*-===//
//
// A decoder as in Llama: RMSNorm, rotary embedding, attention whose heads share keys and values,
// SwiGLU. A batch of requests goes through it: all prompts at once, then token after token with a
// cache of keys and values. README.md shows what it prints.
//
//   cmake -B build -DCMAKE_PREFIX_PATH=<where tilec is installed> && cmake --build build
//   build/transformer [--check] [--device=auto|gpu|cpu] ..
//
//===----------------------------------------------------------------------===//

#include "Check.h"

using tilec::Status;

namespace {

/// The tokens given, or random ones.
std::vector<std::vector<int>> makePrompts(const Settings &settings) {
  if (!settings.ids.empty())
    return std::vector<std::vector<int>>(size_t(settings.batch), settings.ids);
  std::mt19937 generator{unsigned(settings.seed)};
  std::vector<std::vector<int>> prompts;
  for (int request = 0; request < settings.batch; ++request) {
    std::vector<int> prompt(size_t(settings.promptOf(request)));
    for (int &token : prompt)
      token = int(generator() % unsigned(settings.model.vocab));
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

/// What follows returns what went wrong, or nothing.
std::string textOf(const Status &status) { return status ? "" : status.message(); }

std::string makeWeights(const Place &place, const Settings &settings, Weights &weights) {
  return settings.weights.empty()
             ? textOf(makeRandomWeights(place, settings.model, settings.seed, weights))
             : loadWeights(place, settings.model, settings.weights, weights);
}

void printModel(const Place &place, const Settings &settings, const Weights &weights) {
  const ModelSizes &model = settings.model;
  std::string from =
      settings.weights.empty() ? "seed " + std::to_string(settings.seed) : settings.weights;
  std::printf("%d layer%s of width %d, %d heads of %d (%d of keys), hidden %d, vocabulary %d\n"
              "%.1f million weights from %s, on %s\n",
              model.layers, model.layers == 1 ? "" : "s", model.width, model.heads, model.headDim(),
              model.kvHeads, model.hidden, model.vocab, double(weights.count()) * 1e-6,
              from.c_str(), place.name());
}

/// Seconds that `work` takes, until the device is done.
template <typename Work> std::string timeOf(const Place &place, double &seconds, Work work) {
  auto start = std::chrono::steady_clock::now();
  std::string error = work();
  if (error.empty() && place.isGpu())
    error = textOf(place.device().synchronize());
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return error;
}

struct Times {
  double prefill = 0, decode = 0;
};

/// Prefill and decoding of the whole batch. A graph is recorded in between.
std::string generate(Model &model, const Place &place, const Settings &settings,
                     const std::vector<std::vector<int>> &prompts, bool withGraph, Times &times) {
  std::string error = textOf(model.start(prompts));
  if (error.empty())
    error = timeOf(place, times.prefill, [&] { return textOf(model.prefill()); });
  if (error.empty() && withGraph)
    error = model.recordDecode();
  if (!error.empty())
    return error;
  return timeOf(place, times.decode, [&] {
    std::string failure;
    for (int i = 1; failure.empty() && i < settings.tokens; ++i)
      failure = withGraph ? model.replayDecode() : textOf(model.decode());
    return failure;
  });
}

void printSpeed(const Settings &settings, const Times &times) {
  int promptTokens = settings.allPromptTokens(), steps = settings.tokens - 1;
  // The head sees only the last token of a prompt.
  const ModelSizes &model = settings.model;
  double head = double(model.width) * model.vocab, body = model.weightsOfToken() - head;
  std::printf("prefill %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f TFLOP/s in products\n",
              promptTokens, times.prefill * 1e3, promptTokens / times.prefill,
              2 * (body * promptTokens + head * settings.batch) / times.prefill * 1e-12);
  if (steps == 0)
    return;
  std::printf("decode  %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f ms a step, %.1f GB/s of "
              "weights\n",
              steps * settings.batch, times.decode * 1e3, steps * settings.batch / times.decode,
              times.decode / steps * 1e3,
              sizeof(tilec::BFloat16) * model.weightsOfToken() * steps / times.decode * 1e-9);
}

/// The first answers, to given prompts in full.
std::string printAnswers(const Model &model, const Settings &settings) {
  std::vector<int> texts;
  if (Status status = model.texts().copyOut(texts); !status)
    return status.message();
  int shown = settings.ids.empty() ? std::min(settings.tokens, 12) : settings.tokens;
  for (int request = 0; request < std::min(settings.batch, 4); ++request) {
    std::printf("request %d:", request);
    size_t start = size_t(request) * size_t(settings.capacity());
    for (int i = 0; i < shown; ++i)
      std::printf(" %d", texts[start + size_t(settings.promptOf(request) + i)]);
    std::printf("%s\n", settings.tokens > shown ? " .." : "");
  }
  return "";
}

std::string run(const Place &place, const Settings &settings, bool &fine) {
  Weights weights;
  if (std::string error = makeWeights(place, settings, weights); !error.empty())
    return error;
  printModel(place, settings, weights);
  const std::vector<std::vector<int>> prompts = makePrompts(settings);
  if (settings.check)
    if (Status status = checkModel(place, settings, weights, prompts, fine); !status)
      return status.message();
  // The first run loads the kernels.
  Model model(place, settings, weights);
  Times times;
  std::vector<int> first, second;
  std::string error = generate(model, place, settings, prompts, /*withGraph=*/false, times);
  if (error.empty())
    error = textOf(model.texts().copyOut(first));
  if (error.empty())
    error = generate(model, place, settings, prompts, settings.graph, times);
  if (error.empty())
    error = textOf(model.texts().copyOut(second));
  if (!error.empty())
    return error;
  if (first != second)
    return "two runs have given different tokens";
  printSpeed(settings, times);
  return printAnswers(model, settings);
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (!parseSettings(argc, argv, settings))
    return 2;
  return runOn(settings.device, [&](const Place &place, bool &fine) {
    std::string error = run(place, settings, fine);
    if (!error.empty())
      std::fprintf(stderr, "error: %s\n", error.c_str());
    fine &= error.empty();
    return Status();
  });
}
