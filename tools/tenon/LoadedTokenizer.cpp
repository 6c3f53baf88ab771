// The tokenizers for the verbs: open, encode, decode.
#include "tools/tenon/LoadedTokenizer.h"

#include "llvm/ADT/StringExtras.h"

namespace tenon::cli {

namespace {
/// Room for the reason of a failure.
struct Reason {
  char text[16384] = "";
  tenon_tokenizer_error error{text, sizeof text};

  /// Reports the failure. A reason begins each of its lines with the file
  /// that is wrong, if it is about one.
  Status tell(Talk &talk, const std::string &path,
              tenon_tokenizer_status status) const {
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
    return talk.fail(static_cast<Status>(status), file, first.str(),
                     std::move(details));
  }
};
} // namespace

Status LoadedTokenizer::open(Talk &talk, const std::string &path) {
  Reason reason;
  tenon_tokenizer *opened = nullptr;
  tenon_tokenizer_status status =
      tenon_tokenizer_open(path.c_str(), &reason.error, &opened);
  tokenizer.reset(opened);
  this->path = path;
  return status == TENON_TOKENIZER_OK ? Status::Success
                                      : reason.tell(talk, path, status);
}

Status LoadedTokenizer::encode(Talk &talk, llvm::StringRef text,
                               bool addSpecial,
                               std::vector<uint32_t> &ids) const {
  Reason reason;
  size_t count = 0;
  tenon_tokenizer_status status = TENON_TOKENIZER_OK;
  // Few texts have more ids than bytes; such a text is encoded again.
  ids.resize(text.size() + 16);
  for (int i = 0; i < 2; ++i) {
    status = tenon_tokenizer_encode(tokenizer.get(), text.data(), text.size(),
                                    addSpecial, ids.data(), ids.size(), &count,
                                    &reason.error);
    if (status != TENON_TOKENIZER_BAD_INPUT)
      break;
    ids.resize(count);
  }
  if (status != TENON_TOKENIZER_OK)
    return reason.tell(talk, path, status);
  ids.resize(count);
  return Status::Success;
}

Status TextDecoder::create(Talk &talk, const LoadedTokenizer &tokenizer,
                           bool skipSpecial) {
  Reason reason;
  tenon_text_decoder *made = nullptr;
  tenon_tokenizer_status status = tenon_text_decoder_create(
      tokenizer.get(), skipSpecial, &reason.error, &made);
  decoder.reset(made);
  return status == TENON_TOKENIZER_OK ? Status::Success
                                      : reason.tell(talk, "tenon", status);
}

llvm::StringRef TextDecoder::push(uint32_t id) {
  const char *piece = nullptr;
  size_t bytes = 0;
  if (tenon_text_decoder_push(decoder.get(), id, &piece, &bytes) !=
      TENON_TOKENIZER_OK)
    llvm::report_bad_alloc_error("out of memory");
  return {piece, bytes};
}

llvm::StringRef TextDecoder::finish() {
  const char *piece = nullptr;
  size_t bytes = 0;
  if (tenon_text_decoder_finish(decoder.get(), &piece, &bytes) !=
      TENON_TOKENIZER_OK)
    llvm::report_bad_alloc_error("out of memory");
  return {piece, bytes};
}

bool parseIds(llvm::StringRef text, std::vector<int64_t> &ids,
              std::string &wrong) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words, " \t\r\n,[]");
  for (llvm::StringRef word : words) {
    int64_t id;
    if (word.getAsInteger(10, id)) {
      wrong = word.str();
      return false;
    }
    ids.push_back(id);
  }
  return true;
}

} // namespace tenon::cli
