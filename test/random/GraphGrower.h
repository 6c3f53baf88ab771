// Grows a graph op by op. It has a pool of values with their known properties,
// and one method per family of ops that adds an op on random values. Private to
// test/random.
#ifndef TENON_TEST_RANDOM_GRAPHGROWER_H
#define TENON_TEST_RANDOM_GRAPHGROWER_H

#include "compiler/oracle/RandomTensor.h"
#include "dialects/tenon/TenonDialect.h"
#include "test/random/RandomGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace tenon {

/// An extent: its size in this run, and a symbol if it is dynamic. Equal
/// symbols mean equal extents; 0 stands for a static extent.
struct GrownDim {
  int64_t size;
  int symbol = 0;
  bool operator==(const GrownDim &other) const = default;
};

using GrownShape = llvm::SmallVector<GrownDim>;

/// A value of the graph.
struct Grown {
  mlir::Value value;
  GrownShape shape;
  /// Upper bound of the elements' magnitudes; infinite if unknown.
  double bound = 0;
  /// True if every correct evaluation gives equal bits.
  bool exact = true;
  bool used = false;
  /// True if no step may use it: its extents are known only during the run.
  bool closed = false;

  mlir::Type element() const {
    return mlir::getElementTypeOrSelf(value.getType());
  }
  bool isFloat() const { return isFloatElement(element()); }
  bool isBool() const { return isBoolElement(element()); }
  bool isInt() const { return !isFloat() && !isBool(); }
  int64_t rank() const { return int64_t(shape.size()); }
  int64_t count() const;
  bool isStatic() const;
};

/// An index value and its size in this run.
struct GrownNumber {
  mlir::Value value;
  int64_t size;
};

class GraphGrower {
public:
  GraphGrower(mlir::MLIRContext &context, uint64_t seed,
              const RandomGraphOptions &options);
  RandomGraph grow();

private:
  using Wanted = std::function<bool(const Grown &)>;
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  static constexpr int64_t maxElements = 4096;

  // Each adds one op with its guards to the pool, or fails if no value suits.
  bool unaryFloat();
  bool guardedFloat();
  bool binaryFloat();
  bool stepOnExact();
  bool integer();
  bool compareSelect();
  bool convert();
  bool reshapeLike();
  bool permute();
  bool cut();
  bool join();
  bool broadcast();
  bool reduction();
  bool prefixOrWindow();
  bool contraction();
  bool convolution();
  bool gather();
  bool scatter();
  bool updateSlice();
  bool order();
  bool topK(const Grown &x);
  bool nonzero();
  bool composite();
  bool attention();
  bool cachedAttention();
  bool suppression();
  bool branch();
  bool loop();
  bool growingLoop();
  bool updateState();

  /// A part of `x` changed at random positions; nullopt if nothing suits. `x`
  /// has elements and dimensions.
  std::optional<Grown> scattered(const Grown &x);
  std::optional<Grown> updatedSlice(const Grown &x);
  struct GrownState {
    std::string name;
    GrownShape shape; ///< static, or extents of the context
    mlir::Type element;
  };
  /// Makes `dim` an extent of the context, one for each size.
  mlir::FlatSymbolRefAttr contextExtent(GrownDim &dim);
  /// A state of the module, or a new one.
  GrownState someState();

  /// Tries these steps until one finds its operands.
  void step();
  // Parts of attention.
  GrownDim attendedDim();
  GrownDim attendedBatch();
  Grown pinned(const Grown &x);
  Grown spreadAlong(const Grown &x, const Grown &model);
  Grown transposed(const Grown &x, llvm::ArrayRef<int64_t> order);
  Grown reshaped(const Grown &x, const GrownShape &shape,
                 llvm::ArrayRef<mlir::OpFoldResult> extents);
  Grown heads(mlir::Type element, const GrownShape &shape);
  Grown repeatedHeads(const Grown &x, int64_t group);
  mlir::Value visibleKeys(const Grown &scores, bool causal);
  Grown maskedScores(Grown scores, int64_t depth);
  Grown wholeNumbers(const GrownShape &shape, int64_t least, int64_t greatest);

