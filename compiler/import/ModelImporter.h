// The base of the importers of serialized graphs: the module under
// construction, errors in the file's name, one report of all unsupported uses,
// constants as values or weights, entries, and the clean-up at the end.
#ifndef TENON_COMPILER_IMPORT_MODELIMPORTER_H
#define TENON_COMPILER_IMPORT_MODELIMPORTER_H

#include "compiler/import/graph/GraphBuilder.h"
#include "compiler/import/sizes/ShapeValues.h"
#include "compiler/report/Diagnostic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tenon {

/// Loads the dialects an imported module is written in.
void loadImportDialects(mlir::MLIRContext &context);

/// The constant of `type` whose elements are `bytes`, little-endian.
mlir::DenseElementsAttr denseOf(mlir::RankedTensorType type,
                                llvm::ArrayRef<std::byte> bytes);

/// An argument of an entry.
struct EntryArgument {
  std::string name;
  mlir::RankedTensorType type;
  /// Per dimension an integer, or the name of an extent that is open.
  mlir::ArrayAttr dims;
};

/// Bytes in a file that a constant may be left in.
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
  /// Records a use that is not supported and its place; all are reported
  /// together at the end.
  void unsupportedUse(const std::string &use, const std::string &place);
  bool hasErrors() const { return failedAlready; }

  GraphBuilder g;
  ShapeValues shapes;
  /// Ops of regions that were imported to learn of them, erased at the end:
  /// their values must not be reused as keys before.
  llvm::SmallVector<mlir::Operation *> discarded;

protected:
  /// An error was reported by other means.
  void markFailed() { failedAlready = true; }
  using Bytes = std::optional<std::vector<std::byte>>;

  mlir::MLIRContext &context;
  const DiagnosticHandler &report;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  void begin(llvm::StringRef producer);
  /// A symbol like `name` that no other op of the module has.
  std::string symbolFor(llvm::StringRef name);
  /// Weights and states take other symbols than this entry to come.
  void reserveSymbol(llvm::StringRef entry) { symbols.insert(entry); }
  /// In the module, before the entry that the builder stands in.
  mlir::OpBuilder beforeEntry();
  /// An entry whose arguments share the sizes that have one name; the builder
  /// stands in its body.
  mlir::func::FuncOp beginEntry(llvm::StringRef symbol,
                                llvm::ArrayRef<EntryArgument> arguments);
  void endEntry(mlir::func::FuncOp entry, llvm::ArrayRef<mlir::Value> results,
                llvm::ArrayRef<std::string> names);
  /// A constant as a value: small ones in the IR, others as a weight that
  /// stays in `range`. Null after an error.
  mlir::Value constant(mlir::RankedTensorType type,
                       const std::optional<ConstantRange> &range,
                       llvm::function_ref<Bytes()> read, llvm::StringRef name);
  bool hasUnsupported() const { return !unsupportedUses.empty(); }
  void reportUnsupported();
  /// The module without what turned out not to be needed; null, after a
  /// report, where something is not supported.
  mlir::OwningOpRef<mlir::ModuleOp> finish();
  /// Adds the surroundings of an error's place as details.
  virtual void explain(Diagnostic &) const {}

private:
  struct Unsupported {
    std::string use;
    std::vector<std::string> places; ///< the first of them
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
