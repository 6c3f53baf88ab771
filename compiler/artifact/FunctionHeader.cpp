// Writes a function's part of the header. Tensors are members of two structs,
// as are the dynamic extents of the inputs. Every function builds the arrays of
// a call from these members.
#include "compiler/artifact/FunctionHeader.h"

#include "compiler/artifact/CSpelling.h"
#include "compiler/artifact/HeaderFields.h"
#include "runtime/tenon_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;
using llvm::StringRef;

namespace tenon {
namespace {

class FunctionHeader {
public:
  FunctionHeader(llvm::raw_ostream &out, const FunctionFacts &function,
                 size_t index, std::string prefix, const HeaderOptions &options,
                 const StateHeader &state, bool only)
      : out(out), function(function), prefix(std::move(prefix)),
        options(options), state(state), only(only),
        entry(formatv("tenon_model_{0}.functions[{1}]", options.stem, index)) {
    CNames inNames, outNames, symbols;
    auto field = [&](const TensorFacts &tensor, CNames &names) {
      return Field{&tensor,
                   names.make(tensor.name),
                   symbols.make(tensor.name),
                   {},
                   false};
    };
    for (const TensorFacts &tensor : function.inputs) {
      inputs.push_back(field(tensor, inNames));
      needsPlan |= tensor.elements() < 0;
    }
    for (Field &field : inputs)
      nameDims(field, inNames);
    for (Extent &extent : extents)
      for (auto [field, d] : extent.owners)
        inputs[field - inputs.data()].dims[d] = extent.value();
    for (const TensorFacts &tensor : function.outputs)
      outputs.push_back(field(tensor, outNames));
    for (Field &field : outputs) {
      field.dynamic = field.tensor->elements() < 0;
      anyDynamic |= field.dynamic;
      needsPlan |= field.dynamic;
      std::string dims =
          field.dynamic ? outNames.make(field.name + "_dims") : "";
      for (size_t d = 0; d < field.tensor->dims.size(); ++d)
        field.dims.push_back(formatv("out->{0}[{1}]", dims, d));
    }
    needsPlan |= function.arenaBytes < 0;
  }

  void write() {
    out << "\n/* The function " << cComment(function.name);
    for (const VariantFacts &variant : function.variants)
      out << "\n * with code of its own for " << cComment(variant.name());
    out << " */\n\n";
    writeStructs();
    writeSizes();
    writePlan();
    if (!options.needsRuntime)
      writeRun();
    if (!options.standalone)
      writeRunIn();
  }

private:
  void nameDims(Field &field, CNames &names) {
    for (auto [d, dim] : llvm::enumerate(field.tensor->dims)) {
      if (dim.size >= 0) {
        field.dims.push_back(cNumber(dim.size));
        continue;
      }
      field.dynamic = true;
      Extent *known = nullptr;
      for (Extent &extent : extents)
        if (!dim.name.empty() && extent.dim.name == dim.name)
          known = &extent;
      if (!known) {
        extents.push_back(
            {dim,
             names.make(dim.name.empty()
                            ? formatv("{0}_dim{1}", field.name, d).str()
                            : dim.name),
             {}});
        known = &extents.back();
      }
      known->owners.emplace_back(&field, d);
      field.dims.emplace_back();
    }
  }

  void writeStructs() {
    out << "typedef struct " << prefix << "_inputs {\n";
    for (const Field &field : inputs)
      out << "  const " << cType(field.tensor->dtype) << " *" << field.name
          << "; /* " << cComment(field.tensor->name) << ": "
          << shapeText(*field.tensor) << notesText(*field.tensor) << " */\n";
    for (const Extent &extent : extents)
      out << "  int64_t " << extent.name << "; /* " << rangeText(extent.dim)
          << " */\n";
    if (inputs.empty())
      out << "  int32_t unused;\n";
    out << "} " << prefix << "_inputs;\n\n";
    out << "typedef struct " << prefix << "_outputs {\n";
    for (const Field &field : outputs) {
      out << "  " << cType(field.tensor->dtype) << " *" << field.name << "; /* "
          << cComment(field.tensor->name) << ": " << shapeText(*field.tensor)
          << " */\n";
      if (field.dynamic && !field.dims.empty())
        out << "  int64_t " << dimsMember(field) << "[" << field.dims.size()
            << "]; /* written by " << prefix << "_plan"
            << (field.tensor->bounded ? " as bounds, then by the run" : "")
            << " */\n";
    }
    if (outputs.empty())
      out << "  int32_t unused;\n";
    out << "} " << prefix << "_outputs;\n\n";
  }

  static std::string dimsMember(const Field &field) {
    StringRef text = field.dims[0];
    return text.drop_front(5).split('[').first.str();
  }

