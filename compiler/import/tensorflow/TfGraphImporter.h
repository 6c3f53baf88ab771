// The walk over a TensorFlow graph: backwards from what is wanted, functions in
// frames of their own, each node to its handler. Private to the importer and
// the handlers of calls and control flow.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_TFGRAPHIMPORTER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_TFGRAPHIMPORTER_H

#include "compiler/import/GraphBuilder.h"
#include "compiler/import/ShapeValues.h"
#include "compiler/import/tensorflow/TfFrames.h"
#include "compiler/import/tensorflow/TfImporter.h"
#include "compiler/import/tensorflow/TfOpRegistry.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace tenon::tf {

/// What a node's result stands for.
struct Result {
  enum class Kind {
    Nothing,  ///< came of something unsupported: its users are passed over
    Tensor,   ///< `value`
    Variable, ///< a handle: the node of the main graph that made it
    List,     ///< a list of tensors: `value` holds them along dimension 0
    Reserved  ///< a list of `count` tensors none of which has been set yet
  };
  Kind kind = Kind::Nothing;
  mlir::Value value = {};
  const Node *variable = nullptr;
  Size count = {};
  mlir::Type element = {}; ///< of what a reserved list will hold

  static Result tensor(mlir::Value value) { return {Kind::Tensor, value}; }
  static Result list(mlir::Value value) { return {Kind::List, value}; }
};

using Results = llvm::SmallVector<Result, 1>;

/// A body being imported: the main graph, or a call of a function.
struct Frame {
  const Body &body;
  const Function *function; ///< null: the main graph
  std::string prefix;       ///< of the names of its nodes
  llvm::StringMap<Result> arguments;
  std::map<const Node *, Results> done;
  /// Tensors of the main graph that are inputs of the entry.
  std::map<std::pair<std::string, int64_t>, Result> fed;
  /// Loops by the nodes that leave them.
  std::map<const Node *, std::optional<FrameLoop>> loops;
};

class GraphImporter {
public:
  GraphImporter(mlir::MLIRContext &context, Model &model,
                const CompileOptions &options, const DiagnosticHandler &report);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// The results of a function at the builder's insertion point. Failure means
  /// that an error was reported; what is unsupported gives Nothing.
  llvm::FailureOr<Results> call(const Node &site, llvm::StringRef function,
                                llvm::ArrayRef<Result> operands);
  /// The function, or null after an error.
  const Function *functionNamed(const Node &site, llvm::StringRef name);

  /// A constant of the graph as a value; null after an error.
  mlir::Value constant(const Node &node, const Tensor &tensor);
  /// The value that a variable was saved with; null after an error.
  mlir::Value variable(const Node &variable);

  void error(const std::string &place, const std::string &text,
             Status status = Status::InvalidModel, std::string help = {});
  void unsupported(const Node &node, const std::string &what);
  std::string placeIn(const Node &node) const;
  bool hasErrors() const { return failedAlready; }

  GraphBuilder g;
  ShapeValues shapes;
  /// Ops of bodies that were imported to learn their shapes, erased at the end.
  llvm::SmallVector<mlir::Operation *> discarded;

private:
  struct Entry {
    llvm::SmallVector<Port> inputs, outputs;
  };

  std::optional<Entry> chooseEntry();
  std::optional<Entry> cutEntry();
  std::optional<Entry> wholeGraph();
  bool buildMain(const Entry &entry);
  bool addArguments(const Entry &entry, Frame &frame);
  /// Results of `node` in `frame`, those of what it needs first.
  bool evaluate(Frame &frame, const Node &start);
  bool import(Frame &frame, const Node &node);
  /// What must be imported before the node: its operands, and before the Exit
  /// of a loop, whose operand lies inside, what enters it.
  llvm::SmallVector<Edge> needs(Frame &frame, const Node &node);
  bool importFrameLoop(Frame &frame, const Node &exit);
  std::optional<Result> resultOf(Frame &frame, const Edge &edge,
                                 const Node *user);
  /// The node an edge leads to; null for arguments and fed tensors.
  llvm::FailureOr<const Node *> producerOf(Frame &frame, const Edge &edge,
                                           const Node *user);
  void reportUnsupported();
  mlir::Value weight(llvm::StringRef name, const Tensor &tensor);

  mlir::MLIRContext &context;
  Model &model;
  const CompileOptions &options;
  const DiagnosticHandler &report;
  OpRegistry registry;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<Frame *> frames;
  bool failedAlready = false;
  uint64_t imported = 0; ///< nodes, those of inlined functions counted again
  std::map<std::string, std::pair<std::string, int64_t>> unsupportedUses;
  llvm::SmallVector<std::string> unsupportedOrder;
  llvm::StringSet<> symbols;
  std::map<std::string, std::string> variableSymbols; ///< by checkpoint key
};

/// The element type of tensors of `type`; null for those we have none for.
mlir::Type elementTypeOf(mlir::MLIRContext *context, DataType type);
/// `f32[2,?]`, as our messages spell a type.
std::string spell(mlir::Value value);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_TFGRAPHIMPORTER_H
