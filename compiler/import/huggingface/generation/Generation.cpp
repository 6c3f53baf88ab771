// What the three entries share: the model over the cache and its last logits.
#include "compiler/import/huggingface/generation/Generation.h"

#include "compiler/import/huggingface/generation/CachedAttend.h"

using namespace mlir;

namespace tenon::hf {

static ContextSizes contextSizes(const Config &config) {
  ContextSizes sizes = {config.positions(), config.usualPositions()};
  if (config.hasEncoder()) {
    EncoderInputs encoder = encoderInputsOf(config);
    sizes.encoderPositions = encoder.positions;
    sizes.usualEncoderPositions = encoder.usualPositions;
    sizes.isFixed = encoder.isFixed;
  }
  return sizes;
}

Generation::Generation(GraphBuilder &g, Entries &entries,
                       Parameters &parameters, const GenerationSetup &setup)
    : g(g), entries(entries), parameters(parameters), setup(setup),
      states(g, entries, contextSizes(setup.config)),
      options(g, setup.defaults, setup.config.vocabulary(),
              setup.compatibility) {
  if (setup.config.hasEncoder())
    encoder.emplace(g, states, setup.cacheElement);
}

std::unique_ptr<Decoder> Generation::decoder() {
  return makeDecoder(setup.config, Part(g, parameters));
}

Value Generation::hiddenOf(Value ids, const CachePlaces &places,
                           const LastTokens *needed) {
  CachedAttend attend(states, encoder ? &*encoder : nullptr, setup.cacheElement,
                      setup.config.layers(), places, needed);
  return decoder()->hidden(ids, places.positions, attend);
}

Value Generation::logitsOf(Value hidden) {
  Value last =
      g.sliceDim(hidden, 1, g.sub(g.size(hidden, 1), g.index(1)), g.index(1));
  return g.squeeze(decoder()->logits(last), {1});
}

FlatSymbolRefAttr Generation::logitsState() {
  return states.declare("call.logits", g.f32(),
                        {CallState::rows, setup.config.vocabulary()});
}

Value Generation::readLogits(Size rows) {
  return g.sliceDim(states.readSymbol(logitsState()), 0, g.index(0), rows);
}

void Generation::writeLogits(Value logits) {
  FlatSymbolRefAttr state = logitsState();
  Value whole = states.readSymbol(state);
  states.writeSymbol(
      state, g.dynamicUpdateSlice(whole, logits, {g.index(0), g.index(0)}));
}

} // namespace tenon::hf
