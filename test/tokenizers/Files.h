// Tokenizer files for tests: those of the golden folders, and small ones whose
// parts a test replaces.
#ifndef TENON_TEST_TOKENIZERS_FILES_H
#define TENON_TEST_TOKENIZERS_FILES_H

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace tenon::test {

inline std::string readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The folder of a kind of test/tokenizers/kinds.mjs.
inline std::string golden(const std::string &kind) {
  return std::string(TENON_TEST_GOLDEN) + "/" + kind;
}

/// A tokenizer.json with the vocabulary a, b, c, ab, abc and two merges.
inline nlohmann::json smallTokenizer() {
  return {{"version", "1.0"},
          {"added_tokens", nlohmann::json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", nullptr},
          {"post_processor", nullptr},
          {"decoder", nullptr},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"c", 2}, {"ab", 3}, {"abc", 4}}},
            {"merges", {"a b", "ab c"}}}}};
}

inline nlohmann::json addedToken(int id, const std::string &content) {
  return {{"id", id},        {"content", content}, {"lstrip", false},
          {"rstrip", false}, {"normalized", true}, {"single_word", false},
          {"special", false}};
}

inline std::map<std::string, std::string>
asFiles(const nlohmann::json &tokenizer) {
  return {{"tokenizer.json", tokenizer.dump()}};
}

} // namespace tenon::test

#endif // TENON_TEST_TOKENIZERS_FILES_H
