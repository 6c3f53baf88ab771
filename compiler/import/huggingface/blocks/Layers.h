// The layers that all architectures are made of. Values are f32, rows x
// positions x width; weights are converted to f32.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LAYERS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LAYERS_H

#include "compiler/import/huggingface/blocks/Part.h"
#include "compiler/import/huggingface/reader/Config.h"

namespace tenon::hf {

/// x W^T + b, with W as [outputs, inputs].
mlir::Value linear(const Part &part, mlir::Value x, int64_t outputs, bool bias);
/// x W + b, with W as [inputs, outputs]: GPT-2's Conv1D.
mlir::Value linearByColumns(const Part &part, mlir::Value x, int64_t outputs);

/// Without `affine`, rows are neither scaled nor shifted.
mlir::Value layerNorm(const Part &part, mlir::Value x, double epsilon,
                      bool affine = true);
/// x scaled to a mean square of one, times the weight. `x` may have heads.
mlir::Value rmsNorm(const Part &part, mlir::Value x, double epsilon);

mlir::Value activate(GraphBuilder &g, Activation function, mlir::Value x);

/// The rows `ids` of a table of `entries` rows.
mlir::Value embed(const Part &part, mlir::Value ids, int64_t entries,
                  int64_t width);

/// The table of token embeddings, which may also be the head.
struct TokenTable {
  Part part;
  int64_t vocabulary, width;
  bool tied;

  mlir::Value embed(mlir::Value ids) const;
  /// The logits of `x`: a product with this table, or with lm_head.weight of
  /// `root`.
  mlir::Value logits(const Part &root, mlir::Value x) const;
};

/// Splits the width of `x` into `heads`.
mlir::Value splitHeads(GraphBuilder &g, mlir::Value x, int64_t heads);
mlir::Value joinHeads(GraphBuilder &g, mlir::Value x);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LAYERS_H
