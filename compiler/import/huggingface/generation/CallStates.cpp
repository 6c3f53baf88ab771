// Declares states on first use, and reads and writes parts of them.
#include "compiler/import/huggingface/generation/CallStates.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"

#include "dialects/tenon/State.h"

using namespace mlir;

namespace tenon::hf {
namespace {

constexpr int64_t mostRows = 256;
} // namespace

StringRef CallStates::nameOf(int64_t extent) {
  constexpr StringRef names[] = {"rows", "positions", "contrast_prompts",
                                 "items", "encoder_positions"};
  return names[-1 - extent];
}

/// True if contexts of this model choose the extent.
bool CallStates::isChosen(int64_t extent) const {
  if (extent == CallState::encoderPositions && most.isFixed)
    return false;
  return extent >= CallState::contrastPrompts || most.encoderPositions > 0;
}

void CallStates::beginEntry() {
  struct Range {
    int64_t extent, least, most, initial;
  };
  for (auto [extent, least, greatest, initial] :
       {Range{CallState::rows, 1, mostRows, 1},
        Range{CallState::positions, 1, most.positions, most.usualPositions},
        Range{CallState::contrastPrompts, 0, mostRows, 0},
        Range{CallState::items, 1, mostRows, 1},
        Range{CallState::encoderPositions, 1, most.encoderPositions,
              most.usualEncoderPositions}}) {
    if (!isChosen(extent))
      continue;
    StringRef name = nameOf(extent);
    if (!hasExtents) {
      OpBuilder module = entries.inModule();
      ContextExtentOp::create(module, g.loc, name, least, greatest, initial,
                              IntegerAttr());
    }
    chosen[-1 - extent] =
        g.make<GetExtentOp>(FlatSymbolRefAttr::get(g.ops.getContext(), name));
  }
  hasExtents = true;
}

Size CallStates::sizeOf(int64_t extent) const {
  if (extent >= 0)
    return g.index(extent);
  return isChosen(extent) ? chosen[-1 - extent]
                          : g.index(most.encoderPositions);
}

FlatSymbolRefAttr CallStates::declare(StringRef symbol, Type element,
                                      ArrayRef<int64_t> shape) {
  auto reference = FlatSymbolRefAttr::get(g.ops.getContext(), symbol);
  auto [entry, isNew] = declared.try_emplace(symbol);
  if (!isNew)
    return reference;
  SmallVector<int64_t> extents;
  SmallVector<Attribute> names;
  for (int64_t extent : shape) {
    std::optional<int64_t> fixed = GraphBuilder::staticSize(sizeOf(extent));
    extents.push_back(fixed.value_or(ShapedType::kDynamic));
    if (!fixed)
      names.push_back(
          FlatSymbolRefAttr::get(g.ops.getContext(), nameOf(extent)));
  }
  auto type = RankedTensorType::get(extents, element);
  entry->second = {type, SmallVector<int64_t>(shape)};
  OpBuilder module = entries.inModule();
  auto state = StateOp::create(module, g.loc, symbol, type, FlatSymbolRefAttr(),
                               ElementsAttr());
  if (!names.empty())
    state.setExtentsAttr(module.getArrayAttr(names));
  return reference;
}

Value CallStates::readSymbol(FlatSymbolRefAttr symbol) {
  const Declared &state = declared.find(symbol.getValue())->second;
  Value value = g.make<StateReadOp>(state.type, symbol);
  Sizes sizes;
  for (int64_t extent : state.shape)
    sizes.push_back(sizeOf(extent));
  g.recordSizes(value, sizes);
  return value;
}

void CallStates::writeSymbol(FlatSymbolRefAttr symbol, Value value) {
  StateWriteOp::create(g.ops, g.loc, symbol, value);
}

FlatSymbolRefAttr CallStates::symbolOf(const CallState &state) {
  SmallVector<int64_t> shape(state.shape());
  if (state.stepped)
    shape.insert(shape.begin(), 2);
  return declare(("call." + state.name).str(),
                 state.element == CallState::Element::Float ? g.f32() : g.i64(),
                 shape);
}

Value CallStates::read(const CallState &state) {
  return readSymbol(symbolOf(state));
}

void CallStates::write(const CallState &state, Value value) {
  writeSymbol(symbolOf(state), value);
}

Size CallStates::readSize(const CallState &state) {
  return sizeIn(g, read(state));
}

void CallStates::writeSize(const CallState &state, Size value) {
  write(state, g.fromSize(value, g.i64()));
}

Value CallStates::readFirst(const CallState &state, Size count, Size parity) {
  Value whole = read(state);
  Sizes offsets(g.rankOf(whole), g.index(0)),
      box = g.sizes(whole), strides(g.rankOf(whole), g.index(1));
  if (state.stepped) {
    offsets[0] = parity;
    box[0] = g.index(1);
  }
  if (state.rank > 0)
    box[state.stepped] = count;
  Value part = g.slice(whole, offsets, box, strides);
  return state.stepped ? g.squeeze(part, {0}) : part;
}

void CallStates::writeFirst(const CallState &state, Value value, Size parity) {
  Value whole = read(state);
  Sizes offsets(g.rankOf(whole), g.index(0));
  if (state.stepped) {
    offsets[0] = parity;
    value = g.unsqueeze(value, {0});
  }
  write(state, g.dynamicUpdateSlice(whole, value, offsets));
}

} // namespace tenon::hf
