// Compares the features of sound with a transform in f64, over whole recordings
// and over parts of them.
#include "compiler/import/huggingface/blocks/LogMel.h"
#include "compiler/import/ModelImporter.h"
#include "compiler/oracle/Oracle.h"
#include "test/unit/generation/CompiledStep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;

namespace tenon::test {
namespace {

using namespace hf;

constexpr int64_t frequencies = 201;

class FeatureImporter : public ModelImporter {
public:
  FeatureImporter(MLIRContext &context, const DiagnosticHandler &report)
      : ModelImporter(context, "sound", report) {}

  OwningOpRef<ModuleOp> run(int64_t bins) {
    begin("test");
    auto scalar = RankedTensorType::get({}, g.i64());
    func::FuncOp entry = beginEntry(
        "features",
        {{"samples", RankedTensorType::get({ShapedType::kDynamic}, g.f32()),
          g.ops.getArrayAttr({g.ops.getStringAttr("samples")})},
         {"before", scalar, g.ops.getArrayAttr({})},
         {"after", scalar, g.ops.getArrayAttr({})}});
    auto size = [&](unsigned i) -> Size {
      return g.make<arith::IndexCastOp>(g.ops.getIndexType(),
                                        g.extractScalar(entry.getArgument(i)));
    };
    LogMel result = logMel(g, {entry.getArgument(0), size(1), size(2)}, bins);
    endEntry(entry, {result.features, result.greatest},
             {"features", "greatest"});
    return finish();
  }
};

struct Features {
  int64_t frames;
  std::vector<double> values; ///< [bins, frames]
  double greatest;
};

class SpeechFeatures : public testing::TestWithParam<int> {
protected:
  SpeechFeatures() : bins(GetParam()) {
    loadImportDialects(context);
    DiagnosticHandler report = [](const Diagnostic &diagnostic) {
      ADD_FAILURE() << formatDiagnostic(diagnostic);
    };
    module = FeatureImporter(context, report).run(bins);
  }

  SmallVector<HostTensor> inputs(const std::vector<float> &samples,
                                 int64_t before, int64_t after) {
    Builder b(&context);
    HostTensor sound =
        HostTensor::zeros(b.getF32Type(), int64_t(samples.size()));
    std::copy(samples.begin(), samples.end(), sound.floats.begin());
    SmallVector<HostTensor> all = {sound};
    for (int64_t number : {before, after}) {
      all.push_back(HostTensor::zeros(b.getI64Type(), {}));
      all.back().ints[0] = number;
    }
    return all;
  }

  Features run(const std::vector<float> &samples, int64_t before = 0,
               int64_t after = 0) {
    if (!compiled)
      compiled = std::make_unique<CompiledStep>(*module);
    Type f32 = Builder(&context).getF32Type();
    std::vector<HostTensor> found =
        compiled->run("features", inputs(samples, before, after), {f32, f32});
    EXPECT_EQ(found[0].shape[0], bins);
    return {found[0].shape[1],
            {found[0].floats.begin(), found[0].floats.end()},
            found[1].floats[0]};
  }

  std::string fault(size_t samples, int64_t before, int64_t after) {
    auto done = evaluate(module->lookupSymbol<func::FuncOp>("features"),
                         inputs(std::vector<float>(samples), before, after));
    return done ? "" : llvm::toString(done.takeError());
  }

  /// The features of a whole recording in f64.
  Features reference(const std::vector<float> &samples) const {
    std::vector<double> cosines(400), sines(400), window(400);
    for (int64_t i = 0; i < 400; ++i) {
      cosines[i] = std::cos(2 * M_PI * double(i) / 400);
      sines[i] = std::sin(2 * M_PI * double(i) / 400);
      window[i] = 0.5 - 0.5 * cosines[i];
    }
    int64_t count = int64_t(samples.size()), frames = count / 160;
    std::vector<double> filters = melFilters(bins);
    Features result{frames, std::vector<double>(bins * frames), -10};
    for (int64_t frame = 0; frame < frames; ++frame) {
      std::vector<double> part(400), power(frequencies);
      for (int64_t i = 0; i < 400; ++i) {
        int64_t place = std::abs(frame * 160 - 200 + i);
        place = count - 1 - std::abs(count - 1 - place);
        part[i] = window[i] * double(samples[place]);
      }
      for (int64_t k = 0; k < frequencies; ++k) {
        double real = 0, imaginary = 0;
        for (int64_t i = 0, turn = 0; i < 400; ++i, turn = (turn + k) % 400) {
          real += part[i] * cosines[turn];
          imaginary += part[i] * sines[turn];
        }
        power[k] = real * real + imaginary * imaginary;
      }
      for (int64_t bin = 0; bin < bins; ++bin) {
        double sum =
            std::inner_product(power.begin(), power.end(),
                               filters.begin() + bin * frequencies, 0.0);
        double value = std::log10(std::max(sum, 1e-10));
        result.values[bin * frames + frame] = value;
        result.greatest = std::max(result.greatest, value);
      }
    }
    return result;
  }

  /// The greatest difference between features as the encoder gets them.
  static double difference(const Features &a, const Features &b) {
    auto scaled = [](const Features &x, size_t i) {
      return (std::max(x.values[i], x.greatest - 8) + 4) / 4;
    };
    double greatest = 0;
    for (size_t i = 0; i < a.values.size(); ++i)
      greatest = std::max(greatest, std::abs(scaled(a, i) - scaled(b, i)));
    return greatest;
  }

