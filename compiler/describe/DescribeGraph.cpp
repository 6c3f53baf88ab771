// Loops and branches have no node: what a loop or branch returns comes from the
// ops inside that compute it.
#include "compiler/describe/DescribeGraph.h"

#include "compiler/report/PassDiagnostics.h"
#include "compiler/report/ValueNames.h"
#include "dialects/tenon/Annotations.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

std::string shapeText(ShapedType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type.getElementType() << " [";
  llvm::interleaveComma(type.getShape(), stream, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      stream << '?';
    else
      stream << extent;
  });
  stream << ']';
  return text;
}

void addBoundary(OpGraph &graph, const char *kind, StringAttr name,
                 size_t number, Type type) {
  GraphNode node;
  node.op = kind;
  node.names.push_back(name ? name.str() : kind + std::to_string(number));
  if (auto shaped = dyn_cast<ShapedType>(type))
    node.types.push_back(shapeText(shaped));
  graph.nodes.push_back(std::move(node));
}

void finishEdges(OpGraph &graph) {
  llvm::sort(graph.edges);
  graph.edges.erase(llvm::unique(graph.edges), graph.edges.end());
}

namespace {
class GraphWriter {
public:
  GraphWriter(func::FuncOp function, OpGraph &graph)
      : function(function), graph(graph) {
    for (NamedValue &named : namedValues(function))
      names[named.value] = std::move(named.name);
  }

  void write() {
    for (BlockArgument argument : function.getArguments()) {
      numbers[argument] = graph.nodes.size();
      addBoundary(graph, "input",
                  annotation::name.of(function, argument.getArgNumber()),
                  argument.getArgNumber(), argument.getType());
    }
    addOps(function.getBody());
    Operation *end = function.getBody().front().getTerminator();
    for (OpOperand &result : end->getOpOperands()) {
      addBoundary(
          graph, "output",
          annotation::name.ofResult(function, result.getOperandNumber()),
          result.getOperandNumber(), result.get().getType());
      graph.nodes.back().values = graph.nodes.back().names;
      connect(result.get());
    }
    finishEdges(graph);
  }

private:
  static bool isConstant(Operation *op) {
    return isa<ConstantOp, GetWeightOp>(op);
  }

  void addOps(Region &region) {
    for (Block &block : region)
      for (Operation &op : block)
        if (isa<scf::SCFDialect>(op.getDialect()))
          for (Region &inner : op.getRegions())
            addOps(inner);
        else if (!isConstant(&op) && !op.hasTrait<OpTrait::IsTerminator>())
          addOp(op);
  }

  /// Adds a node if the op computes tensors, or only reads them, as the write
  /// of a state does.
  void addOp(Operation &op) {
    auto isTensor = llvm::IsaPred<TensorType>;
    bool computes = llvm::any_of(op.getResultTypes(), isTensor);
    if (!computes && (op.getNumResults() > 0 ||
                      llvm::none_of(op.getOperandTypes(), isTensor)))
      return;
    GraphNode node;
    node.op = op.getName().getStringRef().str();
    node.names = nodesOf(op.getLoc());
    for (Type type : op.getResultTypes())
      if (auto shaped = dyn_cast<ShapedType>(type))
        node.types.push_back(shapeText(shaped));
    for (Value result : op.getResults()) {
      numbers[result] = graph.nodes.size();
      if (auto named = names.find(result); named != names.end())
        node.values.push_back(named->second);
    }
    graph.nodes.push_back(std::move(node));
    for (Value operand : op.getOperands())
      if (isTensor(operand.getType()))
        connect(operand);
  }

  /// Connects the last node with the nodes that compute `value`.
  void connect(Value value) {
    llvm::SmallPtrSet<void *, 8> seen;
    SmallVector<Value> open = {value};
    while (!open.empty()) {
      Value next = open.pop_back_val();
      if (!seen.insert(next.getAsOpaquePointer()).second)
        continue;
      auto found = numbers.find(next);
      if (found != numbers.end())
        graph.edges.push_back({found->second, graph.nodes.size() - 1});
      else if (Operation *op = next.getDefiningOp(); op && isConstant(op))
        graph.nodes.back().constants.push_back(constantText(op));
      else
        appendSources(next, open);
    }
  }

  static std::string constantText(Operation *op) {
    std::string type = shapeText(cast<ShapedType>(op->getResult(0).getType()));
    if (auto weight = dyn_cast<GetWeightOp>(op))
      return weight.getWeight().str() + ": " + type;
    return "constant: " + type;
  }

  /// Appends the values that a loop or branch may give `value`.
  static void appendSources(Value value, SmallVectorImpl<Value> &sources) {
    if (auto result = dyn_cast<OpResult>(value)) {
      unsigned number = result.getResultNumber();
      Operation *op = result.getOwner();
      if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        sources.push_back(loop.getConditionOp().getArgs()[number]);
        return;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op))
        sources.push_back(loop.getInitArgs()[number]);
      for (Region &region : op->getRegions())
        if (auto yield = region.empty() ? scf::YieldOp()
                                        : dyn_cast<scf::YieldOp>(
                                              region.front().getTerminator()))
          sources.push_back(yield.getOperands()[number]);
      return;
    }
    auto argument = cast<BlockArgument>(value);
    Operation *op = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && number > 0)
      sources.push_back(loop.getInitArgs()[number - 1]);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      sources.push_back(argument.getOwner() == loop.getBeforeBody()
                            ? loop.getInits()[number]
                            : loop.getConditionOp().getArgs()[number]);
  }

  func::FuncOp function;
  OpGraph &graph;
  llvm::DenseMap<Value, size_t> numbers;    ///< the node that computes a value
  llvm::DenseMap<Value, std::string> names; ///< of values that are verified
};
} // namespace

void describeGraphs(ModuleOp module, ModelGraph &graph) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      GraphWriter(function, graph.at(function.getName().str()).before).write();
}

} // namespace tenon
