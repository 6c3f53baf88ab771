// Prompts are read before the model is compiled, so that mistakes are reported
// early.
#include "tools/tenon/generate/Prompts.h"

#include "llvm/Option/Arg.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

static Status readFile(Invocation &call, const std::string &path,
                       std::string &text) {
  auto content = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!content)
    return call.talk.fail(Status::Io, path,
                          "cannot read the prompt: " +
                              content.getError().message());
  text = (*content)->getBuffer().str();
  return Status::Success;
}

Status Prompts::read(Invocation &call) {
  for (const Arg *arg :
       call.args.filtered(OPT_p, OPT_prompt_file, OPT_prompt_ids)) {
    if (arg->getOption().matches(OPT_prompt_ids)) {
      std::string wrong;
      if (!parseIds(arg->getValue(), ids.emplace_back(), wrong))
        return call.talk.fail(Status::BadInput, "tenon",
                              arg->getAsString(call.args) +
                                  ": expected ids with commas, got '" + wrong +
                                  "'");
    } else if (arg->getOption().matches(OPT_p)) {
      texts.push_back(arg->getValue());
    } else if (Status status =
                   readFile(call, arg->getValue(), texts.emplace_back());
               status != Status::Success) {
      return status;
    }
  }
  if (ids.empty() && texts.empty())
    return call.talk.usage("expected a prompt",
                           "pass -p TEXT, --prompt-file=FILE or "
                           "--prompt-ids=1,2,3; several make a batch");
  if (!ids.empty() && !texts.empty())
    return call.talk.usage("expected prompts as text or as ids, got both");
  return Status::Success;
}

Status Prompts::encode(Invocation &call, const LoadedTokenizer &tokenizer) {
  bool addSpecial = !call.args.hasArg(OPT_no_special_tokens);
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<uint32_t> encoded;
    if (Status status =
            tokenizer.encode(call.talk, texts[i], addSpecial, encoded);
        status != Status::Success)
      return status;
    if (encoded.empty())
      return call.talk.fail(Status::BadInput, "tenon",
                            "prompt " + std::to_string(i + 1) +
                                " is empty: it has no token");
    ids.emplace_back(encoded.begin(), encoded.end());
  }
  return Status::Success;
}

static bool hasTokenizer(llvm::StringRef folder) {
  for (const char *name : {"tokenizer.json", "vocab.json", "spiece.model"}) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return true;
  }
  return false;
}

std::string findTokenizer(const Invocation &call, const std::string &model) {
  if (const Arg *arg = call.args.getLastArg(OPT_tokenizer))
    return arg->getValue();
  std::string folder = model;
  if (!llvm::sys::fs::is_directory(model))
    folder = llvm::sys::path::parent_path(model).str();
  if (folder.empty())
    folder = ".";
  return hasTokenizer(folder) ? folder : "";
}

} // namespace tenon::cli
