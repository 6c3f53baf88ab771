// Imports a TensorFlow graph backwards from the results, with a frame for each
// function call and a handler for each node. Only the importer and the handlers
// of calls and control flow may include this file.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFGRAPHIMPORTER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFGRAPHIMPORTER_H

#include "compiler/import/InputDims.h"
#include "compiler/import/ModelImporter.h"
#include "compiler/import/tensorflow/graph/TfEffects.h"
#include "compiler/import/tensorflow/graph/TfImporter.h"
#include "compiler/import/tensorflow/graph/TfOpRegistry.h"
#include "compiler/import/tensorflow/reader/TfConditionals.h"
#include "compiler/import/tensorflow/reader/TfFrames.h"
#include "dialects/tenon/State.h"

#include <map>

namespace tenon::tf {

/// A result of a node.
struct Result {
  enum class Kind {
    Nothing,   ///< depends on something unsupported; its users are skipped
    Tensor,    ///< `value`
    Complex,   ///< `value` and `imaginary`, two tensors of one type
    Variable,  ///< a handle: the node of the main graph that made it
    Reference, ///< like Variable, but read by any op that takes it as an
               ///< operand
    List,      ///< a list of tensors: `value` holds them along dimension 0
    Reserved   ///< a list of `count` tensors none of which has been set yet
  };
  Kind kind = Kind::Nothing;
  mlir::Value value = {};
  const Node *variable = nullptr;
  Size count = {};
  mlir::Type element = {}; ///< element type of a reserved list
  mlir::Value imaginary = {};

  static Result tensor(mlir::Value value) { return {Kind::Tensor, value}; }
  static Result list(mlir::Value value) { return {Kind::List, value}; }
  static Result complex(mlir::Value real, mlir::Value imaginary) {
    Result result{Kind::Complex, real};
    result.imaginary = imaginary;
    return result;
  }
};

using Results = llvm::SmallVector<Result, 1>;

/// A body during its import: the main graph, or one call of a function.
struct Frame {
  const Body &body;
  const Function *function; ///< null: the main graph
  std::string prefix;       ///< prefix of its nodes' names
  llvm::StringMap<Result> arguments = {};
  std::map<const Node *, Results> done = {};
  /// Tensors of the main graph that are inputs of the entry.
  std::map<std::pair<std::string, int64_t>, Result> fed = {};
  /// Loops by the Exit nodes that leave them.
  std::map<const Node *, std::optional<FrameLoop>> loops = {};
  /// The conditions known in a branch, with their values.
  std::map<std::string, bool> taken = {};
};

class GraphImporter : public ModelImporter {
public:
  /// `written` has the keys of variables that entries are known to write.
  GraphImporter(mlir::MLIRContext &context, Model &model,
                const CompileOptions &options, SizeChecker checkSizes,
                const DiagnosticHandler &report,
                const llvm::StringSet<> &written);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Keys of variables that turned out to be written. If there are any, the
  /// caller must discard the module of run() and import again.
  llvm::StringSet<> newlyWritten;

  /// Imports a call of `function` at the builder's insertion point and returns
  /// its results. Fails after an error; unsupported results are Nothing.
  llvm::FailureOr<Results> call(const Node &site, llvm::StringRef function,
                                llvm::ArrayRef<Result> operands);
  /// The function `name`, or null after an error.
  const Function *functionNamed(const Node &site, llvm::StringRef name);

  /// A constant of the graph; Nothing after an error or an unsupported use.
  Result constant(const Node &node, const Tensor &tensor);
  /// The current value of a variable; null after an error.
  mlir::Value variable(const Node &variable);
  /// The number of blocks of random words that earlier runs of the node took,
  /// an i64 scalar kept in a state. Adds `blocks` to the state for this run.
  mlir::Value takeBlocks(const Node &node, Size blocks);
  /// Assigns a new value to a variable for node `site`; false after an error.
  bool assign(const Node &site, const Node &variable, mlir::Value value);

  /// The side that the surrounding branch takes of the Switch `fork`; null if
  /// none.
  std::optional<bool> sideOf(const Node &fork) const;
  const OpEntry *entryOf(llvm::StringRef op) const { return registry.find(op); }

