// The flags that set options of a generation model. Each has the name of its
// option: --top-k sets the input top_k.
#ifndef TENON_TOOLS_TENON_GENERATE_GENERATIONOPTIONS_H
#define TENON_TOOLS_TENON_GENERATE_GENERATIONOPTIONS_H

#include "runtime/tenon_generate.h"
#include "tools/tenon/Verbs.h"

#include <functional>

namespace tenon::cli {

/// Sets the options that the flags give by `set`; `whyNot` tells its failure.
/// `start` is the model's entry with the options; messages call the model
/// `file`.
Status
setGenerationOptions(Invocation &call, const std::string &file,
                     const tenon_function_desc &start,
                     std::function<tenon_status(const tenon_tensor &)> set,
                     std::function<const char *()> whyNot);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_GENERATIONOPTIONS_H
