// Parses the values of flags. A refusal says what was expected and what was
// found.
#include "tools/tenon/CompileFlags.h"

#include "compiler/Compiler.h"
#include "tools/tenon/DeviceFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cmath>

using namespace tenon::cli::options;
using llvm::opt::Arg;

namespace tenon::cli {

Status readLoadWeights(Invocation &call, tenon_weights_mode &mode) {
  std::string how;
  Status status =
      readChoice(call, OPT_load_weights, {"auto", "map", "copy"}, "auto", how);
  mode = how == "map"    ? TENON_WEIGHTS_MAP
         : how == "copy" ? TENON_WEIGHTS_COPY
                         : TENON_WEIGHTS_AUTO;
  return status;
}

std::vector<std::string> knownCpus() {
  llvm::SmallVector<llvm::StringRef, 128> names;
  llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  std::vector<std::string> result;
  for (llvm::StringRef name : names)
    result.push_back(name.str());
  return result;
}

/// The flag as the user wrote it: `--flag=value`.
static std::string spelled(Invocation &call, const Arg *arg) {
  return arg->getAsString(call.args);
}

static Status expected(Invocation &call, const Arg *arg,
                       const std::string &what) {
  return call.talk.usage(spelled(call, arg) + ": expected " + what);
}

static Status checkCpu(Invocation &call, const std::string &cpu) {
  std::vector<std::string> known = knownCpus();
  if (cpu == "native" || llvm::is_contained(known, cpu))
    return Status::Success;
  return call.talk.usage("unknown CPU '" + cpu + "'" + didYouMean(cpu, known),
                         "'tenon targets' lists the CPUs");
}

Status readCpuMask(Invocation &call, uint64_t &mask) {
  const Arg *arg = call.args.getLastArg(OPT_cpu);
  if (!arg)
    return Status::Success;
  if (Status status = checkCpu(call, arg->getValue());
      status != Status::Success)
    return status;
  // Set a bit that stands for no feature, because a mask of zero would mean no
  // mask.
  mask = Compiler::cpuFeatures(arg->getValue()) | UINT64_C(1) << 63;
  return Status::Success;
}

/// Parses `x86-64-v2,v3,znver5`; v3 is short for x86-64-v3.
static Status readVersions(Invocation &call, const Arg *arg,
                           std::vector<std::string> &versions) {
  for (unsigned other : {OPT_mcpu, OPT_mattr})
    if (const Arg *also = call.args.getLastArg(other))
      return call.talk.usage(spelled(call, also) + " is for one CPU, and " +
                             spelled(call, arg) + " names its own");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(arg->getValue()).split(parts, ',');
  for (llvm::StringRef part : parts) {
    if (part.empty())
      return expected(call, arg, "names of CPUs, such as x86-64-v3,x86-64-v4");
    bool isLevel = part.size() == 2 && part[0] == 'v' && llvm::isDigit(part[1]);
    std::string cpu = (isLevel ? "x86-64-" : "") + part.str();
    if (Status status = checkCpu(call, cpu); status != Status::Success)
      return status;
    if (llvm::is_contained(versions, cpu))
      return call.talk.usage("--multiversion: '" + cpu + "' is given twice");
    versions.push_back(std::move(cpu));
  }
  return Status::Success;
}

/// Sets `value` to the choice that the flag `id` names; leaves it unchanged if
/// the flag is absent.
template <typename Choice>
static Status readNamed(Invocation &call, unsigned id,
                        llvm::ArrayRef<std::pair<const char *, Choice>> named,
                        Choice &value) {
  std::vector<std::string> known;
  for (const auto &[name, choice] : named)
    known.push_back(name);
  std::string chosen;
  if (Status status = readChoice(call, id, known, "", chosen);
      status != Status::Success)
    return status;
  for (const auto &[name, choice] : named)
    if (chosen == name)
      value = choice;
  return Status::Success;
}

static constexpr std::pair<const char *, MatmulPrecision> precisions[] = {
    {"strict", MatmulPrecision::Strict},
    {"f32", MatmulPrecision::F32},
    {"high", MatmulPrecision::High},
    {"bf16", MatmulPrecision::Bf16}};

const char *nameOf(MatmulPrecision precision) {
  auto isIt = [&](const auto &named) { return named.second == precision; };
  return llvm::find_if(precisions, isIt)->first;
}

Status readCodeFlags(Invocation &call, CompileOptions &options) {
  // --cpu runs the model as on that CPU, so without -mcpu the model is compiled
  // for that CPU.
  const Arg *cpu = call.args.getLastArg(OPT_mcpu);
  if (const Arg *arg = cpu ? cpu : call.args.getLastArg(OPT_cpu)) {
    options.cpu = arg->getValue();
    if (Status status = checkCpu(call, options.cpu); status != Status::Success)
      return status;
  }
  if (const Arg *arg = call.args.getLastArg(OPT_multiversion))
    if (Status status = readVersions(call, arg, options.versions);
        status != Status::Success)
      return status;
  if (Status status = readDevices(call, options); status != Status::Success)
    return status;
  for (const Arg *arg : call.args.filtered(OPT_mattr)) {
    llvm::SmallVector<llvm::StringRef, 8> parts;
    llvm::StringRef(arg->getValue()).split(parts, ',', -1, false);
    for (llvm::StringRef part : parts) {
      if (part.size() < 2 || (part[0] != '+' && part[0] != '-'))
        return expected(call, arg, "features such as +avx2,-fma");
      options.features.push_back(part.str());
    }
  }
  if (const Arg *arg = call.args.getLastArg(OPT_O)) {
    llvm::StringRef level = arg->getValue();
    if (level.size() != 1 || level[0] < '0' || level[0] > '3')
      return expected(call, arg, "-O0, -O1, -O2 or -O3");
    options.optLevel = level[0] - '0';
  }
  options.foldBatchNorm = !call.args.hasArg(OPT_no_fold_batch_norm);
  if (Status status = readNamed<WeightFormat>(call, OPT_weight_format,
                                              {{"f32", WeightFormat::F32},
                                               {"f16", WeightFormat::F16},
                                               {"bf16", WeightFormat::Bf16},
                                               {"int8", WeightFormat::Int8},
                                               {"int4", WeightFormat::Int4}},
                                              options.weightFormat);
      status != Status::Success)
    return status;
  if (Status status = readNamed<CacheFormat>(
          call, OPT_cache_format,
          {{"f32", CacheFormat::F32}, {"bf16", CacheFormat::Bf16}},
          options.checkpoint.cache);
      status != Status::Success)
    return status;
  if (Status status =
          readNamed<GenerationCompat>(call, OPT_gen_compat,
                                      {{"hf-pt", GenerationCompat::PyTorch},
                                       {"hf-tf", GenerationCompat::TensorFlow}},
                                      options.checkpoint.compat);
      status != Status::Success)
    return status;
  return readNamed<MatmulPrecision>(call, OPT_matmul_precision, precisions,
                                    options.matmulPrecision);
}

static bool parseExtent(llvm::StringRef text, int64_t &value) {
  return !text.empty() && llvm::isDigit(text[0]) &&
         !text.getAsInteger(10, value) && value >= 0;
}

/// Parses `N`, `MIN..MAX` or `MIN..`, each with an optional `:MULTIPLE`.
static bool parseRange(llvm::StringRef text, DimOption &dim) {
  auto [range, multiple] = text.split(':');
  if (text.contains(':') &&
      (!parseExtent(multiple, dim.multiple) || dim.multiple == 0))
    return false;
  size_t dots = range.find("..");
  if (dots == llvm::StringRef::npos) {
    if (!parseExtent(range, dim.min))
      return false;
    dim.max = dim.min;
    return !text.contains(':');
  }
  llvm::StringRef high = range.substr(dots + 2);
  if (!parseExtent(range.take_front(dots), dim.min) ||
      (!high.empty() && !parseExtent(high, dim.max)))
    return false;
  // The range must contain a multiple.
  return dim.max / dim.multiple * dim.multiple >= dim.min;
}

/// Parses `NAME:1x3x?` and `NAME=[1,3,?]`; a name may contain ':' and '='.
static bool parseShape(llvm::StringRef text, ShapeOption &shape) {
  llvm::StringRef dims;
  char separator = 'x';
  size_t bracket = text.rfind("=[");
  if (text.ends_with("]") && bracket != llvm::StringRef::npos) {
    shape.input = text.take_front(bracket).str();
    dims = text.substr(bracket + 2).drop_back();
    separator = ',';
  } else {
    size_t colon = text.rfind(':');
    if (colon == llvm::StringRef::npos)
      return false;
    shape.input = text.take_front(colon).str();
    dims = text.substr(colon + 1);
  }
  if (shape.input.empty())
    return false;
  if (dims.empty())
    return true;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  dims.split(parts, separator);
  for (llvm::StringRef part : parts) {
    int64_t extent = 0;
    part = part.trim();
    if (part == "?")
      shape.dims.push_back(std::nullopt);
    else if (parseExtent(part, extent))
      shape.dims.push_back(extent);
    else
      return false;
  }
  return true;
}

Status readShapes(Invocation &call, CompileOptions &options) {
  for (const Arg *arg : call.args.filtered(OPT_shape)) {
    ShapeOption shape;
    if (!parseShape(arg->getValue(), shape))
      return expected(call, arg, "NAME:1x3x224x224, '?' for a dynamic extent");
    for (const ShapeOption &other : options.shapes)
      if (other.input == shape.input)
        return call.talk.usage("--shape: input '" + shape.input +
                               "' is given twice");
    options.shapes.push_back(std::move(shape));
  }
  return Status::Success;
}

Status readShapeFlags(Invocation &call, CompileOptions &options) {
  if (Status status = readShapes(call, options); status != Status::Success)
    return status;
  for (const Arg *arg : call.args.filtered(OPT_dim)) {
    DimOption dim;
    auto [name, range] = llvm::StringRef(arg->getValue()).rsplit('=');
    dim.name = name.str();
    if (name.empty() || range.empty() || !parseRange(range, dim))
      return expected(call, arg, "NAME=N or NAME=MIN..MAX[:MULTIPLE]");
    for (const DimOption &other : options.dims)
      if (other.name == dim.name)
        return call.talk.usage("--dim: '" + dim.name + "' is given twice");
    options.dims.push_back(std::move(dim));
  }
  return Status::Success;
}

/// Parses `NAME:N,NAME:N`; a name may contain a colon.
static bool parseVariant(llvm::StringRef text, VariantOption &variant) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (llvm::StringRef part : parts) {
    auto [name, size] = part.rsplit(':');
    int64_t value = 0;
    if (name.empty() || !parseExtent(size, value))
      return false;
    for (const auto &other : variant.sizes)
      if (other.first == name)
        return false;
    variant.sizes.emplace_back(name.str(), value);
  }
  return true;
}

