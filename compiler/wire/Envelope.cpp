// One pass over the file in byte order. The recursion depth is the nesting of
// messages, which has a limit.
#include "compiler/wire/Envelope.h"

#include "compiler/report/Utf8.h"

#include <bit>
#include <cstring>

namespace tenon::wire {

static_assert(std::endian::native == std::endian::little,
              "records and payloads are copied as little-endian numbers");

std::string PayloadRecord::encode() const {
  std::string out(sizeof(PayloadRecord), '\0');
  std::memcpy(out.data(), this, sizeof(PayloadRecord));
  return out;
}

PayloadRecord PayloadRecord::decode(std::string_view bytes) {
  PayloadRecord record;
  std::memcpy(&record, bytes.data(), sizeof(PayloadRecord));
  return record;
}

namespace {

/// The size of a nested message's length in the skeleton. The length is written
/// after the message, so its varint always takes this many bytes.
constexpr size_t lengthBytes = 5;

WireType wireTypeOf(FieldKind kind) {
  switch (kind) {
  case FieldKind::Varint:
    return WireType::Varint;
  case FieldKind::Fixed32:
    return WireType::Fixed32;
  case FieldKind::Fixed64:
    return WireType::Fixed64;
  default:
    return WireType::Length;
  }
}

class EnvelopeWalk {
public:
  EnvelopeWalk(const EnvelopeLimits &limits) : limits(limits) {}

  void message(const MessageSchema &schema, std::span<const std::byte> bytes,
               uint64_t base, unsigned depth, unsigned nesting);

  std::string out;

private:
  struct Level {
    const MessageSchema &schema;
    WireReader reader;
    unsigned depth;
    unsigned nesting;
    /// The number of entries seen of each repeated field with a limit.
    std::map<uint32_t, uint64_t> entries;
    /// The current run of unpacked payload elements, which the next field may
    /// extend.
    std::optional<PayloadRecord> run;
  };

  void field(Level &level);
  void lengthDelimited(Level &level, const FieldSchema &schema, uint64_t start);
  void packed(Level &level, const FieldSchema &schema,
              std::span<const std::byte> bytes, uint64_t start);
  void number(Level &level, const FieldSchema &schema, uint64_t start);
  void text(Level &level, const FieldSchema &schema, std::string_view text,
            uint64_t start);
  void nested(Level &level, const FieldSchema &schema,
              std::span<const std::byte> bytes, uint64_t start);

  void count(Level &level, const FieldSchema &schema, uint64_t more,
             uint64_t start);
  void countPart(Level &level, uint64_t start);
  void flush(Level &level);
  void locate(Level &level, const PayloadRecord &record);
  void append(uint32_t field, WireType type, std::string_view value);
  static std::string describe(const Level &level, const FieldSchema &schema) {
    return std::string(level.schema.name) + "." + schema.name;
  }

