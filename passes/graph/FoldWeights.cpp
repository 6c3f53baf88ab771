// Removes ops that depend only on weights and constants from the graph. The
// largest such computations become weights with recipes, which the artifact
// writer evaluates once. Afterwards every weight has a use.
#include "passes/graph/Passes.h"

#include "dialects/tenon/HostEvaluable.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/State.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_FOLDWEIGHTS
#include "passes/graph/Passes.h.inc"

namespace {
int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

bool isLeaf(Operation *op) { return isa<GetWeightOp, ConstantOp>(op); }

bool isSplat(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// The bytes of the largest tensor from which sizes are read.
constexpr int64_t maxSizeBytes = 1 << 14;

bool isFewNumbers(Operation *op) {
  auto hasFew = [](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    return type && type.hasStaticShape() && bytesOf(result) <= maxSizeBytes;
  };
  return isa<TenonDialect>(op->getDialect()) &&
         !isa<CompositeOp, ConvolutionOp, DotGeneralOp>(op) &&
         llvm::all_of(op->getResults(), hasFew);
}

/// The ops behind numbers that are read singly, such as sizes. The plan
/// function repeats these ops before the run and cannot read weights.
DenseSet<Operation *> opsBehindNumbers(func::FuncOp func) {
  DenseSet<Operation *> found;
  SmallVector<Operation *> pending;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && isFewNumbers(op) && found.insert(op).second)
      pending.push_back(op);
  };
  func.walk([&](tensor::ExtractOp extract) { add(extract.getTensor()); });
  while (!pending.empty())
    for (Value operand : pending.pop_back_val()->getOperands())
      add(operand);
  return found;
}

/// The most ops in a recipe: more than any frontend uses for one weight. It
/// bounds the work for a model that is a single constant computation.
constexpr int64_t maxOps = 256;

struct FoldWeights : impl::FoldWeightsBase<FoldWeights> {
  SmallVector<Operation *> leaves;
  SmallVector<Operation *> foldable; ///< in order, producers first
  /// The number of ops that each foldable op and leaf is computed from.
  DenseMap<Operation *, int64_t> sizes;
  DenseSet<Operation *> behindNumbers;
  llvm::StringMap<WeightOp> byRecipe;
  std::optional<SymbolTable> symbols;

  void runOnOperation() override {
    byRecipe.clear();
    symbols.emplace(getOperation());
    for (auto weight : getOperation().getOps<WeightOp>())
      if (!weight.getRecipe().empty())
        byRecipe.try_emplace(recipeText(weight), weight);
    for (auto func : getOperation().getOps<func::FuncOp>())
      foldIn(func);
    dropUnused();
  }

