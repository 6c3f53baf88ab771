// `tenon tokenize` shows the ids of a text, or the text of ids, by the
// tokenizer of a checkpoint's folder.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/LoadedTokenizer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tenon::cli::options;

namespace tenon::cli {

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

static Status readIds(Invocation &call, const std::string &text,
                      std::vector<uint32_t> &ids) {
  std::vector<int64_t> numbers;
  std::string wrong;
  bool known = parseIds(text, numbers, wrong);
  for (int64_t number : numbers) {
    if (known && (number < 0 || number > UINT32_MAX)) {
      wrong = std::to_string(number);
      known = false;
    }
    ids.push_back(static_cast<uint32_t>(number));
  }
  if (known)
    return Status::Success;
  return call.talk.fail(Status::BadInput, "tenon",
                        "--decode: expected ids from 0 to 4294967295, got '" +
                            wrong + "'");
}

/// Prints the text of ids, piece by piece.
static Status decode(Invocation &call, const LoadedTokenizer &tokenizer,
                     const std::vector<uint32_t> &ids, bool json) {
  TextDecoder decoder;
  if (Status status = decoder.create(call.talk, tokenizer,
                                     call.args.hasArg(OPT_skip_special_tokens));
      status != Status::Success)
    return status;
  std::string text;
  for (uint32_t id : ids)
    text += decoder.push(id);
  text += decoder.finish();
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
  LoadedTokenizer tokenizer;
  if (Status status = tokenizer.open(call.talk, inputs[0]);
      status != Status::Success)
    return status;
  std::string argument;
  status = readArgument(call,
                        decoding ? call.args.getLastArgValue(OPT_decode).str()
                        : inputs.size() == 2 ? inputs[1]
                                             : "-",
                        argument);
  std::vector<uint32_t> ids;
  if (status == Status::Success)
    status =
        decoding
            ? readIds(call, argument, ids)
            : tokenizer.encode(call.talk, argument,
                               !call.args.hasArg(OPT_no_special_tokens), ids);
  if (status != Status::Success)
    return status;
  if (decoding)
    return decode(call, tokenizer, ids, format == "json");
  if (format == "json")
    printJson(tokenizer.get(), ids);
  else
    print(tokenizer.get(), ids, what);
  return Status::Success;
}

} // namespace tenon::cli
