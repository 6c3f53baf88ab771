// tokenizer-cases FOLDER...: compares the library with answers that Hugging
// Face's own library gave. Each folder has a tokenizer in one of its forms, and
// cases.json with texts, their ids and the texts of ids. The last line counts.
#include "test/tokenizers/Session.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;
using tenon::test::Session;

static int passed, failed;

static void expect(bool good, const std::string &folder, size_t number,
                   const char *what, const json &wanted, const json &got) {
  passed += good;
  failed += !good;
  if (good || failed > 20)
    return;
  auto shown = [](const json &value) {
    return value.dump(-1, ' ', true, json::error_handler_t::replace)
        .substr(0, 400);
  };
  std::printf("%s: case %zu: %s: expected\n  %s\ngot\n  %s\n", folder.c_str(),
              number, what, shown(wanted).c_str(), shown(got).c_str());
}

static void check(const std::string &folder) {
  std::ifstream in(folder + "/cases.json");
  json file = json::parse(in);
  Session session(folder);
  if (!session.isOpen()) {
    std::printf("%s\n", session.getError().c_str());
    ++failed;
    return;
  }
  expect(file["size"] == session.size(), folder, 0, "vocabulary", file["size"],
         session.size());
  for (const json &token : file["tokens"]) {
    uint32_t id = token[0];
    std::string text = token[1];
    expect(session.token(id) == text, folder, id, "token", text,
           session.token(id));
  }
  size_t number = 0;
  for (const json &each : file["texts"]) {
    std::string text = each["text"];
    std::vector<uint32_t> with = session.encode(text, true);
    std::vector<uint32_t> without = session.encode(text, false);
    expect(each["ids"] == with, folder, number, text.c_str(), each["ids"],
           with);
    if (each.contains("plain"))
      expect(each["plain"] == without, folder, number, text.c_str(),
             each["plain"], without);
    ++number;
  }
  for (const json &each : file["decoded"]) {
    std::vector<uint32_t> ids = each["ids"];
    for (bool skip : {false, true}) {
      std::string wanted = each[skip ? "skipped" : "whole"];
      std::string got = session.decode(ids, skip);
      expect(wanted == got, folder, number, each["ids"].dump().c_str(), wanted,
             got);
      // A run of bytes that is no text is told apart only when it has ended.
      bool isByteFallback = file["byte_fallback"];
      std::string pieces = session.decodePieces(ids, skip);
      if (!isByteFallback || wanted.find("\xef\xbf\xbd") == std::string::npos)
        expect(wanted == pieces, folder, number, "piece by piece", wanted,
               pieces);
    }
    ++number;
  }
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    check(argv[i]);
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}
