// Decides which ops share a kernel and writes it to `tenon.group`. It goes from
// consumers to producers. An op joins the group of its users if all of them are
// in one group whose kernel can compute the op too. Otherwise it becomes the
// root of a new group.
#include "passes/fuse/Passes.h"

#include "passes/fuse/ExtentNumbers.h"
#include "passes/fuse/FusionRoles.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/State.h"
#include "passes/fuse/RowReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tenon-plan-fusions"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PLANFUSIONS
#include "passes/fuse/Passes.h.inc"

namespace {
RankedTensorType resultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// With at least this many heads there are enough tasks to copy keys.
constexpr int64_t fewestHeads = 8;
/// The cost of ops that a broadcast may repeat: about that of a load, with what
/// a kernel of their own would take.
constexpr int64_t mostRepeatedCost = 4;

struct Group {
  Operation *root;
  FusionRole role; ///< Map until a reduction or contraction joins
  /// True if there are only elementwise ops and broadcasts, and every value has
  /// the root's shape or is broadcast to it.
  bool plain = true;
  int64_t cost = 0;
  Value rows = {}; ///< operand of its row reductions, if any
};

struct PlanFusions : impl::PlanFusionsBase<PlanFusions> {
  SmallVector<Group> groups;
  DenseMap<Operation *, int64_t> groupOf;
  std::optional<ExtentNumbers> extents;

  void runOnOperation() override {
    splitFreeOps();
    extents.emplace(getOperation());
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
    // Attention reads slices in place, even if other ops need them too.
    for (OpOperand *use : read) {
      Operation *slice = use->get().getDefiningOp();
      OpBuilder builder(slice);
      use->set(builder.clone(*slice)->getResult(0));
    }
    // From last to first: the operand of a copied op may be cheap too.
    for (Operation *op : llvm::reverse(free))
      splitFreeOp(op);
  }

  /// Gives each use of a free op a copy of its own, beside the user where that
  /// is better.
  static void splitFreeOp(Operation *op) {
    SmallVector<std::pair<OpOperand *, Operation *>> uses;
    for (OpOperand &use : op->getUses())
      uses.emplace_back(&use, placeBeside(op, use.getOwner()));
    // The first use, if possible one that needs no other place, keeps the op.
    std::stable_partition(uses.begin(), uses.end(),
                          [&](auto use) { return use.second == op; });
    for (auto [use, place] : ArrayRef(uses).drop_front(uses.empty() ? 0 : 1)) {
      OpBuilder builder(place);
      use->set(builder.clone(*op)->getResult(0));
    }
    if (!uses.empty() && uses.front().second != op)
      op->moveBefore(uses.front().second);
  }

  /// The op before which a free op stands for one user: the user itself in a
  /// branch, which may not run, else the free op. A loop would run an op that
  /// no kernel takes in again in each iteration, so only splats enter it.
  static Operation *placeBeside(Operation *op, Operation *user) {
    for (Operation *parent = user->getParentOp(); parent != op->getParentOp();
         parent = parent->getParentOp())
      if (!isa<scf::IfOp>(parent) &&
          !(isSplat(op) && roleOf(user) != FusionRole::Outside))
        return op;
    return user->getBlock() == op->getBlock() ? op : user;
  }

  void place(Operation *op) {
    FusionRole role = roleOf(op);
    if (role == FusionRole::Outside || op->getNumResults() == 0)
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
    std::optional<int64_t> group = commonGroup(op);
    const char *obstacle =
        group ? obstacleTo(op, role, groups[*group]) : nullptr;
    if (group && !obstacle) {
      groupOf[op] = *group;
      join(op, role, groups[*group]);
      LDBG() << op->getName() << " joins group " << *group << ", cost "
             << groups[*group].cost;
      return;
    }
    if (wantsRemarks(op))
      report(op, obstacle);
    groupOf[op] = groups.size();
    groups.push_back({op, FusionRole::Map, true});
    join(op, role, groups.back());
    groups.back().role = role;
    LDBG() << op->getName() << " starts group " << groupOf[op]
           << (obstacle ? ": " : "") << (obstacle ? obstacle : "");
  }

