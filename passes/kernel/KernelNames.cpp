// What makes two fusions one kernel, and what the kernel is called.
#include "passes/kernel/KernelNames.h"

#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/Remarks.h"

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

std::string kernelKey(FusionOp fusion) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  OpPrintingFlags flags;
  flags.useLocalScope().elideLargeElementsAttrs(1 << 20);
  stream << fusion.getOperandTypes() << '|' << planOf(fusion) << '|';
  AsmState state(fusion, flags);
  for (Operation &op : fusion.getBlock())
    op.print(stream, state);
  stream << int(fusion.getKind()) << fusion.getStreamed();
  for (BlockArgument argument : fusion.getBlock().getArguments())
    stream << argument.getType();
  return key;
}

/// The name of the first node in a location as a part of a symbol. Other
/// characters than letters and digits become `_`, and only the end of a long
/// name is used.
static std::string nodeOf(Location loc) {
  constexpr size_t longest = 48;
  std::string text;
  for (char c : nodeName(loc))
    if (llvm::isAlnum(c))
      text += c;
    else if (!text.empty() && text.back() != '_')
      text += '_';
  StringRef trimmed = StringRef(text).rtrim('_');
  if (trimmed.size() > longest)
    trimmed = trimmed.take_back(longest).split('_').second;
  return trimmed.str();
}

std::string kernelName(FusionOp fusion, size_t number) {
  std::string name = stringifyFusionKind(fusion.getKind()).str();
  Operation *main = mainOpOf(fusion);
  std::string node = nodeOf(main ? main->getLoc() : fusion.getLoc());
  if (!node.empty()) {
    name += "." + node;
  } else {
    int named = 0;
    for (Operation &op : fusion.getBlock().without_terminator())
      if (!isa<ConstantOp, BroadcastInDimOp>(op) && named++ < 3)
        name += "." + op.getName().stripDialect().str();
  }
  return name + "." + std::to_string(number);
}

} // namespace tenon
