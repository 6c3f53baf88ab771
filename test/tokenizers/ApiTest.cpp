// The C functions: buffers, null, ids that are none, ill-formed text, decoding
// piece by piece, and files on disk.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace tenon::test;
using nlohmann::json;
using Ids = std::vector<uint32_t>;

TEST(TokenizerApi, BuffersThatAreTooSmall) {
  Session session(golden("llama3"));
  std::string text = "some text with several tokens";
  Ids whole = session.encode(text, true);
  ASSERT_GT(whole.size(), 4u);
  for (size_t room = 0; room < whole.size(); ++room) {
    Ids ids(whole.size() + 1, 12345);
    size_t count = 0;
    char why[200];
    tenon_tokenizer_error error{why, sizeof why};
    EXPECT_EQ(tenon_tokenizer_encode(session.get(), text.data(), text.size(), 1,
                                     ids.data(), room, &count, &error),
              TENON_TOKENIZER_BAD_INPUT);
    EXPECT_EQ(count, whole.size());
    EXPECT_EQ(ids, Ids(whole.size() + 1, 12345));
    EXPECT_NE(std::string(why).find("expected room for"), std::string::npos);
  }
  std::string decoded = session.decode(whole, false);
  std::string buffer(decoded.size(), '#');
  size_t bytes = 0;
  EXPECT_EQ(tenon_tokenizer_decode(session.get(), whole.data(), whole.size(), 0,
                                   buffer.data(), decoded.size() - 1, &bytes,
                                   nullptr),
            TENON_TOKENIZER_BAD_INPUT);
  EXPECT_EQ(bytes, decoded.size());
  EXPECT_EQ(buffer, std::string(decoded.size(), '#'));
}

