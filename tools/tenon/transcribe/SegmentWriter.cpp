// A segment without text, such as one of silence, is left out except in JSON.
#include "tools/tenon/transcribe/SegmentWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace tenon::cli {

/// Hours, minutes and seconds with three places. Subtitles always have hours.
static std::string formatPlace(double seconds, bool hasHours, char point) {
  int64_t time = std::llround(seconds * 1000);
  auto padded = [](int64_t n, int64_t width) {
    return llvm::utostr(width + n % width).substr(1);
  };
  std::string hours = time / 3600000 < 100 ? padded(time / 3600000, 100)
                                           : llvm::utostr(time / 3600000);
  return (hasHours || time >= 3600000 ? hours + ":" : "") +
         padded(time / 60000 % 60, 100) + ":" + padded(time / 1000 % 60, 100) +
         point + padded(time, 1000);
}

SegmentWriter::SegmentWriter(llvm::raw_ostream &out, std::string format,
                             bool hasTimes)
    : out(out), format(std::move(format)), hasTimes(hasTimes) {
  if (this->format == "vtt")
    out << "WEBVTT\n";
}

void SegmentWriter::add(const tenon_segment &segment, const std::string &text,
                        bool hasText) {
  if (format == "json")
    return addObject(segment, text, hasText);
  llvm::StringRef line = llvm::StringRef(text).trim();
  if (line.empty())
    return;
  ++count;
  if (format == "srt")
    out << (count > 1 ? "\n" : "") << count << '\n'
        << formatPlace(segment.start, true, ',') << " --> "
        << formatPlace(segment.end, true, ',') << '\n';
  else if (format == "vtt")
    out << '\n'
        << formatPlace(segment.start, true, '.') << " --> "
        << formatPlace(segment.end, true, '.') << '\n';
  else if (hasTimes)
    out << '[' << formatPlace(segment.start, false, '.') << " --> "
        << formatPlace(segment.end, false, '.') << "] ";
  out << line << '\n';
  out.flush();
}

static llvm::json::Value numberOrNull(float value) {
  return std::isfinite(value) ? llvm::json::Value(value)
                              : llvm::json::Value(nullptr);
}

/// Times are multiples of 0.01 s; binary fractions would show more places.
static double rounded(double seconds) {
  return std::round(seconds * 1000) / 1000;
}

void SegmentWriter::addObject(const tenon_segment &segment,
                              const std::string &text, bool hasText) {
  llvm::json::Object one{
      {"start", rounded(segment.start)},
      {"end", rounded(segment.end)},
      {"ids", llvm::json::Array(llvm::ArrayRef(segment.ids, segment.count))},
      {"seek", segment.seek},
      {"temperature", segment.temperature},
      {"mean_logprob", numberOrNull(segment.mean_logprob)},
      {"compression_ratio", numberOrNull(segment.compression_ratio)},
      {"no_speech", numberOrNull(segment.no_speech)}};
  if (hasText)
    one["text"] = llvm::json::fixUTF8(text);
  objects.push_back(std::move(one));
}

void SegmentWriter::finish(const std::string &language, double seconds) {
  if (format != "json")
    return;
  llvm::json::Object all{{"schema", 1},
                         {"seconds", rounded(seconds)},
                         {"segments", std::move(objects)}};
  all["language"] = language.empty() ? llvm::json::Value(nullptr)
                                     : llvm::json::Value(language);
  out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
}

} // namespace tenon::cli
