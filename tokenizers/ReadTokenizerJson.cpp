// A tokenizer.json: reads all parts before it reports what is wrong, so that
// one message names everything. `truncation` and `padding` are ignored: they
// tell of the training, and Transformers sets them anew for each call.
#include "tokenizers/Config.h"
#include "tokenizers/ReadParts.h"
#include "tokenizers/Tokenizer.h"

namespace tenon::tokenizers {

TokenizerParts readTokenizerJson(const Files &files) {
  const std::string name = "tokenizer.json";
  std::string path = files.nameOf(name);
  JsonText json(*files.find(name), path);
  Findings findings(path);
  Fields fields(json.getRoot(), "", findings);
  auto part = [&](std::string_view key) {
    const JsonValue *value = fields.find(key);
    return value ? *value : JsonValue();
  };

  if (fields.text("version", "1.0") != "1.0")
    fields.refuse("version", "'1.0'");
  Normalizer normalizer = readNormalizer(part("normalizer"), findings);
  ReadPreTokenizer preTokenizer =
      readPreTokenizer(part("pre_tokenizer"), findings);
  Decoder decoder = readDecoder(part("decoder"), findings);
  std::unique_ptr<const Model> model =
      readModel(part("model"), preTokenizer.makesByteCharacters, findings);
  if (!model) {
    // Without ids, only what it asks for can be judged.
    readTemplate(
        part("post_processor"), [](uint32_t) { return true; }, findings);
    findings.check();
  }
  const Vocabulary &vocabulary = model->getVocabulary();
  AddedTokens added;
  readAddedTokens(part("added_tokens"), vocabulary, normalizer, added,
                  findings);
  auto hasId = [&](uint32_t id) {
    return added.tokenOf(id).data() || vocabulary.tokenOf(id).data();
  };
  Template around = readTemplate(part("post_processor"), hasId, findings);
  findings.check();

  addTokens(readConfig(files), files, vocabulary, normalizer, added);
  added.finish(findings);
  findings.check();
  return {
      std::move(added), std::move(normalizer), std::move(preTokenizer.steps),
      std::move(model), std::move(around),     std::move(decoder)};
}

} // namespace tenon::tokenizers
