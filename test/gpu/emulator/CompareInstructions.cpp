// setp, selp and set.
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"
#include "test/gpu/emulator/SmallFloats.h"

namespace tenon::ptx {
namespace {
enum class Relation {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Ordered,
  Unordered
};

/// A comparison; for floats `orUnordered` holds if one is NaN.
struct Comparison {
  Relation relation;
  bool orUnordered = false, isOfUnsigned = false;
};

Comparison takeComparison(Decoding &d) {
  static const std::pair<const char *, Comparison> names[] = {
      {"eq", {Relation::Equal}},
      {"ne", {Relation::NotEqual}},
      {"lt", {Relation::Less}},
      {"le", {Relation::LessEqual}},
      {"gt", {Relation::Greater}},
      {"ge", {Relation::GreaterEqual}},
      {"lo", {Relation::Less, false, true}},
      {"ls", {Relation::LessEqual, false, true}},
      {"hi", {Relation::Greater, false, true}},
      {"hs", {Relation::GreaterEqual, false, true}},
      {"equ", {Relation::Equal, true}},
      {"neu", {Relation::NotEqual, true}},
      {"ltu", {Relation::Less, true}},
      {"leu", {Relation::LessEqual, true}},
      {"gtu", {Relation::Greater, true}},
      {"geu", {Relation::GreaterEqual, true}},
      {"num", {Relation::Ordered}},
      {"nan", {Relation::Unordered, true}},
  };
  for (const auto &[name, comparison] : names)
    if (d.take(name))
      return comparison;
  d.refuse("unknown comparison");
}

template <typename T> auto comparable(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return widened(x);
  else
    return x;
}

template <Relation relation, typename T> bool holds(T a, T b) {
  auto x = comparable(a), y = comparable(b);
  switch (relation) {
  case Relation::Equal:
    return x == y;
  case Relation::NotEqual:
    return x < y || x > y;
  case Relation::Less:
    return x < y;
  case Relation::LessEqual:
    return x <= y;
  case Relation::Greater:
    return x > y;
  case Relation::GreaterEqual:
    return x >= y;
  case Relation::Ordered:
    return x == x && y == y;
  case Relation::Unordered:
    return false;
  }
}

template <typename T> bool isNan(T x) {
  auto y = comparable(x);
  return y != y;
}

template <typename T> constexpr bool isPair = false;
template <typename T> constexpr bool isPair<Pair<T>> = true;

enum class Combine { None, And, Or, Xor };

/// The lanes where the relation, or its form for unordered floats, holds.
template <Relation relation, typename Lane>
uint32_t lanesThatHold(uint32_t mask, bool orUnordered, Lane lane) {
  if (orUnordered)
    return lanesWhere(mask, [&](int i) {
      auto [a, b] = lane(i);
      return holds<relation>(a, b) || isNan(a) || isNan(b);
    });
  return lanesWhere(mask, [&](int i) {
    auto [a, b] = lane(i);
    return holds<relation>(a, b);
  });
}

/// first: the combination; second: holds if unordered. The second predicate is
/// the opposite of the first, or for packed floats that of the upper halves.
template <Relation relation, typename T>
void setPredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.reads[0]),
          *b = warp.lanes<T>(instruction.reads[1]);
  bool orUnordered = instruction.second;
  uint32_t result, other;
  if constexpr (isPair<T>) {
    result = lanesThatHold<relation>(mask, orUnordered, [&](int i) {
      return std::pair(a[i].low, b[i].low);
    });
    other = lanesThatHold<relation>(mask, orUnordered, [&](int i) {
      return std::pair(a[i].high, b[i].high);
    });
  } else {
    result = lanesThatHold<relation>(
        mask, orUnordered, [&](int i) { return std::pair(a[i], b[i]); });
    other = ~result;
  }
  if (auto combine = Combine(instruction.first); combine != Combine::None) {
    uint32_t with = warp.predicate(instruction.reads[2]);
    if (instruction.negated >> 2 & 1)
      with = ~with;
    auto joined = [&](uint32_t x) {
      return combine == Combine::And  ? x & with
             : combine == Combine::Or ? x | with
                                      : x ^ with;
    };
    result = joined(result);
    other = joined(other);
  }
  auto set = [&](Slot slot, uint32_t value) {
    uint32_t &predicate = warp.predicate(slot);
    predicate = (predicate & ~mask) | (value & mask);
  };
  if (instruction.numWrites > 1)
    set(instruction.writes[1], other);
  set(instruction.writes[0], result);
}

