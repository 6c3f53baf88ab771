// The text of epilogues, the reference's sums, and the comparison of bits.
#include "test/unit/contraction/ContractionCase.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace tenon {

std::string type(const Dims &dims, Unknown unknown) {
  std::string text = "tensor<";
  for (size_t i = 0; i < dims.size(); ++i) {
    bool hidden = unknown == Unknown::All || (unknown == Unknown::Rows && !i);
    text += (hidden ? "?" : std::to_string(dims[i])) + "x";
  }
  return text + "f32>";
}

namespace {
/// A result with guard elements after its end, which no kernel may write.
struct Guarded {
  std::vector<float> values;
  explicit Guarded(int64_t size) : values(size + 64, 12345.0f) {}
  bool untouched(int64_t size) const {
    for (size_t i = size; i < values.size(); ++i)
      if (values[i] != 12345.0f)
        return false;
    return true;
  }
};

/// Builds the text of an epilogue: splats and elementwise ops, one per line.
struct EpilogueText {
  std::string full, text;
  void splat(const char *name, const char *number) {
    text += std::string("  %") + name + " = tenon.constant dense<" + number +
            "> : " + full + "\n";
  }
  void op(const char *name, const char *op, const char *x, const char *y) {
    text += std::string("  %") + name + " = tenon." + op + " %" + x + ", %" +
            y + " : (" + full + ", " + full + ") -> " + full + "\n";
  }
};
} // namespace

std::vector<int64_t> offsets(const Dims &shape, const Dims &dims) {
  Dims strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  std::vector<int64_t> result{0};
  for (int64_t dim : dims) {
    std::vector<int64_t> next;
    for (int64_t base : result)
      for (int64_t i = 0; i < shape[dim]; ++i)
        next.push_back(base + i * strides[dim]);
    result = next;
  }
  return result;
}

void fillInputs(Case &test, Element element) {
  uint32_t seed = 1;
  for (const Dims &dims : test.dims) {
    test.inputs.push_back(randomFloats(count(dims), seed++));
    if (element == Element::Integer)
      for (float &value : test.inputs.back())
        value = std::trunc(value * 64);
  }
}

void toIntegers(Case &test) {
  auto convert = [](std::vector<float> &values) {
    for (float &value : values)
      value = std::bit_cast<float>(int32_t(value));
  };
  for (std::vector<float> &input : test.inputs)
    convert(input);
  convert(test.expected);
  for (size_t at = 0; (at = test.text.find("f32", at)) != std::string::npos;)
    test.text[at] = 'i';
  test.integers = true;
}

std::string finish(Case &test, Epilogue epilogue, const std::string &full) {
  if (epilogue == Epilogue::None)
    return "  return %0 : " + full + "\n}\n";
  int64_t width = test.result.back();
  std::vector<float> bias = randomFloats(width, 77);
  for (size_t i = 0; i < test.expected.size(); ++i) {
    float sum = test.expected[i] + bias[i % width];
    if (epilogue == Epilogue::BiasRelu) {
      test.expected[i] = std::isnan(sum) ? sum : std::max(0.0f, sum);
      continue;
    }
    float scaled = sum * 0.25f;
    float shifted = scaled + 0.5f;
    float gate =
        std::isnan(shifted) ? shifted : std::clamp(shifted, 0.0f, 1.0f);
    test.expected[i] = sum * gate;
  }
  test.inputs.push_back(bias);
  test.dims.push_back({width});
  EpilogueText lines{full, {}};
  lines.text = "  %b = tenon.broadcast_in_dim %bias dims [" +
               std::to_string(test.result.size() - 1) + "] sizes " +
               list(test.result) + " : (" + type({width}) + ") -> " + full +
               "\n";
  lines.op("s", "add", "0", "b");
  lines.splat("zero", "0.0");
  if (epilogue == Epilogue::BiasRelu) {
    lines.op("end", "maximum", "s", "zero");
  } else {
    lines.splat("quarter", "0.25");
    lines.splat("half", "0.5");
    lines.splat("one", "1.0");
    lines.op("scaled", "multiply", "s", "quarter");
    lines.op("shifted", "add", "scaled", "half");
    lines.op("above", "maximum", "shifted", "zero");
    lines.op("gate", "minimum", "above", "one");
    lines.op("end", "multiply", "s", "gate");
  }
  return lines.text + "  return %end : " + full + "\n}\n";
}

