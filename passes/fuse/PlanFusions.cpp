// Decides which ops share a kernel and writes it down as `tenon.group`. From
// consumers to producers: an op joins the group of its users when they all
// stand in one group whose kernel can compute it on the way; else it is the
// root of a new group.
#include "passes/fuse/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/State.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANFUSIONS
#include "passes/fuse/Passes.h.inc"

namespace {
enum class Role {
  Outside, ///< constants, weights, states, views, sizes, control flow
  Map, ///< one element from few elements: can be computed wherever it is used
  Reduce, ///< a reduction over trailing dimensions
  Contraction,
  Whole, ///< a kernel of its own
};

bool isSplat(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Reduces exactly the innermost dimension.
bool reducesRows(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getDims().size() == 1 &&
         reduce.getDims()[0] ==
             cast<RankedTensorType>(reduce.getOperand().getType()).getRank() -
                 1;
}

Role roleOf(Operation *op) {
  if (op->hasTrait<Elementwise>() ||
      isa<BroadcastInDimOp, TransposeOp, SliceOp, IotaOp, ReverseOp, UnpackOp,
          UnpairOp, DequantizeOp>(op))
    return Role::Map;
  if (isSplat(op))
    return Role::Map;
  if (reducesRows(op))
    return Role::Reduce;
  if (isa<DotGeneralOp, ConvolutionOp>(op))
    return Role::Contraction;
  if (isa<ReshapeOp, ConstantOp, GetWeightOp, StateReadOp, BoundOp, YieldOp>(
          op) ||
      !isa<TenonDialect>(op->getDialect()))
    return Role::Outside;
  return Role::Whole;
}

/// Says how a weight lies in memory: whoever reads it sees through.
bool isStoredWeight(Operation *op) {
  return isa<UnpackOp, UnpairOp, DequantizeOp>(op);
}

/// Puts an image's few channels side by side for a convolution, which reads
/// them from their planes as well: a pixel is less than a line of the cache.
bool isImage(Operation *op) {
  constexpr int64_t fewChannels = 4;
  if (!isa<TransposeOp>(op) || !op->hasOneUse())
    return false;
  auto convolution = dyn_cast<ConvolutionOp>(*op->user_begin());
  int64_t channels =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape().back();
  return convolution && convolution.getLhs() == op->getResult(0) &&
         convolution.getGroups() == 1 &&
         llvm::all_of(convolution.getLhsDilation(),
                      [](int64_t between) { return between == 1; }) &&
         convolution.getProducts() == Products::Chain &&
         !ShapedType::isDynamic(channels) && channels <= fewChannels;
}

/// Costs next to nothing, so that every user may have its own copy.
bool isFree(Operation *op) {
  return isa<BroadcastInDimOp, IotaOp>(op) || isStoredWeight(op) || isSplat(op);
}

/// Costs more than a few cycles an element: not to be repeated.
bool isExpensive(Operation *op) {
  return op->hasTrait<Elementwise>() &&
         !isa<AddOp, SubtractOp, MultiplyOp, NegateOp, AbsOp, MaximumOp,
              MinimumOp, AndOp, OrOp, XorOp, NotOp, CompareOp, SelectOp,
              ClampOp, ConvertOp, BitcastConvertOp>(op);
}

/// What a kernel may hold: emitters recurse over it, and LLVM's time grows
/// faster than its length. Layers of real models stay far below.
constexpr int64_t maxGroupCost = 512;

/// What an op adds to its kernel, in simple instructions or so.
int64_t costOf(Operation *op) { return isExpensive(op) ? 16 : 1; }

RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// Queries whose attention reads each key once, in one task a head, and heads
/// that are tasks enough to copy keys in.
constexpr int64_t fewQueries = 16, fewestHeads = 8;

struct Group {
  Operation *root;
  Role role;         ///< Map until a reduction or a contraction joins
  bool plain = true; ///< elementwise and broadcasts only, all in the root's
                     ///< shape or broadcast to it
  int64_t cost = 0;
  RankedTensorType rows = {}; ///< what its row reductions are of, if any
};

struct PlanFusions : impl::PlanFusionsBase<PlanFusions> {
  SmallVector<Group> groups;
  DenseMap<Operation *, int64_t> groupOf;

  void runOnOperation() override {
    splitFreeOps();
    groups.clear();
    groupOf.clear();
    getOperation()->walk<WalkOrder::PostOrder>([&](Block *block) {
      for (Operation &op : llvm::reverse(*block))
        place(&op);
    });
    for (auto [op, group] : groupOf)
      annotation::group.setCount(op, group);
  }

  void splitFreeOps() {
    SmallVector<Operation *> free;
    SmallVector<OpOperand *> read;
    getOperation()->walk([&](Operation *op) {
      if (isFree(op))
        free.push_back(op);
      else if (isa<SliceOp>(op))
        for (OpOperand &use : op->getUses())
          if (isa<AttentionOp>(use.getOwner()) && !op->hasOneUse())
            read.push_back(&use);
    });
    // Attention reads slices in place, whoever else needs them.
    for (OpOperand *use : read) {
      Operation *slice = use->get().getDefiningOp();
      OpBuilder builder(slice);
      use->set(builder.clone(*slice)->getResult(0));
    }
    // From the last: a copy's operand may be free too.
    for (Operation *op : llvm::reverse(free)) {
      SmallVector<OpOperand *> uses;
      for (OpOperand &use : op->getUses())
        uses.push_back(&use);
      for (OpOperand *use : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
        OpBuilder builder(op);
        use->set(builder.clone(*op)->getResult(0));
      }
    }
  }

  void place(Operation *op) {
    Role role = roleOf(op);
    if (role == Role::Outside || op->getNumResults() == 0)
      return;
    if (op->use_empty()) {
      if (isMemoryEffectFree(op))
        return;
    }
    if (std::optional<int64_t> group = joiningAttention(op)) {
      groupOf[op] = *group;
      join(op, role, groups[*group]);
      return;
    }
    if (std::optional<int64_t> group = commonGroup(op);
        group && canJoin(op, role, groups[*group])) {
      groupOf[op] = *group;
      join(op, role, groups[*group]);
      return;
    }
    groupOf[op] = groups.size();
    groups.push_back({op, Role::Map, true});
    join(op, role, groups.back());
    groups.back().role = role;
  }

  static void join(Operation *op, Role role, Group &group) {
    if (reducesRows(op))
      group.rows = cast<RankedTensorType>(op->getOperand(0).getType());
    group.cost += costOf(op);
    if (role == Role::Reduce || role == Role::Contraction)
      group.role = role;
    if (role == Role::Whole ||
        isa<TransposeOp, SliceOp, ReverseOp, IotaOp>(op) || isStoredWeight(op))
      group.plain = false;
  }

  /// The group that holds all users, if there is one and they stand in the op's
  /// block.
  std::optional<int64_t> commonGroup(Operation *op) {
    std::optional<int64_t> common;
    for (Operation *user : op->getUsers()) {
      auto it = groupOf.find(user);
      if (it == groupOf.end() || user->getBlock() != op->getBlock() ||
          (common && *common != it->second))
        return std::nullopt;
      common = it->second;
    }
    return common;
  }

  /// Where attention alone reads a value that leaves the model; or nothing.
  static OpOperand *readingAttention(Operation *op) {
    OpOperand *read = nullptr;
    bool returned = false;
    for (OpOperand &use : op->getUses()) {
      if (isa<func::ReturnOp>(use.getOwner())) {
        returned = true;
        continue;
      }
      if (read || !isa<AttentionOp>(use.getOwner()))
        return nullptr;
      read = &use;
    }
    return returned ? read : nullptr;
  }

  /// Whether every run has a task for each head of the keys, and one alone.
  static bool hasOneTaskAHead(AttentionOp attention) {
    auto query = attention.getQuery().getType(),
         value = attention.getValue().getType();
    int64_t queries = query.getDimSize(
        attention.getQueryOrder()[attention.getQueryOrder().size() - 2]);
    return !llvm::is_contained(query.getShape(), 0) &&
           !llvm::is_contained(value.getShape(), 0) &&
           !ShapedType::isDynamic(queries) &&
           queries * attention.getHeadGroup() <= fewQueries;
  }

  /// The group of the attention that joins earlier keys, or values, and new
  /// ones on its way, where it alone reads them and they leave the model:
  /// joined before, they would be written and then read again.
  std::optional<int64_t> joiningAttention(Operation *op) {
    auto join = dyn_cast<ConcatenateOp>(op);
    if (!join || join.getNumOperands() != 2)
      return std::nullopt;
    OpOperand *read = readingAttention(op);
    if (!read || read->getOwner()->getBlock() != op->getBlock())
      return std::nullopt;
    auto attention = cast<AttentionOp>(read->getOwner());
    bool key = read == &attention.getKeyMutable();
    if (!key && read != &attention.getValueMutable())
      return std::nullopt;
    auto order = key ? attention.getKeyOrder() : attention.getValueOrder();
    ArrayRef<int64_t> shape = join.getType().getShape();
    int64_t rank = order.size(), row = rank - 2, heads = 1;
    for (int64_t extent : shape.take_front(row))
      heads *= ShapedType::isDynamic(extent) ? 1 : extent;
    if (int64_t(join.getDim()) != row || order[row] != row ||
        order[rank - 1] != rank - 1 || ShapedType::isDynamic(shape.back()) ||
        heads < fewestHeads || !hasOneTaskAHead(attention))
      return std::nullopt;
    auto group = groupOf.find(attention);
    return group == groupOf.end() ? std::nullopt : std::optional(group->second);
  }

  bool canJoin(Operation *op, Role role, const Group &group) {
    if (op->getNumResults() != 1 || group.cost + costOf(op) > maxGroupCost)
      return false;
    switch (role) {
    case Role::Outside:
    case Role::Whole:
      return false;
    case Role::Map:
      // Kernels of their own take splats, whose elements need no place in
      // memory, and nothing else; gathers read tables in panels.
      if (isa<AttentionOp>(group.root))
        return joinsAttention(op, cast<AttentionOp>(group.root));
      if (group.role == Role::Whole)
        return (isSplat(op) && !isa<NonMaxSuppressionOp>(group.root)) ||
               (isStoredWeight(op) && isa<GatherOp>(group.root));
      if (group.role == Role::Contraction)
        return joinsContraction(op);
      // A value repeated along new dimensions would be computed once per
      // repetition.
      if (isExpensive(op) && repeated(op, group))
        return false;
      return group.role == Role::Map || joinsRows(op, group);
    case Role::Reduce:
      return (group.role == Role::Map || group.role == Role::Reduce) &&
             group.plain && reduceJoins(op, group);
    case Role::Contraction:
      return group.role == Role::Map && group.plain &&
             contractionJoins(op, group);
    }
    return false;
  }

  /// Prologues of contractions are computed once, before: only what has no
  /// elements of its own may join, and epilogue operands.
  bool joinsContraction(Operation *op) {
    if (isStoredWeight(op) || isImage(op))
      return true;
    for (Operation *user : op->getUsers())
      if (roleOf(user) == Role::Contraction)
        return false;
    return isFree(op) || op->hasTrait<Elementwise>();
  }

  /// Queries, keys and values are read as slices, masks by their elements, and
  /// what becomes keys is copied in lines.
  static bool joinsAttention(Operation *op, AttentionOp attention) {
    Value result = op->getResult(0);
    for (Value operand :
         {attention.getQuery(), attention.getKey(), attention.getValue()})
      if (operand == result)
        return isa<SliceOp>(op);
    if (llvm::none_of(op->getUsers(), llvm::IsaPred<ConcatenateOp>))
      return isFree(op);
    auto slice = dyn_cast<SliceOp>(op);
    return slice && llvm::all_of(slice.getStaticStrides(),
                                 [](int64_t stride) { return stride == 1; });
  }

  bool repeated(Operation *op, const Group &group) {
    if (resultType(op).getRank() == resultType(group.root).getRank())
      return llvm::any_of(op->getUsers(), [](Operation *user) {
        return isa<BroadcastInDimOp>(user);
      });
    // Per-row values of row kernels are computed once a row.
    return group.role != Role::Reduce &&
           !(group.plain && endsRowReduction(op, group));
  }

  /// Whether `op` works elementwise on a row reduction that will join the group
  /// after it.
  bool endsRowReduction(Operation *op, const Group &group) {
    Operation *reduce = nullptr;
    // As far as a group may reach.
    for (int64_t n = 0; n < maxGroupCost && op->hasTrait<Elementwise>(); ++n) {
      Operation *next = nullptr;
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (def && isFree(def))
          continue;
        if (!def || next || !def->hasOneUse() ||
            def->getBlock() != op->getBlock())
          return false;
        next = def;
      }
      if (!next)
        return false;
      if (reducesRows(next)) {
        reduce = next;
        break;
      }
      op = next;
    }
    return reduce &&
           cast<RankedTensorType>(reduce->getOperand(0).getType()).getShape() ==
               resultType(group.root).getShape();
  }

  /// In row kernels a reduced value is known for the row at hand alone: ops
  /// between stay in place.
  bool joinsRows(Operation *op, const Group &) {
    return op->hasTrait<Elementwise>() || isa<BroadcastInDimOp>(op) ||
           isSplat(op);
  }

  /// The row extents of the group are the reduction's, and each use of the
  /// result stays on its row.
  bool reduceJoins(Operation *op, const Group &group) {
    auto reduce = cast<ReduceOp>(op);
    ArrayRef<int64_t> full =
        cast<RankedTensorType>(reduce.getOperand().getType()).getShape();
    ArrayRef<int64_t> root = resultType(group.root).getShape();
    if (roleOf(group.root) == Role::Reduce)
      root = cast<RankedTensorType>(
                 cast<ReduceOp>(group.root).getOperand().getType())
                 .getShape();
    if (root != full && root != full.drop_back())
      return false;
    if (root != full && group.role == Role::Reduce)
      return false;
    // A result may have the extents of other rows than those it is reduced
    // from: [2, 3, 3] and [2, 3] are not the same rows.
    if (group.rows && group.rows.getShape() != full)
      return false;
    return llvm::all_of(usersWithin(op, group), [&](Operation *user) {
      auto broadcast = dyn_cast<BroadcastInDimOp>(user);
      if (!broadcast)
        return user->hasTrait<Elementwise>();
      return resultType(user).getShape() == full &&
             broadcast.getDims().size() + 1 == full.size() &&
             llvm::equal(broadcast.getDims(),
                         llvm::seq<int64_t>(0, full.size() - 1));
    });
  }

  /// The users of `op` in `group` and their users, each once; those of
  /// broadcasts aside.
  SmallVector<Operation *> usersWithin(Operation *op, const Group &group) {
    int64_t number = groupOf.lookup(group.root);
    llvm::SmallSetVector<Operation *, 8> found;
    auto enter = [&](Operation *from) {
      for (Operation *user : from->getUsers())
        if (auto it = groupOf.find(user);
            it != groupOf.end() && it->second == number)
          found.insert(user);
    };
    enter(op);
    for (size_t i = 0; i < found.size(); ++i)
      if (!isa<BroadcastInDimOp>(found[i]))
        enter(found[i]);
    return found.takeVector();
  }

  /// The epilogue works elementwise on the contraction's result: one path of
  /// elementwise ops to the root.
  bool contractionJoins(Operation *op, const Group &group) {
    if (resultType(group.root).getShape() != resultType(op).getShape())
      return false;
    return llvm::all_of(usersWithin(op, group), [](Operation *user) {
      return user->hasTrait<Elementwise>();
    });
  }
};
} // namespace
} // namespace tenon
