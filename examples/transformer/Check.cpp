//===- Check.cpp - Each layer beside float64 -----------------------*- C++ -*-===//
//
// An error is the length of the difference of two vectors, as a part of the length of what the
// layer has added to the vector. So a layer that does nothing has the error 1.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "Reference.h"

using tilec::Status;
using Vector = Reference::Vector;

namespace {

double lengthOf(const Vector &x) {
  double squares = 0;
  for (double element : x)
    squares += element * element;
  return std::sqrt(squares);
}

Vector difference(const Vector &a, const Vector &b) {
  Vector result(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    result[i] = a[i] - b[i];
  return result;
}

/// Between two layers, vectors are rounded to bfloat16 six times, by 2^-9 of an element at most.
constexpr double bound = 0.02;

/// One run beside the reference.
class Comparison {
public:
  Comparison(const Settings &given, Model &made, Reference &right)
      : settings(given), model(made), reference(right), errors(size_t(given.model.layers) + 2) {}

  /// What the model calls when the vectors behind a layer are there.
  Status observe(int layer);
  /// Begins a pass over tokens with these ids and places.
  void begin(const std::vector<int> &tokenIds, const std::vector<Reference::Place> &tokenPlaces) {
    ids = tokenIds, places = tokenPlaces;
  }
  /// Compares the logits of each request's last token, and looks at the tokens chosen. Those become
  /// the tokens of the next pass.
  Status end();
  /// Prints the errors; false if one is too large.
  bool report(const char *pass);

private:
  void note(size_t which, const Vector &found, const Vector &expected, double scale) {
    errors[which] =
        largerOf(errors[which], lengthOf(difference(found, expected)) / std::max(scale, 1e-30));
  }
  bool isAllowed(const float *logits, int token) const;

  const Settings &settings;
  Model &model;
  Reference &reference;
  /// Of the embedding, of each layer, of the logits.
  Vector errors;
  bool areTokensAllowed = true;
  std::vector<int> ids;
  std::vector<Reference::Place> places;
  /// The model's vectors behind the layer before.
  std::vector<Vector> before;
};

Status Comparison::observe(int layer) {
  std::vector<float> all;
  if (Status status = model.vectors().copyOut(all); !status)
    return status;
  std::vector<Vector> found;
  auto next = all.begin();
  for (size_t token = 0; token < places.size(); ++token, next += settings.model.width)
    found.emplace_back(next, next + settings.model.width);
  if (layer == 0) {
    for (size_t token = 0; token < found.size(); ++token)
      note(0, found[token], reference.embed(ids[token]), lengthOf(found[token]));
  } else {
    std::vector<Vector> expected = reference.runLayer(size_t(layer) - 1, before, places);
    for (size_t token = 0; token < found.size(); ++token)
      note(size_t(layer), found[token], expected[token],
           lengthOf(difference(expected[token], before[token])));
  }
  before = std::move(found);
  return {};
}

/// Whether fewer than top-k logits are larger than the token's.
bool Comparison::isAllowed(const float *logits, int token) const {
  if (token < 0 || token >= settings.model.vocab)
    return false;
  int most = settings.temperature > 0 ? settings.topK : 1;
  auto isLarger = [&](float other) { return other > logits[token]; };
  return !most || std::count_if(logits, logits + settings.model.vocab, isLarger) < most;
}

Status Comparison::end() {
  std::vector<float> logits;
  std::vector<int> texts;
  Status status = model.logits().copyOut(logits);
  if (status)
    status = model.texts().copyOut(texts);
  if (!status)
    return status;
  size_t vocab = size_t(settings.model.vocab);
  std::vector<int> nextIds;
  std::vector<Reference::Place> nextPlaces;
  for (size_t i = 0; i < places.size(); ++i) {
    auto [request, position] = places[i];
    if (i + 1 < places.size() && places[i + 1].request == request)
      continue; // not the last token
    const float *row = &logits[request * vocab];
    Vector expected = reference.logits(before[i]);
    note(errors.size() - 1, Vector(row, row + vocab), expected, lengthOf(expected));
    int token = texts[request * size_t(settings.capacity()) + position + 1];
    areTokensAllowed &= isAllowed(row, token);
    nextIds.push_back(token);
    nextPlaces.push_back({request, position + 1});
  }
  begin(nextIds, nextPlaces);
  return {};
}

bool Comparison::report(const char *pass) {
  double largest = 0;
  for (double &error : errors)
    largest = largerOf(largest, error);
  size_t layers = errors.size() - 2;
  std::printf("%-8s embedding %.1e", pass, errors[0]);
  for (size_t layer = 1; layer <= layers; ++layer)
    std::printf(", layer %zu %.1e", layer, errors[layer]);
  std::printf(", logits %.1e%s%s\n", errors.back(), largest <= bound ? "" : "  TOO LARGE",
              areTokensAllowed ? "" : "  WRONG TOKENS");
  std::fill(errors.begin(), errors.end(), 0);
  return largest <= bound && areTokensAllowed;
}

} // namespace

Status checkModel(const Place &place, const Settings &settings, const Weights &weights,
                  const std::vector<std::vector<int>> &prompts, bool &fine) {
  Model model(place, settings, weights);
  Reference reference(settings.model, settings.batch);
  Comparison comparison(settings, model, reference);
  model.observe([&](int layer) { return comparison.observe(layer); });
  std::vector<int> ids;
  std::vector<Reference::Place> places;
  for (size_t request = 0; request < prompts.size(); ++request)
    for (size_t position = 0; position < prompts[request].size(); ++position) {
      ids.push_back(prompts[request][position]);
      places.push_back({request, position});
    }
  comparison.begin(ids, places);

  std::printf("largest errors beside float64\n");
  Status status = reference.start(weights);
  if (status)
    status = model.start(prompts);
  if (status)
    status = model.prefill();
  if (status)
    status = comparison.end();
  if (!status)
    return status;
  fine &= comparison.report("prefill");
  for (int step = 1; status && step < settings.tokens; ++step) {
    status = model.decode();
    if (status)
      status = comparison.end();
  }
  if (status && settings.tokens > 1)
    fine &= comparison.report("decode");
  return status;
}
