// Attention over a cache: each layer writes the keys and values of its tokens
// into states and attends to what its row has there.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CACHEDATTEND_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CACHEDATTEND_H

#include "compiler/import/huggingface/blocks/Attend.h"
#include "compiler/import/huggingface/generation/CallStates.h"
#include "compiler/import/huggingface/generation/EncoderStates.h"

namespace tenon::hf {

/// The places of the tokens of one call of the model. All tensors are i64.
struct CachePlaces {
  mlir::Value row;       ///< [rows]: the cache's row that gets the tokens
  mlir::Value positions; ///< [rows, tokens]
  mlir::Value first;     ///< [rows]: the position of the row's first token
  mlir::Value lengths;   ///< [rows]: positions in use, with the new tokens
  mlir::Value table;     ///< [rows, positions]: the cache's row of a position
  /// Items of the encoder, and the rows of each, which are side by side.
  Size items, rowsOfItem;
};

/// The last tokens of each row, side by side. Rows that have fewer have others
/// before them.
struct LastTokens {
  mlir::Value first;  ///< i64 [rows]: the number of the first one
  mlir::Value number; ///< i64 [rows, n]: their numbers among those of all rows

  /// The last `most` of `tokens` tokens, of which row r has `lengths[r]`.
  static LastTokens of(GraphBuilder &g, mlir::Value lengths, Size tokens,
                       Size most);
  /// These tokens of `x`, [rows, tokens, ...].
  mlir::Value from(GraphBuilder &g, mlir::Value x) const;
};

class CachedAttend : public Attend {
public:
  /// `element` is the cache's type. The results of the last one of `layers`
  /// are needed for `needed` only, null for all tokens. `encoder` is null in a
  /// model without one.
  CachedAttend(CallStates &states, EncoderStates *encoder, mlir::Type element,
               int64_t layers, const CachePlaces &places,
               const LastTokens *needed)
      : states(states), encoder(encoder), element(element), layers(layers),
        places(places), needed(needed) {}

  mlir::Value operator()(GraphBuilder &g, int64_t layer,
                         const Projections &tokens,
                         double scale) const override;
  mlir::Value kept(GraphBuilder &g, int64_t layer,
                   mlir::Value x) const override;
  Size keys(GraphBuilder &, mlir::Value) const override {
    return states.positions();
  }
  mlir::Value cross(GraphBuilder &g, int64_t layer, mlir::Value queries,
                    double scale) const override;

private:
  /// The state `name` of a layer after `x`, [rows, tokens, heads, depth], is
  /// written to it.
  mlir::Value store(GraphBuilder &g, llvm::StringRef name, int64_t layer,
                    mlir::Value x) const;

  CallStates &states;
  EncoderStates *encoder;
  mlir::Type element;
  int64_t layers;
  CachePlaces places;
  const LastTokens *needed;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_CACHEDATTEND_H
