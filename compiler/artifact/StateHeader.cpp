// The memory of the state belongs to the caller, as the arena does. With
// context extents its layout is a function of their sizes.
#include "compiler/artifact/StateHeader.h"

#include "compiler/artifact/CSpelling.h"
#include "compiler/artifact/Descriptor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using llvm::formatv;

namespace tenon {

StateHeader::StateHeader(const ModelFacts &facts, const HeaderOptions &options)
    : facts(facts), options(options), model(descriptorSymbol(options.stem)) {
  CNames members;
  for (const ContextExtentFacts &extent : facts.contextExtents)
    names.push_back(members.make(extent.name));
}

std::string StateHeader::parameter() const {
  return "const " + options.stem + "_extents *extents";
}

std::string StateHeader::sizes() const {
  std::vector<std::string> values;
  for (const std::string &name : names)
    values.push_back("extents->" + name);
  return llvm::join(values, ", ");
}

void StateHeader::writeTables(llvm::raw_ostream &out) const {
  for (auto [name, extent] : llvm::zip_equal(names, facts.contextExtents)) {
    DimFacts range;
    range.min = extent.least;
    range.max = extent.most;
    writeRangeCheck(out, "extents->" + name, range);
  }
  out << "  const int64_t tenon_extents[] = {" << sizes() << "};\n"
      << "  uint64_t tenon_offsets[" << std::max<size_t>(1, facts.states.size())
      << "];\n"
      << "  if (tenon_lay_out_states(&" << model
      << ", tenon_extents, tenon_offsets) == UINT64_MAX) {\n"
      << "    if (fault) {\n      const tenon_fault wrong = "
         "{TENON_FAULT_SHAPE, -1, INT64_MAX, 0, INT64_MAX - 1};\n"
      << "      *fault = wrong;\n    }\n    return TENON_FAULT_SHAPE;\n  }\n";
}

void StateHeader::writeChosen(llvm::raw_ostream &out) const {
  out << "  int64_t tenon_sizes[" << names.size() << "];\n"
      << "  if (tenon_context_get_extents(context, tenon_sizes, "
      << names.size() << ") != TENON_OK)\n    return TENON_BAD_INPUT;\n"
      << "  const " << options.stem << "_extents tenon_chosen = {";
  for (size_t i = 0; i < names.size(); ++i)
    out << (i ? ", " : "") << "tenon_sizes[" << i << "]";
  out << "};\n";
}

void StateHeader::writeExtents(llvm::raw_ostream &out) const {
  out << "\n/* The sizes of the model's context extents. All runs with one "
         "state have the same. */\ntypedef struct "
      << options.stem << "_extents {\n";
  std::vector<std::string> defaults;
  for (auto [name, extent] : llvm::zip_equal(names, facts.contextExtents)) {
    out << "  int64_t " << name << "; /* " << cComment(extent.name) << ": "
        << extent.least << " to " << extent.most << " */\n";
    defaults.push_back(cNumber(extent.initial));
  }
  out << "} " << options.stem << "_extents;\n\n"
      << "static inline " << options.stem << "_extents " << options.stem
      << "_default_extents(void) {\n  " << options.stem
      << "_extents extents = {" << llvm::join(defaults, ", ")
      << "};\n  return extents;\n}\n\n"
      << "/* Bytes of memory that keep the model's state between runs, aligned "
         "to 64.\n * UINT64_MAX: an extent is outside its range, or the sizes "
         "are too large. */\n"
      << "static inline uint64_t " << options.stem << "_state_bytes("
      << parameter() << ") {\n  const int64_t tenon_extents[] = {" << sizes()
      << "};\n  uint64_t tenon_offsets["
      << std::max<size_t>(1, facts.states.size()) << "];\n"
      << "  return tenon_lay_out_states(&" << model
      << ", tenon_extents, tenon_offsets);\n}\n\n";
}

void StateHeader::writeFirstValues(llvm::raw_ostream &out) const {
  bool open = !names.empty();
  std::string name = options.stem + (open ? "_init_zero_state" : "_init_state");
  if (open)
    out << "/* Gives all state its first values in memory that is zero, such "
           "as calloc's. It does\n * not touch what starts with zeros. */\n";
  else
    out << "/* Gives all state its first values: to be called once before the "
           "first run, and\n * again whenever the model shall forget. */\n";
  out << "static inline void " << name << "(void *state) {\n";
  if (!open)
    out << "  memset(state, 0, " << cNumber(facts.stateBytes) << ");\n";
  out << "  for (int32_t i = 0; i < " << model << ".num_states; ++i) {\n"
      << "    const tenon_state_desc *one = &" << model << ".states[i];\n"
      << "    if (one->initial != TENON_STATE_ZERO)\n"
      << "      memcpy((char *)state + one->offset,\n             (const char "
         "*)"
      << model
      << ".weights + one->initial,\n             (size_t)one->bytes);\n"
      << "  }\n}\n";
  if (open)
    out << "\n/* The same in any memory of " << options.stem
        << "_state_bytes: to be called once before the\n * first run, and "
           "again whenever the model shall forget. */\n"
        << "static inline void " << options.stem << "_init_state(void *state, "
        << parameter() << ") {\n  uint64_t bytes = " << options.stem
        << "_state_bytes(extents);\n  if (bytes == UINT64_MAX)\n    return;\n"
        << "  memset(state, 0, (size_t)bytes);\n  " << name << "(state);\n}\n";
}

void StateHeader::write(llvm::raw_ostream &out) const {
  if (!facts.hasState())
    return;
  if (!names.empty())
    writeExtents(out);
  else
    out << "\n/* Bytes of memory that keep the model's state between runs, "
           "aligned to 64. */\n#define "
        << options.stem << "_STATE_BYTES " << cNumber(facts.stateBytes)
        << "\n\n";
  for (const StateFacts &state : facts.states) {
    out << "/* State " << cComment(state.name) << ": ";
    if (state.offset >= 0)
      out << state.bytes() << " bytes at " << state.offset;
    else
      out << "sizes by the context extents";
    out << ". */\n";
  }
  if (!options.needsRuntime)
    writeFirstValues(out);
}

void writeRangeCheck(llvm::raw_ostream &out, const std::string &value,
                     const DimFacts &range) {
  bool bounded = range.max != INT64_MAX;
  std::string wrong = value + " < " + cNumber(range.min);
  if (bounded)
    wrong += " || " + value + " > " + cNumber(range.max);
  if (range.multiple > 1)
    wrong += " || " + value + " % " + cNumber(range.multiple) + " != 0";
  out << "  if (" << wrong << ") {\n    if (fault) {\n"
      << "      const tenon_fault wrong = {TENON_FAULT_SHAPE, -1, " << value
      << ", " << cNumber(range.min) << ", "
      << (bounded ? cNumber(range.max) : "INT64_MAX")
      << "};\n      *fault = wrong;\n    }\n"
      << "    return TENON_FAULT_SHAPE;\n  }\n";
}

} // namespace tenon
