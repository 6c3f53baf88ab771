// The transform of all frames is one convolution: a frame is five blocks of 80
// samples, and frames begin two blocks apart. So frames, which overlap, are
// never copied. The sums are in f64: beside a loud tone, what they leave for
// other bands is smaller than the roundings of f32. The matrices are constants
// of the graph and no weights, which may be stored in fewer bits.
#include "compiler/import/huggingface/blocks/LogMel.h"

#include <cmath>

using namespace mlir;

namespace tenon::hf {
namespace {

constexpr int64_t frameLength = 400, block = 80, blocksPerFrame = 5;
constexpr int64_t frequencies = frameLength / 2 + 1;
constexpr double highestFrequency = 8000;
/// Samples that the last frame reads after its hop.
constexpr int64_t tail = melReach - melHop;
static_assert(block * blocksPerFrame == frameLength && block * 2 == melHop);

double hertz(double mel) {
  constexpr double linearEnd = 15, perMel = 200.0 / 3;
  if (mel < linearEnd)
    return perMel * mel;
  return linearEnd * perMel * std::exp(std::log(6.4) / 27 * (mel - linearEnd));
}

/// Hann's window times the cosines, then the sines, of each frequency:
/// [frameLength, 2 frequencies].
Value transformMatrix(GraphBuilder &g) {
  constexpr double turn = 2 * M_PI / frameLength;
  std::vector<double> matrix;
  matrix.reserve(frameLength * 2 * frequencies);
  for (int64_t sample = 0; sample < frameLength; ++sample) {
    double window = 0.5 - 0.5 * std::cos(turn * double(sample));
    for (bool sine : {false, true})
      for (int64_t k = 0; k < frequencies; ++k) {
        double angle = turn * double(sample * k % frameLength);
        matrix.push_back(window * (sine ? std::sin(angle) : std::cos(angle)));
      }
  }
  return g.floats(g.ops.getF64Type(), matrix,
                  {blocksPerFrame, block, 2 * frequencies});
}

/// The power of each frame at each frequency, [frames, frequencies].
Value power(GraphBuilder &g, Value samples, Size frames) {
  Size blocks = g.add(g.mul(frames, g.index(2)), g.index(blocksPerFrame - 2));
  Value image = g.reshape(g.convert(samples, g.ops.getF64Type()),
                          {g.index(1), blocks, g.index(block)});
  auto type = RankedTensorType::get(
      {1, GraphBuilder::staticSize(frames).value_or(ShapedType::kDynamic),
       2 * frequencies},
      g.ops.getF64Type());
  Value spectrum = ConvolutionOp::create(
      g.ops, g.loc, type, image, transformMatrix(g), ArrayRef<int64_t>{2},
      ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1},
      uint64_t(1));
  g.recordSizes(spectrum, {g.index(1), frames, g.index(2 * frequencies)});
  spectrum = g.convert(g.squeeze(spectrum, {0}), g.f32());
  Value squares = g.mul(spectrum, spectrum);
  auto part = [&](int64_t first) {
    return g.sliceDim(squares, 1, g.index(first), g.index(frequencies));
  };
  return g.add(part(0), part(frequencies));
}

/// The samples that the frames read: half a frame before the sound, its whole
/// hops, and the rest of the last frame.
Value framedSamples(GraphBuilder &g, const Sound &sound, Size hops) {
  // `count` samples from `first` on, relative to the sound's first one.
  auto edge = [&](Size first, int64_t count) {
    Value last =
        g.fromSize(g.sub(g.size(sound.samples, 0), g.index(1)), g.i64());
    Value place = g.add(g.iota(g.i64(), {g.index(count)}, 0),
                        g.fromSize(g.add(sound.before, first), g.i64()));
    // Mirrored at the first and the last sample.
    place = g.make<AbsOp>(place);
    place = g.sub(last, g.make<AbsOp>(g.sub(last, place)));
    return g.take(sound.samples, place, 0);
  };
  Value whole = g.sliceDim(sound.samples, 0, sound.before, hops);
  return g.concat({edge(g.index(-melReach), melReach), whole, edge(hops, tail)},
                  0);
}

/// Ends the run unless frames can be made of `sound`.
void check(GraphBuilder &g, const Sound &sound) {
  Size count = g.size(sound.samples, 0), none = g.index(0);
  // With fewer samples a mirror image would need another.
  g.checkSize(count, g.index(melReach + 1), g.index(INT64_MAX),
              "input \"samples\": samples and neighbours");
  auto neighbours = [&](Size size, Size most, const char *site) {
    Size least = g.select(g.cmp(arith::CmpIPredicate::sgt, size, none),
                          g.index(melReach), none);
    g.checkSize(size, least, most, site);
  };
  neighbours(sound.before, g.sub(count, g.index(melHop)),
             "input \"before\": none or half a frame, and a hop after them");
  neighbours(sound.after, g.sub(g.sub(count, g.index(melHop)), sound.before),
             "input \"after\": none or half a frame, and a hop before them");
}
} // namespace

std::vector<double> melFilters(int64_t bins) {
  // The mel value of 8000 Hz.
  const double top =
      15 + 27 * std::log(highestFrequency / 1000) / std::log(6.4);
  std::vector<double> edges;
  for (int64_t i = 0; i < bins + 2; ++i)
    edges.push_back(hertz(top * double(i) / double(bins + 1)));
  std::vector<double> filters;
  filters.reserve(bins * frequencies);
  for (int64_t i = 0; i < bins; ++i) {
    double low = edges[i], middle = edges[i + 1], high = edges[i + 2];
    for (int64_t k = 0; k < frequencies; ++k) {
      double f = highestFrequency * double(k) / double(frequencies - 1);
      double height =
          std::min((f - low) / (middle - low), (high - f) / (high - middle));
      filters.push_back(std::max(0.0, height) * 2 / (high - low));
    }
  }
  return filters;
}

LogMel logMel(GraphBuilder &g, const Sound &sound, int64_t bins) {
  check(g, sound);
  Size count = g.size(sound.samples, 0);
  Sound within = {sound.samples, g.clamp(sound.before, g.index(0), count),
                  g.clamp(sound.after, g.index(0), count)};
  Size own = g.sub(g.sub(count, within.before), within.after);
  Size most = g.floorDiv(count, g.index(melHop));
  Size frames = g.clamp(g.floorDiv(own, g.index(melHop)), g.index(0), most);
  Value samples = framedSamples(g, within, g.mul(frames, g.index(melHop)));
  Value filters = g.floats(g.f32(), melFilters(bins), {bins, frequencies});
  Value mel =
      g.dotGeneral(filters, power(g, samples, frames), {}, {}, {1}, {1});
  LogMel result;
  result.features =
      g.mul(g.make<LogOp>(g.maximum(mel, 1e-10)), 1 / std::log(10.0));
  result.greatest =
      g.reduce(ReduceKind::Maximum, result.features, {0, 1}, false);
  return result;
}

Value scaledFeatures(GraphBuilder &g, Value features, Value greatest) {
  Value least = g.unsqueeze(g.sub(greatest, 8.0), {1, 2});
  return g.mul(g.add(g.binary<MaximumOp>(features, least), 4.0), 0.25);
}

} // namespace tenon::hf
