//===- Reference.cpp - The same model in float64 -------------------*- C++ -*-===//
//
// As short as it can be: it is what the kernels are held to.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

using Vector = Reference::Vector;

namespace {

tilec::Status copyOut(const Array<tilec::BFloat16> &array, Vector &values) {
  std::vector<tilec::BFloat16> narrow;
  tilec::Status status = array.copyOut(narrow);
  values = toDouble(narrow);
  return status;
}

/// The matrix, which has a row for each result, times x.
Vector multiply(const Vector &matrix, const Vector &x) {
  Vector result(matrix.size() / x.size());
  const double *weight = matrix.data();
  for (double &sum : result)
    for (double element : x)
      sum += *weight++ * element;
  return result;
}

void add(Vector &x, const Vector &other) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] += other[i];
}

} // namespace

tilec::Status Reference::start(const Weights &weights) {
  tilec::Status status = copyOut(weights.embedding, embedding);
  if (status)
    status = copyOut(weights.finalNorm, finalNorm);
  if (status)
    status = copyOut(weights.head, head);
  for (const LayerWeights &from : weights.layers) {
    Layer layer;
    const std::pair<const Array<tilec::BFloat16> *, Vector *> arrays[] = {
        {&from.attentionNorm, &layer.attentionNorm},
        {&from.queriesKeysValues, &layer.queriesKeysValues},
        {&from.output, &layer.output},
        {&from.mlpNorm, &layer.mlpNorm},
        {&from.gateUp, &layer.gateUp},
        {&from.down, &layer.down}};
    for (const auto &[array, values] : arrays)
      if (status)
        status = copyOut(*array, *values);
    layer.keysValues.resize(batch);
    layers.push_back(std::move(layer));
  }
  return status;
}

Vector Reference::embed(int token) const {
  auto row = embedding.begin() + std::ptrdiff_t(token) * model.width;
  return Vector(row, row + model.width);
}

Vector Reference::normalize(const Vector &x, const Vector &weight) const {
  double squares = 0;
  for (double element : x)
    squares += element * element;
  double factor = 1 / std::sqrt(squares / double(x.size()) + double(model.epsilon));
  Vector result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[i] = x[i] * factor * weight[i];
  return result;
}

void Reference::rotate(double *elements, size_t position) const {
  int half = model.headDim() / 2;
  for (int i = 0; i < half; ++i) {
    double angle = double(position) / std::pow(double(model.ropeBase), double(i) / half);
    double low = elements[i], high = elements[i + half];
    elements[i] = low * std::cos(angle) - high * std::sin(angle);
    elements[i + half] = high * std::cos(angle) + low * std::sin(angle);
  }
}

/// `query` has the heads of queries; the first `tokens` tokens are seen.
Vector Reference::attend(const std::vector<Vector> &keysValues, const Vector &query,
                         size_t tokens) const {
  size_t dim = size_t(model.headDim()), group = size_t(model.heads / model.kvHeads);
  Vector result(size_t(model.heads) * dim);
  for (size_t which = 0; which < size_t(model.heads); ++which) {
    size_t keyAt = which / group * dim, valueAt = keyAt + size_t(model.kvHeads) * dim;
    Vector weights(tokens);
    for (size_t token = 0; token < tokens; ++token)
      for (size_t d = 0; d < dim; ++d)
        weights[token] += query[which * dim + d] * keysValues[token][keyAt + d];
    double top = *std::max_element(weights.begin(), weights.end()), total = 0;
    for (double &weight : weights)
      total += weight = std::exp((weight - top) / std::sqrt(double(dim)));
    for (size_t token = 0; token < tokens; ++token)
      for (size_t d = 0; d < dim; ++d)
        result[which * dim + d] += weights[token] / total * keysValues[token][valueAt + d];
  }
  return result;
}

Vector Reference::feedForward(const Layer &layer, const Vector &x) const {
  Vector gateUp = multiply(layer.gateUp, normalize(x, layer.mlpNorm));
  Vector activated(gateUp.size() / 2);
  for (size_t i = 0; i < activated.size(); ++i)
    activated[i] = gateUp[i] / (1 + std::exp(-gateUp[i])) * gateUp[activated.size() + i];
  return multiply(layer.down, activated);
}

std::vector<Vector> Reference::runLayer(size_t number, const std::vector<Vector> &before,
                                        const std::vector<Place> &places) {
  Layer &layer = layers[number];
  std::vector<Vector> after;
  std::ptrdiff_t dim = model.headDim();
  for (size_t token = 0; token < before.size(); ++token) {
    const auto &[request, position] = places[token];
    Vector x = before[token];
    Vector row = multiply(layer.queriesKeysValues, normalize(x, layer.attentionNorm));
    for (std::ptrdiff_t i = 0; i < model.heads + model.kvHeads; ++i)
      rotate(&row[size_t(i * dim)], position);
    auto keys = row.begin() + model.heads * dim;
    std::vector<Vector> &known = layer.keysValues[request];
    known.emplace_back(keys, row.end());
    row.erase(keys, row.end());
    add(x, multiply(layer.output, attend(known, row, position + 1)));
    add(x, feedForward(layer, x));
    after.push_back(std::move(x));
  }
  return after;
}

Vector Reference::logits(const Vector &x) const { return multiply(head, normalize(x, finalNorm)); }
