// atom and red: lanes act one after another, in an order of lanes.
#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <cstring>

namespace tenon::ptx {
namespace {
enum class Operation {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement
};
enum : uint32_t { Acquires = 1, Releases = 2, HasResult = 4, InBlock = 8 };

template <Operation operation, typename T> T next(T old, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return operation == Operation::Exchange ? b : old + b;
  } else {
    using U = std::make_unsigned_t<T>;
    switch (operation) {
    case Operation::Add:
      return T(U(old) + U(b));
    case Operation::Min:
      return std::min(old, b);
    case Operation::Max:
      return std::max(old, b);
    case Operation::And:
      return T(old & b);
    case Operation::Or:
      return T(old | b);
    case Operation::Xor:
      return T(old ^ b);
    case Operation::Exchange:
      return b;
    case Operation::CompareAndSwap:
      return old == b ? c : old;
    case Operation::Increment:
      return U(old) >= U(b) ? T(0) : T(U(old) + 1);
    case Operation::Decrement:
      return U(old) == 0 || U(old) > U(b) ? b : T(U(old) - 1);
    }
  }
}

template <Operation operation, typename T>
void act(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Access access(warp, sizeof(T));
  const uint64_t *addresses = warp.lanes<uint64_t>(instruction.reads[0]);
  const T *b = warp.lanes<T>(instruction.reads[1]);
  const T *c = operation == Operation::CompareAndSwap
                   ? warp.lanes<T>(instruction.reads[2])
                   : b;
  forLanes(mask, [&](int lane) {
    uint64_t address = addresses[lane] + uint64_t(instruction.number);
    uint8_t *place = access.atomic(
        Space(instruction.first), lane, address,
        {true, true, bool(instruction.second & Acquires),
         bool(instruction.second & Releases),
         instruction.second & InBlock ? Scope::Block : Scope::Device});
    T old;
    std::memcpy(&old, place, sizeof old);
    T made = next<operation>(old, b[lane], c[lane]);
    std::memcpy(place, &made, sizeof made);
    if (instruction.second & HasResult)
      warp.lanes<T>(instruction.writes[0])[lane] = old;
  });
  access.count();
}

template <Operation operation>
Instruction::Run forType(Decoding &d, Type type) {
  if (type.kind == Kind::Float) {
    if (operation != Operation::Add)
      d.refuse("not emulated for floats");
    return type.bits == 32 ? act<operation, float> : act<operation, double>;
  }
  if (type.bits < 32)
    d.refuse("expected 32 or 64 bits");
  return forInteger(d, type, []<typename T>() {
    return Instruction::Run(act<operation, T>);
  });
}

struct Named {
  const char *name;
  Instruction::Run (*forType)(Decoding &, Type);
  bool compares = false;
};

constexpr Named operations[] = {
    {"add", forType<Operation::Add>},
    {"min", forType<Operation::Min>},
    {"max", forType<Operation::Max>},
    {"and", forType<Operation::And>},
    {"or", forType<Operation::Or>},
    {"xor", forType<Operation::Xor>},
    {"exch", forType<Operation::Exchange>},
    {"cas", forType<Operation::CompareAndSwap>, true},
    {"inc", forType<Operation::Increment>},
    {"dec", forType<Operation::Decrement>},
};

uint32_t takeOrder(Decoding &d) {
  if (d.take("acq_rel"))
    return Acquires | Releases;
  if (d.take("acquire"))
    return Acquires;
  if (d.take("release"))
    return Releases;
  d.take("relaxed");
  return 0;
}

template <bool hasResult> void decodeAtomic(Decoding &d) {
  d.made.group = Group::Atomic;
  uint32_t flags = takeOrder(d);
  if (d.take("cta"))
    flags |= InBlock;
  else
    d.take("gpu") || d.take("sys");
  Space space = d.takeSpace();
  const Named *found = nullptr;
  for (const Named &operation : operations)
    if (!found && d.take(operation.name))
      found = &operation;
  if (!found)
    d.refuse("unknown operation");
  Type type = d.takeType();
  size_t at = hasResult;
  d.expectOperands(at + 2 + found->compares);
  if (hasResult)
    d.write(0, type);
  d.address(at, space);
  d.read(at + 1, type);
  if (found->compares)
    d.read(at + 2, type);
  d.made.first = uint32_t(space);
  d.made.second = flags | (hasResult ? HasResult : 0);
  d.made.run = found->forType(d, type);
}
} // namespace

std::vector<InstructionRow> atomicRows() {
  return {{"atom", decodeAtomic<true>}, {"red", decodeAtomic<false>}};
}

} // namespace tenon::ptx