template <typename T> Instruction::Run forRelation(Relation relation) {
  switch (relation) {
  case Relation::Equal:
    return setPredicate<Relation::Equal, T>;
  case Relation::NotEqual:
    return setPredicate<Relation::NotEqual, T>;
  case Relation::Less:
    return setPredicate<Relation::Less, T>;
  case Relation::LessEqual:
    return setPredicate<Relation::LessEqual, T>;
  case Relation::Greater:
    return setPredicate<Relation::Greater, T>;
  case Relation::GreaterEqual:
    return setPredicate<Relation::GreaterEqual, T>;
  case Relation::Ordered:
    return setPredicate<Relation::Ordered, T>;
  case Relation::Unordered:
    return setPredicate<Relation::Unordered, T>;
  }
}

Instruction::Run forType(Decoding &d, Type type, const Comparison &how) {
  bool isPacked = type.bits == -16;
  if (type.kind == Kind::BFloat) {
    d.need(90, 78);
    return isPacked ? forRelation<Pair<BFloat>>(how.relation)
                    : forRelation<BFloat>(how.relation);
  }
  if (type.kind == Kind::Float)
    return isPacked          ? forRelation<Pair<Half>>(how.relation)
           : type.bits == 16 ? forRelation<Half>(how.relation)
           : type.bits == 32 ? forRelation<float>(how.relation)
                             : forRelation<double>(how.relation);
  if (how.orUnordered || how.relation >= Relation::Ordered)
    d.refuse("a comparison of floats for integers");
  if (type.kind == Kind::Bits && how.relation > Relation::NotEqual)
    d.refuse("words are equal or not, but have no order");
  if (how.isOfUnsigned && type.kind != Kind::Unsigned)
    d.refuse("expected .u");
  return forInteger(d, type,
                    [&]<typename T>() { return forRelation<T>(how.relation); });
}

void decodeSetPredicate(Decoding &d) {
  d.made.group = Group::Integer;
  Comparison how = takeComparison(d);
  auto combine = d.take("and")   ? Combine::And
                 : d.take("or")  ? Combine::Or
                 : d.take("xor") ? Combine::Xor
                                 : Combine::None;
  Type type = d.takeType();
  bool combines = combine != Combine::None;
  d.expectOperands(combines ? 4 : 3);
  Operand to = d.operand(0);
  std::string second = to.second;
  to.second.clear();
  d.write(to, predicateType);
  if (!second.empty()) {
    to.name = second;
    d.write(to, predicateType);
  } else if (type.bits == -16) {
    d.refuse("expected a predicate for each half");
  }
  d.read(1, type);
  d.read(2, type);
  if (combines)
    d.read(3, predicateType);
  d.made.first = uint32_t(combine);
  d.made.second = how.orUnordered;
  d.made.run = forType(d, type, how);
}

template <typename T>
void select(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const T *a = warp.lanes<T>(instruction.reads[0]),
          *b = warp.lanes<T>(instruction.reads[1]);
  uint32_t which = warp.predicate(instruction.reads[2]);
  if (instruction.negated >> 2 & 1)
    which = ~which;
  setLanes(warp.lanes<T>(instruction.writes[0]), mask,
           [&](int lane) { return which >> lane & 1 ? a[lane] : b[lane]; });
}

void decodeSelect(Decoding &d) {
  Type type = d.takeType();
  d.made.group = Group::Integer;
  d.made.run = forBits(
      d, type, []<typename T>() { return Instruction::Run(select<T>); });
  d.expectOperands(4);
  d.write(0, type);
  d.read(1, type);
  d.read(2, type);
  d.read(3, predicateType);
}
} // namespace

std::vector<InstructionRow> compareRows() {
  return {{"setp", decodeSetPredicate}, {"selp", decodeSelect}};
}

} // namespace tenon::ptx