  int64_t bins;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<CompiledStep> compiled;
};

std::vector<float> noise(int64_t count, double height) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, height);
  std::vector<float> samples(count);
  for (float &sample : samples)
    sample = float(normal(random));
  return samples;
}

/// `function` of the time in seconds.
template <typename Function>
std::vector<float> sound(int64_t count, const Function &function) {
  std::vector<float> samples(count);
  for (int64_t i = 0; i < count; ++i)
    samples[i] = float(function(double(i) / 16000));
  return samples;
}

TEST(SpeechFilters, HaveTheSumsOfSlaneysFormulas) {
  for (auto [bins, element, sum] : {std::tuple(80, 0.02486259, 1.99902410),
                                    std::tuple(128, 0.01237399, 3.19098553)}) {
    std::vector<double> filters = melFilters(bins);
    ASSERT_EQ(int64_t(filters.size()), bins * frequencies);
    EXPECT_NEAR(filters[1], element, 1e-8);
    EXPECT_NEAR(std::accumulate(filters.begin(), filters.end(), 0.0), sum,
                1e-8);
    for (int64_t bin = 0; bin < bins; ++bin) {
      auto row = filters.begin() + bin * frequencies;
      EXPECT_GT(*std::max_element(row, row + frequencies), 0) << bin;
      EXPECT_NEAR(row[frequencies - 1], 0, 1e-12);
    }
  }
}

TEST_P(SpeechFeatures, AreThoseOfF64) {
  auto tone = [](double hertz) {
    return [=](double t) { return 0.9 * std::sin(2 * M_PI * hertz * t); };
  };
  auto sweep = [](double t) {
    return 0.8 * std::sin(2 * M_PI * (20 * t + 1330 * t * t));
  };
  auto clicks = [](double t) { return std::fmod(t, 0.251) < 5e-5 ? 0.9 : 0; };
  auto burst = [&](double t) {
    return std::fmod(t, 0.6) < 0.3 ? 0 : 0.7 * std::sin(3286 * t);
  };
  std::pair<const char *, std::vector<float>> sounds[] = {
      {"noise", noise(48000, 0.1)},
      {"quiet noise", noise(16123, 1e-4)},
      {"tone", sound(32000, tone(440))},
      {"high tone", sound(32000, tone(7333.3))},
      {"sweep", sound(48000, sweep)},
      {"clicks", sound(32159, clicks)},
      {"bursts", sound(32000, burst)},
      {"silence", std::vector<float>(16000)},
      {"offset", std::vector<float>(8000, 0.5f)},
      {"shortest", noise(201, 0.1)},
      {"one hop", noise(319, 0.1)},
      {"two hops", noise(320, 0.1)},
      {"no reflection at the end", noise(16000 + 40, 0.1)},
      {"30 s", sound(480000, sweep)}};
  for (const auto &[name, samples] : sounds) {
    Features found = run(samples), expected = reference(samples);
    ASSERT_EQ(found.frames, int64_t(samples.size()) / 160) << name;
    EXPECT_LE(difference(found, expected), 2e-6) << name;
    EXPECT_EQ(found.greatest,
              *std::max_element(found.values.begin(), found.values.end()))
        << name;
  }
}

TEST_P(SpeechFeatures, OfPartsAreTheWholesBits) {
  std::vector<float> samples = noise(16000 + 77, 0.1);
  Features whole = run(samples);
  // First frames and frames of a part, whose neighbours are given.
  for (auto [first, frames, before, after] :
       {std::array<int64_t, 4>{0, 30, 0, 200},
        {30, 37, 200, 200},
        {67, 33, 203, 0},
        {99, 1, 200, 0},
        {2, 97, 320, 237}}) {
    int64_t begin = first * 160, end = begin + frames * 160;
    if (after == 0)
      end = int64_t(samples.size());
    std::vector<float> part(samples.begin() + begin - before,
                            samples.begin() + end + after);
    Features found = run(part, before, after);
    ASSERT_EQ(found.frames, frames);
    for (int64_t bin = 0; bin < bins; ++bin)
      for (int64_t i = 0; i < frames; ++i)
        ASSERT_EQ(found.values[bin * frames + i],
                  whole.values[bin * whole.frames + first + i])
            << first << " " << bin << " " << i;
  }
}

TEST_P(SpeechFeatures, FaultsNameTheInput) {
  auto expectFault = [&](size_t samples, int64_t before, int64_t after,
                         const char *words) {
    std::string text = fault(samples, before, after);
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
  };
  EXPECT_EQ(fault(201, 0, 0), "");
  EXPECT_EQ(fault(560, 200, 200), "");
  expectFault(0, 0, 0, "\"samples\"");
  expectFault(200, 0, 0, "\"samples\"");
  expectFault(1000, 199, 0, "\"before\"");
  expectFault(1000, -1, 0, "\"before\"");
  expectFault(1000, 841, 0, "\"before\"");
  expectFault(1000, INT64_MAX, 0, "\"before\"");
  expectFault(1000, 0, 1, "\"after\"");
  expectFault(1000, 300, 541, "\"after\"");
  expectFault(1000, 300, INT64_MAX, "\"after\"");
}

INSTANTIATE_TEST_SUITE_P(Bins, SpeechFeatures, testing::Values(80, 128),
                         [](const auto &info) {
                           return std::to_string(info.param);
                         });
} // namespace
} // namespace tenon::test
