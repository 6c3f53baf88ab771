// Steps that read and write states. A state's elements stay within one bound
// however often @main runs.
#include "test/random/GraphGrower.h"

#include "dialects/tenon/State.h"

using namespace mlir;

namespace tenon {

constexpr double stateBound = 4;

FlatSymbolRefAttr GraphGrower::contextExtent(GrownDim &dim) {
  std::string name = "c" + std::to_string(dim.size);
  auto [known, isNew] = contextSymbols.try_emplace(dim.size, 0);
  if (isNew) {
    known->second = ++lastSymbol;
    int64_t initial = random.oneIn(2) ? dim.size : 1 + random.below(dim.size);
    OpBuilder above(function);
    ContextExtentOp::create(above, location(), name, 1,
                            dim.size + random.below(3), initial,
                            /*number=*/IntegerAttr());
    if (initial != dim.size)
      contextExtents[name] = dim.size;
  }
  dim.symbol = known->second;
  return FlatSymbolRefAttr::get(builder.getContext(), name);
}

GraphGrower::GrownState GraphGrower::someState() {
  if (!states.empty() && !random.oneIn(3))
    return states[random.below(states.size())];
  GrownShape shape = randomShape();
  llvm::SmallVector<Attribute> extents;
  for (GrownDim &dim : shape) {
    dim.symbol = 0;
    if (dim.size > 0 && random.oneIn(4))
      extents.push_back(contextExtent(dim));
  }
  GrownState state{"s" + std::to_string(states.size()), shape,
                   random.oneIn(3) ? randomInt() : randomFloat()};
  ElementsAttr first;
  if (extents.empty() && random.oneIn(2))
    first = randomAttribute(state.element, shape);
  OpBuilder above(function);
  auto op =
      StateOp::create(above, location(), state.name, type(shape, state.element),
                      FlatSymbolRefAttr(), first);
  if (!extents.empty())
    op.setExtentsAttr(builder.getArrayAttr(extents));
  states.push_back(state);
  return state;
}

/// Reads a state, changes all of it or parts, and writes it. The old and the
/// new value may be used from there on.
bool GraphGrower::updateState() {
  GrownState state = someState();
  auto read = [&]() -> Grown {
    bool isFloat = isFloatElement(state.element);
    Value value =
        make<StateReadOp>(type(state.shape, state.element), state.name);
    return {value, state.shape, isFloat ? stateBound : unbounded, !isFloat};
  };
  Grown old = read(), next = old;
  for (int64_t n = random.below(3); n >= 0; --n) {
    std::optional<Grown> changed;
    if (next.rank() > 0 && next.count() > 0)
      changed = random.oneIn(2) ? updatedSlice(next) : scattered(next);
    if (!changed)
      changed = pick([&](const Grown &x) {
        return x.shape == state.shape && x.element() == state.element &&
               (x.isFloat() ? x.bound != unbounded : x.exact);
      });
    if (!changed)
      changed =
          Grown{make<NegateOp>(next.value), next.shape, next.bound, next.exact};
    next = *changed;
    if (next.isFloat())
      next = scaledTo(next, stateBound);
    if (random.oneIn(3))
      pool.push_back(next);
  }
  StateWriteOp::create(builder, location(), state.name, next.value);
  if (random.oneIn(3))
    pool.push_back(old);
  if (random.oneIn(2))
    pool.push_back(next);
  if (random.oneIn(2))
    pool.push_back(read());
  return true;
}

} // namespace tenon
