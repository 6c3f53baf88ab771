// Memory saved and precision lost by storing weights in fewer bits, summed over
// one compilation.
#ifndef TENON_COMPILER_REPORT_QUANTIZATIONREPORT_H
#define TENON_COMPILER_REPORT_QUANTIZATIONREPORT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace tenon {

/// The quantization error of one weight, or of several weights together.
struct QuantizationLoss {
  int64_t elements = 0;
  double squares = 0, squaredErrors = 0;
  double greatest = 0, greatestError = 0;
  bool finite = true; ///< all weights, and their stored values

  void add(double weight, double stored) {
    double error = std::fabs(weight - stored);
    ++elements;
    squares += weight * weight;
    squaredErrors += error * error;
    greatest = std::max(greatest, std::fabs(weight));
    greatestError = std::max(greatestError, error);
    finite &= std::isfinite(weight) && std::isfinite(stored);
  }
  /// Root mean square of the errors, relative to that of the elements.
  double rms() const {
    return squares > 0 ? std::sqrt(squaredErrors / squares) : 0;
  }
  /// The largest error, relative to the largest element.
  double maximum() const { return greatest > 0 ? greatestError / greatest : 0; }
};

struct QuantizationReport {
  int64_t quantized = 0, weights = 0; ///< number of weights with more than one
                                      ///< dimension
  int64_t bytesBefore = 0, bytes = 0; ///< bytes of all weights, as f32 and as
                                      ///< stored
  double maximum = 0;                 ///< largest error of any weight
  double squares = 0, squaredErrors = 0;
  std::string worst; ///< the weight with the greatest rms error
  double worstRms = 0;

  void add(const std::string &weight, const QuantizationLoss &loss) {
    ++quantized;
    maximum = std::max(maximum, loss.maximum());
    squares += loss.squares;
    squaredErrors += loss.squaredErrors;
    if (worst.empty() || loss.rms() > worstRms) {
      worst = weight;
      worstRms = loss.rms();
    }
  }
  double rms() const {
    return squares > 0 ? std::sqrt(squaredErrors / squares) : 0;
  }
};

} // namespace tenon

#endif // TENON_COMPILER_REPORT_QUANTIZATIONREPORT_H
