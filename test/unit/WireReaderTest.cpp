// The wire format's edges, and the records that stand for payloads.
#include "compiler/wire/Envelope.h"

#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::wire;

namespace {

std::span<const std::byte> bytesOf(const std::string &s) {
  return std::as_bytes(std::span(s.data(), s.size()));
}

TEST(WireReader, VarintsUpTo64Bits) {
  for (uint64_t value : {uint64_t(0), uint64_t(127), uint64_t(128),
                         uint64_t(1) << 63, UINT64_MAX}) {
    std::string bytes;
    appendVarint(bytes, value);
    WireReader reader(bytesOf(bytes));
    EXPECT_EQ(reader.readVarint(), value);
    EXPECT_TRUE(reader.atEnd());
    bytes.pop_back();
    WireReader cut(bytesOf(bytes));
    EXPECT_THROW(cut.readVarint(), WireError);
  }
  std::string over = std::string(9, '\xff') + "\x02";
  WireReader reader(bytesOf(over));
  EXPECT_THROW(reader.readVarint(), WireError);
}

TEST(WireReader, ErrorsCarryTheOffsetInTheFile) {
  std::string bytes = "\x0a\x7f";
  WireReader reader(bytesOf(bytes), 1000);
  reader.readTag();
  try {
    reader.readLengthDelimited();
    FAIL();
  } catch (const WireError &error) {
    EXPECT_EQ(error.offset, 1002u);
    EXPECT_EQ(error.text, "expected 127 more bytes in the message, got 0");
  }
}

TEST(WireReader, GroupsEndAsTheyBegan) {
  for (const char *bytes : {"\x0b\x14", "\x0c", "\x0b", "\x0b\x0b\x0c"}) {
    std::string all = bytes;
    WireReader reader(bytesOf(all));
    EXPECT_THROW(reader.skip(reader.readTag(), 100), WireError);
  }
  std::string good = "\x0b\x10\x01\x13\x14\x0c";
  WireReader reader(bytesOf(good));
  reader.skip(reader.readTag(), 100);
  EXPECT_TRUE(reader.atEnd());
}

const FieldSchema leafFields[] = {{.number = 1,
                                   .name = "data",
                                   .kind = FieldKind::Bytes,
                                   .use = FieldUse::Payload},
                                  {.number = 2,
                                   .name = "values",
                                   .kind = FieldKind::Varint,
                                   .repeated = true,
                                   .use = FieldUse::Payload}};
const MessageSchema leaf = {
    .name = "Leaf", .fields = leafFields, .payloadRecord = 7};
const FieldSchema rootFields[] = {
    {.number = 1, .name = "name", .kind = FieldKind::Text},
    {.number = 2,
     .name = "leaf",
     .kind = FieldKind::Message,
     .repeated = true,
     .message = &leaf,
     .limit = {2, "a list"}}};
const MessageSchema root = {.name = "Root", .fields = rootFields};

TEST(Envelope, PayloadsBecomeRecordsOfWhereTheyLie) {
  // name "n"; leaf { data "abc"; values 5 and 6 unpacked; values [7, 8, 300]
  // packed }
  std::string bytes = "\x0a\x01n\x12\x0f\x0a\x03"
                      "abc\x10\x05\x10\x06\x12\x04\x07\x08\xac\x02";
  std::string skeleton = checkEnvelope(bytesOf(bytes), root);
  EXPECT_EQ(skeleton.find("abc"), std::string::npos);
  WireReader reader(bytesOf(skeleton));
  EXPECT_EQ(reader.readTag().field, 1u);
  EXPECT_EQ(asText(reader.readLengthDelimited()), "n");
  EXPECT_EQ(reader.readTag().field, 2u);
  auto inner = reader.readLengthDelimited();
  EXPECT_TRUE(reader.atEnd());
  WireReader records(inner);
  auto next = [&] {
    EXPECT_EQ(records.readTag().field, 7u);
    return PayloadRecord::decode(asText(records.readLengthDelimited()));
  };
  PayloadRecord data = next(), run = next(), packed = next();
  EXPECT_TRUE(records.atEnd());
  EXPECT_EQ(bytes.substr(data.offset, data.length), "abc");
  EXPECT_EQ(run.count, 2u);
  EXPECT_EQ(bytes.substr(run.offset, run.length), "\x10\x05\x10\x06");
  EXPECT_EQ(packed.count, 3u);
  EXPECT_EQ(packed.packed, 1u);
  EXPECT_EQ(bytes.substr(packed.offset, packed.length), "\x07\x08\xac\x02");
}

TEST(Envelope, LimitsNameTheField) {
  std::string three("\x12\0\x12\0\x12\0", 6);
  try {
    checkEnvelope(bytesOf(three), root);
    FAIL();
  } catch (const WireError &error) {
    EXPECT_EQ(error.status, Status::Limit);
    EXPECT_EQ(error.offset, 4u);
    EXPECT_NE(error.text.find("Root.leaf"), std::string::npos);
  }
}

} // namespace
