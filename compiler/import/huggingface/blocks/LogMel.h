// The spectrogram that Whisper's encoder reads: the power of sound at 16 kHz in
// bands of the mel scale, as a logarithm, every 10 ms.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOGMEL_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOGMEL_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// Samples from one frame to the next.
constexpr int64_t melHop = 160;
/// Samples at either end of an input that frames may reach: half a frame.
constexpr int64_t melReach = 200;

/// Slaney's filters, [bins, 201] in row-major order: triangles between bands
/// that are equally far apart in mel, each of area one. The columns are
/// frequencies from 0 to 8000 Hz.
std::vector<double> melFilters(int64_t bins);

/// A part of a recording, of rank 1, with its neighbours: so many samples
/// `before` and `after` are not part of it. Without neighbours the recording
/// begins or ends there and is continued by its mirror image.
struct Sound {
  mlir::Value samples;
  Size before, after;
};

struct LogMel {
  /// f32 [bins, frames]: log10 of the power, at least -10.
  mlir::Value features;
  mlir::Value greatest; ///< f32, of all features
};

/// The frames of `sound`, one for each whole hop. A fault reports a part of
/// less than one hop and neighbours that do not reach half a frame.
LogMel logMel(GraphBuilder &g, const Sound &sound, int64_t bins);

/// Features as the encoder reads them: `features`, [1, bins, frames], no more
/// than 8 below `greatest`, [1], which is that of the whole recording.
mlir::Value scaledFeatures(GraphBuilder &g, mlir::Value features,
                           mlir::Value greatest);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_LOGMEL_H