  /// Reports that `op` is the root of a new group. `obstacle` is null if its
  /// users have no common group.
  void report(Operation *op, const char *obstacle) {
    auto isKernel = [&](Operation *user) { return groupOf.contains(user); };
    auto reader = llvm::find_if(op->getUsers(), isKernel);
    auto outside = llvm::find_if_not(op->getUsers(), [&](Operation *user) {
      return isKernel(user) || user->hasTrait<OpTrait::IsTerminator>();
    });
    // An output of the model that no kernel reads has nothing to join.
    if (isFree(op) || (reader == op->user_end() && outside == op->user_end()))
      return;
    std::string why = obstacle ? obstacle : "several kernels read it";
    for (Operation *user : op->getUsers())
      if (obstacle)
        break;
      else if (user->hasTrait<OpTrait::IsTerminator>())
        why = "it is an output too";
      else if (user->getBlock() != op->getBlock())
        why = "a loop or a branch reads it";
    if (outside != op->user_end())
      why = "'" + outside->getName().getStringRef().str() +
            "' uses it outside of kernels";
    if (auto remark = remarkMissed(op, RemarkCategory::Fusion, "own-kernel"))
      remark << llvm::formatv(
                    "'{0}' is not in the kernel of {1}", op->getName(),
                    spellNode(reader == op->user_end() ? *outside : *reader))
                    .str()
             << because(why);
  }

  static void join(Operation *op, FusionRole role, Group &group) {
    if (reducesRows(op))
      group.rows = op->getOperand(0);
    group.cost += costOf(op);
    if (role == FusionRole::Reduce || role == FusionRole::Contraction)
      group.role = role;
    if (role == FusionRole::Whole ||
        isa<TransposeOp, SliceOp, ReverseOp, IotaOp>(op) || isStoredWeight(op))
      group.plain = false;
  }

  /// The group of all users, if they are in one group and in the op's block.
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

  /// The use by attention, if attention is the only reader in the model and the
  /// value is also an output of the model; null otherwise.
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

  /// True if every run has exactly one task for each head of the keys.
  static bool hasOneTaskAHead(AttentionOp attention) {
    auto query = attention.getQuery().getType(),
         value = attention.getValue().getType();
    int64_t queries = query.getDimSize(
        attention.getQueryOrder()[attention.getQueryOrder().size() - 2]);
    return !llvm::is_contained(query.getShape(), 0) &&
           !llvm::is_contained(value.getShape(), 0) &&
           !ShapedType::isDynamic(queries) &&
           queries * attention.getHeadGroup() <= attentionTaskRows;
  }

