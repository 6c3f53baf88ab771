// Kernels pass values through memory, so an edge leads from the last writers of
// a buffer to its reader.
#include "compiler/describe/DescribeKernels.h"

#include "compiler/describe/DescribeGraph.h"
#include "compiler/report/PassDiagnostics.h"
#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "dialects/tenon/KernelPlan.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

static bool isGraphFunction(func::FuncOp function) {
  return annotation::numInputs.isOn(function);
}

/// The number of the node that describeFusions gave a location.
static std::optional<size_t> numberOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto number =
      fused ? dyn_cast_or_null<CountAttr>(fused.getMetadata()) : CountAttr();
  if (!number)
    return std::nullopt;
  return number.getInt();
}

namespace {
class KernelWriter {
public:
  KernelWriter(func::FuncOp function, FunctionGraph &graph)
      : function(function), graph(graph), nodes(graph.after.nodes),
        views(function) {}

  void write() {
    unsigned inputs = annotation::numInputs.of(function).getInt();
    unsigned outputs = annotation::numOutputs.of(function).getInt();
    // The first argument is the call.
    for (unsigned i = 0; i < inputs; ++i) {
      BlockArgument argument = function.getArgument(1 + i);
      writers[argument] = {nodes.size()};
      addBoundary(graph.after, "input", annotation::name.of(function, 1 + i), i,
                  argument.getType());
    }
    arena = function.getArgument(1 + inputs + outputs);
    if (auto bytes = annotation::arenaBytes.of(function))
      graph.arenaBytes = bytes.getInt();
    addOps(function.getBody().front());
    for (unsigned i = 0; i < outputs; ++i) {
      BlockArgument argument = function.getArgument(1 + inputs + i);
      addBoundary(graph.after, "output",
                  annotation::name.of(function, 1 + inputs + i), i,
                  argument.getType());
      read(argument);
    }
    finishEdges(graph.after);
  }

private:
  void addOps(Block &block) {
    for (Operation &op : block) {
      size_t first = nodes.size();
      if (auto fusion = dyn_cast<FusionOp>(op)) {
        addFusion(fusion);
        continue;
      }
      if (auto copy = dyn_cast<memref::CopyOp>(op))
        addCopy(copy);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          addOps(inner);
      if (isa<LoopLikeOpInterface>(op) && nodes.size() > first)
        keepUntilEnd(first);
    }
  }

  void addFusion(FusionOp fusion) {
    GraphNode node;
    node.op = stringifyFusionKind(fusion.getKind()).str();
    node.names = nodesOf(fusion.getLoc());
    llvm::raw_string_ostream plan(node.plan);
    if (Attribute attr = planOf(fusion))
      attr.print(plan);
    for (Value output : fusion.getOutputs())
      node.types.push_back(shapeText(cast<ShapedType>(output.getType())));
    auto number = CountAttr::get(fusion.getContext(), nodes.size());
    fusion->setLoc(
        FusedLoc::get(fusion.getContext(), {fusion.getLoc()}, number));
    nodes.push_back(std::move(node));
    for (Value input : fusion.getInputs())
      if (isa<MemRefType>(input.getType()))
        read(input);
    for (Value output : fusion.getOutputs())
      written(output);
  }

  void addCopy(memref::CopyOp copy) {
    GraphNode node;
    node.op = "copy";
    node.names = nodesOf(copy.getLoc());
    node.types.push_back(
        shapeText(cast<ShapedType>(copy.getTarget().getType())));
    nodes.push_back(std::move(node));
    read(copy.getSource());
    written(copy.getTarget());
  }

  /// The inputs, outputs and buffers that `value` may be a view of.
  SmallVector<Value> rootsOf(Value value) {
    SmallVector<Value> roots;
    for (Value from : views.resolveReverse(value)) {
      auto argument = dyn_cast<BlockArgument>(from);
      bool isWhole = argument && argument.getOwner() == &function.front() &&
                     argument.getArgNumber() < arena.getArgNumber();
      if (isWhole || from.getDefiningOp<memref::ViewOp>())
        roots.push_back(from);
    }
    return roots;
  }

