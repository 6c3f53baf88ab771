// Tests quantized weights: rounding, saturation and scales.
#include "compiler/artifact/Quantizer.h"

#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <vector>

using namespace tenon;

namespace {
std::vector<float> backFromBytes(const GroupedPanels &form,
                                 const std::vector<float> &weights,
                                 const std::vector<float> &scales) {
  std::vector<int8_t> stored(weights.size());
  quantizeToBytes(form, weights.data(), scales.data(), stored.data());
  std::vector<float> back(weights.size());
  dequantizeBytes(form, stored.data(), scales.data(), back.data());
  return back;
}

std::vector<float> backFromWords(const GroupedPanels &form,
                                 const std::vector<float> &weights,
                                 const std::vector<float> &scales) {
  std::vector<uint32_t> stored(form.panels * ((form.depth + 7) / 8) *
                               form.width);
  quantizeToWords(form, weights.data(), scales.data(), stored.data());
  std::vector<float> back(weights.size());
  dequantizeWords(form, stored.data(), scales.data(), back.data());
  return back;
}
using Floats = std::vector<float>;
} // namespace

TEST(Quantizer, BytesRoundToNearestEvenAndSaturate) {
  GroupedPanels form{1, 8, 1, 8};
  Floats weights{0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 126.5f, 1e30f, -1e30f};
  EXPECT_EQ(backFromBytes(form, weights, {1.0f}),
            (Floats{0, 2, 2, -0.0f, -2, 126, 127, -127}));
}

TEST(Quantizer, NibblesRoundToNearestEvenAndSaturate) {
  GroupedPanels form{1, 9, 1, 16};
  Floats weights{0.5f, 1.5f, 2.5f, -0.5f, -7.5f, 6.5f, 7.9f, -1e30f, 3.0f};
  EXPECT_EQ(backFromWords(form, weights, {1.0f}),
            (Floats{0, 2, 2, -0.0f, -8, 6, 7, -8, 3}));
}

TEST(Quantizer, TheGreatestMagnitudeOfAGroupIsExactInBytes) {
  // Two columns, groups of 8 and 2.
  GroupedPanels form{1, 10, 2, 8};
  Floats weights(20, 0.25f);
  weights[2] = -127.0f; // column 0, group 0
  weights[17] = 254.0f; // column 1, group 1
  Floats scales = chooseScales(form, 8, weights.data());
  ASSERT_EQ(scales.size(), 4u);
  EXPECT_EQ(scales[0], 1.0f);
  EXPECT_EQ(scales[1], 0.25f / 127.0f);
  EXPECT_EQ(scales[2], 0.25f / 127.0f);
  EXPECT_EQ(scales[3], 2.0f);
}

TEST(Quantizer, GroupsOfZerosStayZero) {
  GroupedPanels form{1, 8, 2, 8};
  Floats weights(16, 0.0f);
  for (int bits : {8, 4}) {
    Floats scales = chooseScales(form, bits, weights.data());
    EXPECT_EQ(scales, Floats(2, 0.0f));
    EXPECT_EQ(bits == 8 ? backFromBytes(form, weights, scales)
                        : backFromWords(form, weights, scales),
              weights);
  }
}

TEST(Quantizer, DenormalAndHugeWeightsHaveScales) {
  GroupedPanels form{1, 8, 1, 8};
  float least = std::numeric_limits<float>::denorm_min(),
        most = std::numeric_limits<float>::max();
  for (float greatest : {least, 40 * least, 90 * least, 1e-40f, most}) {
    Floats weights(8, 0.0f);
    weights[3] = greatest;
    Floats scales = chooseScales(form, 8, weights.data());
    Floats back = backFromBytes(form, weights, scales);
    EXPECT_TRUE(std::isfinite(back[3]));
    EXPECT_LE(std::fabs(back[3] - greatest), scales[0]);
    back = backFromWords(form, weights, chooseScales(form, 4, weights.data()));
    EXPECT_TRUE(std::isfinite(back[3]));
    EXPECT_LE(std::fabs(double(back[3]) - greatest), 0.01 * greatest + 1e-39);
  }
}

TEST(Quantizer, NibbleScalesAreNoWorseThanThePlainOne) {
  GroupedPanels form{2, 64, 16, 32};
  Floats weights(2 * 64 * 16);
  uint32_t seed = 1;
  for (float &weight : weights) {
    weight = 0;
    for (int i = 0; i < 4; ++i) {
      seed = seed * 1664525u + 1013904223u;
      weight += float(int32_t(seed)) / float(1u << 31);
    }
  }
  Floats chosen = chooseScales(form, 4, weights.data()), plain(chosen.size());
  for (int64_t p = 0; p < 2; ++p)
    for (int64_t k = 0; k < 64; ++k)
      for (int64_t w = 0; w < 16; ++w) {
        float &scale = plain[form.scaleOf(p, k, w)];
        scale =
            std::max(scale, std::fabs(weights[(p * 64 + k) * 16 + w]) / 7.0f);
      }
  auto error = [&](const Floats &scales) {
    Floats back = backFromWords(form, weights, scales);
    double sum = 0;
    for (size_t i = 0; i < back.size(); ++i)
      sum += (back[i] - weights[i]) * (back[i] - weights[i]);
    return sum;
  };
  EXPECT_LT(error(chosen), 0.85 * error(plain));
}