  /// The group of the attention that can concatenate earlier and new keys (or
  /// values) itself. Requires that it is their only reader and that they are
  /// outputs of the model. Otherwise they would be written by one kernel and
  /// read again by the next.
  std::optional<int64_t> joiningAttention(Operation *op) {
    auto join = dyn_cast<ConcatenateOp>(op);
    if (!join || join.getNumOperands() != 2)
      return std::nullopt;
    OpOperand *read = readingAttention(op);
    if (!read || read->getOwner()->getBlock() != op->getBlock())
      return std::nullopt;
    auto attention = cast<AttentionOp>(read->getOwner());
    if (attention.getLengths() || attention.getTable())
      return std::nullopt; // it does not read all keys in order
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

  /// The reason why `op` cannot join the group of its users; null if it can.
  const char *obstacleTo(Operation *op, FusionRole role, const Group &group) {
    if (op->getNumResults() != 1)
      return "it has several results";
    if (group.cost + costOf(op) > maxGroupCost)
      return "the kernel would be too long";
    auto unless = [](bool joins, const char *why) {
      return joins ? nullptr : why;
    };
    const char *repeats = "a broadcast would repeat its computation";
    switch (role) {
    case FusionRole::Outside:
      break;
    case FusionRole::Whole:
      if (isPaddingOfWindow(op, group.root))
        return nullptr;
      if (isa<GatherOp>(op) &&
          (group.role == FusionRole::Map || isa<GatherOp>(group.root)))
        return repeated(op, group)
                   ? repeats
                   : unless(!givesPlaces(op),
                            "a gather reads its places in memory");
      break;
    case FusionRole::Map:
      // A kernel with the role Whole accepts only splats, whose elements need
      // no memory. A gather also accepts the stored form of its table.
      if (isa<AttentionOp>(group.root))
        return unless(joinsAttention(op, cast<AttentionOp>(group.root)),
                      "attention reads its operands in memory");
      if (group.role == FusionRole::Whole)
        return unless(
            (isSplat(op) && !isa<NonMaxSuppressionOp, TopKOp>(group.root)) ||
                (isStoredWeight(op) && isa<GatherOp>(group.root)),
            "that kernel reads its operands in memory");
      if (group.role == FusionRole::Contraction)
        return obstacleInContraction(op);
      if (!isSplat(op) && !isStoredWeight(op) && isGathered(op))
        return "the gather reads its operands in memory";
      // A value broadcast along new dimensions would be computed once per copy.
      if ((isExpensive(op) || costBehind(op) > mostRepeatedCost) &&
          repeated(op, group))
        return repeats;
      return unless(group.role == FusionRole::Map || joinsRows(op, group),
                    "it moves elements, and the kernel goes row by row");
    case FusionRole::Reduce:
      if (group.role != FusionRole::Map && group.role != FusionRole::Reduce)
        return "that kernel reads its operands in memory";
      if (!group.plain)
        return "the kernel moves elements, so it does not go row by row";
      return unless(reduceJoins(op, group),
                    "the kernel does not go along the reduced rows");
    case FusionRole::Contraction:
      if (group.role != FusionRole::Map)
        return "the kernel reduces or multiplies its result";
      return unless(group.plain && contractionJoins(op, group),
                    "the kernel is not elementwise on its result");
    }
    return "it is computed by a kernel of its own kind";
  }

  /// Null if `op` may join as part of a weight's stored form or of the
  /// epilogue. Other operands of the contraction are computed once, by a kernel
  /// before it.
  const char *obstacleInContraction(Operation *op) {
    if (isStoredWeight(op) || isImage(op))
      return nullptr;
    for (Operation *user : op->getUsers())
      if (roleOf(user) == FusionRole::Contraction)
        return "the contraction reads each element several times";
    return isFree(op) || op->hasTrait<Elementwise>()
               ? nullptr
               : "an epilogue is elementwise";
  }

  /// True if `op` may join: slices of queries, keys and values; masks that cost
  /// nothing per element; and slices of step one that the kernel concatenates.
  static bool joinsAttention(Operation *op, AttentionOp attention) {
    Value result = op->getResult(0);
    for (Value operand :
         {Value(attention.getQuery()), Value(attention.getKey()),
          Value(attention.getValue()), Value(attention.getTable())})
      if (operand == result)
        return isa<SliceOp>(op);
    if (llvm::none_of(op->getUsers(), llvm::IsaPred<ConcatenateOp>))
      return isFree(op);
    auto slice = dyn_cast<SliceOp>(op);
    return slice && llvm::all_of(slice.getStaticStrides(),
                                 [](int64_t stride) { return stride == 1; });
  }

  /// True if `op` pads the operand of a window where the window moves. The
  /// window reads elements several times, but a padding costs it only a
  /// comparison.
  static bool isPaddingOfWindow(Operation *op, Operation *root) {
    auto pad = dyn_cast<PadOp>(op);
    auto window = dyn_cast<ReduceWindowOp>(root);
    if (!pad || !window || window.getOperand() != pad.getResult() ||
        llvm::any_of(window.getPadding(), [](int64_t n) { return n != 0; }))
      return false;
    for (auto [low, high, interior, width] :
         llvm::zip(pad.getStaticLow(), pad.getStaticHigh(), pad.getInterior(),
                   window.getWindow()))
      if (interior != 0 || (width == 1 && (low != 0 || high != 0)))
        return false;
    return true;
  }

  static bool isGathered(Operation *op) {
    return llvm::any_of(op->getUsers(), llvm::IsaPred<GatherOp>);
  }

  /// True if `op` computes the places that a gather reads.
  static bool givesPlaces(Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      auto gather = dyn_cast<GatherOp>(user);
      return gather && gather.getIndices() == op->getResult(0);
    });
  }

