//===- Reference.h - The same model in float64 ---------------------*- C++ -*-===//

#ifndef TRANSFORMER_REFERENCE_H
#define TRANSFORMER_REFERENCE_H

#include "Weights.h"

class Reference {
public:
  using Vector = std::vector<double>;
  /// Where a token is.
  struct Place {
    size_t request, position;
  };

  Reference(const ModelSizes &sizes, int requests) : model(sizes), batch(size_t(requests)) {}
  /// Copies the weights here.
  tilec::Status start(const Weights &weights);

  /// The vectors of the tokens at `places` behind layer `number`, from 0 on, of those before it.
  /// Each layer sees the tokens of a request in order, and remembers them.
  std::vector<Vector> runLayer(size_t number, const std::vector<Vector> &before,
                               const std::vector<Place> &places);
  Vector embed(int token) const;
  Vector logits(const Vector &x) const;

private:
  struct Layer {
    Vector attentionNorm, queriesKeysValues, output, mlpNorm, gateUp, down;
    /// Keys and values of each request's tokens, one token after the other.
    std::vector<std::vector<Vector>> keysValues;
  };

  Vector normalize(const Vector &x, const Vector &weight) const;
  void rotate(double *head, size_t position) const;
  Vector attend(const std::vector<Vector> &keysValues, const Vector &query, size_t tokens) const;
  Vector feedForward(const Layer &layer, const Vector &x) const;

  const ModelSizes &model;
  size_t batch;
  std::vector<Layer> layers;
  Vector embedding, finalNorm, head;
};

#endif // TRANSFORMER_REFERENCE_H