  void writeSizes() {
    if (function.arenaBytes >= 0)
      out << "/* Bytes of workspace for a run, aligned to 64. */\n#define "
          << prefix << "_ARENA_BYTES " << cNumber(function.arenaBytes)
          << "\n\n";
    out << "/* Elements. */\n";
    writeCounts(inputs, "inputs *in");
    writeCounts(outputs, "outputs *out");
    out << "\n";
  }

  void writeCounts(const std::vector<Field> &fields, StringRef parameter) {
    for (const Field &field : fields) {
      if (!field.dynamic) {
        out << "#define " << prefix << "_" << field.symbol << "_COUNT "
            << cNumber(field.tensor->elements()) << "\n";
        continue;
      }
      out << "static inline int64_t " << prefix << "_" << field.symbol
          << "_count(const " << prefix << "_" << parameter << ") {\n  return "
          << product(field) << ";\n}\n";
    }
  }

  static std::string product(const Field &field) {
    std::string text = field.dims.empty() ? "1" : llvm::join(field.dims, " * ");
    return text;
  }

  /// Writes the arrays of a call as local variables, built from the members of
  /// `in` and `out`.
  void writeArrays(bool withData) {
    for (const Field &field : inputs)
      if (!field.dims.empty())
        out << "  const int64_t tenon_in_" << field.name << "["
            << field.dims.size() << "] = {" << llvm::join(field.dims, ", ")
            << "};\n";
    for (const Field &field : outputs)
      if (!field.dynamic && !field.tensor->dims.empty()) {
        out << "  int64_t tenon_out_" << field.name << "["
            << field.tensor->dims.size() << "] = {";
        llvm::interleave(
            field.tensor->dims, out,
            [&](const DimFacts &dim) { out << cNumber(dim.size); }, ", ");
        out << "};\n";
      }
    if (!inputs.empty()) {
      out << "  const void *const tenon_inputs[] = {";
      llvm::interleave(
          inputs, out, [&](const Field &f) { out << data(f); }, ", ");
      out << "};\n  const int64_t *const tenon_input_dims[] = {";
      llvm::interleave(
          inputs, out,
          [&](const Field &f) {
            out << (f.dims.empty() ? "NULL" : "tenon_in_" + f.name);
          },
          ", ");
      out << "};\n";
    }
    if (!outputs.empty()) {
      if (withData) {
        out << "  void *const tenon_outputs[] = {";
        llvm::interleave(
            outputs, out, [&](const Field &f) { out << "out->" << f.name; },
            ", ");
        out << "};\n";
      }
      out << "  int64_t *const tenon_output_dims[] = {";
      llvm::interleave(
          outputs, out, [&](const Field &f) { out << outputDims(f); }, ", ");
      out << "};\n";
    }
  }

  /// The data of an input, or of its default.
  std::string data(const Field &input) const {
    std::string given = "in->" + input.name;
    return !input.isOptional()
               ? given
               : formatv("{0} ? (const void *){0} : {1}.default_data", given,
                         row(input))
                     .str();
  }

  /// The descriptor of an input.
  std::string row(const Field &input) const {
    return formatv("{0}.inputs[{1}]", entry, &input - inputs.data());
  }

  static std::string outputDims(const Field &field) {
    if (field.tensor->dims.empty())
      return "NULL";
    return field.dynamic ? "out->" + dimsMember(field)
                         : "tenon_out_" + field.name;
  }

  void writeCall(StringRef outputData, StringRef arena, StringRef weights,
                 StringRef parallel, StringRef pool, StringRef memory) {
    out << "  tenon_call call = {sizeof(tenon_call),\n                     "
        << (inputs.empty() ? "NULL, NULL" : "tenon_inputs, tenon_input_dims")
        << ",\n                     "
        << (outputs.empty() ? "NULL, NULL"
                            : outputData.str() + ", tenon_output_dims")
        << ",\n                     " << arena << ",\n                     "
        << weights << ", " << parallel << ", " << pool
        << ", NULL,\n                     {0, 0, 0, 0, 0}, NULL, NULL, 0, "
           "0, "
        << memory
        << (function.usesExtents ? ", tenon_extents, tenon_offsets"
                                 : ", NULL, NULL")
        << ",\n                     NULL, NULL, NULL, NULL, NULL, NULL};\n";
  }

  /// Writes checks of the ranges that the model relies on; the runtime makes
  /// these checks otherwise.
  void writeRangeChecks() {
    for (const Extent &extent : extents) {
      writeRangeCheck(out, extent.value(), extent.dim);
      for (auto [field, d] : extent.owners)
        if (field->isOptional() && extent.owners.size() > 1)
          writeDefaultCheck(extent, *field, d);
    }
    for (const Field &field : inputs)
      if (field.tensor->bounds)
        writeValueCheck(field);
    if (function.usesExtents)
      state.writeTables(out);
  }

