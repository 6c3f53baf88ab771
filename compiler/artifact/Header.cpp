// Writes the header: the parts for the whole model, then one part per function.
#include "compiler/artifact/Header.h"

#include "compiler/artifact/CSpelling.h"
#include "compiler/artifact/Descriptor.h"
#include "compiler/artifact/EmbeddedTexts.h"
#include "compiler/artifact/FunctionHeader.h"
#include "runtime/tenon_abi.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using llvm::formatv;
using llvm::StringRef;

namespace tenon {

/// Writes the declarations for the model's state. Its memory belongs to the
/// caller, as the arena does.
static void writeState(llvm::raw_ostream &out, const ModelFacts &facts,
                       const HeaderOptions &options) {
  std::string model = descriptorSymbol(options.stem);
  out << "\n/* Bytes of memory that keep the model's state between runs, "
         "aligned to 64. */\n#define "
      << options.stem << "_STATE_BYTES " << cNumber(facts.stateBytes) << "\n\n";
  for (const StateFacts &state : facts.states)
    out << "/* State " << cComment(state.name) << ": " << state.bytes()
        << " bytes at " << state.offset << ". */\n";
  if (options.external)
    return;
  out << "/* Gives all state its first values: to be called once before the "
         "first run, and\n * again whenever the model shall forget. */\n"
      << "static inline void " << options.stem << "_init_state(void *state) {\n"
      << "  memset(state, 0, " << cNumber(facts.stateBytes) << ");\n"
      << "  for (int32_t i = 0; i < " << model << ".num_states; ++i) {\n"
      << "    const tenon_state_desc *one = &" << model << ".states[i];\n"
      << "    if (one->initial != TENON_STATE_ZERO)\n"
      << "      memcpy((char *)state + one->offset,\n             (const char "
         "*)"
      << model
      << ".weights + one->initial,\n             (size_t)one->bytes);\n"
      << "  }\n}\n";
}

std::string makeHeader(const ModelFacts &facts, const HeaderOptions &options) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "/* The model " << cComment(options.stem) << ", made by "
      << compilerName << " from " << cComment(facts.source)
      << ".\n * Every write of the model replaces this file. */\n"
      << "#ifndef TENON_MODEL_" << options.stem << "_H\n#define TENON_MODEL_"
      << options.stem << "_H\n\n";
  if (facts.stateBytes > 0 && !options.external)
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
  if (facts.stateBytes > 0)
    writeState(out, facts, options);
  bool only = facts.functions.size() == 1;
  CNames names;
  for (auto [i, function] : llvm::enumerate(facts.functions))
    writeFunctionHeader(out, function, i,
                        only ? options.stem
                             : options.stem + "_" + names.make(function.name),
                        options, only);
  out << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}

} // namespace tenon