void BlockedSum::add(float x, float y) {
  part = std::fma(x, y, part);
  if (block && ++products == block)
    endBlock();
}

void BlockedSum::endBlock() {
  if (!block)
    return;
  sum += part;
  part = 0;
  products = 0;
}

float BlockedSum::value() {
  if (block && products)
    endBlock();
  return block ? sum : part;
}

int64_t SquareWindow::placesOf(int64_t size, int64_t taps) const {
  int64_t room = (size - 1) * between + 2 * padding - (taps - 1) * dilation;
  return room / stride + 1;
}

int64_t SquareWindow::pixelAt(int64_t position, int64_t tap,
                              int64_t size) const {
  int64_t place = position * stride - padding + tap * dilation;
  if (place < 0 || place % between != 0)
    return -1;
  return place / between < size ? place / between : -1;
}

std::string numbered(const char *name, std::initializer_list<int64_t> numbers) {
  std::string result = name;
  for (int64_t number : numbers)
    result += "_" + std::to_string(number);
  return result;
}

Case packed(Case test, int64_t dim) {
  constexpr int64_t width = 16;
  Dims from = test.dims[1], rest = from;
  rest.erase(rest.begin() + dim);
  int64_t extent = from[dim], inside = count(rest);
  Dims to = rest;
  to.insert(to.begin(), (extent + width - 1) / width);
  to.push_back(width);
  Dims others;
  for (size_t d = 0; d < from.size(); ++d)
    if (int64_t(d) != dim)
      others.push_back(d);
  std::vector<int64_t> lines = offsets(from, others),
                       columns = offsets(from, {dim});
  std::vector<float> panels(count(to), std::numeric_limits<float>::quiet_NaN());
  for (int64_t n = 0; n < extent; ++n)
    for (int64_t k = 0; k < inside; ++k)
      panels[(n / width * inside + k) * width + n % width] =
          test.inputs[1][lines[k] + columns[n]];
  std::string argument = "%y: " + type(from);
  test.text.replace(test.text.find(argument), argument.size(),
                    "%p: " + type(to));
  test.text.insert(test.text.find("{\n") + 2,
                   "  %y = tenon.unpack %p dim " + std::to_string(dim) +
                       " extent " + std::to_string(extent) + " : (" + type(to) +
                       ") -> " + type(from) + "\n");
  test.inputs[1] = panels;
  test.dims[1] = to;
  return test;
}

void check(std::vector<Case> cases, const std::vector<JitTarget> &targets) {
  std::string text;
  for (const Case &test : cases)
    text += test.text;
  for (JitTarget target : targets) {
    JitGraph graph(text, target);
    for (Case &test : cases)
      for (int64_t step : {1, 1000}) {
        std::vector<JitTensor> inputs;
        for (size_t i = 0; i < test.inputs.size(); ++i)
          inputs.push_back({test.inputs[i].data(), test.dims[i]});
        Guarded output(test.expected.size());
        graph.run(test.name, inputs, {output.values.data(), test.result}, step);
        EXPECT_TRUE(output.untouched(test.expected.size())) << test.name;
        for (size_t i = 0; i < test.expected.size(); ++i) {
          auto bits = [](float f) { return std::bit_cast<uint32_t>(f); };
          if (!test.integers && std::isnan(test.expected[i]) &&
              std::isnan(output.values[i]))
            continue;
          if (bits(test.expected[i]) == bits(output.values[i]))
            continue;
          ADD_FAILURE() << test.name << " for " << target.cpu << ", element "
                        << i << ": expected " << test.expected[i] << ", got "
                        << output.values[i];
          break;
        }
      }
  }
}

} // namespace tenon
