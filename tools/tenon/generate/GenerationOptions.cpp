// The model's tables say which options there are, and of which types.
#include "tools/tenon/generate/GenerationOptions.h"

#include "tools/tenon/generate/OptionValue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"

#include <algorithm>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

/// The option that a flag sets, and the text of its value.
static std::pair<std::string, std::string> readFlag(const Arg &arg) {
  std::string value = arg.getNumValues() ? arg.getValue() : "true";
  if (arg.getOption().matches(OPT_option)) {
    auto [name, text] = llvm::StringRef(value).split('=');
    return {name.str(), text.str()};
  }
  std::string name = arg.getOption().getUnaliasedOption().getName().str();
  name.erase(std::remove(name.begin(), name.end(), '='), name.end());
  std::replace(name.begin(), name.end(), '-', '_');
  return {name, value};
}

/// Inputs of `start` that a call gives, and no option does.
static bool isOfCall(llvm::StringRef name) {
  return llvm::is_contained({"ids", "lengths", "keep", "encoder_ids",
                             "encoder_lengths", "keep_encoder"},
                            name);
}

static const tenon_tensor_desc *findOption(const tenon_function_desc &start,
                                           llvm::StringRef name) {
  for (int32_t i = 0; i < start.num_inputs; ++i)
    if (name == start.inputs[i].name && !isOfCall(name))
      return &start.inputs[i];
  return nullptr;
}

static std::vector<std::string> optionNames(const tenon_function_desc &start) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < start.num_inputs; ++i)
    if (findOption(start, start.inputs[i].name))
      names.push_back(start.inputs[i].name);
  return names;
}

/// In the tables -1 means that no length is given; a flag gives one.
static bool isLength(llvm::StringRef name) {
  return name == "max_new_tokens" || name == "max_length";
}

Status
setGenerationOptions(Invocation &call, const std::string &file,
                     const tenon_function_desc &start,
                     std::function<tenon_status(const tenon_tensor &)> set,
                     std::function<const char *()> whyNot) {
  for (const Arg *arg : call.args.filtered(OPT_grp_generation)) {
    auto [name, text] = readFlag(*arg);
    std::string flag = arg->getAsString(call.args);
    const tenon_tensor_desc *desc = findOption(start, name);
    if (!desc) {
      std::vector<std::string> names = optionNames(start);
      return call.talk.fail(Status::BadInput, file,
                            flag + ": the model has no option '" + name + "'" +
                                didYouMean(name, names),
                            {}, "its options are " + llvm::join(names, ", "));
    }
    Tensor value;
    std::string expected = parseOptionValue(text, *desc, value);
    if (expected.empty() && isLength(name) && elementAsBits(value, 0) < 1)
      expected = "at least 1";
    if (!expected.empty())
      return call.talk.fail(Status::BadInput, "tenon",
                            flag + ": expected " + expected);
    tenon_tensor tensor = {
        sizeof tensor,      value.name.c_str(),
        value.dtype,        static_cast<int32_t>(value.dims.size()),
        value.dims.data(),  value.bytes.data(),
        value.bytes.size(), TENON_ON_HOST};
    if (tenon_status status = set(tensor); status != TENON_OK)
      return call.talk.fail(static_cast<Status>(status), file, whyNot());
  }
  return Status::Success;
}

} // namespace tenon::cli
