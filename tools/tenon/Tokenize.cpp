// `tenon tokenize` shows the ids of a text, or the text of ids, by the
// tokenizer of a checkpoint's folder.
#include "tokenizers/tenon_tokenizers.h"
#include "tools/tenon/CompileFlags.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

using namespace tenon::cli::options;

namespace tenon::cli {

namespace {
struct CloseTokenizer {
  void operator()(tenon_tokenizer *tokenizer) const {
    tenon_tokenizer_close(tokenizer);
  }
};
using OpenTokenizer = std::unique_ptr<tenon_tokenizer, CloseTokenizer>;

/// Room for the reason of a failure.
struct Reason {
  char text[16384] = "";
  tenon_tokenizer_error error{text, sizeof text};

  /// Reports the failure. A reason begins each of its lines with the file
  /// that is wrong, if it is about one.
  Status tell(Invocation &call, tenon_tokenizer_status status) const {
    std::string path = call.args.getAllArgValues(OPT_INPUT)[0];
    auto [first, others] = llvm::StringRef(text).split('\n');
    std::string file = path;
    if (size_t end = first.find(": ", path.size());
        first.starts_with(path) && end != llvm::StringRef::npos) {
      file = first.take_front(end).str();
      first = first.drop_front(end + 2);
    }
    std::vector<std::string> details;
    for (llvm::StringRef line : llvm::split(others, '\n')) {
      line.consume_front(file + ": ");
      if (!line.empty())
        details.push_back(line.str());
    }
    return call.talk.fail(static_cast<Status>(status), file, first.str(),
                          std::move(details));
  }
};
} // namespace

/// The argument `value`, or all of the standard input if it is '-'.
static Status readArgument(Invocation &call, const std::string &value,
                           std::string &text) {
  text = value;
  if (value != "-")
    return Status::Success;
  auto input = llvm::MemoryBuffer::getSTDIN();
  if (!input)
    return call.talk.fail(Status::Io, "tenon",
                          "cannot read the standard input: " +
                              input.getError().message());
  text = (*input)->getBuffer().str();
  return Status::Success;
}

/// Reads numbers between blanks and commas; brackets around them are allowed.
static Status readIds(Invocation &call, const std::string &text,
                      std::vector<uint32_t> &ids) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " \t\r\n,[]");
  for (llvm::StringRef word : words) {
    uint32_t id;
    if (word.getAsInteger(10, id))
      return call.talk.fail(Status::BadInput, "tenon",
                            "--decode: expected ids from 0 to 4294967295, got "
                            "'" +
                                word.str() + "'");
    ids.push_back(id);
  }
  return Status::Success;
}

static Status encode(Invocation &call, const tenon_tokenizer *tokenizer,
                     const std::string &text, std::vector<uint32_t> &ids) {
  Reason reason;
  bool addSpecial = !call.args.hasArg(OPT_no_special_tokens);
  size_t count = 0;
  tenon_tokenizer_status status = TENON_TOKENIZER_OK;
  // Few texts have more ids than bytes; such a text is encoded again.
  ids.resize(text.size() + 16);
  for (int i = 0; i < 2; ++i) {
    status =
        tenon_tokenizer_encode(tokenizer, text.data(), text.size(), addSpecial,
                               ids.data(), ids.size(), &count, &reason.error);
    if (status != TENON_TOKENIZER_BAD_INPUT)
      break;
    ids.resize(count);
  }
  if (status != TENON_TOKENIZER_OK)
    return reason.tell(call, status);
  ids.resize(count);
  return Status::Success;
}

