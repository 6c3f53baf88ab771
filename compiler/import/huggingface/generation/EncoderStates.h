// What a context keeps of the encoder: the keys and values that each layer of
// the decoder makes of an item's results. An item has one row of them, which
// all of its beams read.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENCODERSTATES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENCODERSTATES_H

#include "compiler/import/huggingface/generation/CallStates.h"
#include "compiler/import/huggingface/models/EncoderDecoder.h"

namespace tenon::hf {

class EncoderStates {
public:
  /// `element` is the type of the cache.
  EncoderStates(GraphBuilder &g, CallStates &states, mlir::Type element)
      : g(g), states(states), element(element) {}

  /// Computes `items` items and writes the states of all layers.
  void encode(const EncoderDecoder &model, const Encoder &encoder, Size items,
              int64_t layers);
  /// Ends the run unless the states have `items` items.
  void checkKept(Size items);

  /// The average of values for `queries`, rows x positions x heads x depth. The
  /// rows of an item are side by side, and all items have as many.
  mlir::Value attend(int64_t layer, mlir::Value queries, Size items,
                     Size rowsOfItem, double scale);

private:
  /// The state of keys or values of a layer.
  mlir::FlatSymbolRefAttr stateOf(llvm::StringRef name, int64_t layer,
                                  mlir::Value like);
  void write(mlir::FlatSymbolRefAttr state, Size item, mlir::Value x);

  GraphBuilder &g;
  CallStates &states;
  mlir::Type element;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENCODERSTATES_H
