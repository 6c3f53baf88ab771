// Attention for tests: the text of a graph, its runs, and its definition in
// f64.
#ifndef TENON_TEST_UNIT_ATTENTION_ATTENTIONCASE_H
#define TENON_TEST_UNIT_ATTENTION_ATTENTIONCASE_H

#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include <optional>

namespace tenon {

enum class Mask { None, Added, AddedPerKey, Bools };

struct AttentionCase {
  std::string name;
  int64_t batch = 1, heads = 1, sharedHeads = 1, rows = 1, keys = 1, depth = 8,
          valueDepth = 8;
  Dims queryOrder{0, 1, 2, 3}, keyOrder{0, 1, 2, 3}, valueOrder{0, 1, 2, 3},
      resultOrder{0, 1, 2, 3};
  Mask mask = Mask::None;
  std::optional<int64_t> causal;
  float fill = -1e9f;
  double scale = 0.25;
  bool unknown = false;        ///< batch, rows and keys are dynamic
  const char *element = "f32"; ///< element type of the op
  double tolerance = 4e-6;

  std::vector<float> query, key, value, added;
  std::vector<char> bools;

  Dims queryDims() const { return {batch, heads, rows, depth}; }
  Dims keyDims() const { return {batch, sharedHeads, keys, depth}; }
  Dims valueDims() const { return {batch, sharedHeads, keys, valueDepth}; }
  Dims resultDims() const { return {batch, heads, rows, valueDepth}; }
  Dims maskDims() const {
    if (mask == Mask::AddedPerKey)
      return {batch, 1, 1, keys};
    return {1, heads, rows, keys};
  }
};

/// A case of two heads with random inputs.
AttentionCase sized(std::string name, int64_t rows, int64_t keys, int64_t depth,
                    int64_t valueDepth);
/// Draws the inputs.
void draw(AttentionCase &c, uint32_t seed = 1);

/// The function of this case.
std::string textOf(const AttentionCase &c);
/// Runs it, `step` tasks at a time. Expects that nothing is written past the
/// result.
std::vector<float> run(const JitGraph &graph, AttentionCase &c, int64_t step);

/// Expects a result within the tolerance of the definition.
void compare(const AttentionCase &c, const std::vector<float> &result);
bool sameBits(const std::vector<float> &a, const std::vector<float> &b);

} // namespace tenon

#endif // TENON_TEST_UNIT_ATTENTION_ATTENTIONCASE_H
