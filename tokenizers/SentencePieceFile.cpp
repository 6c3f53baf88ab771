// Takes the fields that decide about ids. The others tell of the training, and
// are skipped as protobuf skips unknown fields.
#include "tokenizers/SentencePieceFile.h"

#include "tokenizers/Utf8.h"
#include "tokenizers/WireFields.h"

#include <bit>
#include <cmath>

namespace tenon::tokenizers {

using Kind = WireFields::Kind;

namespace {
class Reader {
public:
  Reader(std::string_view bytes, const std::string &name)
      : bytes(bytes), name(name), findings(name) {}

  SentencePieceFile read() {
    WireFields fields(bytes, bytes, name);
    while (auto field = fields.next()) {
      if (field->number >= 1 && field->number <= 5)
        fields.expect(*field, Kind::Bytes);
      if (field->number == 1)
        readPiece(fields.inside(*field));
      else if (field->number == 2)
        readTraining(fields.inside(*field));
      else if (field->number == 3)
        readNormalizer(fields.inside(*field));
      else if (field->number == 5)
        readDenormalizer(fields.inside(*field));
    }
    checkPieces();
    findings.check();
    return std::move(file);
  }

private:
  void readPiece(WireFields fields) {
    if (file.pieces.size() == SentencePieceFile::maxPieces)
      throw Failure{TENON_TOKENIZER_LIMIT,
                    name + ": expected at most " +
                        std::to_string(SentencePieceFile::maxPieces) +
                        " pieces"};
    SentencePieceFile::Piece piece;
    uint64_t type = 1;
    while (auto field = fields.next()) {
      if (field->number == 1) {
        fields.expect(*field, Kind::Bytes);
        piece.text = field->bytes;
      } else if (field->number == 2) {
        fields.expect(*field, Kind::Fixed32);
        piece.score = std::bit_cast<float>(uint32_t(field->value));
      } else if (field->number == 3) {
        fields.expect(*field, Kind::Varint);
        type = field->value;
      }
    }
    std::string place = "pieces[" + std::to_string(file.pieces.size()) + "]";
    if (piece.text.empty() || !isUtf8(piece.text))
      findings.invalid(place, "expected a text in UTF-8 that is not empty, "
                              "got " +
                                  quoted(piece.text));
    if (!std::isfinite(piece.score))
      findings.invalid(place + ".score", "expected a finite number");
    if (type < 1 || type > 6)
      findings.invalid(place + ".type",
                       "expected 1 to 6, got " + std::to_string(type));
    piece.type = static_cast<SentencePieceFile::Type>(type);
    file.pieces.push_back(piece);
  }

  static bool flagOf(const WireFields &fields, const WireFields::Field &field) {
    fields.expect(field, Kind::Varint);
    return field.value != 0;
  }

  void readTraining(WireFields fields) {
    static constexpr const char *types[] = {"no type", "Unigram", "BPE", "Word",
                                            "Char"};
    while (auto field = fields.next()) {
      if (field->number == 3) {
        fields.expect(*field, Kind::Varint);
        if (field->value != 1)
          findings.unsupported(
              "trainer_spec.model_type",
              std::string("expected Unigram, got ") +
                  (field->value < std::size(types)
                       ? types[field->value]
                       : std::to_string(field->value).c_str()));
      } else if (field->number == 24) {
        file.suffixSpace = flagOf(fields, *field);
      } else if (field->number == 35) {
        file.byteFallback = flagOf(fields, *field);
      }
    }
  }

  void readNormalizer(WireFields fields) {
    while (auto field = fields.next()) {
      if (field->number == 2) {
        fields.expect(*field, Kind::Bytes);
        file.map.reset();
        if (!field->bytes.empty())
          file.map = CharsMap::read(
              field->bytes, "normalizer_spec.precompiled_charsmap", findings);
      } else if (field->number == 3) {
        file.addSpace = flagOf(fields, *field);
      } else if (field->number == 4) {
        file.removeExtraSpaces = flagOf(fields, *field);
      } else if (field->number == 5) {
        file.markSpaces = flagOf(fields, *field);
      }
    }
  }

  void readDenormalizer(WireFields fields) {
    while (auto field = fields.next())
      if (field->number == 2 && !field->bytes.empty())
        findings.unsupported("denormalizer_spec.precompiled_charsmap",
                             "expected nothing");
  }

  void checkPieces() {
    size_t unknown = 0;
    for (const SentencePieceFile::Piece &piece : file.pieces) {
      unknown += piece.type == SentencePieceFile::Type::Unknown;
      if (piece.type == SentencePieceFile::Type::Byte && !file.byteFallback)
        findings.invalid("trainer_spec.byte_fallback",
                         "expected true, because " + quoted(piece.text) +
                             " is a byte");
    }
    if (unknown != 1)
      findings.invalid("pieces",
                       "expected one piece of the type unknown, got " +
                           std::to_string(unknown));
  }

  std::string_view bytes;
  const std::string &name;
  Findings findings;
  SentencePieceFile file;
};
} // namespace

SentencePieceFile SentencePieceFile::read(std::string_view bytes,
                                          const std::string &name) {
  return Reader(bytes, name).read();
}

} // namespace tenon::tokenizers
