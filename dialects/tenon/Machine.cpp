// Checks the machine attribute and finds the machine of an op.
#include "dialects/tenon/Machine.h"

#include "dialects/tenon/Annotations.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tenon {

void printCaches(AsmPrinter &printer, ArrayRef<int64_t> caches) {
  printer << '[';
  llvm::interleaveComma(caches, printer);
  printer << ']';
}

ParseResult parseCaches(AsmParser &parser, SmallVector<int64_t> &caches) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(caches.emplace_back());
  });
}

LogicalResult MachineAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> emitError, int64_t vectorBytes,
    int64_t registers, ArrayRef<int64_t> caches, int64_t line, int64_t stack,
    int64_t tiles, bool byteTiles, int64_t tileStack, bool pairs, bool quads,
    bool /*readsAhead*/, bool costlyBroadcasts) {
  if (vectorBytes != 16 && vectorBytes != 32 && vectorBytes != 64)
    return emitError() << "expected vectors of 16, 32 or 64 bytes, got "
                       << vectorBytes;
  if (registers != 16 && registers != 32)
    return emitError() << "expected 16 or 32 vector registers, got "
                       << registers;
  if (caches.size() < 2 || caches.front() < 1 || !llvm::is_sorted(caches))
    return emitError() << "expected at least two caches, smaller ones first, "
                          "got ["
                       << caches << "]";
  if (line < vectorBytes || !llvm::isPowerOf2_64(line))
    return emitError() << "expected a line to be a power of two that holds a "
                          "vector, got "
                       << line;
  if (stack < 1)
    return emitError() << "expected some stack, got " << stack;
  if (tiles < 0 || tiles > 3)
    return emitError() << "expected at most three parts for tiles, got "
                       << tiles;
  if ((tiles == 0 && !byteTiles) != (tileStack == 0) || tileStack < 0)
    return emitError() << "expected tile_stack beside tiles and nowhere else, "
                          "got "
                       << tileStack;
  if ((tiles != 0 || byteTiles || pairs) && vectorBytes != 64)
    return emitError()
           << "expected tiles and pairs beside vectors of 64 bytes, got "
           << vectorBytes;
  if (quads && vectorBytes == 16)
    return emitError() << "expected quads beside vectors of 32 or 64 bytes, "
                          "got "
                       << vectorBytes;
  if (costlyBroadcasts && vectorBytes != 64)
    return emitError() << "expected costly broadcasts beside vectors of 64 "
                          "bytes, got "
                       << vectorBytes;
  return success();
}

MachineAttr MachineAttr::x86(MLIRContext *context, int64_t vectorBytes,
                             const Traits &traits) {
  // Bytes that the kernels of one core may use. No machine of today has a
  // larger last cache.
  constexpr int64_t caches[] = {32 << 10, 512 << 10, 64 << 20};
  // docs/embedding.md promises these limits.
  constexpr int64_t stack = 256 << 10, tileStack = 640 << 10;
  return get(context, vectorBytes, /*registers=*/vectorBytes == 64 ? 32 : 16,
             caches, /*line=*/64, stack, traits.tiles, traits.byteTiles,
             traits.tiles || traits.byteTiles ? tileStack : 0, traits.pairs,
             traits.quads, traits.readsAhead, traits.costlyBroadcasts);
}

MachineAttr MachineAttr::of(Operation *op) {
  MLIRContext *context = op->getContext();
  for (; op; op = op->getParentOp())
    if (auto machine = annotation::machine.of(op))
      return machine;
  return x86(context, /*vectorBytes=*/32, {});
}

} // namespace tenon