  /// The last node reads `value`.
  void read(Value value) {
    for (Value root : rootsOf(value)) {
      auto view = root.getDefiningOp<memref::ViewOp>();
      // Weights are written by nobody; nor is a state before its first write.
      if (view && view.getSource() != arena && !writers.count(root)) {
        nodes.back().constants.push_back(
            shapeText(cast<ShapedType>(value.getType())));
        continue;
      }
      useBuffer(root, /*isRead=*/true);
      for (size_t writer : writers[root])
        if (writer + 1 != nodes.size())
          graph.after.edges.push_back({writer, nodes.size() - 1});
    }
  }

  /// The last node writes `value`. Writers of parts of a buffer add up.
  void written(Value value) {
    bool isPart = value.getDefiningOp<memref::SubViewOp>();
    size_t number = nodes.size() - 1;
    for (Value root : rootsOf(value)) {
      SmallVector<size_t> &before = writers[root];
      auto used = uses.find(root);
      // A node that reads a buffer and writes it does so in place.
      if (used == uses.end() ||
          graph.buffers[used->second.buffer].last != number)
        if (used == uses.end() || !isPart || used->second.wasRead)
          addBuffer(root);
      useBuffer(root, /*isRead=*/false);
      if (!isPart)
        before.clear();
      before.push_back(number);
    }
  }

  /// The last node begins to use `root`, if it has a place in the arena.
  void addBuffer(Value root) {
    auto view = root.getDefiningOp<memref::ViewOp>();
    if (!view || view.getSource() != arena || graph.arenaBytes < 0)
      return;
    std::optional<int64_t> offset = getConstantIntValue(view.getByteShift());
    auto type = cast<MemRefType>(view.getType());
    if (!offset || !type.hasStaticShape())
      return;
    int64_t bits = type.getElementTypeBitWidth();
    uses[root] = {graph.buffers.size(), false};
    graph.buffers.push_back({*offset, type.getNumElements() * ((bits + 7) / 8),
                             nodes.size() - 1, nodes.size() - 1,
                             shapeText(type)});
  }

  void useBuffer(Value root, bool isRead) {
    auto used = uses.find(root);
    if (used == uses.end())
      return;
    graph.buffers[used->second.buffer].last = nodes.size() - 1;
    used->second.wasRead |= isRead;
  }

  /// A buffer from before a loop that is used in it is needed until its end,
  /// because another iteration follows.
  void keepUntilEnd(size_t loop) {
    for (PlacedBuffer &buffer : graph.buffers)
      if (buffer.first < loop && buffer.last >= loop)
        buffer.last = nodes.size() - 1;
  }

  func::FuncOp function;
  FunctionGraph &graph;
  std::vector<GraphNode> &nodes;
  BufferViewFlowAnalysis views;
  BlockArgument arena;
  llvm::DenseMap<Value, SmallVector<size_t>> writers; ///< of a root
  /// The buffer that a root is now: views of one place and type are one value,
  /// and a write after a read begins another buffer.
  struct Use {
    size_t buffer;
    bool wasRead;
  };
  llvm::DenseMap<Value, Use> uses;
};
} // namespace

void describeFusions(ModuleOp module, ModelGraph &graph) {
  for (auto function : module.getOps<func::FuncOp>())
    if (isGraphFunction(function))
      KernelWriter(function, graph.at(function.getName().str())).write();
}

static int64_t countOr(Value value, int64_t otherwise) {
  return getConstantIntValue(value).value_or(otherwise);
}

void describeLaunches(ModuleOp module, ModelGraph &graph) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isGraphFunction(function))
      continue;
    std::vector<GraphNode> &nodes =
        graph.at(function.getName().str()).after.nodes;
    auto add = [&](auto launch) {
      if (std::optional<size_t> number = numberOf(launch.getLoc()))
        nodes[*number].launches.push_back({launch.getKernel().str(),
                                           countOr(launch.getFlops(), -1),
                                           countOr(launch.getBytes(), -1)});
    };
    function.walk([&](LaunchOp launch) { add(launch); });
    function.walk([&](DeviceLaunchOp launch) { add(launch); });
  }
}

} // namespace tenon
