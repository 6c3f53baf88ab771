// cvt: between integers, between floats, and from one to the other.
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/Select.h"
#include "test/gpu/emulator/SmallFloats.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::ptx {
namespace {
/// A conversion. Floats that become others are rounded by their format; a
/// rounding to integers comes before.
struct Form {
  Type to, from;
  enum class Rounding { Exact, NearestEven, Zero, Down, Up } rounding;
  bool saturates;
};

Form::Rounding takeRounding(Decoding &d, bool &isInteger) {
  static const std::pair<const char *, Form::Rounding> names[] = {
      {"rni", Form::Rounding::NearestEven},
      {"rzi", Form::Rounding::Zero},
      {"rmi", Form::Rounding::Down},
      {"rpi", Form::Rounding::Up},
      {"rn", Form::Rounding::NearestEven}};
  for (auto [name, rounding] : names)
    if (d.take(name)) {
      isInteger = name[2] == 'i';
      return rounding;
    }
  return Form::Rounding::Exact;
}

double rounded(double x, Form::Rounding rounding) {
  switch (rounding) {
  case Form::Rounding::NearestEven:
    return std::nearbyint(x);
  case Form::Rounding::Zero:
    return std::trunc(x);
  case Form::Rounding::Down:
    return std::floor(x);
  case Form::Rounding::Up:
    return std::ceil(x);
  case Form::Rounding::Exact:
    return x;
  }
}

template <typename T> double toDouble(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return widened(x);
  else
    return double(x);
}

template <typename T> T fromDouble(double x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return narrowed<T>(x);
  else if constexpr (std::is_same_v<T, float>)
    return x == x ? float(x) : std::bit_cast<float>(floatNan);
  else
    return x;
}

/// Integers beyond the range become its ends, and NaN becomes 0.
template <typename T> T clamped(double x) {
  if (x != x)
    return 0;
  constexpr double least = double(std::numeric_limits<T>::min()),
                   greatest = double(std::numeric_limits<T>::max());
  if (x <= least)
    return std::numeric_limits<T>::min();
  if (x >= greatest)
    return std::numeric_limits<T>::max();
  return T(x);
}

template <typename T> constexpr bool isInteger = std::is_integral_v<T>;

template <typename To, typename From>
To converted(From x, Form::Rounding rounding, bool saturates) {
  if constexpr (isInteger<To> && isInteger<From>) {
    __int128 value = x;
    if (saturates)
      value = std::min<__int128>(
          std::max<__int128>(value, std::numeric_limits<To>::min()),
          std::numeric_limits<To>::max());
    return To(value);
  } else if constexpr (isInteger<To>) {
    return clamped<To>(rounded(toDouble(x), rounding));
  } else if constexpr (isInteger<From>) {
    if constexpr (std::is_floating_point_v<To>)
      return To(x);
    else // exact in double but for values that are infinite in 16 bits
      return narrowed<To>(double(x));
  } else {
    return fromDouble<To>(rounded(toDouble(x), rounding));
  }
}

/// Destination registers may be wider: integers are extended into them.
template <typename To, typename From, typename Register>
void convert(Warp &warp, const Instruction &instruction, uint32_t mask) {
  auto rounding = Form::Rounding(instruction.first);
  bool saturates = instruction.second;
  const uint8_t *source = warp.lanes<uint8_t>(instruction.reads[0]);
  setLanes(warp.lanes<Register>(instruction.writes[0]), mask, [&](int lane) {
    From x;
    std::memcpy(&x, source + size_t(lane) * size_t(instruction.number),
                sizeof x);
    To made = converted<To>(x, rounding, saturates);
    if constexpr (isInteger<To>) {
      return Register(made);
    } else {
      return std::bit_cast<Register>(made);
    }
  });
}

template <typename Make>
Instruction::Run forAny(Decoding &d, Type type, Make make) {
  if (type.kind == Kind::BFloat)
    return make.template operator()<BFloat>();
  bool isSigned = type.kind == Kind::Signed;
  if (type.kind == Kind::Float)
    switch (type.bits) {
    case 16:
      return make.template operator()<Half>();
    case 32:
      return make.template operator()<float>();
    case 64:
      return make.template operator()<double>();
    }
  else if (type.kind != Kind::Bits && type.bits == 8)
    return isSigned ? make.template operator()<int8_t>()
                    : make.template operator()<uint8_t>();
  else if (type.kind != Kind::Bits)
    return forInteger(d, type, make);
  d.refuse("no conversion of this type");
}

template <typename To, typename From>
Instruction::Run toRegister(Decoding &d, int bytes) {
  if constexpr (!isInteger<To>) { // which fills its register
    using Word = std::conditional_t<
        sizeof(To) == 2, uint16_t,
        std::conditional_t<sizeof(To) == 4, uint32_t, uint64_t>>;
    return convert<To, From, Word>;
  } else {
    switch (bytes) {
    case 2:
      return convert<To, From, uint16_t>;
    case 4:
      return convert<To, From, uint32_t>;
    case 8:
      return convert<To, From, uint64_t>;
    default:
      d.refuse("no register of this size");
    }
  }
}

bool isFloat(Type type) {
  return type.kind == Kind::Float || type.kind == Kind::BFloat;
}

/// Two f32 become two small floats in a word, the first one above.
template <typename T>
void convertPair(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const float *a = warp.lanes<float>(instruction.reads[0]),
              *b = warp.lanes<float>(instruction.reads[1]);
  setLanes(warp.lanes<uint32_t>(instruction.writes[0]), mask, [&](int lane) {
    return uint32_t(narrowed<T>(a[lane]).bits) << 16 |
           narrowed<T>(b[lane]).bits;
  });
}

void decodePair(Decoding &d, Type to) {
  if (!d.take("f32"))
    d.refuse("expected .f32");
  d.need(80, 70);
  d.made.run =
      to.kind == Kind::BFloat ? convertPair<BFloat> : convertPair<Half>;
  d.expectOperands(3);
  d.write(0, to);
  d.read(1, b32);
  d.read(2, b32);
}

void checkRounding(Decoding &d, const Form &form, bool toWhole) {
  bool toFloat = isFloat(form.to), fromFloat = isFloat(form.from);
  bool narrows = toFloat && (!fromFloat || form.to.bits < form.from.bits);
  bool hasRounding = form.rounding != Form::Rounding::Exact;
  if (!toFloat && fromFloat && !(hasRounding && toWhole))
    d.refuse("expected a rounding to integers");
  if (narrows && !(hasRounding && !toWhole))
    d.refuse("expected .rn");
  if (form.saturates && (toFloat || fromFloat))
    d.refuse("saturation of floats is not emulated");
}

/// A float with a fraction of 10 bits, rounded to nearest, ties away from zero.
uint32_t toTf32(uint32_t bits) {
  uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return floatNan;
  return (bits & 0x80000000) | ((size + 0x1000) & 0x7fffe000);
}

void decodeTf32(Decoding &d) {
  if (!d.take("tf32") || !d.take("f32"))
    d.refuse("expected .tf32.f32");
  d.need(80, 70);
  d.expectOperands(2);
  d.write(0, b32);
  d.read(1, b32);
  d.made.run = unary<uint32_t, uint32_t, toTf32>;
}

void decodeConvert(Decoding &d) {
  d.made.group = Group::Convert;
  if (d.take("rna"))
    return decodeTf32(d);
  bool toWhole = false;
  Form form;
  form.rounding = takeRounding(d, toWhole);
  form.saturates = d.take("sat");
  form.to = d.takeType();
  if (form.to.bits < 0)
    return decodePair(d, form.to);
  form.from = d.takeType();
  checkRounding(d, form, toWhole);
  if (form.to.kind == Kind::BFloat)
    form.from == Type{Kind::Float, 32} ? d.need(80, 70) : d.need(90, 78);
  if (form.from.kind == Kind::BFloat)
    form.to == Type{Kind::Float, 32} ? d.need(80, 71) : d.need(90, 78);
  d.expectOperands(2);
  // Floats must fit; integers may stand in wider registers.
  int bytes = d.writeWide(d.operand(0), form.to);
  if (isFloat(form.to) && bytes != form.to.bits / 8)
    d.refuse("a register of other size than the type");
  d.made.number = d.readWide(d.operand(1), form.from);
  d.made.first = uint32_t(toWhole ? form.rounding : Form::Rounding::Exact);
  d.made.second = form.saturates;
  d.made.run = forAny(d, form.to, [&]<typename To>() {
    return forAny(d, form.from, [&]<typename From>() {
      return toRegister<To, From>(d, bytes);
    });
  });
}
} // namespace

std::vector<InstructionRow> convertRows() { return {{"cvt", decodeConvert}}; }

} // namespace tenon::ptx