// Memory that may not be read shows that the length is judged first.
TEST(TokenizerApi, TextsThatAreTooLong) {
  Session session(golden("gpt2"));
  size_t bytes = (size_t(1) << 30) + 1;
  void *text = mmap(nullptr, bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(text, MAP_FAILED);
  size_t count = 0;
  char why[200];
  tenon_tokenizer_error error{why, sizeof why};
  EXPECT_EQ(tenon_tokenizer_encode(session.get(), static_cast<char *>(text),
                                   bytes, 0, nullptr, 0, &count, &error),
            TENON_TOKENIZER_LIMIT);
  EXPECT_STREQ(why, "expected a text of at most 1073741824 bytes, got "
                    "1073741825");
  munmap(text, bytes);
}

TEST(TokenizerApi, NullIsRefused) {
  Session session(golden("gpt2"));
  tenon_tokenizer *tokenizer = nullptr;
  tenon_text_decoder *decoder = nullptr;
  size_t count = 0;
  uint32_t id = 0;
  const char *piece;
  constexpr auto bad = TENON_TOKENIZER_BAD_INPUT;
  EXPECT_EQ(tenon_tokenizer_open(nullptr, nullptr, &tokenizer), bad);
  EXPECT_EQ(tenon_tokenizer_open("x", nullptr, nullptr), bad);
  EXPECT_EQ(tenon_tokenizer_open_files(nullptr, 1, nullptr, &tokenizer), bad);
  tenon_tokenizer_file noName{nullptr, "", 0}, noData{"vocab.json", nullptr, 1};
  EXPECT_EQ(tenon_tokenizer_open_files(&noName, 1, nullptr, &tokenizer), bad);
  EXPECT_EQ(tenon_tokenizer_open_files(&noData, 1, nullptr, &tokenizer), bad);
  EXPECT_EQ(tenon_tokenizer_encode(nullptr, "", 0, 0, &id, 1, &count, nullptr),
            bad);
  EXPECT_EQ(tenon_tokenizer_encode(session.get(), nullptr, 1, 0, &id, 1, &count,
                                   nullptr),
            bad);
  EXPECT_EQ(tenon_tokenizer_encode(session.get(), "", 0, 0, nullptr, 1, &count,
                                   nullptr),
            bad);
  EXPECT_EQ(tenon_tokenizer_decode(session.get(), nullptr, 1, 0, nullptr, 0,
                                   &count, nullptr),
            bad);
  EXPECT_EQ(tenon_text_decoder_create(nullptr, 0, nullptr, &decoder), bad);
  EXPECT_EQ(tenon_text_decoder_push(nullptr, 0, &piece, &count), bad);
  EXPECT_EQ(tenon_tokenizer_id(nullptr, "a", 1), TENON_TOKENIZER_NO_ID);
  EXPECT_EQ(tenon_tokenizer_token(nullptr, 0, &count), nullptr);
  EXPECT_EQ(tenon_tokenizer_vocabulary_size(nullptr), 0u);
  tenon_tokenizer_close(nullptr);
  tenon_text_decoder_destroy(nullptr);
  // Without ids the needed room is told, and an empty text may be null.
  EXPECT_EQ(tenon_tokenizer_encode(session.get(), nullptr, 0, 0, nullptr, 0,
                                   &count, nullptr),
            TENON_TOKENIZER_OK);
  EXPECT_EQ(count, 0u);
}

TEST(TokenizerApi, ShortErrorTexts) {
  char why[8] = "1234567";
  tenon_tokenizer_error error{why, 4};
  tenon_tokenizer *tokenizer = nullptr;
  EXPECT_EQ(tenon_tokenizer_open("/nowhere", &error, &tokenizer),
            TENON_TOKENIZER_IO);
  EXPECT_STREQ(why, "/no");
  EXPECT_STREQ(why + 4, "567");
}

TEST(TokenizerApi, IdsAndTokens) {
  Session session(golden("added"));
  std::string left = "<left>";
  uint32_t id = tenon_tokenizer_id(session.get(), left.data(), left.size());
  ASSERT_NE(id, TENON_TOKENIZER_NO_ID);
  EXPECT_EQ(session.token(id), left);
  EXPECT_TRUE(tenon_tokenizer_is_special(session.get(), id));
  EXPECT_FALSE(tenon_tokenizer_is_special(session.get(), 0));
  EXPECT_EQ(tenon_tokenizer_id(session.get(), "no token", 8),
            TENON_TOKENIZER_NO_ID);
  EXPECT_EQ(session.token(TENON_TOKENIZER_NO_ID), "(none)");
  // Ids that no token has stand for no text.
  EXPECT_EQ(session.decode({id, 1u << 31, TENON_TOKENIZER_NO_ID}, false), left);
  EXPECT_EQ(session.decode({id, 77777777}, true), "");
}

TEST(TokenizerApi, IllFormedTextIsReplaced) {
  Session session(golden("gpt2"));
  const std::string bad = "\xef\xbf\xbd";
  for (auto [text, wanted] :
       {std::pair<std::string, std::string>{"a\xff"
                                            "b",
                                            "a" + bad + "b"},
        {"\xc3", bad},
        {"\xe2\x82", bad}, // the beginning of a character
        {"\xe2\x82x", bad + "x"},
        {"\xf0\x9f\x98\xf0\x9f\x98\x80", bad + "\U0001f600"},
        {"\xc0\x80", bad + bad},           // longer than needed
        {"\xed\xa0\x80", bad + bad + bad}, // half of a pair
        {"\xf4\x90\x80\x80", bad + bad + bad + bad},
        {std::string("a\0b", 3), std::string("a\0b", 3)}}) {
    Ids ids = session.encode(text, false);
    EXPECT_EQ(ids, session.encode(wanted, false));
    EXPECT_EQ(session.decode(ids, false), wanted);
  }
}

TEST(TokenizerApi, RandomIdsPieceByPiece) {
  std::mt19937 random(3);
  for (const char *kind : {"gpt2", "llama3", "qwen2", "metaspace"}) {
    Session session(golden(kind));
    for (int i = 0; i < 3000; ++i) {
      Ids ids(random() % 12);
      for (uint32_t &id : ids)
        id = random() % (session.size() + 2);
      for (bool skip : {false, true})
        ASSERT_EQ(session.decodePieces(ids, skip), session.decode(ids, skip));
    }
  }
}

TEST(TokenizerApi, ADecoderOfBytesShowsWholeCharacters) {
  Session session(golden("llama2"));
  auto byte = [&](const char *token) {
    return tenon_tokenizer_id(session.get(), token, 6);
  };
  tenon_text_decoder *decoder = nullptr;
  ASSERT_EQ(tenon_text_decoder_create(session.get(), 1, nullptr, &decoder),
            TENON_TOKENIZER_OK);
  auto push = [&](uint32_t id) {
    const char *piece;
    size_t bytes;
    tenon_text_decoder_push(decoder, id, &piece, &bytes);
    return std::string(piece, bytes);
  };
  auto finish = [&] {
    const char *piece;
    size_t bytes;
    tenon_text_decoder_finish(decoder, &piece, &bytes);
    return std::string(piece, bytes);
  };
  for (int text = 0; text < 2; ++text) {
    EXPECT_EQ(push(byte("<0xE2>")), "");
    EXPECT_EQ(push(byte("<0x82>")), "");
    EXPECT_EQ(push(byte("<0xAC>")), "\u20ac");
    EXPECT_EQ(push(byte("<0xFF>")), "\ufffd");
    EXPECT_EQ(push(byte("<0xC3>")), "");
    EXPECT_EQ(finish(), "\ufffd");
  }
  tenon_text_decoder_destroy(decoder);
  // As a whole the run is no text.
  EXPECT_EQ(session.decode({byte("<0xE2>"), byte("<0x82>"), byte("<0xAC>"),
                            byte("<0xFF>")},
                           true),
            "\ufffd\ufffd\ufffd\ufffd");
}

namespace {
/// A new folder that is removed in the end.
struct Folder {
  Folder() {
    char name[] = "/tmp/tenon-tokenizer-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string &name, const std::string &content) const {
    std::filesystem::create_directories(
        (std::filesystem::path(path) / name).parent_path());
    std::ofstream(path + "/" + name) << content;
  }
  std::string path;
};
} // namespace

TEST(TokenizerApi, LinksOutOfTheFolder) {
  Folder folder;
  folder.write("elsewhere/t.json", smallTokenizer().dump());
  folder.write("model/config.json", "{}");
  std::string link = folder.path + "/model/tokenizer.json";
  ASSERT_EQ(symlink("../elsewhere/t.json", link.c_str()), 0);
  Session outside(folder.path + "/model");
  EXPECT_EQ(outside.getStatus(), TENON_TOKENIZER_INVALID);
  EXPECT_NE(outside.getError().find("got a link to"), std::string::npos);
  // The hub's cache: a snapshot links to the blobs.
  folder.write("hub/blobs/1234", smallTokenizer().dump());
  folder.write("hub/snapshots/main/config.json", "{}");
  link = folder.path + "/hub/snapshots/main/tokenizer.json";
  ASSERT_EQ(symlink("../../blobs/1234", link.c_str()), 0);
  Session snapshot(folder.path + "/hub/snapshots/main");
  EXPECT_TRUE(snapshot.isOpen()) << snapshot.getError();
}

TEST(TokenizerApi, FilesThatAreNone) {
  Folder folder;
  ASSERT_EQ(mkfifo((folder.path + "/tokenizer.json").c_str(), 0600), 0);
  EXPECT_EQ(Session(folder.path).getStatus(), TENON_TOKENIZER_INVALID);
  EXPECT_EQ(Session(folder.path + "/tokenizer.json").getStatus(),
            TENON_TOKENIZER_INVALID);
  EXPECT_EQ(Session("/dev/null").getStatus(), TENON_TOKENIZER_INVALID);
  Folder empty;
  EXPECT_EQ(Session(empty.path).getStatus(), TENON_TOKENIZER_INVALID);
  empty.write("tokenizer.json/x", "");
  EXPECT_EQ(Session(empty.path).getStatus(), TENON_TOKENIZER_INVALID);
}

TEST(TokenizerApi, AddedTokensThatBeginAlike) {
  json tokenizer = smallTokenizer();
  tokenizer["added_tokens"] =
      json::array({addedToken(5, "<a"), addedToken(6, "<ab>"),
                   addedToken(7, "<ab>c>"), addedToken(8, "b>")});
  Session session(asFiles(tokenizer));
  ASSERT_TRUE(session.isOpen()) << session.getError();
  for (auto [text, wanted] : {std::pair<std::string, Ids>{"<a", {5}},
                              {"<ab>", {6}},
                              {"<ab>c>", {7}},
                              {"<ab>b>", {6, 8}},
                              {"<ac>", {5, 2}}, // a character inside differs
                              {"<ab<ab>", {5, 1, 6}},
                              {"<<a<", {5}},
                              {"<acb>c>", {5, 2, 8, 2}},
                              {"<ab>cb>", {6, 2, 8}}})
    EXPECT_EQ(session.encode(text, true), wanted) << text;
}

TEST(TokenizerApi, TokensOfTheConfiguration) {
  json config = {{"pad_token", "<pad>"},
                 {"bos_token", {{"content", "a"}, {"lstrip", true}}},
                 {"additional_special_tokens", {"<x>", "abc"}}};
  std::map<std::string, std::string> files = asFiles(smallTokenizer());
  files["tokenizer_config.json"] = config.dump();
  Session session(files);
  ASSERT_TRUE(session.isOpen()) << session.getError();
  EXPECT_EQ(session.size(), 7u);
  EXPECT_EQ(session.token(5), "<pad>");
  EXPECT_EQ(session.token(6), "<x>");
  EXPECT_EQ(session.encode("b<x>abcc<pad>", true), (Ids{1, 6, 4, 2, 5}));
  EXPECT_TRUE(tenon_tokenizer_is_special(session.get(), 4));
  files["tokenizer_config.json"] =
      R"({"added_tokens_decoder": {"9": {"content": "<y>"}}})";
  Session misplaced(files);
  EXPECT_EQ(misplaced.getStatus(), TENON_TOKENIZER_INVALID);
  EXPECT_NE(misplaced.getError().find("expected the id 5 for '<y>', got 9"),
            std::string::npos)
      << misplaced.getError();
}

// A template is a program of the checkpoint's own. Nobody runs it, whatever its
// key holds.
TEST(TokenizerApi, ChatTemplatesAreNotEvaluated) {
  std::map<std::string, std::string> files = asFiles(smallTokenizer());
  Ids wanted = Session(files).encode("abcab", true);
  ASSERT_FALSE(wanted.empty());
  for (const json &program :
       {json("{% for i in range(10**18) %}{% for j in range(10**18) %}x"
             "{% endfor %}{% endfor %}"),
        json("{{ ''.__class__.__mro__[1].__subclasses__() }}"),
        json("{% unfinished"), json(std::string(1 << 20, '{')), json(7),
        json(nullptr), json::array({{{"name", "x"}, {"template", "{{"}}})}) {
    files["tokenizer_config.json"] = json{{"chat_template", program}}.dump();
    Session session(files);
    ASSERT_TRUE(session.isOpen()) << session.getError();
    EXPECT_EQ(session.encode("abcab", true), wanted);
    EXPECT_EQ(session.size(), 5u);
  }
}
