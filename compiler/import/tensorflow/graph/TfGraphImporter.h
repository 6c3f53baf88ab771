// The walk over a TensorFlow graph: backwards from what is wanted, functions in
// frames of their own, each node to its handler. Private to the importer and
// the handlers of calls and control flow.
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

/// A node's result.
struct Result {
  enum class Kind {
    Nothing,   ///< came of something unsupported: its users are passed over
    Tensor,    ///< `value`
    Complex,   ///< `value` and `imaginary`, two tensors of one type
    Variable,  ///< a handle: the node of the main graph that made it
    Reference, ///< the same, read by whoever takes it as an operand
    List,      ///< a list of tensors: `value` holds them along dimension 0
    Reserved   ///< a list of `count` tensors none of which has been set yet
  };
  Kind kind = Kind::Nothing;
  mlir::Value value = {};
  const Node *variable = nullptr;
  Size count = {};
  mlir::Type element = {}; ///< of what a reserved list will hold
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

/// A body being imported: the main graph, or a call of a function.
struct Frame {
  const Body &body;
  const Function *function; ///< null: the main graph
  std::string prefix;       ///< of the names of its nodes
  llvm::StringMap<Result> arguments = {};
  std::map<const Node *, Results> done = {};
  /// Tensors of the main graph that are inputs of the entry.
  std::map<std::pair<std::string, int64_t>, Result> fed = {};
  /// Loops by the nodes that leave them.
  std::map<const Node *, std::optional<FrameLoop>> loops = {};
  /// Conditions that hold in a branch, and whether they are true there.
  std::map<std::string, bool> taken = {};
};

class GraphImporter : public ModelImporter {
public:
  /// `written` are the keys of variables that entries are known to write.
  GraphImporter(mlir::MLIRContext &context, Model &model,
                const CompileOptions &options, SizeChecker checkSizes,
                const DiagnosticHandler &report,
                const llvm::StringSet<> &written);

  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// Keys of variables that turned out to be written: where there are any, what
  /// run() made is to be thrown away.
  llvm::StringSet<> newlyWritten;

  /// The results of a function at the builder's insertion point. Failure means
  /// that an error was reported; unsupported nodes give Nothing.
  llvm::FailureOr<Results> call(const Node &site, llvm::StringRef function,
                                llvm::ArrayRef<Result> operands);
  /// The function, or null after an error.
  const Function *functionNamed(const Node &site, llvm::StringRef name);

  /// A constant of the graph; Nothing after an error or a refusal.
  Result constant(const Node &node, const Tensor &tensor);
  /// The value a variable has here; null after an error.
  mlir::Value variable(const Node &variable);
  /// How many blocks of random words earlier runs of the node took, a scalar of
  /// i64 that a state keeps; this run takes `blocks` more.
  mlir::Value takeBlocks(const Node &node, Size blocks);
  /// Gives a variable a new value, for node `site`; false after an error.
  bool assign(const Node &site, const Node &variable, mlir::Value value);

  /// The side of a Switch that the branch around it takes, where one does.
  std::optional<bool> sideOf(const Node &fork) const;
  const OpEntry *entryOf(llvm::StringRef op) const { return registry.find(op); }

  void unsupported(const Node &node, const std::string &what);
  std::string placeIn(const Node &node) const;

private:
  /// A function of the module to be: tensors of the main graph, or a function
  /// of the object graph.
  struct Entry {
    std::string name = "main";
    llvm::SmallVector<Port> inputs, outputs;
    /// Null: the outputs are tensors of the main graph. The function takes the
    /// inputs and then the captures.
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
  /// The entry's function and its arguments; null after an error.
  mlir::func::FuncOp addArguments(const Entry &entry, Results &arguments);
  /// The entry's results, from the main graph or its function.
  std::optional<Results> resultsOf(const Entry &entry, Results arguments,
                                   Frame &frame);
  /// The value of an object in a function that captured it.
  std::optional<Result> captured(const Entry &entry, int64_t object,
                                 Frame &frame);
  bool isTensor(const Port &port);
  bool declareInputs(const Entry &entry, std::vector<DeclaredInput> &declared);
  /// The options about this entry's inputs. Each option must be taken by one of
  /// the entries.
  void takeOptions(const std::vector<DeclaredInput> &declared,
                   std::vector<DimOption> &dims,
                   std::vector<ShapeOption> &shapes);
  bool checkOptionsTaken();
  bool isOnly = true; ///< the entry is
  llvm::SmallVector<std::string> openDims, inputNames;

  // TfBatches.cpp
  /// Fills `batchNames`, the names of the inputs' open first extents.
  void nameBatches(const Entry &entry);
  /// The entry with every open extent a dim of its own, its sizes checked;
  /// null where that cannot be had.
  mlir::OwningOpRef<mlir::ModuleOp> importApart(const Entry &entry);
  llvm::StringMap<std::string> batchNames;

  /// No node that `starts` lead back to waits for itself.
  bool checkCycles(const Frame &frame, const std::vector<std::string> &starts);
  /// Results of `node` in `frame`, those of what it needs first.
  bool evaluate(Frame &frame, const Node &start);
  bool import(Frame &frame, const Node &node);
  /// The edges to import before the node: its operands, and before the Exit of
  /// a loop, whose operand lies inside, the edges that enter the loop.
  llvm::SmallVector<Edge> needs(Frame &frame, const Node &node);
  bool importFrameLoop(Frame &frame, const Node &exit);
  bool importMerge(Frame &frame, const Node &merge);
  /// The two sides that meet in `merge`; null where it is something else.
  const Conditional *conditionalOf(const Frame &frame, const Node &merge);
  /// Records what of a call's function is not supported, though the call itself
  /// cannot be imported.
  void noteUnsupported(const Node &call);
  std::optional<Result> resultOf(Frame &frame, const Edge &edge,
                                 const Node *user);
  /// The node an edge leads to; null for arguments and fed tensors.
  llvm::FailureOr<const Node *> producerOf(Frame &frame, const Edge &edge,
                                           const Node *user);
  mlir::Value weight(llvm::StringRef name, const Tensor &tensor);
  /// The name that a variable's value was saved under.
  std::string keyOf(const Node &variable) const;
  std::optional<Tensor> savedValue(const Node &variable);
  /// The state that a written variable is; null after an error.
  StateOp stateOf(const Node &variable);

  Model &model;
  const CompileOptions &options;
  SizeChecker checkSizes;
  const llvm::StringSet<> &written;
  OpRegistry registry;
  Effects effects;
  llvm::SmallVector<Frame *> frames;
  uint64_t imported = 0; ///< nodes, those of inlined functions counted again
  /// The symbol of the weight or state that a variable is, by its key.
  std::map<std::string, std::string> variableSymbols;
  std::map<const Node *, std::optional<Conditional>> conditionals;
  std::map<const Body *, std::shared_ptr<ConditionFinder>> conditions;
  llvm::StringSet<> noted; ///< functions that noteUnsupported has seen
};

/// The element type of tensors of `type`; null for those we have none for.
mlir::Type elementTypeOf(mlir::MLIRContext *context, DataType type);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_GRAPH_TFGRAPHIMPORTER_H
