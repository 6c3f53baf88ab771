// The key `decoder`. After the step that joins tokens only ends may be
// stripped: other steps would need the whole text.
#include "tokenizers/ReadParts.h"

namespace tenon::tokenizers {

namespace {
/// A decoder in the making.
struct Reading {
  Decoder result;
  bool isJoined = false;
  Findings &findings;
};
} // namespace

static void addTokenStep(const Fields &fields, Decoder::TokenStep step,
                         Reading &reading) {
  if (reading.isJoined)
    fields.refuse("type", "Strip or nothing after the step that joins tokens");
  reading.result.tokenSteps.push_back(std::move(step));
}

static void addStrip(const Fields &fields, Reading &reading) {
  StripEnds strip{readCharacter(fields, "content"), 0, 0};
  for (auto [key, count] :
       {std::pair("start", &strip.start), std::pair("stop", &strip.stop)}) {
    int64_t value = fields.integer(key);
    if (value < 0 || value > 1024)
      fields.refuse(key, "a number from 0 to 1024");
    else
      *count = value;
  }
  if (reading.isJoined)
    reading.result.textSteps.push_back(std::move(strip));
  else
    reading.result.tokenSteps.push_back(std::move(strip));
}

static void join(const Fields &fields, Decoder::Join how, Reading &reading) {
  if (!reading.isJoined)
    reading.result.join = how;
  else if (how != Decoder::Join::Directly)
    fields.refuse("type", "Strip or nothing after the step that joins tokens");
  reading.isJoined = true;
}

static void addDecoder(const JsonValue &value, const std::string &place,
                       int depth, Reading &reading) {
  Fields fields(value, place, reading.findings);
  std::string_view type = fields.text("type");
  if (type == "Sequence") {
    if (depth == maxNestedSteps)
      return reading.findings.limit(place, "expected sequences at most " +
                                               std::to_string(maxNestedSteps) +
                                               " deep");
    std::span<const JsonValue> steps = fields.list("decoders");
    for (size_t i = 0; i < steps.size(); ++i)
      addDecoder(steps[i],
                 fields.placeOf("decoders") + "[" + std::to_string(i) + "]",
                 depth + 1, reading);
  } else if (type == "ByteLevel") {
    join(fields, Decoder::Join::AsBytes, reading);
  } else if (type == "Fuse") {
    join(fields, Decoder::Join::Directly, reading);
  } else if (type == "ByteFallback") {
    addTokenStep(fields, BytesFromTokens(), reading);
  } else if (type == "Strip") {
    addStrip(fields, reading);
  } else if (type == "Replace") {
    std::string content(fields.text("content"));
    if (std::optional<Pattern> pattern = readPattern(fields))
      addTokenStep(fields,
                   ReplaceInToken{std::move(*pattern), std::move(content)},
                   reading);
  } else if (type == "Metaspace") {
    bool never = fields.text("prepend_scheme", "always") == "never" ||
                 !fields.boolean("add_prefix_space", true);
    addTokenStep(fields,
                 SpacesFromMarks{readCharacter(fields, "replacement"), never},
                 reading);
  } else if (value.find("type") && value.find("type")->isText()) {
    fields.refuse("type", "one of Sequence, ByteLevel, Fuse, ByteFallback, "
                          "Strip, Replace, Metaspace");
  }
}

Decoder readDecoder(const JsonValue &value, Findings &findings) {
  Reading reading{{}, false, findings};
  if (value.isNull())
    return std::move(reading.result);
  reading.result.join = Decoder::Join::Directly;
  addDecoder(value, "decoder", 0, reading);
  return std::move(reading.result);
}

} // namespace tenon::tokenizers
