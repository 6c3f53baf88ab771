// One graph of tenon ops with its inputs and expected bits. The tests of
// products and of convolutions make such cases and compile and compare them
// together.
#ifndef TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H
#define TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H

#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tenon {

/// The extents that are dynamic; rows are the first extent.
enum class Unknown { None, Rows, All };

/// The text of a type like `tensor<?x2xf32>`.
std::string type(const Dims &dims, Unknown unknown = Unknown::None);

/// Offsets of all index tuples of some dimensions of a row-major tensor.
std::vector<int64_t> offsets(const Dims &shape, const Dims &dims);

/// The element type of a case. Integers are small i32 values, so that the
/// reference's floats are exact.
enum class Element { Float, Integer };

enum class Epilogue { None, BiasRelu, BiasHardSwish };

struct Case {
  std::string name, text;
  std::vector<std::vector<float>> inputs;
  std::vector<Dims> dims;
  Dims result;
  std::vector<float> expected; ///< bits of the results, for integers too
  bool integers = false;
};

/// Fills the inputs of the case with random elements.
void fillInputs(Case &test, Element element);
/// Converts the case to integers; its inputs and `expected` must be whole.
void toIntegers(Case &test);

/// Adds the epilogue on `%0`, a tensor `full`: its text up to the function's
/// end, its operand, and its effect on `expected`.
std::string finish(Case &test, Epilogue epilogue, const std::string &full);

/// A sum of products as docs/numerics.md defines it: chains of `block` products
/// (0: one chain), whose sums are added in order.
class BlockedSum {
public:
  explicit BlockedSum(int64_t block) : block(block) {}
  void add(float x, float y);
  /// Ends the current block.
  void endBlock();
  float value();

private:
  int64_t block, products = 0;
  float sum = 0, part = 0;
};

/// A window of equal extents along both dimensions of a square image.
struct SquareWindow {
  int64_t stride, padding, dilation = 1;
  int64_t between = 1; ///< the distance of pixels in a transposed convolution

  /// The positions of a window of `taps` x `taps`, along one dimension.
  int64_t placesOf(int64_t size, int64_t taps) const;
  /// The pixel at a tap of the window of `position`, or -1 if there is none.
  int64_t pixelAt(int64_t position, int64_t tap, int64_t size) const;
};

/// `name` followed by the numbers.
std::string numbered(const char *name, std::initializer_list<int64_t> numbers);

/// The case with its right operand in panels along `dim`. The padding of the
/// last panel must have no effect.
Case packed(Case test, int64_t dim);

/// Compiles all cases together and compares each for every one of `targets`.
void check(std::vector<Case> cases,
           const std::vector<JitTarget> &targets = jitTargets());

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H
