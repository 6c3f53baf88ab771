// Processes one row of a panel at a time. Its columns are adjacent in memory,
// so that the compiler can vectorize every step.
#include "compiler/arithmetic/Quantizer.h"

#include "compiler/arithmetic/ElementArithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

// If products and sums were fused, the bits would depend on the compiler.
#pragma STDC FP_CONTRACT OFF

namespace tenon {
namespace {
constexpr int64_t nibbles = 8; ///< in one word

/// The search for a 4-bit scale tries one scale per entry: the weight of
/// greatest magnitude in the group divided by the entry.
constexpr float trialLevels[] = {-8.0f, -8.5f, -7.5f, -7.0f,
                                 7.0f,  7.5f,  6.5f,  -6.5f};

/// Rounds to nearest, ties to even. Requires magnitudes below 2^22.
float roundEven(float x) {
  constexpr float shift = 12582912.0f; // 1.5 * 2^23
  return (x + shift) - shift;
}

float clamped(float x, float low, float high) {
  return std::min(std::max(x, low), high);
}

/// The integer for a weight. Quotients outside the range, also infinite ones,
/// are clamped before rounding.
float level(float weight, float scale, float low, float high) {
  return scale == 0.0f ? 0.0f : roundEven(clamped(weight / scale, low, high));
}

float roundedToBfloat(float x) { return bfloatToFloat(floatToBfloat(x)); }

/// The least scale at which 127 steps reach `magnitude`, up to half a step. The
/// quotient of denormal numbers may be rounded too far down; then the next
/// float is used.
float byteScale(float magnitude) {
  float scale = magnitude / 127.0f;
  if (double(scale) * 127.5 < double(magnitude))
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  // Near the greatest float, 127 times the rounded scale must not overflow.
  return std::isinf(scale * 127.0f) ? std::nextafter(scale, 0.0f) : scale;
}

/// Searches the scales of one group in one panel: `lines` rows of `width`
/// weights.
class NibbleSearch {
public:
  explicit NibbleSearch(int64_t width)
      : width(width), outlier(width), trial(width), error(width), least(width) {
  }

  void run(const float *weights, int64_t lines, float *best) {
    std::fill(outlier.begin(), outlier.end(), 0.0f);
    for (int64_t k = 0; k < lines; ++k)
      for (int64_t w = 0; w < width; ++w) {
        float weight = weights[k * width + w];
        if (std::fabs(weight) > std::fabs(outlier[w]))
          outlier[w] = weight;
      }
    std::fill(least.begin(), least.end(),
              std::numeric_limits<float>::infinity());
    std::fill(best, best + width, 0.0f);
    for (float levels : trialLevels)
      tryLevels(weights, lines, levels, best);
  }

private:
  void tryLevels(const float *weights, int64_t lines, float levels,
                 float *best) {
    for (int64_t w = 0; w < width; ++w) {
      trial[w] = roundedToBfloat(outlier[w] / levels);
      error[w] = 0.0f;
    }
    for (int64_t k = 0; k < lines; ++k)
      for (int64_t w = 0; w < width; ++w) {
        float weight = weights[k * width + w], scale = trial[w];
        // For a scale of 0, the quotient is clamped or NaN, and the product
        // below is 0 or NaN. A NaN error is never less than the best error so
        // far.
        float nearest = roundEven(clamped(weight / scale, -8.0f, 7.0f));
        // Divided by the greatest weight, so that the square neither underflows
        // nor overflows.
        float off = (weight - nearest * scale) / outlier[w];
        error[w] += off * off;
      }
    for (int64_t w = 0; w < width; ++w)
      if (error[w] < least[w]) {
        least[w] = error[w];
        best[w] = trial[w];
      }
  }

  int64_t width;
  std::vector<float> outlier, trial, error, least;
};

template <typename Body> void forEachRow(const GroupedPanels &form, Body body) {
  for (int64_t p = 0; p < form.panels; ++p)
    for (int64_t k = 0; k < form.depth; ++k)
      body(p, k, (p * form.depth + k) * form.width);
}

/// The index of the word that holds element [p, k, 0].
int64_t wordRow(const GroupedPanels &form, int64_t p, int64_t k) {
  int64_t words = (form.depth + nibbles - 1) / nibbles;
  return (p * words + k / nibbles) * form.width;
}
} // namespace

std::vector<float> chooseScales(const GroupedPanels &form, int64_t bits,
                                const float *weights) {
  std::vector<float> scales(form.scales());
  if (bits == 8) {
    forEachRow(form, [&](int64_t p, int64_t k, int64_t row) {
      float *greatest = &scales[form.scaleOf(p, k, 0)];
      for (int64_t w = 0; w < form.width; ++w)
        greatest[w] = std::max(greatest[w], std::fabs(weights[row + w]));
    });
    for (float &scale : scales)
      scale = byteScale(scale);
    return scales;
  }
  NibbleSearch search(form.width);
  for (int64_t p = 0; p < form.panels; ++p)
    for (int64_t k = 0; k < form.depth; k += form.group)
      search.run(weights + (p * form.depth + k) * form.width,
                 std::min(form.group, form.depth - k),
                 &scales[form.scaleOf(p, k, 0)]);
  return scales;
}

void quantizeToBytes(const GroupedPanels &form, const float *weights,
                     const float *scales, int8_t *stored) {
  forEachRow(form, [&](int64_t p, int64_t k, int64_t row) {
    const float *scale = scales + form.scaleOf(p, k, 0);
    for (int64_t w = 0; w < form.width; ++w)
      stored[row + w] =
          int8_t(level(weights[row + w], scale[w], -127.0f, 127.0f));
  });
}

void quantizeToWords(const GroupedPanels &form, const float *weights,
                     const float *scales, uint32_t *stored) {
  int64_t words = (form.depth + nibbles - 1) / nibbles;
  std::fill(stored, stored + form.panels * words * form.width, 0u);
  forEachRow(form, [&](int64_t p, int64_t k, int64_t row) {
    const float *scale = scales + form.scaleOf(p, k, 0);
    uint32_t *word = stored + wordRow(form, p, k);
    for (int64_t w = 0; w < form.width; ++w) {
      auto nibble = int32_t(level(weights[row + w], scale[w], -8.0f, 7.0f));
      word[w] |= (uint32_t(nibble) & 15u) << (k % nibbles * 4);
    }
  });
}

void dequantizeBytes(const GroupedPanels &form, const int8_t *stored,
                     const float *scales, float *weights) {
  forEachRow(form, [&](int64_t p, int64_t k, int64_t row) {
    const float *scale = scales + form.scaleOf(p, k, 0);
    for (int64_t w = 0; w < form.width; ++w)
      weights[row + w] = float(stored[row + w]) * scale[w];
  });
}

void dequantizeWords(const GroupedPanels &form, const uint32_t *stored,
                     const float *scales, float *weights) {
  forEachRow(form, [&](int64_t p, int64_t k, int64_t row) {
    const float *scale = scales + form.scaleOf(p, k, 0);
    const uint32_t *word = stored + wordRow(form, p, k);
    for (int64_t w = 0; w < form.width; ++w) {
      uint32_t bits = word[w] << (28 - k % nibbles * 4);
      weights[row + w] = float(int32_t(bits) >> 28) * scale[w];
    }
  });
}

} // namespace tenon
