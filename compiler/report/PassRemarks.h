// Makes diagnostics of the remarks of passes, and counts them.
#ifndef TENON_COMPILER_REPORT_PASSREMARKS_H
#define TENON_COMPILER_REPORT_PASSREMARKS_H

#include "compiler/report/CompileReport.h"

#include "mlir/IR/MLIRContext.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

/// Counts of remarks by category and name. Passes on several functions may
/// count at the same time.
class DecisionCounter {
public:
  void add(llvm::StringRef category, std::string name, int64_t count);
  std::vector<DecisionCount> counts() const;

private:
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, int64_t> byName;
};

/// Makes the passes of `context` emit remarks. Each of `categories` becomes a
/// diagnostic `CATEGORY: TEXT: REASON` at the remark's location. MLIR orders
/// diagnostics of parallel passes, so their order depends on the module alone.
/// If `counter` is not null, it counts the remarks of all categories and must
/// outlive the passes. Without categories and counter no engine is made.
void enableRemarks(mlir::MLIRContext &context,
                   const std::vector<std::string> &categories,
                   DecisionCounter *counter);

} // namespace tenon

#endif // TENON_COMPILER_REPORT_PASSREMARKS_H
