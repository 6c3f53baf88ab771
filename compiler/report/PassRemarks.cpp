// A streamer for MLIR's remark engine. It sends remarks through the diagnostic
// engine, because only that engine orders what parallel passes say.
#include "compiler/report/PassRemarks.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using mlir::remark::detail::Remark;

namespace tenon {

void DecisionCounter::add(llvm::StringRef category, std::string name,
                          int64_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  byName[{category.str(), std::move(name)}] += count;
}

std::vector<DecisionCount> DecisionCounter::counts() const {
  std::vector<DecisionCount> result;
  for (const auto &[name, count] : byName)
    result.push_back({name.first, name.second, count});
  return result;
}

namespace {
class RemarkStreamer : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  RemarkStreamer(std::vector<std::string> categories, DecisionCounter *counter)
      : categories(std::move(categories)), counter(counter) {}

  void streamOptimizationRemark(const Remark &remark) override {
    if (counter)
      count(remark);
    if (llvm::is_contained(categories, remark.getCategoryName()))
      emitRemark(remark.getLocation())
          << remark.getCategoryName() << ": " << textOf(remark);
  }

private:
  /// Arguments that are no text are amounts, which only counts use.
  static bool isText(const Remark::Arg &argument) {
    return argument.key == "Remark" || argument.key == "Reason";
  }

  static std::string textOf(const Remark &remark) {
    std::string text;
    for (const Remark::Arg &argument : remark.getArgs())
      if (isText(argument))
        text += (text.empty() ? "" : ": ") + argument.val;
    return text;
  }

  void count(const Remark &remark) {
    std::string name = remark.getRemarkName().str();
    counter->add(remark.getCategoryName(), name, 1);
    for (const Remark::Arg &argument : remark.getArgs())
      if (int64_t number;
          !isText(argument) &&
          !llvm::StringRef(argument.val).getAsInteger(10, number))
        counter->add(remark.getCategoryName(), name + "." + argument.key,
                     number);
  }

  std::vector<std::string> categories;
  DecisionCounter *counter;
};
} // namespace

void enableRemarks(MLIRContext &context,
                   const std::vector<std::string> &categories,
                   DecisionCounter *counter) {
  if (categories.empty() && !counter)
    return;
  // The engine's filter is a regular expression; counts need all categories.
  std::string filter =
      counter ? ".*" : "^(" + llvm::join(categories, "|") + ")$";
  mlir::remark::RemarkCategories accepted{filter, filter, filter, filter,
                                          filter};
  LogicalResult enabled = mlir::remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkStreamer>(categories, counter),
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), accepted);
  assert(succeeded(enabled) && "a streamer without a file cannot fail");
  (void)enabled;
}

} // namespace tenon