  /// The cost of `op` and of the elementwise ops behind it, as far as it is of
  /// interest.
  static int64_t costBehind(Operation *op) {
    int64_t cost = 0;
    SmallVector<Operation *> ops = {op};
    while (!ops.empty() && cost <= mostRepeatedCost) {
      Operation *next = ops.pop_back_val();
      if (!next->hasTrait<Elementwise>() || resultType(next).getRank() == 0)
        continue;
      cost += costOf(next);
      for (Value operand : next->getOperands())
        if (Operation *def = operand.getDefiningOp())
          ops.push_back(def);
    }
    return cost;
  }

  bool repeated(Operation *op, const Group &group) {
    if (resultType(op).getRank() == resultType(group.root).getRank())
      return llvm::any_of(op->getUsers(), [](Operation *user) {
        return isa<BroadcastInDimOp>(user);
      });
    // Row kernels compute a value once per row.
    return group.role != FusionRole::Reduce &&
           !(group.plain && endsRowReduction(op, group));
  }

  /// True if `op` is elementwise on a row reduction that will join the group
  /// later.
  bool endsRowReduction(Operation *op, const Group &group) {
    Operation *reduce = nullptr;
    // The group cannot hold a longer chain.
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
           extents->areEqual(reduce->getOperand(0), group.root->getResult(0));
  }

  /// True if `op` may join a row kernel. A reduced value is available only for
  /// the current row, so ops between must not move elements.
  bool joinsRows(Operation *op, const Group &) {
    return op->hasTrait<Elementwise>() || isa<BroadcastInDimOp>(op) ||
           isSplat(op);
  }

  /// True if the group's rows are the reduction's, and each use of the reduced
  /// value stays in its row.
  bool reduceJoins(Operation *op, const Group &group) {
    Value full = op->getOperand(0), root = group.root->getResult(0);
    if (roleOf(group.root) == FusionRole::Reduce)
      root = group.root->getOperand(0);
    bool isWhole = extents->areEqual(root, full);
    if (!isWhole && !extents->areEqual(root, full, /*dropped=*/1))
      return false;
    if (!isWhole && group.role == FusionRole::Reduce)
      return false;
    // The rows of the result and the rows that are reduced must have equal
    // extents: the rows of [2, 3, 3] and of [2, 3] differ.
    if (group.rows && !extents->areEqual(group.rows, full))
      return false;
    return llvm::all_of(usersWithin(op, group), [&](Operation *user) {
      auto broadcast = dyn_cast<BroadcastInDimOp>(user);
      if (!broadcast)
        return user->hasTrait<Elementwise>();
      return extents->areEqual(user->getResult(0), full) &&
             llvm::equal(broadcast.getDims(),
                         llvm::seq<int64_t>(0, resultType(user).getRank() - 1));
    });
  }

  /// The users of `op` in `group` and their users, each once. Users of
  /// broadcasts are not followed.
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

  /// True if the epilogue is elementwise on the contraction's result: only
  /// elementwise ops between it and the root.
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
