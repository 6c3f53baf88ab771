// The beginning of the prompts that a context still holds from the call before,
// as the input `keep` of `start` asks for it.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_KEPTCOLUMNS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_KEPTCOLUMNS_H

#include "compiler/import/huggingface/generation/Call.h"

namespace tenon::hf {

class KeptColumns {
public:
  /// Reads what the call before has left, before `start` writes its states.
  KeptColumns(GraphBuilder &g, CallStates &states);

  /// Keeps the first `keep` columns, an i64 of rank 0, of prompts with
  /// `columns` columns and `pads` pads, i64 [batch]. The last column is never
  /// kept: the first new token follows from it.
  void ask(mlir::Value keep, Size columns, mlir::Value pads);

  /// Ends the run unless the context holds the first columns of `ids`, i64
  /// [batch, columns], in rows as `call` has them.
  void check(const CallSizes &call, mlir::Value ids) const;

  /// The number of kept columns, and the tokens of each prompt in them, i64
  /// [batch].
  Size columns() const { return count; }
  mlir::Value tokens() const;

  /// The row of the cache that has each position of a prompt, i64 [batch,
  /// positions]: for kept tokens the row that the call before has left them in,
  /// else the first row of the prompt.
  mlir::Value table(const CallSizes &call) const;

private:
  Size oldHalf() const;
  Size ifContrastive(Size yes, Size no) const;

  GraphBuilder &g;
  CallStates &states;
  Size oldStep; ///< of the call before; -1 without one
  Size oldStrategy, oldCopies;
  Size count;
  mlir::Value pads;
};

/// The number of the first of `each` rows for every prompt, i64 [batch].
mlir::Value firstRows(GraphBuilder &g, const CallSizes &call, Size each);
/// The prompt of each row of the model, i64 [rows].
mlir::Value promptsOfRows(GraphBuilder &g, const CallSizes &call);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_KEPTCOLUMNS_H