  /// Writes code that returns TENON_FAULT_SHAPE if an input is left out while
  /// its default has another size than an input with the same extent.
  void writeDefaultCheck(const Extent &extent, const Field &field, size_t d) {
    int64_t size = field.tensor->defaultValue->dims[d];
    writeRangeCheck(out,
                    formatv("(in->{0} ? {1} : {2})", field.name, cNumber(size),
                            extent.value()),
                    {size, size, size, 1, ""});
  }

  /// Writes code that returns TENON_FAULT_VALUE if an element is outside the
  /// range of its input.
  void writeValueCheck(const Field &field) {
    out << formatv("  if (in->{0}) {{\n    int64_t tenon_at =\n        "
                   "tenon_find_outside(&{1}, in->{0}, (uint64_t)({2}));\n",
                   field.name, row(field), product(field))
        << formatv("    if (tenon_at >= 0) {{\n      const tenon_fault wrong = "
                   "{{TENON_FAULT_VALUE, {0}, tenon_at, 0, 0};\n",
                   &field - inputs.data())
        << "      if (fault)\n        *fault = wrong;\n      return "
           "TENON_FAULT_VALUE;\n    }\n  }\n";
  }

  /// The parameter for context extents, if there is one, before others.
  std::string extentsParameter() const {
    return function.usesExtents ? state.parameter() + ", " : "";
  }
  std::string extentsArgument() const {
    return function.usesExtents ? "extents, " : "";
  }

  void writePlan() {
    out << "/* The extents of the outputs, and the bytes of workspace a run "
           "needs.\n * 0, or a tenon_fault_code; `fault` may be null and "
           "otherwise tells more. */\n"
        << "static inline int32_t " << prefix << "_plan(const " << prefix
        << "_inputs *in, " << prefix << "_outputs *out,\n    "
        << extentsParameter()
        << "uint64_t *arena_bytes, tenon_fault *fault) {\n";
    writeRangeChecks();
    writeArrays(/*withData=*/false);
    writeCall("NULL", "NULL, 0", "NULL", "NULL", "NULL", "NULL");
    unusedParameters();
    out << "  if (" << entry << ".plan(&call) != 0) {\n    if (fault)\n"
        << "      *fault = call.fault;\n    return call.fault.code;\n  }\n"
        << "  *arena_bytes = call.arena_bytes;\n  return 0;\n}\n\n";
  }

  /// Avoids warnings: not every function reads both of its structs.
  void unusedParameters() { out << "  (void)in;\n  (void)out;\n"; }

  void writeRun() {
    std::string stateParameter =
        (function.usesState ? "void *state, " : "") + extentsParameter();
    out << "/* Computes the outputs into the caller's buffers. `arena` has the "
           "planned\n * bytes and is aligned to 64. "
        << (function.usesState
                ? "`state` has been given its first values by\n * " +
                      options.stem + "_init_state, and no other run uses it. "
                : "")
        << "Loops run through "
           "`parallel`, where it is not\n * null. 0, or a tenon_fault_code. "
           "*/\n"
        << "static inline int32_t " << prefix << "_run_with(const " << prefix
        << "_inputs *in, " << prefix << "_outputs *out,\n    void *arena, "
        << stateParameter
        << "tenon_parallel_fn parallel, void *pool, tenon_fault *fault) {\n";
    if (needsPlan) {
      out << "  uint64_t arena_bytes = 0;\n  int32_t planned = " << prefix
          << "_plan(in, out, " << extentsArgument() << "&arena_bytes, fault);\n"
          << "  if (planned != 0)\n    return planned;\n";
      if (function.usesExtents)
        state.writeTables(out);
    } else {
      writeRangeChecks();
    }
    writeArrays(/*withData=*/true);
    std::string bytes = needsPlan                  ? "arena_bytes"
                        : function.arenaBytes >= 0 ? prefix + "_ARENA_BYTES"
                                                   : std::string("0");
    writeCall("tenon_outputs", "arena, " + bytes,
              formatv("tenon_model_{0}.weights", options.stem).str(),
              "parallel", "pool", function.usesState ? "state" : "NULL");
    unusedParameters();
    out << "  if (" << entry << ".run(&call) != 0) {\n    if (fault)\n"
        << "      *fault = call.fault;\n    return call.fault.code;\n  }\n"
        << "  return 0;\n}\n\n"
        << "/* The same on the calling thread alone. */\n"
        << "static inline int32_t " << prefix << "_run(const " << prefix
        << "_inputs *in, " << prefix << "_outputs *out,\n    void *arena"
        << (function.usesState ? ", void *state" : "")
        << (function.usesExtents ? ", " + state.parameter() : "")
        << ") {\n  return " << prefix << "_run_with(in, out, arena, "
        << (function.usesState ? "state, " : "") << extentsArgument()
        << "NULL, NULL, NULL);\n}\n\n";
  }

