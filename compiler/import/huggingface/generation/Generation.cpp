// What the three entries share: the model over the cache and its last logits.
#include "compiler/import/huggingface/generation/Generation.h"

#include "compiler/import/huggingface/generation/CachedAttend.h"

using namespace mlir;

namespace tenon::hf {

Generation::Generation(GraphBuilder &g, Entries &entries,
                       Parameters &parameters, const GenerationSetup &setup)
    : g(g), entries(entries), parameters(parameters), setup(setup),
      states(g, entries, setup.config.positions()),
      options(g, setup.defaults, setup.config.vocabulary(),
              setup.compatibility) {}

Value Generation::lastLogits(Value ids, const CachePlaces &places, Value last) {
  std::unique_ptr<Decoder> decoder =
      makeDecoder(setup.config, Part(g, parameters));
  CachedAttend attend(states, setup.cacheElement, setup.config.layers(), places,
                      last);
  Value hidden = decoder->hidden(ids, places.positions, attend);
  return g.squeeze(decoder->logits(hidden), {1});
}

FlatSymbolRefAttr Generation::logitsState() {
  return states.declare("call.logits", g.f32(),
                        {CallState::rows, setup.config.vocabulary()});
}

Value Generation::readLogits(Size rows) {
  Value whole = states.readSymbol(logitsState());
  return g.sliceDim(whole, 0, g.index(0), rows);
}

void Generation::writeLogits(Value logits) {
  FlatSymbolRefAttr state = logitsState();
  Value whole = states.readSymbol(state);
  states.writeSymbol(
      state, g.dynamicUpdateSlice(whole, logits, {g.index(0), g.index(0)}));
}

Value checkedInput(GraphBuilder &g, Value elements, Size end, StringRef input) {
  Value low = g.splatLike(elements, 0),
        high = g.broadcastTo(g.fromSize(end, g.i64()), g.sizes(elements));
  return g.make<CheckRangeOp>(
      elements, low, high,
      g.ops.getStringAttr("input \"" + input.str() + "\""));
}

} // namespace tenon::hf
