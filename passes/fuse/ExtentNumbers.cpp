// The forms of sizes are dropped at once: while they exist, their arithmetic
// uses values of the function, and a planner counts uses.
#include "passes/fuse/ExtentNumbers.h"

#include "dialects/tenon/SizeForms.h"
#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

ExtentNumbers::ExtentNumbers(func::FuncOp func) {
  std::map<SizeForm, unsigned> known;
  {
    SizeForms forms(func);
    auto number = [&](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.hasStaticShape())
        return;
      Extents &extents = numbers[value];
      for (int64_t d = 0; d < type.getRank(); ++d)
        extents.push_back(
            known.try_emplace(forms.of(value, d), unsigned(known.size()))
                .first->second);
    };
    func.walk([&](Block *block) {
      llvm::for_each(block->getArguments(), number);
      for (Operation &op : *block)
        llvm::for_each(op.getResults(), number);
    });
  }
  // An elementwise op has operands of one size: tenon-check-sizes has checked
  // or ensured it.
  equal.grow(known.size());
  func.walk([&](Operation *op) {
    if (!op->hasTrait<Elementwise>())
      return;
    auto result = numbers.find(op->getResult(0));
    for (Value operand : op->getOperands())
      if (auto it = numbers.find(operand);
          it != numbers.end() && result != numbers.end() &&
          it->second.size() == result->second.size())
        for (auto [a, b] : llvm::zip(it->second, result->second))
          equal.join(a, b);
  });
}

bool ExtentNumbers::areEqual(Value a, Value b, int64_t dropped) const {
  auto left = cast<RankedTensorType>(a.getType());
  auto right = cast<RankedTensorType>(b.getType());
  if (left.getShape() != right.getShape().drop_back(dropped))
    return false;
  if (left.hasStaticShape())
    return true;
  const Extents &some = numbers.at(a), &others = numbers.at(b);
  for (int64_t d = 0; d < left.getRank(); ++d)
    if (equal.findLeader(some[d]) != equal.findLeader(others[d]))
      return false;
  return true;
}

} // namespace tenon