  void writeRunIn() {
    out << "/* The same in a context of the runtime, with its checks, threads "
           "and memory. An\n * output whose pointer is null is told where the "
           "context has put it. */\n"
        << "static inline tenon_status " << prefix
        << "_run_in(tenon_context *context,\n    const " << prefix
        << "_inputs *in, " << prefix << "_outputs *out) {\n";
    for (const Field &field : inputs)
      if (!field.dims.empty())
        out << "  int64_t tenon_in_" << field.name << "[" << field.dims.size()
            << "] = {" << llvm::join(field.dims, ", ") << "};\n";
    writeTensors(inputs, "in");
    std::string run =
        formatv("tenon_run(context, {0}, {1}, {2}, ",
                only ? "NULL" : cString(function.name),
                inputs.empty() ? "NULL" : "tenon_in", inputs.size());
    if (anyDynamic && function.usesExtents)
      state.writeChosen(out);
    if (anyDynamic) {
      out << "  uint64_t arena_bytes = 0;\n  int32_t planned = " << prefix
          << "_plan(in, out, "
          << (function.usesExtents ? "&tenon_chosen, " : "")
          << "&arena_bytes, NULL);\n";
      // Without outputs the run is refused for its inputs, with a text.
      if (llvm::any_of(inputs, [](const Field &f) { return f.tensor->bounds; }))
        out << "  if (planned == TENON_FAULT_VALUE)\n    return " << run
            << "NULL, 0);\n";
      out << "  if (planned != 0)\n    return TENON_BAD_INPUT;\n";
    }
    writeTensors(outputs, "out");
    unusedParameters();
    out << "  tenon_status status = " << run
        << (outputs.empty() ? "NULL" : "tenon_out") << ", " << outputs.size()
        << ");\n";
    if (!outputs.empty())
      out << "  if (status == TENON_OK) {\n";
    for (auto [i, field] : llvm::enumerate(outputs)) {
      out << "    out->" << field.name << " = (" << cType(field.tensor->dtype)
          << " *)tenon_out[" << i << "].data;\n";
      if (field.dynamic && !field.dims.empty())
        out << "    for (int i = 0; i < " << field.dims.size()
            << "; ++i)\n      out->" << dimsMember(field) << "[i] = tenon_out["
            << i << "].dims[i];\n";
    }
    if (!outputs.empty())
      out << "  }\n";
    out << "  return status;\n}\n";
  }

  void writeTensors(const std::vector<Field> &fields, StringRef side) {
    if (fields.empty())
      return;
    out << "  tenon_tensor tenon_" << side << "[] = {\n";
    for (const Field &field : fields) {
      bool isInput = side == "in";
      std::string bytes = formatv(
          "(size_t)({0}) * {1}",
          field.dynamic ? product(field) : cNumber(field.tensor->elements()),
          elementBytes(field.tensor->dtype));
      out << "      {sizeof(tenon_tensor), NULL, "
          << (isInput && field.isOptional()
                  ? formatv("in->{0} ? {1} : 0", field.name,
                            dtypeMacro(field.tensor->dtype))
                        .str()
                  : dtypeMacro(field.tensor->dtype))
          << ", " << (isInput ? int(field.tensor->dims.size()) : 0) << ", "
          << (isInput && !field.dims.empty() ? "tenon_in_" + field.name
                                             : std::string("NULL"))
          << ",\n       (void *)" << side << "->" << field.name << ", "
          << (isInput ? bytes
                      : formatv("out->{0} ? {1} : 0", field.name, bytes).str())
          << ", TENON_ON_HOST},\n";
    }
    out << "  };\n";
  }

  llvm::raw_ostream &out;
  const FunctionFacts &function;
  std::string prefix;
  const HeaderOptions &options;
  const StateHeader &state;
  bool only;
  std::string entry;
  std::vector<Field> inputs, outputs;
  std::vector<Extent> extents;
  bool anyDynamic = false; ///< true if any output has dynamic extents
  /// Some sizes are dynamic: the plan computes the arena size and checks
  /// extents.
  bool needsPlan = false;
};
} // namespace

void writeFunctionHeader(llvm::raw_ostream &out, const FunctionFacts &function,
                         size_t index, const std::string &prefix,
                         const HeaderOptions &options, const StateHeader &state,
                         bool only) {
  FunctionHeader(out, function, index, prefix, options, state, only).write();
}

} // namespace tenon
