// One graph of tenon ops with its inputs and the bits expected of it; the tests
// of products and of convolutions make these and have them compiled and
// compared together.
#ifndef TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H
#define TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H

#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tenon {

/// Extents not known at compile time; rows are the first extent.
enum class Unknown { None, Rows, All };

/// `tensor<?x2xf32>`.
std::string type(const Dims &dims, Unknown unknown = Unknown::None);

/// Offsets of all index tuples of some dimensions of a row-major tensor.
std::vector<int64_t> offsets(const Dims &shape, const Dims &dims);

/// Elements of a case. Integers are i32: small ones, so that the reference's
/// floats are exact.
enum class Element { Float, Integer };

enum class Epilogue { None, BiasRelu, BiasHardSwish };

struct Case {
  std::string name, text;
  std::vector<std::vector<float>> inputs;
  std::vector<Dims> dims;
  Dims result;
  std::vector<float> expected; ///< of integers: their bits
  bool integers = false;
};

/// Random inputs of the case's dimensions.
void fillInputs(Case &test, Element element);
/// Makes the case one of integers, its inputs and `expected` being whole.
void toIntegers(Case &test);

/// The epilogue on `%0`, a tensor `full`, as text up to the function's end, its
/// operand and its effect on `expected`.
std::string finish(Case &test, Epilogue epilogue, const std::string &full);

/// A sum of products as the numerics contract has it: chains of `block`
/// products (0: one chain), their sums added in order.
class BlockedSum {
public:
  explicit BlockedSum(int64_t block) : block(block) {}
  void add(float x, float y);
  /// Blocks do not go on across this point.
  void endBlock();
  float value();

private:
  int64_t block, products = 0;
  float sum = 0, part = 0;
};

/// `name` and the numbers, joined.
std::string numbered(const char *name, std::initializer_list<int64_t> numbers);

/// The same case with its right operand in panels along `dim`, whose filling
/// must not be seen.
Case packed(Case test, int64_t dim);

/// Compiles all cases together and compares each, for every one of `targets`.
void check(std::vector<Case> cases,
           const std::vector<JitTarget> &targets = jitTargets());

} // namespace tenon

#endif // TENON_TEST_UNIT_CONTRACTION_CONTRACTIONCASE_H
