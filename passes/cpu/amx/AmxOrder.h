// The order in which a task's pieces and panels are multiplied: all panels of a
// piece, then those of the next piece.
#ifndef TENON_PASSES_CPU_AMX_AMXORDER_H
#define TENON_PASSES_CPU_AMX_AMXORDER_H

#include "passes/cpu/amx/AmxPlan.h"
#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/nest/NestTask.h"

namespace tenon {

/// A piece of the sum: `taps` taps of the window from `tap` on, and of each the
/// `steps` steps of the innermost sum from `k` on.
struct AmxPiece {
  mlir::Value tap, taps, k, steps;
};

/// A piece of a panel: the columns from `first` on, and which of the two
/// buffers they have, 0 or 1.
struct AmxPanel {
  AmxPiece piece;
  mlir::Value first, buffer;
};

class AmxOrder : KernelLoops {
public:
  AmxOrder(Kernel &kernel, const ContractionNest &nest, const AmxPlan &plan,
           const NestTask &task);

  void forPieces(llvm::function_ref<void(const AmxPiece &)> body);
  /// The steps of all taps of a piece.
  mlir::Value stepsOf(const AmxPiece &piece) {
    return at().mul(piece.taps, piece.steps);
  }
  AmxPanel firstPanel();
  AmxPanel panelAt(const AmxPiece &piece, mlir::Value column);
  /// The panel that is multiplied after this one, in the other buffer.
  AmxPanel panelAfter(const AmxPanel &panel);

private:
  AmxPiece pieceAt(mlir::Value tap, mlir::Value k);
  AmxPiece pieceAfter(const AmxPiece &piece);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);

  const ContractionNest &nest;
  const AmxPlan &plan;
  const NestTask &task;
  mlir::Value allTaps;
};

} // namespace tenon

#endif // TENON_PASSES_CPU_AMX_AMXORDER_H