  void foldIn(func::FuncOp func) {
    foldable.clear();
    leaves.clear();
    sizes.clear();
    behindNumbers = opsBehindNumbers(func);
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FusionOp>(op))
        return WalkResult::skip();
      if (!isHostEvaluable(op))
        return WalkResult::advance();
      if (isLeaf(op)) {
        sizes[op] = 1;
        leaves.push_back(op);
        return WalkResult::advance();
      }
      int64_t size = 1;
      for (Value operand : op->getOperands()) {
        auto found = sizes.find(operand.getDefiningOp());
        if (found == sizes.end())
          return WalkResult::advance();
        size += found->second;
      }
      if (size <= maxOps) {
        sizes[op] = size;
        foldable.push_back(op);
      }
      return WalkResult::advance();
    });
    // Users first: an op that their recipes include needs no weight of its own.
    for (Operation *op : llvm::reverse(foldable))
      if (op->use_empty())
        op->erase();
      else if (worthwhile(op))
        makeWeight(op);
    for (Operation *leaf : leaves)
      if (leaf->use_empty())
        leaf->erase();
  }

  /// All ops that `op` is computed from, with `op` itself, producers first.
  static llvm::SetVector<Operation *> computationOf(Operation *op) {
    llvm::SetVector<Operation *> ops;
    auto visit = [&](auto &self, Operation *at) -> void {
      if (ops.contains(at))
        return;
      for (Value operand : at->getOperands())
        self(self, operand.getDefiningOp());
      ops.insert(at);
    };
    visit(visit, op);
    return ops;
  }

  bool worthwhile(Operation *op) {
    if (behindNumbers.contains(op))
      return false;
    int64_t bytes = 0;
    bool onlySplats = true;
    for (Operation *from : computationOf(op))
      if (isLeaf(from) && !isSplat(from)) {
        bytes += bytesOf(from->getResult(0));
        onlySplats = false;
      }
    // Splats, broadcasts and reshapes cost nothing in a kernel; a large weight
    // computed from small ones costs bandwidth. Contractions read tensors in
    // memory: those of floats made of bytes are computed once.
    int64_t most =
        llvm::all_of(op->getUsers(), llvm::IsaPred<DotGeneralOp, ConvolutionOp>)
            ? 4
            : 2;
    bool fits =
        makesStoredForm(op) || bytesOf(op->getResult(0)) <= most * bytes;
    return !onlySplats && fits && !isa<BroadcastInDimOp>(op) && !isView(op) &&
           !readsInPlace(op);
  }

  /// True for a reshape of a weight: it is free.
  static bool isView(Operation *op) {
    return isa<ReshapeOp>(op) &&
           llvm::all_of(computationOf(op), [](Operation *from) {
             return isa<ReshapeOp>(from) || isLeaf(from);
           });
  }

  /// True for a transpose of a weight that is also used untransposed, if only
  /// contractions read the transpose: they can follow its strides, and the
  /// weight is stored once.
  static bool readsInPlace(Operation *op) {
    auto get = isa<TransposeOp>(op)
                   ? op->getOperand(0).getDefiningOp<GetWeightOp>()
                   : GetWeightOp();
    if (!get || !llvm::all_of(op->getUsers(), llvm::IsaPred<DotGeneralOp>))
      return false;
    auto func = op->getParentOfType<func::FuncOp>();
    return func
        .walk([&](GetWeightOp other) {
          bool elsewhere = other.getWeight() == get.getWeight() &&
                           llvm::any_of(other->getUsers(), [](Operation *user) {
                             return !isa<TransposeOp>(user);
                           });
          return elsewhere ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void makeWeight(Operation *op) {
    OpBuilder builder(&getContext());
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto weight = WeightOp::create(builder, op->getLoc(), "recipe", type,
                                   WeightSourceAttr());
    Block *block = &weight.getRecipe().emplaceBlock();
    builder.setInsertionPointToStart(block);
    IRMapping mapping;
    WeightOp base;
    for (Operation *from : computationOf(op)) {
      auto get = dyn_cast<GetWeightOp>(from);
      auto source =
          get ? symbols->lookup<WeightOp>(get.getWeight()) : WeightOp();
      base = base ? base : source;
      if (source && !source.getRecipe().empty())
        inlineRecipe(builder, source, get, mapping);
      else
        builder.clone(*from, mapping);
    }
    YieldOp::create(builder, op->getLoc(), mapping.lookup(op->getResult(0)));
    auto [entry, isNew] = byRecipe.try_emplace(recipeText(weight), weight);
    if (isNew) {
      std::string stem = base ? base.getSymName().str() : "constant";
      if (!StringRef(stem).contains(".folded"))
        stem += ".folded";
      weight.setSymName(stem);
      // Insert it after its source, because the blob is laid out in module
      // order.
      Block::iterator place = base ? std::next(base->getIterator())
                                   : getOperation().getBody()->begin();
      symbols->insert(weight, place);
    } else {
      weight->erase();
    }
    // Other remarks tell how weights are packed and quantized.
    if (!makesStoredForm(op))
      if (auto remark = remarkDone(op, RemarkCategory::Weights, "folded"))
        remark << llvm::formatv("'{0}' is computed when the artifact is "
                                "written, into weight '{1}'",
                                op->getName(), entry->second.getSymName())
                      .str();
    builder.setInsertionPoint(op);
    Value got = GetWeightOp::create(builder, op->getLoc(), type,
                                    entry->second.getSymName());
    op->getResult(0).replaceAllUsesWith(got);
    op->erase();
  }

  static void inlineRecipe(OpBuilder &builder, WeightOp source, GetWeightOp get,
                           IRMapping &mapping) {
    IRMapping inner;
    for (Operation &op : source.getRecipe().front()) {
      if (auto yield = dyn_cast<YieldOp>(op))
        mapping.map(get.getResult(), inner.lookup(yield.getValues().front()));
      else
        builder.clone(op, inner);
    }
  }

  /// A recipe's computation as text; equal recipes have equal texts.
  static std::string recipeText(WeightOp weight) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DenseMap<Value, int64_t> numbers;
    for (Operation &op : weight.getRecipe().front()) {
      stream << op.getName() << op.getAttrDictionary();
      for (Value operand : op.getOperands())
        stream << " " << numbers.lookup(operand);
      for (Value result : op.getResults()) {
        stream << " " << result.getType();
        numbers[result] = numbers.size() + 1;
      }
      stream << "\n";
    }
    return text;
  }

  void dropUnused() {
    SmallVector<WeightOp> work;
    DenseSet<Operation *> used;
    auto useNamed = [&](StringRef name) {
      auto weight = symbols->lookup<WeightOp>(name);
      if (used.insert(weight).second)
        work.push_back(weight);
    };
    auto use = [&](GetWeightOp get) { useNamed(get.getWeight()); };
    for (auto state : getOperation().getOps<StateOp>())
      if (std::optional<StringRef> initial = state.getInitial())
        useNamed(*initial);
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk(use);
    while (!work.empty())
      work.pop_back_val().walk(use);
    for (WeightOp weight :
         llvm::make_early_inc_range(getOperation().getOps<WeightOp>()))
      if (!used.contains(weight))
        weight.erase();
    symbols.reset();
  }
};
} // namespace
} // namespace tenon