/// Prints the text of ids, piece by piece.
static Status decode(Invocation &call, const tenon_tokenizer *tokenizer,
                     const std::vector<uint32_t> &ids, bool json) {
  Reason reason;
  tenon_text_decoder *made = nullptr;
  tenon_tokenizer_status status = tenon_text_decoder_create(
      tokenizer, call.args.hasArg(OPT_skip_special_tokens), &reason.error,
      &made);
  std::unique_ptr<tenon_text_decoder, void (*)(tenon_text_decoder *)> decoder(
      made, tenon_text_decoder_destroy);
  std::string text;
  const char *piece = nullptr;
  size_t bytes = 0;
  for (size_t i = 0; i <= ids.size() && status == TENON_TOKENIZER_OK; ++i) {
    status = i < ids.size()
                 ? tenon_text_decoder_push(made, ids[i], &piece, &bytes)
                 : tenon_text_decoder_finish(made, &piece, &bytes);
    if (status == TENON_TOKENIZER_OK)
      text.append(piece, bytes);
  }
  if (status != TENON_TOKENIZER_OK)
    return reason.tell(call, status);
  if (json)
    llvm::outs() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{
                       {"schema", 1}, {"text", llvm::json::fixUTF8(text)}}));
  else
    llvm::outs() << text << '\n';
  return Status::Success;
}

static std::string tokenText(const tenon_tokenizer *tokenizer, uint32_t id) {
  size_t bytes = 0;
  const char *token = tenon_tokenizer_token(tokenizer, id, &bytes);
  return token ? std::string(token, bytes) : "";
}

static void print(const tenon_tokenizer *tokenizer,
                  const std::vector<uint32_t> &ids, llvm::StringRef what) {
  llvm::raw_ostream &out = llvm::outs();
  if (what == "count") {
    out << ids.size() << '\n';
  } else if (what == "tokens") {
    for (uint32_t id : ids)
      out << llvm::formatv("{0,7}", id) << "  "
          << escapeForTerminal(tokenText(tokenizer, id)) << '\n';
  } else {
    out << llvm::join(llvm::map_range(
                          ids, [](uint32_t id) { return std::to_string(id); }),
                      " ")
        << '\n';
  }
}

static void printJson(const tenon_tokenizer *tokenizer,
                      const std::vector<uint32_t> &ids) {
  llvm::json::Array numbers, tokens;
  for (uint32_t id : ids) {
    numbers.push_back(id);
    tokens.push_back(llvm::json::fixUTF8(tokenText(tokenizer, id)));
  }
  llvm::outs() << llvm::formatv(
      "{0:2}\n", llvm::json::Value(llvm::json::Object{
                     {"schema", 1},
                     {"vocabulary", tenon_tokenizer_vocabulary_size(tokenizer)},
                     {"ids", std::move(numbers)},
                     {"tokens", std::move(tokens)}}));
}

Status tokenizeVerb(Invocation &call) {
  std::vector<std::string> inputs = call.args.getAllArgValues(OPT_INPUT);
  bool decoding = call.args.hasArg(OPT_decode);
  if (inputs.empty() || inputs.size() > (decoding ? 1 : 2))
    return call.talk.usage(
        "expected the folder of a checkpoint or a tokenizer.json, and " +
            std::string(decoding ? "no text beside --decode" : "one text"),
        "tenon tokenize FOLDER \"a text\"");
  std::string format, what;
  Status status =
      readChoice(call, OPT_format, {"text", "json"}, "text", format);
  if (status == Status::Success)
    status =
        readChoice(call, OPT_print, {"ids", "tokens", "count"}, "ids", what);
  if (status != Status::Success)
    return status;
  Reason reason;
  tenon_tokenizer *opened = nullptr;
  tenon_tokenizer_status result =
      tenon_tokenizer_open(inputs[0].c_str(), &reason.error, &opened);
  OpenTokenizer tokenizer(opened);
  if (result != TENON_TOKENIZER_OK)
    return reason.tell(call, result);
  std::string argument;
  status = readArgument(call,
                        decoding ? call.args.getLastArgValue(OPT_decode).str()
                        : inputs.size() == 2 ? inputs[1]
                                             : "-",
                        argument);
  std::vector<uint32_t> ids;
  if (status == Status::Success)
    status = decoding ? readIds(call, argument, ids)
                      : encode(call, opened, argument, ids);
  if (status != Status::Success)
    return status;
  if (decoding)
    return decode(call, opened, ids, format == "json");
  if (format == "json")
    printJson(opened, ids);
  else
    print(opened, ids, what);
  return Status::Success;
}

} // namespace tenon::cli
