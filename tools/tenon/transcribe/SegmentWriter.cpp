// A segment without text, such as one of silence, is left out except in JSON.
#include "tools/tenon/transcribe/SegmentWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

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
    return segments.push_back(
        {segment, {segment.ids, segment.ids + segment.count}, text, hasText});
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

/// Seconds with three places, others with as many as a float has; null if it is
/// unknown.
static void writeNumber(llvm::json::OStream &json, llvm::StringRef name,
                        double value, int places) {
  json.attributeBegin(name);
  if (std::isfinite(value))
    json.rawValue([&](llvm::raw_ostream &out) {
      out << llvm::format("%.*g", places, value);
    });
  else
    json.value(nullptr);
  json.attributeEnd();
}

/// Times are multiples of 0.01 s, and lengths are cut off after 0.001 s.
static void writeSeconds(llvm::json::OStream &json, llvm::StringRef name,
                         double seconds) {
  writeNumber(json, name, std::round(seconds * 1000) / 1000, 12);
}

void SegmentWriter::writeObject(llvm::json::OStream &json, const Told &told) {
  constexpr int placesOfFloats = 7;
  const tenon_segment &one = told.segment;
  json.object([&] {
    writeSeconds(json, "start", one.start);
    writeSeconds(json, "end", one.end);
    if (told.hasText)
      json.attribute("text", llvm::json::fixUTF8(told.text));
    json.attributeArray("ids", [&] {
      for (int64_t id : told.ids)
        json.value(id);
    });
    json.attribute("seek", one.seek);
    writeNumber(json, "temperature", one.temperature, placesOfFloats);
    writeNumber(json, "mean_logprob", one.mean_logprob, placesOfFloats);
    writeNumber(json, "compression_ratio", one.compression_ratio,
                placesOfFloats);
    writeNumber(json, "no_speech", one.no_speech, placesOfFloats);
  });
}

void SegmentWriter::finish(const std::string &language, double seconds) {
  if (format != "json")
    return;
  llvm::json::OStream json(out, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("schema", 1);
    json.attribute("language", language.empty() ? llvm::json::Value(nullptr)
                                                : llvm::json::Value(language));
    writeSeconds(json, "seconds", seconds);
    json.attributeArray("segments", [&] {
      for (const Told &told : segments)
        writeObject(json, told);
    });
  });
  json.flush();
  out << '\n';
}

} // namespace tenon::cli
