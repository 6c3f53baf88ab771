// Finds how the extents and counters that a loop carries change from one
// iteration to the next, from the index arithmetic of its body. Their bounds
// must be known before the loop.
#ifndef TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H
#define TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// A bound of an extent at the end of an iteration: the maximum of `limits` and
/// of its value at the beginning plus `rows`.
struct ExtentStep {
  Sizes limits;
  std::optional<Size> rows; ///< null: the value at the beginning has no effect
  bool isExact = false;     ///< the extent equals the bound
};

/// The step from `current`, an extent in the loop's region `body`, to `next`.
/// Null if no bound is known before the loop.
std::optional<ExtentStep> stepOf(GraphBuilder &g, Size next,
                                 mlir::Value current, mlir::Region &body);

/// A number that a loop changes by a constant: `first` in the first iteration,
/// and `slope` more in each further one.
struct Progression {
  Size first;
  int64_t slope;
};

/// The progressions of a loop: the recorded ones, and numbers computed from
/// them.
class Progressions {
public:
  Progressions(GraphBuilder &g, mlir::Region &body) : g(g), body(body) {}

  void record(mlir::Value value, Progression progression) {
    known.insert({value, progression});
  }
  std::optional<Progression> of(Size size);

  /// The greatest number of iterations of a loop that goes on after an
  /// iteration only if `goesOn` (0 or 1) is 1. Null if no comparison in it
  /// gives a bound.
  std::optional<Size> maxTrips(Size goesOn);

private:
  std::optional<Size> maxTripsWhile(Size number, bool wanted, int depth);
  std::optional<Size> maxTripsWhile(mlir::arith::CmpIOp compare, bool wanted,
                                    int depth);
  std::optional<Size> maxTripsWhileBelow(Size a, Size b, int64_t more);
  std::optional<Progression> of(Size size, int depth);

  GraphBuilder &g;
  mlir::Region &body;
  llvm::DenseMap<mlir::Value, Progression> known;
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H