Status readVariantFlags(Invocation &call, CompileOptions &options) {
  for (const Arg *arg : call.args.filtered(OPT_specialize)) {
    VariantOption variant;
    if (!parseVariant(arg->getValue(), variant))
      return expected(call, arg, "NAME:N,NAME:N, each name once");
    options.variants.push_back(std::move(variant));
  }
  for (const Arg *arg : call.args.filtered(OPT_pad)) {
    auto [name, multiple] = llvm::StringRef(arg->getValue()).rsplit(':');
    PadOption pad{name.str(), 0};
    if (name.empty() || !parseExtent(multiple, pad.multiple) ||
        pad.multiple == 0)
      return expected(call, arg, "NAME:N, a multiple");
    for (const PadOption &other : options.pads)
      if (other.name == pad.name)
        return call.talk.usage("--pad: '" + pad.name + "' is given twice");
    options.pads.push_back(std::move(pad));
  }
  return Status::Success;
}

Status readRemarkFlags(Invocation &call, CompileOptions &options) {
  std::vector<std::string> all = Compiler::remarkCategories();
  for (const Arg *arg : call.args.filtered(OPT_remarks)) {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(arg->getValue()).split(names, ',');
    for (llvm::StringRef name : names)
      if (name == "all")
        options.remarks = all;
      else if (!llvm::is_contained(all, name))
        return expected(call, arg,
                        "all, or some of " + llvm::join(all, ", ") +
                            didYouMean(name, all));
      else if (!llvm::is_contained(options.remarks, name))
        options.remarks.push_back(name.str());
  }
  return Status::Success;
}

