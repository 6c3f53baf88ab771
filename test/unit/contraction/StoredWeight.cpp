// Elements are drawn as floats and replaced by what their form can store.
#include "test/unit/contraction/StoredWeight.h"

#include "test/unit/contraction/Tensors.h"

#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace tenon {

static std::string shape(std::initializer_list<int64_t> dims,
                         const char *element) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + element + ">";
}

static float asBfloat(float x) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0xffff0000u);
}

/// The f16 nearest to `x`, as LLVM's arithmetic rounds it.
static llvm::APFloat asHalf(float x) {
  llvm::APFloat half(x);
  bool lost;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &lost);
  return half;
}

/// Numbers that conversions treat in a way of their own: denormal f16 numbers,
/// the greatest one, infinities and NaN.
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float specials[] = {
    0x1p-24f,  -0x1p-24f, 0x3ffp-24f,
    -0x1p-14f, 65504.0f,  -0.0f,
    infinity,  -infinity, std::numeric_limits<float>::quiet_NaN()};

Weight::Weight(int64_t depth, int64_t columns, Form form)
    : depth(depth), columns(columns), form(form),
      drawn(randomFloats(panels * (depth + 8) * width, 5)),
      scales(randomFloats(panels * groups * width, 9)) {
  int64_t bits = form.bits == 4 ? 32 : form.bits;
  std::vector<char> memory(panels * lines * width * bits / 8 + 4);
  for (int64_t p = 0; p < panels; ++p)
    for (int64_t k = 0; k < (form.bits == 4 ? lines * 8 : depth); ++k)
      for (int64_t w = 0; w < width; ++w)
        put(memory, p, k, w);
  stored.resize(memory.size() / 4);
  std::memcpy(stored.data(), memory.data(), stored.size() * 4);
  std::vector<char> half;
  for (float &scale : scales)
    if (form.bits == 4) {
      scale = asBfloat(scale);
      auto bits = uint16_t(std::bit_cast<uint32_t>(scale) >> 16);
      half.insert(half.end(), (char *)&bits, (char *)&bits + 2);
    }
  storedScales = scales;
  if (form.bits == 4)
    std::memcpy(storedScales.data(), half.data(), half.size());
}

void Weight::put(std::vector<char> &memory, int64_t p, int64_t k, int64_t w) {
  float &value = at(p, k, w);
  if (form.bits == 16) {
    uint16_t bits;
    if (std::string_view(form.element) == "f16") {
      if (form.special && (k + w) % 5 == 0)
        value = specials[w % std::size(specials)];
      llvm::APFloat half = asHalf(value);
      bits = uint16_t(half.bitcastToAPInt().getZExtValue());
      value = half.convertToFloat();
    } else {
      value = asBfloat(value);
      bits = uint16_t(std::bit_cast<uint32_t>(value) >> 16);
    }
    std::memcpy(&memory[((p * depth + k) * width + w) * 2], &bits, 2);
  } else if (form.bits == 8) {
    value = std::trunc(value * 63);
    memory[(p * depth + k) * width + w] = char(int8_t(value));
  } else {
    value = std::floor(value * 3.999f);
    uint32_t word;
    char *place = &memory[((p * lines + k / 8) * width + w) * 4];
    std::memcpy(&word, place, 4);
    word |= (uint32_t(int32_t(value)) & 15u) << (k % 8 * 4);
    std::memcpy(place, &word, 4);
  }
}

double Weight::element(int64_t k, int64_t column) {
  int64_t p = column / width, w = column % width;
  double scale =
      form.group ? scales[(p * groups + k / form.group) * width + w] : 1;
  return at(p, k, w) * scale;
}

float Weight::sum(const float *row, int64_t column) {
  int64_t p = column / width, w = column % width,
          block = form.group    ? form.group
                  : depth > 128 ? 128
                                : depth;
  float total = 0;
  for (int64_t k = 0; k < depth; k += block) {
    float part = 0;
    for (int64_t i = k; i < std::min(depth, k + block); ++i)
      part = std::fma(row[i], at(p, i, w), part);
    if (form.group)
      total =
          std::fma(part, scales[(p * groups + k / block) * width + w], total);
    else
      total = depth > 128 ? total + part : part;
  }
  return total;
}

std::string Weight::parameters() const {
  std::string text = ", %q: " + shape({panels, lines, width}, form.element);
  if (form.group)
    text += ", %s: " + shape({panels, groups, width}, form.scale);
  return text;
}

std::string Weight::unpacked(int dim, const std::string &type) const {
  std::string q = shape({panels, lines, width}, form.element),
              s = shape({panels, groups, width}, form.scale),
              p = shape({panels, depth, width}, "f32");
  return "  %p = tenon.dequantize %q" +
         (form.group ? " scales %s group " + std::to_string(form.group) : "") +
         " : (" + q + (form.group ? ", " + s : "") + ") -> " + p +
         "\n  %w = tenon.unpack %p dim " + std::to_string(dim) + " extent " +
         std::to_string(columns) + " : (" + p + ") -> " + type;
}

} // namespace tenon