  /// Some steps in a block, then a value of the type of `x`. The steps may use
  /// `x` too.
  Grown inside(mlir::Block &block, const Grown &x);
  /// A value that a region may return; nullopt at the deepest nesting.
  std::optional<Grown> pickForRegion();
  /// An index value that every correct evaluation computes equally.
  mlir::Value exactNumber();

  // Nonnegative numbers computed from extents.
  GrownNumber extentNumber();
  GrownNumber numberByArithmetic(GrownNumber x);
  /// An element of a tensor computed from `numbers`, whose count is even.
  GrownNumber numberByTensor(llvm::ArrayRef<GrownNumber> numbers);
  /// A number not above `most`; nullopt if no try gives one.
  std::optional<GrownNumber> numberUpTo(int64_t most);
  bool cutByNumbers();

  /// A random suitable value of the pool, marked as used.
  std::optional<Grown> pick(const Wanted &wanted);
  std::optional<Grown> pickFloat(double bound = unbounded);
  /// A value with the shape and element type of `model`; `model` itself if
  /// there is no other.
  Grown pickLike(const Grown &model);
  void add(mlir::Value value, GrownShape shape, double bound, bool exact);
  /// A new argument of @main with random elements in [low, high].
  Grown input(mlir::Type element, const GrownShape &shape, double low,
              double high);
  /// A new weight with random elements in [low, high].
  Grown weight(mlir::Type element, const GrownShape &shape, double low,
               double high);
  /// An input; if the shape is static, sometimes a weight or a small constant.
  Grown fresh(mlir::Type element, const GrownShape &shape, double low,
              double high);
  Grown fresh(mlir::Type element, const GrownShape &shape) {
    return fresh(element, shape, -2, 2);
  }
  /// Random elements of a static shape in [-2, 2].
  mlir::ElementsAttr randomAttribute(mlir::Type element,
                                     const GrownShape &shape);
  /// The second factor of a contraction.
  Grown factor(mlir::Type element, const GrownShape &shape);
  /// A tensor of `model`'s shape filled with a number.
  mlir::Value splat(const Grown &model, double number);
  /// `x`, scaled down if its bound is greater than `bound`.
  Grown scaledTo(const Grown &x, double bound);
  /// |x| + least.
  mlir::Value above(const Grown &x, double least);

  GrownShape randomShape();
  int64_t randomExtent();
  mlir::Type randomFloat();
  mlir::Type randomInt();
  int64_t randomDim(const Grown &x) { return random.below(x.rank()); }
  GrownDim derived(int64_t size, bool open) {
    return {size, open ? ++lastSymbol : 0};
  }
  mlir::RankedTensorType type(const GrownShape &shape, mlir::Type element);
  llvm::SmallVector<mlir::OpFoldResult> sizes(const Grown &x);
  /// Splits a mixed list into dynamic values and constants, as ops take it.
  struct Mixed {
    llvm::SmallVector<mlir::Value> values;
    llvm::SmallVector<int64_t> list;
  };
  static Mixed split(llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::Value broadcastTo(mlir::Value value, llvm::ArrayRef<int64_t> dims,
                          const Grown &model);
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, location(), std::forward<Args>(args)...);
  }
  mlir::Location location();

  mlir::OpBuilder builder;
  RandomStream random;
  RandomGraphOptions options;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<Grown> pool;
  std::vector<HostTensor> inputs;
  std::vector<char> weights;
  std::vector<GrownState> states;
  std::map<int64_t, int> contextSymbols; ///< by size
  std::map<std::string, int64_t> contextExtents;
  llvm::SmallVector<GrownShape> inputShapes;
  llvm::SmallVector<int64_t> named; ///< the sizes of the named extents
  int lastSymbol = 0;
  int locations = 0;
  int depth = 0; ///< number of regions around the builder
};

} // namespace tenon

#endif // TENON_TEST_RANDOM_GRAPHGROWER_H