Status readEntryFlags(Invocation &call, TensorFlowOptions &options) {
  for (const Arg *arg : call.args.filtered(OPT_signature, OPT_function)) {
    bool isSignature = arg->getOption().matches(OPT_signature);
    options.entries.push_back({isSignature, arg->getValue()});
    for (const EntryOption &other : llvm::drop_end(options.entries))
      if (other.name == arg->getValue())
        return call.talk.usage(std::string("'") + arg->getValue() +
                               "' is to be compiled twice");
  }
  options.allSignatures = call.args.hasArg(OPT_all_signatures);
  options.tag = call.args.getLastArgValue(OPT_tag).str();
  auto list = [&](unsigned option, std::vector<std::string> &names) {
    for (const std::string &value : call.args.getAllArgValues(option)) {
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(value).split(parts, ',', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef part : parts)
        names.push_back(part.str());
    }
  };
  list(OPT_feeds, options.feeds);
  list(OPT_fetches, options.fetches);
  bool cut = !options.feeds.empty() || !options.fetches.empty();
  if (cut && (!options.entries.empty() || options.allSignatures))
    return call.talk.usage("signatures or functions and --feeds or --fetches "
                           "both say what to compile");
  return Status::Success;
}

Status readDimSizes(Invocation &call, std::map<std::string, int64_t> &sizes) {
  for (const Arg *arg : call.args.filtered(OPT_dim)) {
    auto [name, size] = llvm::StringRef(arg->getValue()).rsplit('=');
    int64_t value = 0;
    if (name.empty() || !parseExtent(size, value))
      return expected(call, arg, "NAME=N");
    if (!sizes.emplace(name.str(), value).second)
      return call.talk.usage("--dim: '" + name.str() + "' is given twice");
  }
  return Status::Success;
}

