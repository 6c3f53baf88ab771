// ld and st in all spaces, fences, and prefetches.
#include "test/gpu/emulator/Access.h"
#include "test/gpu/emulator/FamilyDecoders.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"

#include <cstring>

namespace tenon::ptx {
namespace {
/// Instruction::second of loads and stores.
enum : uint32_t {
  Constant = 2,
  Acquires = 4,
  Releases = 8,
  Strong = 16,
  InBlock = 32
};

Scope scopeOf(const Instruction &instruction) {
  return instruction.second & InBlock ? Scope::Block : Scope::Device;
}

Space spaceOf(const Instruction &instruction) {
  return Space(instruction.first & 0xff);
}

/// `first`: the space, and the elements from bit 8 on.
template <typename Element, typename Register>
void load(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t elements = instruction.first >> 8;
  Space space = spaceOf(instruction);
  Access access(warp, elements * sizeof(Element), elements);
  const uint64_t *addresses = warp.lanes<uint64_t>(instruction.reads[0]);
  bool isStrong = instruction.second & Strong;
  forLanes(mask, [&](int lane) {
    uint64_t address = addresses[lane] + uint64_t(instruction.number);
    // A strong load is an atomic read: it races with no atomic write.
    const uint8_t *bytes =
        isStrong
            ? access.atomic(space, lane, address,
                            {true, false, bool(instruction.second & Acquires),
                             false, scopeOf(instruction)})
            : access.read(space, lane, address, instruction.second & Constant);
    for (uint32_t i = 0; i < elements; ++i) {
      Element element;
      std::memcpy(&element, bytes + i * sizeof element, sizeof element);
      warp.lanes<Register>(instruction.writes[i])[lane] = Register(element);
    }
  });
  if (space != Space::Param)
    access.count();
}

template <typename Element, typename Register>
void store(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t elements = instruction.first >> 8;
  Access access(warp, elements * sizeof(Element));
  const uint64_t *addresses = warp.lanes<uint64_t>(instruction.reads[0]);
  bool isStrong = instruction.second & Strong;
  forLanes(mask, [&](int lane) {
    uint64_t address = addresses[lane] + uint64_t(instruction.number);
    Space space = spaceOf(instruction);
    uint8_t *bytes = isStrong
                         ? access.atomic(space, lane, address,
                                         {false, true, false,
                                          bool(instruction.second & Releases),
                                          scopeOf(instruction)})
                         : access.write(space, lane, address);
    for (uint32_t i = 0; i < elements; ++i) {
      auto element =
          Element(warp.lanes<Register>(instruction.reads[1 + i])[lane]);
      std::memcpy(bytes + i * sizeof element, &element, sizeof element);
    }
  });
  access.count();
}

/// Chooses by the bytes of elements, whether they are signed, and the bytes of
/// registers: run.operator()<Element, Register>().
template <typename Run>
Instruction::Run forSizes(Decoding &d, Type type, int registerBytes, Run run) {
  bool isSigned = type.kind == Kind::Signed;
  auto of = [&]<typename Element>() -> Instruction::Run {
    switch (registerBytes) {
    case 2:
      return run.template operator()<Element, uint16_t>();
    case 4:
      return run.template operator()<Element, uint32_t>();
    case 8:
      return run.template operator()<Element, uint64_t>();
    default:
      d.refuse("no register of this size");
    }
  };
  if (type.bits == 8)
    return isSigned ? of.template operator()<int8_t>()
                    : of.template operator()<uint8_t>();
  return forInteger(d, {isSigned ? Kind::Signed : Kind::Bits, type.bits}, of);
}

/// .weak, .volatile, .relaxed.gpu, .acquire.gpu, .release.gpu
uint32_t takeOrder(Decoding &d, bool isStore) {
  uint32_t order = 0;
  if (d.take("weak"))
    return 0;
  if (d.take("volatile") || d.take("relaxed"))
    order = Strong;
  else if (!isStore && d.take("acquire"))
    order = Strong | Acquires;
  else if (isStore && d.take("release"))
    order = Strong | Releases;
  if (order && d.take("cta"))
    order |= InBlock;
  else if (order)
    d.take("gpu") || d.take("sys");
  return order;
}

void takeCacheHints(Decoding &d) {
  for (const char *hint :
       {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_first",
        "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B"})
    d.take(hint);
}

void setGroup(Decoding &d, Space space, bool isStore) {
  switch (space) {
  case Space::Shared:
    d.made.group = isStore ? Group::SharedStore : Group::SharedLoad;
    break;
  case Space::Local:
    d.made.group = Group::LocalAccess;
    break;
  case Space::Param:
    d.made.group = Group::ParameterLoad;
    break;
  default:
    d.made.group = isStore ? Group::GlobalStore : Group::GlobalLoad;
  }
}

/// What comes before the operands. Returns the elements.
int takeAccess(Decoding &d, bool isStore, Space &space, Type &type) {
  d.made.second = 0;
  uint32_t order = takeOrder(d, isStore);
  space = d.takeSpace();
  if (!isStore && d.take("nc"))
    order |= Constant;
  takeCacheHints(d);
  int elements = d.takeVector();
  type = d.takeType();
  if (type.bits < 8 || elements * type.bits > 128)
    d.refuse("no access of this size");
  setGroup(d, space, isStore);
  d.expectOperands(2);
  d.address(isStore ? 0 : 1, space);
  // Parameters of inlined functions lie in local memory.
  if (space == Space::Param && d.made.second)
    space = Space::Local;
  d.made.second = order;
  d.made.first = uint32_t(space) | uint32_t(elements) << 8;
  return elements;
}

std::vector<Operand> elementsOf(Decoding &d, const Operand &operand,
                                int count) {
  if (count == 1)
    return {operand};
  if (operand.form != Operand::Form::Vector ||
      operand.elements.size() != size_t(count))
    d.refuse("expected a vector of " + std::to_string(count) + " registers");
  return operand.elements;
}

void decodeLoad(Decoding &d) {
  Space space;
  Type type;
  int elements = takeAccess(d, false, space, type), bytes = 0;
  for (const Operand &element : elementsOf(d, d.operand(0), elements)) {
    // A wider register takes the element extended.
    int found = d.writeWide(element, {Kind::Bits, type.bits});
    if (bytes && found != bytes)
      d.refuse("registers of different sizes");
    bytes = found;
  }
  d.made.run = forSizes(d, type, bytes, []<typename E, typename R>() {
    return Instruction::Run(load<E, R>);
  });
}

void decodeStore(Decoding &d) {
  Space space;
  Type type;
  int elements = takeAccess(d, true, space, type), bytes = 0;
  if (space == Space::Param || space == Space::Const)
    d.refuse("nothing can be written there");
  for (const Operand &element : elementsOf(d, d.operand(1), elements)) {
    Type least{Kind::Bits, std::max(type.bits, 16)};
    bool isRegister = element.form == Operand::Form::Name;
    int found = isRegister ? d.readWide(element, {Kind::Bits, type.bits})
                           : d.readWide(element, least);
    if (bytes && found != bytes)
      d.refuse("registers of different sizes");
    bytes = found;
  }
  d.made.run = forSizes(d, type, bytes, []<typename E, typename R>() {
    return Instruction::Run(store<E, R>);
  });
}

void nothing(Warp &, const Instruction &, uint32_t) {}

void fence(Warp &warp, const Instruction &instruction, uint32_t) {
  warp.block.fence(warp, Scope(instruction.first));
}

void decodeFence(Decoding &d) {
  d.made.group = Group::Fence;
  d.made.run = fence;
  d.expectOperands(0);
  if (d.take("proxy") || d.take("mbarrier_init"))
    return decodeProxyFence(d);
  bool isOld = d.statement.name == "membar";
  if (!isOld)
    d.takeOneOf({"sc", "acq_rel"});
  std::string scope = isOld ? d.takeOneOf({"cta", "gl", "sys"})
                            : d.takeOneOf({"cta", "gpu", "sys"});
  d.made.first = uint32_t(scope == "cta" ? Scope::Block : Scope::Device);
}

void decodePrefetch(Decoding &d) {
  d.made.group = Group::Move;
  d.made.run = nothing;
  Space space = d.takeSpace();
  if (d.take("tensormap"))
    d.need(90, 80);
  else
    d.takeOneOf({"L1", "L2"});
  d.expectOperands(1);
  d.address(0, space);
}
} // namespace

std::vector<InstructionRow> memoryRows() {
  return {
      {"ld", decodeLoad},           {"st", decodeStore},
      {"membar", decodeFence},      {"fence", decodeFence},
      {"prefetch", decodePrefetch},
  };
}

} // namespace tenon::ptx
