// Whether computed outputs agree with the oracle's, given how far rounding may
// carry them.
#ifndef TENON_TEST_RANDOM_AGREEMENT_H
#define TENON_TEST_RANDOM_AGREEMENT_H

#include "compiler/oracle/HostTensor.h"

#include "mlir/IR/Value.h"

#include <string>

namespace tenon {

/// What the oracle knows of one output.
struct Expectation {
  HostTensor ideal;   ///< in double precision throughout
  HostTensor rounded; ///< each op's result rounded to its type
  bool exact;         ///< the same bits in every correct evaluation
  /// Of the coarsest float type it was computed through: a convert to a wider
  /// type keeps the error of the narrower.
  double roundoff = 0;
  /// Terms of the longest sum it was computed through: each may round.
  double terms = 1;
  /// How far the ideal moves when the inputs are nudged by half a unit in their
  /// last place: where terms cancel, far more than the result's own units.
  double sensitivity = 0;
};

/// `input` with its floats moved by half a unit in the last place, up and down
/// in turn.
HostTensor nudged(const HostTensor &input);

/// Of the coarsest float type among an output and the ops it is computed from:
/// the distance from one to the next float.
double coarsestRoundoff(mlir::Value output);

/// The terms of the longest sum among the ops an output is computed from, as
/// far as types tell.
double longestSum(mlir::Value output);

/// The greatest difference of finite elements; 0 where shapes differ.
double distance(const HostTensor &a, const HostTensor &b);

/// The distance a correct result may have from the ideal one. How far rounding
/// each op's result moved the whole tensor is one sample of the error that
/// rounding makes; a compiled graph, which sums in another order and keeps
/// other intermediate results in wider types, is another sample of the same
/// size. A factor of 16 between the two, and some units in the last place of
/// the greatest element where the sample is small by luck (32, or 8 of a
/// 16-bit type, whose units are large), has been enough for graphs of bounded
/// values. Where terms of a sum cancel, what nudged inputs do is a measure of
/// the terms; it counts up to what 64 units of 1 are, for an op that jumps is
/// no excuse.
double tolerance(const Expectation &expected);

/// Empty when `actual` agrees; else the first element that does not.
/// Integers, and floats that are exact, must be equal; NaN equals NaN, zeros
/// of either sign are equal.
std::string disagreement(const Expectation &expected, const HostTensor &actual);

} // namespace tenon

#endif // TENON_TEST_RANDOM_AGREEMENT_H
