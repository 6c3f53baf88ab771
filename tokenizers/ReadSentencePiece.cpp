// A spiece.model, the form in which T5 and mT5 were published. What the file
// does not say comes from the class of the tokenizer: the end of each text and
// the tokens <extra_id_0> to <extra_id_99>, whose ids go down.
#include "tokenizers/Config.h"
#include "tokenizers/SentencePieceFile.h"
#include "tokenizers/Tokenizer.h"
#include "tokenizers/Unigram.h"

#include <algorithm>
#include <cfloat>

namespace tenon::tokenizers {

using Type = SentencePieceFile::Type;

static constexpr std::string_view extraId = "<extra_id_";
static constexpr int64_t maxExtraIds = 10000;

/// Requires the class to be one of T5, and nothing that it does not have.
static void checkClass(const Config &config, const Files &files) {
  Findings findings(files.nameOf("tokenizer_config.json"));
  std::string name = config.className;
  if (name.ends_with("Fast"))
    name.resize(name.size() - 4);
  if (!name.empty() && name != "T5Tokenizer" && name != "MT5Tokenizer")
    findings.unsupported("tokenizer_class",
                         "expected T5Tokenizer or MT5Tokenizer, because there "
                         "is no tokenizer.json, got " +
                             quoted(config.className));
  if (!config.legacy)
    findings.unsupported("legacy", "expected true, because there is no "
                                   "tokenizer.json, got false");
  if (config.extraIds &&
      (*config.extraIds < 0 || *config.extraIds > maxExtraIds))
    findings.limit("extra_ids", "expected 0 to " + std::to_string(maxExtraIds) +
                                    ", got " +
                                    std::to_string(*config.extraIds));
  findings.check();
}

/// Puts the tokens that every tokenizer of the class has before those of the
/// files.
static void addTokensOfClass(const Vocabulary &vocabulary, const Files &files,
                             Config &config) {
  std::vector<Config::Token> tokens;
  auto add = [&](std::string content, bool strips) {
    AddedToken token;
    token.content = std::move(content);
    token.special = true;
    token.leftStrip = token.rightStrip = strips;
    tokens.push_back({std::move(token), std::nullopt});
  };
  bool saysIds = false;
  int64_t said = 0;
  for (const Config::Token &each : config.tokens) {
    saysIds |= each.id.has_value();
    said += each.token.content.starts_with(extraId);
  }
  int64_t count = config.extraIds.value_or(100);
  if (!saysIds && said > 0 && count > 0 && said != count) {
    Findings findings(files.nameOf("tokenizer_config.json"));
    findings.invalid("additional_special_tokens",
                     "expected " + std::to_string(count) + " extra ids, got " +
                         std::to_string(said));
    findings.check();
  }
  for (int64_t i = saysIds ? 0 : count; i-- > 0;)
    add(std::string(extraId) + std::to_string(i) + ">", /*strips=*/true);
  for (const char *role : {"<pad>", "</s>", "<unk>"})
    if (vocabulary.find(role) != TENON_TOKENIZER_NO_ID)
      add(role, /*strips=*/false);
  for (Config::Token &each : config.tokens)
    tokens.push_back(std::move(each));
  // Sentencepiece normalizes the texts between tokens, never the tokens.
  for (Config::Token &each : tokens)
    each.token.normalized = false;
  config.tokens = std::move(tokens);
}

static std::unique_ptr<const Model> makeModel(const SentencePieceFile &file,
                                              Findings &findings) {
  std::vector<std::string_view> texts;
  UnigramOptions options;
  options.library = UnigramOptions::Library::SentencePiece;
  options.byteFallback = file.byteFallback;
  float least = FLT_MAX, greatest = FLT_MIN;
  for (const SentencePieceFile::Piece &piece : file.pieces) {
    if (piece.type == Type::Unknown)
      options.unknown = texts.size();
    texts.push_back(piece.text);
    if (piece.type == Type::Normal) {
      least = std::min(least, piece.score);
      greatest = std::max(greatest, piece.score);
    }
  }
  options.unknownScore = least - unknownPenalty;
  std::vector<Unigram::Token> tokens;
  for (const SentencePieceFile::Piece &piece : file.pieces) {
    // Symbols of the user win against all that they may be divided into.
    if (piece.type == Type::UserDefined)
      tokens.push_back({piece.text.size() * greatest - 0.1});
    else
      tokens.push_back({piece.score, piece.type == Type::Normal});
  }
  Vocabulary vocabulary = Vocabulary::ofList(texts, "pieces[#]", findings);
  return std::make_unique<Unigram>(std::move(vocabulary), std::move(tokens),
                                   options, "pieces", findings);
}

static Normalizer makeNormalizer(SentencePieceFile &file) {
  std::vector<PieceTrie::Piece> kept;
  for (uint32_t id = 0; id < file.pieces.size(); ++id)
    if (file.pieces[id].type == Type::UserDefined)
      kept.push_back({file.pieces[id].text, id});
  SentencePieceRules rules;
  rules.map = std::move(file.map);
  rules.kept = PieceTrie(std::move(kept));
  rules.addSpace = file.addSpace;
  rules.suffixSpace = file.suffixSpace;
  rules.removeExtraSpaces = file.removeExtraSpaces;
  rules.markSpaces = file.markSpaces;
  Normalizer normalizer;
  normalizer.add(makeSentencePieceNormalizer(std::move(rules)));
  return normalizer;
}

static Decoder makeDecoder(const SentencePieceFile &file) {
  Decoder decoder;
  decoder.join = Decoder::Join::Directly;
  using LeftOut = SpacesOfPieces::LeftOut;
  LeftOut leftOut = file.removeExtraSpaces ? LeftOut::OneOfEach
                    : file.addSpace        ? LeftOut::One
                                           : LeftOut::None;
  decoder.tokenSteps.push_back(SpacesOfPieces{leftOut});
  if (file.byteFallback)
    decoder.tokenSteps.push_back(BytesFromTokens{/*byCharacter=*/true});
  return decoder;
}

TokenizerParts readSentencePiece(const Files &files) {
  Config config = readConfig(files);
  checkClass(config, files);
  std::string path = files.nameOf("spiece.model");
  SentencePieceFile file =
      SentencePieceFile::read(*files.find("spiece.model"), path);
  Findings findings(path);
  std::unique_ptr<const Model> model = makeModel(file, findings);
  findings.check();
  const Vocabulary &vocabulary = model->getVocabulary();
  Decoder decoder = makeDecoder(file);
  Normalizer normalizer = makeNormalizer(file);
  addTokensOfClass(vocabulary, files, config);
  AddedTokens added;
  addTokens(config, files, vocabulary, normalizer, added);
  added.finish(findings);
  std::string end = config.end.empty() ? "</s>" : config.end;
  uint32_t id = added.find(end);
  if (id == TENON_TOKENIZER_NO_ID)
    findings.invalid("pieces", "expected the token for the end of a text, " +
                                   quoted(end));
  findings.check();
  Template around;
  around.add({{}, {{id}}});
  return {std::move(added), std::move(normalizer), PreTokenizer(),
          std::move(model), std::move(around),     std::move(decoder)};
}

} // namespace tenon::tokenizers