Status readContextExtents(Invocation &call,
                          std::map<std::string, int64_t> &extents) {
  for (const Arg *arg : call.args.filtered(OPT_context)) {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(arg->getValue()).split(parts, ',');
    for (llvm::StringRef part : parts) {
      auto [name, size] = part.rsplit('=');
      int64_t value = 0;
      if (name.empty() || !parseExtent(size, value))
        return expected(call, arg, "NAME=N,NAME=N");
      if (!extents.emplace(name.str(), value).second)
        return call.talk.usage("--context: '" + name.str() +
                               "' is given twice");
    }
  }
  return Status::Success;
}

Status readOnePositional(Invocation &call, const char *what,
                         std::string &value) {
  std::vector<std::string> inputs = call.args.getAllArgValues(OPT_INPUT);
  if (inputs.empty())
    return call.talk.usage(std::string("expected ") + what);
  if (inputs.size() > 1)
    return call.talk.usage("expected one " +
                           llvm::StringRef(what).split(" ").second.str() +
                           ", got '" + inputs[0] + "' and '" + inputs[1] + "'");
  value = inputs[0];
  return value.empty() ? call.talk.usage(std::string("expected ") + what +
                                         ", got an empty name")
                       : call.pipe.settle(call.talk, value);
}

Status readChoice(Invocation &call, unsigned id, std::vector<std::string> known,
                  llvm::StringRef otherwise, std::string &value) {
  const Arg *arg = call.args.getLastArg(id);
  value = arg ? arg->getValue() : otherwise.str();
  if (!arg || llvm::is_contained(known, value))
    return Status::Success;
  return expected(call, arg,
                  llvm::join(known, ", ") + didYouMean(value, known));
}

Status readNumber(Invocation &call, unsigned id, int64_t low, int64_t high,
                  int64_t &value) {
  const Arg *arg = call.args.getLastArg(id);
  if (!arg)
    return Status::Success;
  int64_t number = 0;
  if (llvm::StringRef(arg->getValue()).getAsInteger(10, number) ||
      number < low || number > high)
    return expected(call, arg,
                    "a number from " + std::to_string(low) + " to " +
                        std::to_string(high));
  value = number;
  return Status::Success;
}

/// Splits "1.5ms" into 1.5 and "ms"; false if there is no number.
static bool splitUnit(llvm::StringRef text, double &value,
                      llvm::StringRef &unit) {
  size_t end = text.find_first_not_of("0123456789.");
  unit = end == llvm::StringRef::npos ? "" : text.substr(end);
  return !text.drop_back(unit.size()).getAsDouble(value) &&
         std::isfinite(value);
}

Status readDuration(Invocation &call, unsigned id, double &seconds) {
  const Arg *arg = call.args.getLastArg(id);
  if (!arg)
    return Status::Success;
  double value = 0;
  llvm::StringRef unit;
  bool fine = splitUnit(arg->getValue(), value, unit);
  double scale = unit == "us"                  ? 1e-6
                 : unit == "ms"                ? 1e-3
                 : unit.empty() || unit == "s" ? 1
                 : unit == "min"               ? 60
                                               : 0;
  if (!fine || scale == 0 || value * scale > 1e9)
    return expected(call, arg, "a time such as 500ms or 2s");
  seconds = value * scale;
  return Status::Success;
}

std::optional<uint64_t> parseSize(llvm::StringRef text) {
  double value = 0;
  llvm::StringRef unit;
  bool fine = splitUnit(text, value, unit);
  if (unit.size() > 1 && !unit.consume_back("iB"))
    unit.consume_back("B");
  double scale = unit.empty() || unit == "B" ? 1
                 : unit == "K"               ? 1024.0
                 : unit == "M"               ? 1024.0 * 1024
                 : unit == "G"               ? 1024.0 * 1024 * 1024
                                             : 0;
  if (!fine || scale == 0 || value < 0 || value * scale > 9e18)
    return std::nullopt;
  return static_cast<uint64_t>(value * scale);
}

Status readSize(Invocation &call, unsigned id, uint64_t &bytes) {
  const Arg *arg = call.args.getLastArg(id);
  if (!arg)
    return Status::Success;
  std::optional<uint64_t> size = parseSize(arg->getValue());
  if (!size || *size == 0)
    return expected(call, arg, "a size such as 512M or 2G");
  bytes = *size;
  return Status::Success;
}

Status readTolerance(Invocation &call, unsigned id,
                     std::optional<double> &value) {
  const Arg *arg = call.args.getLastArg(id);
  if (!arg)
    return Status::Success;
  double number = 0;
  if (llvm::StringRef(arg->getValue()).getAsDouble(number) ||
      !std::isfinite(number) || number < 0)
    return expected(call, arg, "a number not below 0, such as 1e-3");
  value = number;
  return Status::Success;
}

} // namespace tenon::cli
