// The base class of the importers of serialized graphs. It has the module under
// construction, errors with the file's name, one message for all unsupported
// uses, constants as values or weights, entries, and the clean-up at the end.
#ifndef TENON_COMPILER_IMPORT_MODELIMPORTER_H
#define TENON_COMPILER_IMPORT_MODELIMPORTER_H

#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/ShapeValues.h"
#include "compiler/report/Diagnostic.h"
#include "dialects/tenon/Annotations.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tenon {

/// Loads the dialects that an imported module uses.
void loadImportDialects(mlir::MLIRContext &context);

/// A constant of `type` whose elements are `bytes`, little-endian.
mlir::DenseElementsAttr denseOf(mlir::RankedTensorType type,
                                llvm::ArrayRef<std::byte> bytes);

/// An argument of an entry function.
struct EntryArgument {
  std::string name;
  mlir::RankedTensorType type;
  /// An integer for each static extent, a name for each dynamic one.
  mlir::ArrayAttr dims;
  /// The value of a call that leaves the input out; null if calls must give it.
  /// An input whose extents a flag fixed to others has no default.
  mlir::DenseElementsAttr defaultValue = {};
  /// The bounds of the elements; null if every value is allowed.
  InputRangeAttr range = {};
};

/// The range of i64 elements, and the range of f32 elements.
InputRangeAttr integerRange(mlir::MLIRContext *context, int64_t least,
                            int64_t greatest);
InputRangeAttr floatRange(mlir::MLIRContext *context, float least,
                          float greatest);

/// A range of a file that a weight can refer to instead of copying its bytes.
struct ConstantRange {
  std::string path;
  uint64_t offset = 0, length = 0;
};

class ModelImporter {
public:
  ModelImporter(mlir::MLIRContext &context, std::string file,
                const DiagnosticHandler &report);
  virtual ~ModelImporter();

  void error(const std::string &place, const std::string &text,
             Status status = Status::InvalidModel, std::string help = {});
  /// Records an unsupported use at `place`. finish() reports all of them in one
  /// message.
  void unsupportedUse(const std::string &use, const std::string &place);
  bool hasErrors() const { return failedAlready; }

  GraphBuilder g;
  ShapeValues shapes;
  /// Ops of regions that were imported only to analyse them. They are erased at
  /// the end, because a new value at the address of an erased one would match
  /// its entry in a map.
  llvm::SmallVector<mlir::Operation *> discarded;

protected:
  /// Records that an error was reported by other means.
  void markFailed() { failedAlready = true; }
  using Bytes = std::optional<std::vector<std::byte>>;

  mlir::MLIRContext &context;
  const DiagnosticHandler &report;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  void begin(llvm::StringRef producer);
  /// A symbol derived from `name` that no other op of the module has.
  std::string symbolFor(llvm::StringRef name);
  /// Keeps weights and states from taking the symbol of an entry that follows.
  void reserveSymbol(llvm::StringRef entry) { symbols.insert(entry); }
  /// A builder in the module, before the entry function that `g.ops` is in.
  mlir::OpBuilder beforeEntry();
  /// Begins an entry function. Extents of one name become one value for all
  /// arguments. The builder moves into the function's body.
  mlir::func::FuncOp beginEntry(llvm::StringRef symbol,
                                llvm::ArrayRef<EntryArgument> arguments);
  void endEntry(mlir::func::FuncOp entry, llvm::ArrayRef<mlir::Value> results,
                llvm::ArrayRef<std::string> names);
  /// A constant as a value: a small one is stored in the IR, another becomes a
  /// weight that refers to `range` if it is given. `read` reads the bytes. Null
  /// after an error.
  mlir::Value constant(mlir::RankedTensorType type,
                       const std::optional<ConstantRange> &range,
                       llvm::function_ref<Bytes()> read, llvm::StringRef name);
  bool hasUnsupported() const { return !unsupportedUses.empty(); }
  void reportUnsupported();
  /// Erases unused ops and symbols and returns the module. Null after an error,
  /// such as an unsupported use.
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  /// Adds details about the place of an error, such as the enclosing functions.
  virtual void explain(Diagnostic &) const {}

private:
  struct Unsupported {
    std::string use;
    std::vector<std::string> places; ///< the first ones
    int64_t count = 0;
  };

  std::string file;
  bool failedAlready = false;
  std::vector<Unsupported> unsupportedUses;
  llvm::StringMap<size_t> unsupportedIndex;
  llvm::StringSet<> symbols;

  void eraseUnusedSymbols();
};

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_MODELIMPORTER_H
