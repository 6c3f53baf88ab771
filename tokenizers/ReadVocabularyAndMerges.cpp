// A vocab.json and a merges.txt, the form in which GPT-2, OPT and Qwen2 were
// published. The class of the tokenizer says everything that these files do
// not.
#include "tokenizers/Config.h"
#include "tokenizers/ReadParts.h"
#include "tokenizers/Tokenizer.h"

namespace tenon::tokenizers {

/// The merges of a text, one a line. Requires the text to outlive them.
static std::vector<MergeText> readMergeLines(std::string_view text,
                                             Findings &findings) {
  std::vector<MergeText> merges;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (line.starts_with("#version"))
      continue;
    size_t space = line.find(' ');
    if (space == std::string_view::npos || line.rfind(' ') != space) {
      findings.invalid("line " + std::to_string(number),
                       "expected two tokens with a space between them, got " +
                           quoted(line));
      continue;
    }
    if (merges.size() == maxMerges) {
      findings.limit("line " + std::to_string(number),
                     "expected at most " + std::to_string(maxMerges) +
                         " merges");
      return merges;
    }
    merges.push_back({line.substr(0, space), line.substr(space + 1), number});
  }
  return merges;
}

/// True for the classes of Qwen; false for those of GPT-2, which is the
/// default.
static bool isQwen(const Config &config, const Files &files) {
  std::string name = config.className;
  if (name.ends_with("Fast"))
    name.resize(name.size() - 4);
  if (name == "Qwen2Tokenizer")
    return true;
  if (name.empty() || name == "GPT2Tokenizer")
    return false;
  Findings findings(files.nameOf("tokenizer_config.json"));
  findings.unsupported(
      "tokenizer_class",
      "expected GPT2Tokenizer or Qwen2Tokenizer, because there "
      "is no tokenizer.json, got " +
          quoted(config.className));
  findings.check();
  return false;
}

/// The token with a role as an item of the template, which must have an id.
static void addRole(bool isWanted, const std::string &content, const char *key,
                    const std::function<uint32_t(std::string_view)> &find,
                    Template::Items &items, Findings &findings) {
  if (!isWanted)
    return;
  uint32_t id = find(content);
  if (id == TENON_TOKENIZER_NO_ID)
    findings.invalid(key,
                     "expected a token of the vocabulary, because it is to "
                     "be added to every text, got " +
                         quoted(content));
  else
    items.push_back({{id}});
}

static Template makeTemplate(const Config &config, const Files &files,
                             const AddedTokens &added,
                             const Vocabulary &vocabulary) {
  Findings findings(files.nameOf("tokenizer_config.json"));
  auto find = [&](std::string_view token) {
    uint32_t id = added.find(token);
    return id != TENON_TOKENIZER_NO_ID ? id : vocabulary.find(token);
  };
  Template::Items items;
  addRole(config.addBegin, config.begin, "bos_token", find, items, findings);
  items.push_back({});
  addRole(config.addEnd, config.end, "eos_token", find, items, findings);
  findings.check();
  Template around;
  around.add(std::move(items));
  return around;
}

static std::unique_ptr<const Model> readModelFiles(const Files &files) {
  std::string vocabularyName = files.nameOf("vocab.json");
  JsonText json(*files.find("vocab.json"), vocabularyName);
  Findings ofVocabulary(vocabularyName);
  Vocabulary vocabulary = Vocabulary::read(json.getRoot(), "", ofVocabulary);
  ofVocabulary.check();
  Findings ofMerges(files.nameOf("merges.txt"));
  std::vector<MergeText> merges =
      readMergeLines(*files.find("merges.txt"), ofMerges);
  auto model = std::make_unique<Bpe>(std::move(vocabulary), merges,
                                     BpeOptions(), "line #", ofMerges);
  ofMerges.check();
  return model;
}

TokenizerParts readVocabularyAndMerges(const Files &files) {
  Config config = readConfig(files);
  bool qwen = isQwen(config, files);
  std::unique_ptr<const Model> model = readModelFiles(files);
  const Vocabulary &vocabulary = model->getVocabulary();

  Normalizer normalizer;
  PreTokenizer preTokenizer;
  if (qwen) {
    normalizer.add(makeUnicodeForm(/*compatibility=*/false, /*composed=*/true));
    preTokenizer.add(makeSplit(Pattern::ofExpression(qwen2Expression),
                               Delimiter::Isolated, /*invert=*/false));
  }
  preTokenizer.add(makeByteLevel(config.prefixSpace, /*divide=*/!qwen));
  // The end of a text is a token of GPT-2 even if no file says so.
  constexpr const char *endOfText = "<|endoftext|>";
  if (config.tokens.empty() &&
      vocabulary.find(endOfText) != TENON_TOKENIZER_NO_ID) {
    AddedToken token;
    token.content = endOfText;
    token.special = true;
    config.tokens.push_back({std::move(token), std::nullopt});
  }
  AddedTokens added;
  addTokens(config, files, vocabulary, normalizer, added);
  Findings findings(files.nameOf("tokenizer_config.json"));
  added.finish(findings);
  findings.check();
  Template around = makeTemplate(config, files, added, vocabulary);
  Decoder decoder;
  decoder.join = Decoder::Join::AsBytes;
  return {std::move(added), std::move(normalizer), std::move(preTokenizer),
          std::move(model), std::move(around),     std::move(decoder)};
}

} // namespace tenon::tokenizers
