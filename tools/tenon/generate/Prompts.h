// The prompts of `tenon generate`, as the command line gives them, and as ids.
#ifndef TENON_TOOLS_TENON_GENERATE_PROMPTS_H
#define TENON_TOOLS_TENON_GENERATE_PROMPTS_H

#include "tools/tenon/LoadedTokenizer.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

struct Prompts {
  std::vector<std::string> texts; ///< empty if the prompts are given as ids
  std::vector<std::vector<int64_t>> ids;

  /// Reads -p, --prompt-file and --prompt-ids.
  Status read(Invocation &call);

  /// Sets `ids` from the texts.
  Status encode(Invocation &call, const LoadedTokenizer &tokenizer);
};

/// The folder or file of the tokenizer: from --tokenizer, else the model's
/// folder, else the folder of the artifact. Empty if there is none.
std::string findTokenizer(const Invocation &call, const std::string &model);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_PROMPTS_H
