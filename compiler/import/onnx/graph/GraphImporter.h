// The walk over an ONNX model: names to values, subgraphs and local functions
// in their scopes, each node to its handler. Private to the importer and the
// handlers of control flow.
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

  /// The whole model; null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// A subgraph at the builder's insertion point, its inputs bound to `inputs`
  /// (as many as it names); names of the graphs around it are visible. Failure
  /// means that an error or an unsupported use was recorded.
  llvm::FailureOr<llvm::SmallVector<mlir::Value>>
  importBody(const Graph &graph, llvm::ArrayRef<mlir::Value> inputs);

  /// The rank that the declarations and the users of a value in the graph being
  /// imported agree on; nothing where none of them says.
  std::optional<int64_t> expectedRank(llvm::StringRef name) const;

  /// The attribute, references to attributes of a function replaced; null when
  /// absent.
  const Attribute *attribute(const Node &node, llvm::StringRef name) const;
  /// A constant of the model as a value: small ones in the IR, others as a
  /// weight. Null, after an error, where we have no type for it.
  mlir::Value constant(const Tensor &tensor, llvm::StringRef name);
  mlir::Value constant(const SparseTensor &tensor, llvm::StringRef name);

  /// For each loop body, the carried values and dimensions found to change.
  llvm::DenseMap<const Graph *, llvm::SmallVector<std::pair<size_t, int64_t>>>
      openExtents;

  /// To be reported with all others at the end.
  void unsupported(const Node *node, const std::string &place,
                   const std::string &what);

private:
  /// The value that a name stands for. Users of an unusable one (a result of an
  /// unsupported node) are passed over; a null value is an operand that the
  /// caller of a function left out.
  struct Bound {
    mlir::Value value;
    bool isUsable = true;
  };
  using Scope = llvm::StringMap<Bound>;
  /// A call of a local function: the values of its attributes.
  struct Call {
    const Function *function;
    llvm::StringMap<const Attribute *> attributes;
  };

  const Model &model;
  const ImportOptions &options;
  OpRegistry registry;
  std::vector<Scope> scopes;
  size_t visibleFrom = 0; ///< functions do not see their callers' names
  std::vector<Call> calls;
  std::string namePrefix; ///< of the calls around a node
  const std::map<std::string, int64_t> *opsets;
  llvm::ArrayRef<Node> nodesAround;   ///< of the graph being imported
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
  /// The rank and, where static, the bytes of a value are within our limits.
  bool checkExtent(const std::string &place, llvm::StringRef name,
                   mlir::Type type);
  void bind(llvm::StringRef name, Bound what);
  int64_t versionOf(llvm::StringRef domain) const;
  mlir::Location locationOf(const Node &node) const;
  void explain(Diagnostic &diagnostic) const override;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_GRAPH_GRAPHIMPORTER_H