  void unsupported(const Node &node, const std::string &what);
  std::string placeIn(const Node &node) const;

private:
  /// An entry, which becomes a function of the module: tensors of the main
  /// graph, or a function of the object graph.
  struct Entry {
    std::string name = "main";
    llvm::SmallVector<Port> inputs, outputs;
    /// Null if the outputs are tensors of the main graph. Otherwise the
    /// function, whose arguments are the inputs and then the captures.
    const Function *function = nullptr;
    llvm::SmallVector<int64_t> captures; ///< numbers of objects
  };
  using Entries = std::vector<Entry>;

  std::optional<Entries> chooseEntries();
  std::string howToChooseSignature();
  std::optional<Entry> signatureEntry(const std::string &name);
  std::optional<Entry> functionEntry(const std::string &path);
  std::optional<Entry> cutEntry();
  std::optional<Entry> wholeGraph();
  bool buildEntry(const Entry &entry);
  /// Makes the entry's function and arguments; null after an error.
  mlir::func::FuncOp addArguments(const Entry &entry, Results &arguments);
  /// The entry's results, imported from the main graph or its function.
  std::optional<Results> resultsOf(const Entry &entry, Results arguments,
                                   Frame &frame);
  /// The captured object number `object` as a result.
  std::optional<Result> captured(const Entry &entry, int64_t object,
                                 Frame &frame);
  bool isTensor(const Port &port);
  bool declareInputs(const Entry &entry, std::vector<DeclaredInput> &declared);
  /// Selects the options for the inputs of one entry. With several entries,
  /// each option must be for an input of at least one.
  void takeOptions(const std::vector<DeclaredInput> &declared,
                   std::vector<DimOption> &dims,
                   std::vector<ShapeOption> &shapes);
  bool checkOptionsTaken();
  bool isOnly = true; ///< true if there is only one entry
  llvm::SmallVector<std::string> openDims, inputNames;

  // TfBatches.cpp
  /// Fills `batchNames`, the names of the inputs' dynamic first extents.
  void nameBatches(const Entry &entry);
  /// Imports the entry with a different name for every dynamic extent, and
  /// checks its sizes. Null if this fails.
  mlir::OwningOpRef<mlir::ModuleOp> importApart(const Entry &entry);
  llvm::StringMap<std::string> batchNames;

  /// Checks that the nodes that `starts` depend on form no cycle.
  bool checkCycles(const Frame &frame, const std::vector<std::string> &starts);
  /// Imports `start` in `frame`, after everything that it needs.
  bool evaluate(Frame &frame, const Node &start);
  bool import(Frame &frame, const Node &node);
  /// The edges that must be imported before the node: its operands. For the
  /// Exit of a loop, whose operand is inside the loop, the inputs of the loop
  /// instead.
  llvm::SmallVector<Edge> needs(Frame &frame, const Node &node);
  bool importFrameLoop(Frame &frame, const Node &exit);
  bool importMerge(Frame &frame, const Node &merge);
  /// The conditional whose sides `merge` joins; null if it is something else.
  const Conditional *conditionalOf(const Frame &frame, const Node &merge);
  /// Records the unsupported uses in the function of a call that itself cannot
  /// be imported.
  void noteUnsupported(const Node &call);
  std::optional<Result> resultOf(Frame &frame, const Edge &edge,
                                 const Node *user);
  /// The node that an edge comes from; null for arguments and fed tensors.
  llvm::FailureOr<const Node *> producerOf(Frame &frame, const Edge &edge,
                                           const Node *user);
  mlir::Value weight(llvm::StringRef name, const Tensor &tensor);
  /// The key that a variable's value was saved with.
  std::string keyOf(const Node &variable) const;
  std::optional<Tensor> savedValue(const Node &variable);
  /// The state of a written variable; null after an error.
  StateOp stateOf(const Node &variable);

  Model &model;
  const CompileOptions &options;
  SizeChecker checkSizes;
  const llvm::StringSet<> &written;
  OpRegistry registry;
  Effects effects;
  llvm::SmallVector<Frame *> frames;
  uint64_t imported = 0; ///< nodes, also of each inlined call
  /// The symbol of each variable's weight or state, by the variable's key.
  std::map<std::string, std::string> variableSymbols;
  std::map<const Node *, std::optional<Conditional>> conditionals;
  std::map<const Body *, std::shared_ptr<ConditionFinder>> conditions;
  llvm::StringSet<> noted; ///< functions that noteUnsupported has visited
};

/// The element type of tensors of `type`; null if it is not supported.
mlir::Type elementTypeOf(mlir::MLIRContext *context, DataType type);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFGRAPHIMPORTER_H
