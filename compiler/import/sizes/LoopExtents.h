// How the extents and counters that a loop carries go on from one iteration to
// the next, read off the index arithmetic of its body. What bounds them must be
// known before the loop.
#ifndef TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H
#define TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// An extent at the end of an iteration: at most the greatest of `limits` and
/// of what it was at the beginning plus `rows`.
struct ExtentStep {
  Sizes limits;
  std::optional<Size> rows; ///< nothing: the beginning does not matter
  bool isExact = false;     ///< it is the one number that the above names
};

/// The step from `current`, an extent in the loop's region `body`, to `next`;
/// nothing where no bound is known before the loop.
std::optional<ExtentStep> stepOf(GraphBuilder &g, Size next,
                                 mlir::Value current, mlir::Region &body);

/// A number of a loop: `first` in the first iteration, `slope` more in each
/// that follows.
struct Progression {
  Size first;
  int64_t slope;
};

/// The numbers of a loop that change by constants: those recorded, and what
/// arithmetic makes of them.
class Progressions {
public:
  Progressions(GraphBuilder &g, mlir::Region &body) : g(g), body(body) {}

  void record(mlir::Value value, Progression progression) {
    known.insert({value, progression});
  }
  std::optional<Progression> of(Size size);

  /// The most iterations of a loop that only goes on after an iteration in
  /// which `goesOn` (0 or 1) is not 0; nothing where no comparison in it says.
  std::optional<Size> mostTrips(Size goesOn);

private:
  std::optional<Size> mostTripsWhile(Size number, bool wanted, int depth);
  std::optional<Size> mostTripsWhile(mlir::arith::CmpIOp compare, bool wanted,
                                     int depth);
  std::optional<Size> mostTripsWhileBelow(Size a, Size b, int64_t more);
  std::optional<Progression> of(Size size, int depth);

  GraphBuilder &g;
  mlir::Region &body;
  llvm::DenseMap<mlir::Value, Progression> known;
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_SIZES_LOOPEXTENTS_H
