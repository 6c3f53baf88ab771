// The import of an ONNX model: maps names to values, opens scopes for subgraphs
// and local functions, and passes each node to its handler. Only the importer
// and the handlers of control flow may include this file.
#ifndef TENON_COMPILER_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
#define TENON_COMPILER_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H

#include "compiler/import/ModelImporter.h"
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/graph/OnnxImporter.h"

namespace tenon::onnx {

class GraphImporter : public ModelImporter {
public:
  GraphImporter(mlir::MLIRContext &context, const Model &model,
                const ImportOptions &options, const DiagnosticHandler &report);

  /// Imports the whole model; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Imports a subgraph at the builder's insertion point, with its inputs bound
  /// to `inputs` (as many as it has). The subgraph may use names of the graphs
  /// around it. Fails if an error or an unsupported use was recorded.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  importBody(const Graph &graph, llvm::ArrayRef<mlir::Value> inputs);

  /// The rank of the value `name` in the graph being imported, if its
  /// declarations and users agree on one; null otherwise.
  std::optional<int64_t> expectedRank(llvm::StringRef name) const;

  /// The attribute `name` of `node`, or null. A reference to an attribute of
  /// the enclosing function is resolved.
  const Attribute *attribute(const Node &node, llvm::StringRef name) const;
  /// A constant of the model as a value: a small one is stored in the IR,
  /// another becomes a weight. Null, after an error, if its element type is not
  /// supported.
  mlir::Value constant(const Tensor &tensor, llvm::StringRef name);
  mlir::Value constant(const SparseTensor &tensor, llvm::StringRef name);

  /// For each loop body, the carried values and dimensions whose extents
  /// change.
  llvm::DenseMap<const Graph *, llvm::SmallVector<std::pair<size_t, int64_t>>>
      openExtents;

  /// Records an unsupported use. All of them are reported at the end.
  void unsupported(const Node *node, const std::string &place,
                   const std::string &what);

private:
  /// The value of a name. It is unusable if it depends on something
  /// unsupported; nodes that use it are skipped. A null value is an optional
  /// operand that the caller of a function left out.
  struct Bound {
    mlir::Value value;
    bool isUsable = true;
  };
  using Scope = llvm::StringMap<Bound>;
  /// A call of a local function, with the values of its attributes.
  struct Call {
    const Function *function;
    llvm::StringMap<const Attribute *> attributes;
  };

  const Model &model;
  const ImportOptions &options;
  OpRegistry registry;
  std::vector<Scope> scopes;
  size_t visibleFrom = 0; ///< index of the first visible scope: a function does
                          ///< not see its callers' names
  std::vector<Call> calls;
  std::string namePrefix; ///< prefix from the calls around a node
  const std::map<std::string, int64_t> *opsets;
  llvm::ArrayRef<Node> nodesAround;   ///< the nodes of the graph being imported
  const Graph *graphAround = nullptr; ///< null in a function

  // ExpectedRank.cpp
  std::optional<int64_t> rankFor(const Node &user, size_t operand) const;

  // OnnxInputs.cpp
  bool buildSignature(llvm::ArrayRef<const ValueInfo *> inputs,
                      llvm::SmallVectorImpl<EntryArgument> &arguments);
  const ShapeOption *shapeOption(llvm::StringRef input) const;

  bool buildMain();
  std::optional<Bound> lookup(llvm::StringRef name) const;
  bool importInitializers(const Graph &graph);
  bool importNodes(llvm::ArrayRef<Node> nodes, const Graph *graph);
  bool importNode(const Node &node, const llvm::StringMap<const Type *> &infos);
  bool callFunction(const Node &node, const Function &function);
  bool checkKnownOps(const Node &node);
  bool checkArity(const Node &node, const OpEntry &entry);
  bool checkDeclared(const std::string &place, llvm::StringRef name,
                     mlir::Value value, const Type &declared);
  /// Checks the rank of a value, and its bytes if static, against our limits.
  bool checkExtent(const std::string &place, llvm::StringRef name,
                   mlir::Type type);
  void bind(llvm::StringRef name, Bound what);
  int64_t versionOf(llvm::StringRef domain) const;
  mlir::Location locationOf(const Node &node) const;
  void explain(Diagnostic &diagnostic) const override;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