  const EnvelopeLimits &limits;
  uint64_t parts = 0;
  std::map<const MessageSchema *, uint64_t> totals;
};

void EnvelopeWalk::append(uint32_t field, WireType type,
                          std::string_view value) {
  appendVarint(out, uint64_t(field) << 3 | uint64_t(type));
  if (type == WireType::Length)
    appendVarint(out, value.size());
  out += value;
}

void EnvelopeWalk::locate(Level &level, const PayloadRecord &record) {
  append(level.schema.payloadRecord, WireType::Length, record.encode());
}

void EnvelopeWalk::flush(Level &level) {
  if (level.run)
    locate(level, *level.run);
  level.run.reset();
}

void EnvelopeWalk::count(Level &level, const FieldSchema &schema, uint64_t more,
                         uint64_t start) {
  if (schema.limit.max == UINT64_MAX)
    return;
  uint64_t &seen = level.entries[schema.number];
  seen += more;
  if (seen > schema.limit.max)
    level.reader.fail(start,
                      describe(level, schema) + ": expected " +
                          schema.limit.what + " of at most " +
                          std::to_string(schema.limit.max) + ", got " +
                          (more > 1 ? std::to_string(seen) : "more"),
                      Status::Limit);
}

void EnvelopeWalk::countPart(Level &level, uint64_t start) {
  if (++parts > limits.parts)
    level.reader.fail(start,
                      "expected at most " + std::to_string(limits.parts) +
                          " messages and strings in a file, got more",
                      Status::Limit);
}

void EnvelopeWalk::message(const MessageSchema &schema,
                           std::span<const std::byte> bytes, uint64_t base,
                           unsigned depth, unsigned nesting) {
  Level level{schema, WireReader(bytes, base), depth, nesting, {}, {}};
  while (!level.reader.atEnd())
    field(level);
  flush(level);
}

void EnvelopeWalk::field(Level &level) {
  WireReader &reader = level.reader;
  uint64_t start = reader.offset();
  Tag tag = reader.readTag();
  const FieldSchema *schema = nullptr;
  for (const FieldSchema &candidate : level.schema.fields)
    if (candidate.number == tag.field)
      schema = &candidate;

  if (!schema) {
    reader.skip(tag, limits.depth);
    return;
  }
  if (schema->use == FieldUse::Refuse) {
    // Some writers write absent fields explicitly, with an empty value.
    uint64_t value = reader.offset();
    reader.skip(tag, limits.depth);
    if (reader.offset() - value > 1)
      reader.fail(start,
                  describe(level, *schema) +
                      " belongs to a later version of the format and cannot be "
                      "ignored",
                  Status::Unsupported);
    return;
  }
  if (level.run && level.run->field != tag.field)
    flush(level);

  WireType wanted = wireTypeOf(schema->kind);
  if (tag.type == WireType::Length && wanted != WireType::Length &&
      schema->repeated) {
    packed(level, *schema, reader.readLengthDelimited(), start);
    return;
  }
  if (tag.type != wanted)
    reader.fail(start, describe(level, *schema) + ": expected wire type " +
                           std::to_string(int(wanted)) + ", got " +
                           std::to_string(int(tag.type)));
  if (wanted == WireType::Length)
    lengthDelimited(level, *schema, start);
  else
    number(level, *schema, start);
}

void EnvelopeWalk::number(Level &level, const FieldSchema &schema,
                          uint64_t start) {
  WireReader &reader = level.reader;
  uint64_t value = 0;
  if (schema.kind == FieldKind::Varint)
    value = reader.readVarint();
  else if (schema.kind == FieldKind::Fixed32)
    value = reader.readFixed32();
  else
    value = reader.readFixed64();
  if (value > schema.maxValue)
    reader.fail(start, describe(level, schema) + ": expected at most " +
                           std::to_string(schema.maxValue) + ", got " +
                           std::to_string(value));
  if (schema.repeated)
    count(level, schema, 1, start);

  if (schema.use == FieldUse::Payload) {
    if (!level.run)
      level.run = PayloadRecord{schema.number, 0, start, 0, 0};
    // An unknown field in between ends the run.
    if (level.run->offset + level.run->length != start) {
      flush(level);
      level.run = PayloadRecord{schema.number, 0, start, 0, 0};
    }
    level.run->length = reader.offset() - level.run->offset;
    ++level.run->count;
    return;
  }
  if (schema.use == FieldUse::Drop)
    return;
  if (schema.kind == FieldKind::Varint) {
    std::string text;
    appendVarint(text, value);
    append(schema.number, WireType::Varint, text);
    return;
  }
  std::string raw(schema.kind == FieldKind::Fixed32 ? 4 : 8, '\0');
  std::memcpy(raw.data(), &value, raw.size());
  append(schema.number, wireTypeOf(schema.kind), raw);
}

void EnvelopeWalk::packed(Level &level, const FieldSchema &schema,
                          std::span<const std::byte> bytes, uint64_t start) {
  WireReader &reader = level.reader;
  uint64_t base = reader.offset() - bytes.size(), elements = 0;
  if (schema.kind == FieldKind::Varint) {
    WireReader inner(bytes, base);
    for (; !inner.atEnd(); ++elements)
      inner.readVarint();
  } else {
    unsigned size = schema.kind == FieldKind::Fixed32 ? 4 : 8;
    if (bytes.size() % size != 0)
      reader.fail(base, describe(level, schema) + ": expected a multiple of " +
                            std::to_string(size) + " bytes, got " +
                            std::to_string(bytes.size()));
    elements = bytes.size() / size;
  }
  count(level, schema, elements, start);
  if (schema.use == FieldUse::Payload) {
    flush(level);
    locate(level, {schema.number, 1, base, bytes.size(), elements});
  } else if (schema.use == FieldUse::Keep) {
    append(schema.number, WireType::Length, asText(bytes));
  }
}

void EnvelopeWalk::text(Level &level, const FieldSchema &schema,
                        std::string_view text, uint64_t start) {
  WireReader &reader = level.reader;
  uint64_t base = reader.offset() - text.size();
  if (text.size() > limits.textBytes)
    reader.fail(start,
                describe(level, schema) + ": expected at most " +
                    std::to_string(limits.textBytes) + " bytes, got " +
                    std::to_string(text.size()),
                Status::Limit);
  if (size_t bad = findInvalidUtf8(text); bad != std::string_view::npos)
    reader.fail(base + bad, describe(level, schema) +
                                ": expected UTF-8, got an invalid sequence");
  if (size_t nul = text.find('\0'); nul != std::string_view::npos)
    reader.fail(base + nul,
                describe(level, schema) + ": expected no NUL in a name");
}

void EnvelopeWalk::lengthDelimited(Level &level, const FieldSchema &schema,
                                   uint64_t start) {
  WireReader &reader = level.reader;
  std::span<const std::byte> bytes = reader.readLengthDelimited();
  if (schema.use == FieldUse::Drop)
    return;
  if (schema.repeated)
    count(level, schema, 1, start);
  else if (bytes.size() > schema.limit.max)
    reader.fail(start,
                describe(level, schema) + ": expected at most " +
                    std::to_string(schema.limit.max) + " bytes, got " +
                    std::to_string(bytes.size()),
                Status::Limit);

  if (schema.use == FieldUse::Payload) {
    if (!schema.repeated) {
      locate(level, {schema.number, 1, reader.offset() - bytes.size(),
                     bytes.size(), 1});
      return;
    }
    if (level.run && level.run->offset + level.run->length != start)
      flush(level);
    if (!level.run)
      level.run = PayloadRecord{schema.number, 0, start, 0, 0};
    level.run->length = reader.offset() - level.run->offset;
    ++level.run->count;
    return;
  }
  countPart(level, start);
  if (schema.kind == FieldKind::Message) {
    nested(level, schema, bytes, start);
    return;
  }
  if (schema.kind == FieldKind::Text)
    text(level, schema, asText(bytes), start);
  append(schema.number, WireType::Length, asText(bytes));
}

void EnvelopeWalk::nested(Level &level, const FieldSchema &schema,
                          std::span<const std::byte> bytes, uint64_t start) {
  WireReader &reader = level.reader;
  const MessageSchema &inner = *schema.message;
  unsigned nesting = level.nesting + (inner.nests ? 1 : 0);
  if (nesting > limits.nesting + 1)
    reader.fail(start,
                std::string("expected at most ") +
                    std::to_string(limits.nesting) + " nested levels of " +
                    inner.name + ", got more",
                Status::Limit);
  if (level.depth + 1 > limits.depth)
    reader.fail(start,
                "expected messages nested at most " +
                    std::to_string(limits.depth) + " levels deep, got more",
                Status::Limit);
  if (inner.total.max != UINT64_MAX && ++totals[&inner] > inner.total.max)
    reader.fail(start,
                "expected at most " + std::to_string(inner.total.max) + " " +
                    inner.total.what + ", got more",
                Status::Limit);

  appendVarint(out, uint64_t(schema.number) << 3 | uint64_t(WireType::Length));
  size_t lengthAt = out.size();
  out.append(lengthBytes, '\0');
  message(inner, bytes, reader.offset() - bytes.size(), level.depth + 1,
          nesting);
  uint64_t length = out.size() - lengthAt - lengthBytes;
  for (size_t i = 0; i < lengthBytes; ++i)
    out[lengthAt + i] = static_cast<char>((length >> (7 * i) & 0x7f) |
                                          (i + 1 < lengthBytes ? 0x80 : 0));
}

} // namespace

std::string checkEnvelope(std::span<const std::byte> file,
                          const MessageSchema &schema,
                          const EnvelopeLimits &limits) {
  EnvelopeWalk walk(limits);
  walk.message(schema, file, 0, 0, 0);
  return std::move(walk.out);
}

} // namespace tenon::wire
