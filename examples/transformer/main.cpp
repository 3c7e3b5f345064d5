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

/// Random tokens.
std::vector<std::vector<int>> makePrompts(const Settings &settings) {
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

Status makeWeights(const Place &place, const Settings &settings, Weights &weights,
                   std::string &error) {
  if (settings.weights.empty())
    return makeRandomWeights(place, settings.model, settings.seed, weights);
  error = loadWeights(place, settings.model, settings.weights, weights);
  return {};
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
template <typename Work> Status timeOf(const Place &place, double &seconds, Work work) {
  auto start = std::chrono::steady_clock::now();
  Status status = work();
  if (status && place.isGpu())
    status = place.device().synchronize();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return status;
}

/// Prefill and decoding of the whole batch, and their times.
Status generate(Model &model, const Place &place, const Settings &settings,
                const std::vector<std::vector<int>> &prompts, double &prefill, double &decode) {
  Status status = model.start(prompts);
  if (status)
    status = timeOf(place, prefill, [&] { return model.prefill(); });
  if (status)
    status = timeOf(place, decode, [&] {
      Status step;
      for (int i = 1; step && i < settings.tokens; ++i)
        step = model.decode();
      return step;
    });
  return status;
}

void printSpeed(const Settings &settings, const Weights &weights, double prefill, double decode) {
  int promptTokens = settings.allPromptTokens(), steps = settings.tokens - 1;
  // The head sees only the last token of a prompt.
  const ModelSizes &model = settings.model;
  double head = double(model.width) * model.vocab, body = model.weightsOfToken() - head;
  std::printf("prefill %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f TFLOP/s in products\n",
              promptTokens, prefill * 1e3, promptTokens / prefill,
              2 * (body * promptTokens + head * settings.batch) / prefill * 1e-12);
  if (steps == 0)
    return;
  double bytes = 2 * (double(weights.count()) - (weights.head.data() != weights.embedding.data()
                                                     ? double(weights.embedding.size())
                                                     : 0));
  std::printf("decode  %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f ms a step, %.1f GB/s of "
              "weights\n",
              steps * settings.batch, decode * 1e3, steps * settings.batch / decode,
              decode / steps * 1e3, bytes * steps / decode * 1e-9);
}

/// The beginnings of the first answers.
Status printAnswers(const Model &model, const Settings &settings) {
  std::vector<int> texts;
  if (Status status = model.texts().copyOut(texts); !status)
    return status;
  for (int request = 0; request < std::min(settings.batch, 4); ++request) {
    std::printf("request %d:", request);
    size_t start = size_t(request) * size_t(settings.capacity());
    for (int i = 0; i < std::min(settings.tokens, 12); ++i)
      std::printf(" %d", texts[start + size_t(settings.promptOf(request) + i)]);
    std::printf("%s\n", settings.tokens > 12 ? " .." : "");
  }
  return {};
}

Status run(const Place &place, const Settings &settings, bool &fine) {
  Weights weights;
  std::string error;
  Status status = makeWeights(place, settings, weights, error);
  if (!error.empty())
    std::fprintf(stderr, "error: %s\n", error.c_str());
  if (!status || !error.empty()) {
    fine = false;
    return status;
  }
  printModel(place, settings, weights);
  const std::vector<std::vector<int>> prompts = makePrompts(settings);
  if (settings.check)
    if (status = checkModel(place, settings, weights, prompts, fine); !status)
      return status;
  // The first run loads the kernels.
  Model model(place, settings, weights);
  double prefill = 0, decode = 0;
  for (int i = 0; status && i < 2; ++i)
    status = generate(model, place, settings, prompts, prefill, decode);
  if (!status)
    return status;
  printSpeed(settings, weights, prefill, decode);
  return printAnswers(model, settings);
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  if (!parseSettings(argc, argv, settings))
    return 2;
  return runOn(settings.device,
               [&](const Place &place, bool &fine) { return run(place, settings, fine); });
}
