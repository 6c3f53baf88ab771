// Arithmetic on kernel values as C++ expressions. A Lanes is a scalar or a
// vector. Every operator emits one exactly rounded operation, the same for
// scalars and for vectors of any length. No fast-math flag is set, so the code
// computes the expression bit for bit.
#ifndef TENON_PASSES_KERNEL_NUMERICS_LANES_H
#define TENON_PASSES_KERNEL_NUMERICS_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"

namespace tenon {

/// `element`, or a vector of it when `like` is a vector.
mlir::Type likeShape(mlir::Type like, mlir::Type element);

/// A constant of a scalar or vector integer type: `bits` modulo the element's
/// width.
mlir::Value emitInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                    uint64_t bits);

/// A constant of a scalar or vector float type: `value` rounded to the element
/// type.
mlir::Value emitFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                      double value);

/// A vector of i1, true in the first `count` lanes.
mlir::Value firstLanes(mlir::OpBuilder &b, mlir::Location loc, int64_t lanes,
                       mlir::Value count);

/// A scalar or vector of a float, integer or i1 element type, with operators.
/// Integers wrap. A shift amount must be below the width.
class Lanes {
public:
  Lanes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  mlir::Value get() const { return value; }
  mlir::Type type() const { return value.getType(); }
  mlir::Type element() const;
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element()); }

  /// A constant of this value's type: a rounded float, or an integer given by
  /// its bits.
  Lanes number(double constant) const;
  Lanes bits(uint64_t constant) const;
  /// A constant with this value's shape and another element type.
  Lanes number(mlir::Type element, double constant) const;
  Lanes bits(mlir::Type element, uint64_t constant) const;

  Lanes operator+(const Lanes &other) const;
  Lanes operator-(const Lanes &other) const;
  Lanes operator*(const Lanes &other) const;
  Lanes operator/(const Lanes &other) const; ///< floats only
  Lanes operator&(const Lanes &other) const;
  Lanes operator|(const Lanes &other) const;
  Lanes operator^(const Lanes &other) const;
  Lanes operator-() const;
  Lanes operator!() const; ///< complement
  Lanes operator<<(unsigned amount) const;
  Lanes operator>>(unsigned amount) const; ///< logical
  Lanes shiftLeft(const Lanes &amount) const;
  Lanes shiftRight(const Lanes &amount) const; ///< logical
  Lanes shiftRightSigned(const Lanes &amount) const;

  /// Comparisons: ordered for floats, signed for integers.
  Lanes operator<(const Lanes &other) const;
  Lanes operator>(const Lanes &other) const;
  Lanes operator<=(const Lanes &other) const;
  Lanes operator>=(const Lanes &other) const;
  Lanes operator==(const Lanes &other) const;
  Lanes operator!=(const Lanes &other) const; ///< unordered: true for NaN
  Lanes isNan() const;
  Lanes below(const Lanes &other) const; ///< unsigned integers

  /// this ? onTrue : onFalse, lane by lane.
  Lanes select(const Lanes &onTrue, const Lanes &onFalse) const;

  Lanes abs() const;
  Lanes sqrt() const;
  Lanes trunc() const;
  Lanes copySign(const Lanes &sign) const;

  Lanes bitcast(mlir::Type element) const;
  Lanes signExtend(mlir::Type element) const;
  Lanes zeroExtend(mlir::Type element) const;
  Lanes truncate(mlir::Type element) const;    ///< integers, modular
  Lanes widenFloat(mlir::Type element) const;  ///< exact
  Lanes narrowFloat(mlir::Type element) const; ///< to nearest even
  Lanes signedToFloat(mlir::Type element) const;
  Lanes unsignedToFloat(mlir::Type element) const;
  Lanes floatToSigned(mlir::Type element) const;   ///< must be in range
  Lanes floatToUnsigned(mlir::Type element) const; ///< must be in range

  /// The value that `emit(builder, location)` returns, as lanes.
  template <typename Emit> Lanes build(Emit emit) const {
    return {*builder, loc, emit(*builder, loc)};
  }
  template <typename Op, typename... Args> Lanes make(Args &&...args) const {
    return {*builder, loc,
            Op::create(*builder, loc, std::forward<Args>(args)...)};
  }

private:
  Lanes compare(mlir::arith::CmpFPredicate floats,
                mlir::arith::CmpIPredicate ints, const Lanes &other) const;

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

/// a * b + c with one rounding.
Lanes fma(const Lanes &a, const Lanes &b, const Lanes &c);
Lanes fma(const Lanes &a, double b, const Lanes &c);

/// A polynomial by Horner's rule; `coefficients` start with the constant term.
Lanes horner(const Lanes &x, llvm::ArrayRef<double> coefficients);

/// The value limited to [low, high]; NaN stays NaN.
Lanes limit(const Lanes &x, double low, double high);
Lanes limitAbove(const Lanes &x, double high);
Lanes limitBelow(const Lanes &x, double low);

} // namespace tenon

#endif // TENON_PASSES_KERNEL_NUMERICS_LANES_H
