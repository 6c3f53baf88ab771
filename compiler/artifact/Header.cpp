// Writes the header: the parts for the whole model, then one part per function.
#include "compiler/artifact/Header.h"

#include "compiler/artifact/CSpelling.h"
#include "compiler/artifact/Descriptor.h"
#include "compiler/artifact/EmbeddedTexts.h"
#include "compiler/artifact/FunctionHeader.h"
#include "compiler/artifact/StateHeader.h"
#include "runtime/tenon_abi.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using llvm::formatv;
using llvm::StringRef;

namespace tenon {

std::string makeHeader(const ModelFacts &facts, const HeaderOptions &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "/* The model " << cComment(options.stem) << ", made by "
      << compilerName << " from " << cComment(facts.source)
      << ".\n * Every write of the model replaces this file. */\n"
      << "#ifndef TENON_MODEL_" << options.stem << "_H\n#define TENON_MODEL_"
      << options.stem << "_H\n\n";
  if (facts.hasState() && !options.needsRuntime)
    out << "#include <string.h>\n";
  if (options.standalone)
    out << StringRef(reinterpret_cast<const char *>(tenon_abi_text),
                     tenon_abi_text_size)
        << "\n";
  else
    out << "#include <tenon/tenon.h>\n\n";
  out << "#if TENON_ABI_VERSION != " << TENON_ABI_VERSION << "\n"
      << "#error \"the model was made for ABI " << TENON_ABI_VERSION
      << " of Tenon's runtime\"\n#endif\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      << "extern const tenon_model_desc " << descriptorSymbol(options.stem)
      << ";\n";
  StateHeader state(facts, options);
  state.write(out);
  bool only = facts.functions.size() == 1;
  CNames names;
  for (auto [i, function] : llvm::enumerate(facts.functions))
    writeFunctionHeader(out, function, i,
                        only ? options.stem
                             : options.stem + "_" + names.make(function.name),
                        options, state, only);
  out << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

} // namespace tenon
