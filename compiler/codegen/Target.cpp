// A CPU is resolved into two parts. The allowed instructions are a list of
// features that the runtime can check; the CPU's name only tunes the code. An
// instruction without a feature bit is never used, so a model that loads cannot
// reach an illegal instruction.
#include "compiler/codegen/Target.h"

#include "runtime/tenon_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace llvm;

namespace tenon {
namespace {
struct Feature {
  const char *name; ///< LLVM's name
  uint64_t bit;     ///< 0: every CPU with TENON_CPU_SSE42 has it
};

constexpr Feature known[] = {
    {"sse3", 0},
    {"ssse3", 0},
    {"sse4.1", 0},
    {"sse4.2", TENON_CPU_SSE42},
    {"popcnt", 0},
    {"cx16", 0},
    {"sahf", 0},
    {"avx", TENON_CPU_AVX},
    {"avx2", TENON_CPU_AVX2},
    {"fma", TENON_CPU_FMA},
    {"f16c", TENON_CPU_F16C},
    {"bmi", TENON_CPU_BMI},
    {"bmi2", TENON_CPU_BMI2},
    {"lzcnt", TENON_CPU_LZCNT},
    {"movbe", TENON_CPU_MOVBE},
    {"gfni", TENON_CPU_GFNI},
    {"avxvnni", TENON_CPU_AVXVNNI},
    {"vaes", TENON_CPU_VAES},
    {"vpclmulqdq", TENON_CPU_VPCLMULQDQ},
    {"avx512f", TENON_CPU_AVX512F},
    {"avx512cd", TENON_CPU_AVX512CD},
    {"avx512dq", TENON_CPU_AVX512DQ},
    {"avx512bw", TENON_CPU_AVX512BW},
    {"avx512vl", TENON_CPU_AVX512VL},
    {"avx512vnni", TENON_CPU_AVX512VNNI},
    {"avx512vbmi", TENON_CPU_AVX512VBMI},
    {"avx512vbmi2", TENON_CPU_AVX512VBMI2},
    {"avx512ifma", TENON_CPU_AVX512IFMA},
    {"avx512bitalg", TENON_CPU_AVX512BITALG},
    {"avx512vpopcntdq", TENON_CPU_AVX512VPOPCNTDQ},
    {"avx512bf16", TENON_CPU_AVX512BF16},
    {"avx512fp16", TENON_CPU_AVX512FP16},
    {"amx-tile", TENON_CPU_AMX_TILE},
    {"amx-bf16", TENON_CPU_AMX_BF16},
    {"amx-int8", TENON_CPU_AMX_INT8},
};

const llvm::Target *lookup(const Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  return TargetRegistry::lookupTarget(triple, error);
}

std::nullopt_t refuse(const DiagnosticHandler &report, Status &status,
                      std::string text, std::string help) {
  Diagnostic diagnostic;
  diagnostic.text = std::move(text);
  diagnostic.help = std::move(help);
  diagnostic.status = status = Status::Usage;
  report(diagnostic);
  return std::nullopt;
}

std::string widthName(const TargetChoice &choice) {
  std::string name = choice.vectorBytes == 64    ? "AVX-512"
                     : choice.vectorBytes == 32  ? "AVX2"
                     : choice.has(TENON_CPU_AVX) ? "AVX"
                                                 : "SSE";
  if (choice.has(TENON_CPU_AMX_TILE))
    name += ", AMX";
  return name;
}

/// The CPU names closest to a mistyped one, as text for a message.
std::string cpuNames(const MCSubtargetInfo &info, StringRef wrong) {
  std::vector<std::pair<unsigned, StringRef>> near;
  for (const SubtargetSubTypeKV &cpu : info.getAllProcessorDescriptions())
    near.push_back({wrong.edit_distance(cpu.Key), cpu.Key});
  llvm::sort(near);
  std::string text = "expected native, x86-64, x86-64-v2, x86-64-v3, "
                     "x86-64-v4";
  int count = 0;
  for (auto &[distance, name] : near)
    if (!name.starts_with("x86-64") && count++ < 4)
      text += ", " + name.str();
  return text + " or another name of 'tenon targets'";
}
} // namespace

std::optional<TargetChoice> chooseTarget(const CompileOptions &options,
                                         const DiagnosticHandler &report,
                                         Status &status) {
  bool host = options.triple.empty();
  Triple triple(
      Triple::normalize(host ? sys::getDefaultTargetTriple() : options.triple));
  if (triple.getEnvironment() == Triple::UnknownEnvironment)
    triple.setEnvironment(Triple::GNU);
  const llvm::Target *target = lookup(triple);
  if (!target || triple.getArch() != Triple::x86_64 || !triple.isOSLinux())
    return refuse(report, status,
                  "expected a target of x86-64 Linux, got '" +
                      (host ? triple.str() : options.triple) + "'",
                  "pass --target=x86_64-linux-gnu");
  bool native = options.cpu.empty() || options.cpu == "native";
  std::unique_ptr<MCSubtargetInfo> base(
      target->createMCSubtargetInfo(triple, "", ""));
  TargetChoice choice;
  choice.cpu = native ? sys::getHostCPUName().str() : options.cpu;
  if (native && Triple(sys::getProcessTriple()).getArch() != Triple::x86_64)
    choice.cpu = "x86-64";
  if (!base->isCPUStringValid(choice.cpu)) {
    if (!native)
      return refuse(report, status, "unknown CPU '" + options.cpu + "'",
                    cpuNames(*base, options.cpu));
    choice.cpu = "x86-64";
  }

  StringMap<bool> wanted;
  if (native && choice.cpu != "x86-64")
    wanted = sys::getHostCPUFeatures();
  for (const std::string &asked : options.features) {
    StringRef name = StringRef(asked).drop_front(asked.empty() ? 0 : 1);
    bool on = StringRef(asked).starts_with("+");
    bool isOurs = llvm::any_of(
        known, [&](const Feature &feature) { return name == feature.name; });
    bool exists = llvm::any_of(
        base->getAllProcessorFeatures(),
        [&](const SubtargetFeatureKV &feature) { return name == feature.Key; });
    if (asked.empty() || (!on && asked[0] != '-') || !exists ||
        (on && !isOurs)) {
      std::vector<StringRef> names;
      for (const Feature &feature : known)
        if (feature.bit)
          names.push_back(feature.name);
      return refuse(report, status,
                    exists && on ? "no model can require the CPU feature '" +
                                       name.str() + "'"
                                 : "unknown CPU feature '" + asked + "'",
                    "expected + or - and one of " + llvm::join(names, ", "));
    }
    wanted[name] = on;
  }
  // LLVM resolves implied features. Enabled features come first, in the order
  // of our list. Features that the host lacks or the user removed come last.
  std::string text;
  for (bool on : {true, false})
    for (const Feature &feature : known) {
      auto found = wanted.find(feature.name);
      if (found != wanted.end() && found->second == on)
        text += std::string(text.empty() ? "" : ",") + (on ? "+" : "-") +
                feature.name;
    }
  for (const std::string &asked : options.features)
    if (asked[0] == '-')
      text += (text.empty() ? "" : ",") + asked;
  std::unique_ptr<MCSubtargetInfo> resolved(
      target->createMCSubtargetInfo(triple, choice.cpu, text));
  for (const Feature &feature : known) {
    if (!resolved->checkFeatures(std::string("+") + feature.name))
      continue;
    choice.features += (choice.features.empty() ? "+" : ",+");
    choice.features += feature.name;
    choice.cpuFeatures |= feature.bit;
  }

  uint64_t wide = TENON_CPU_AVX512F | TENON_CPU_AVX512BW | TENON_CPU_AVX512DQ |
                  TENON_CPU_AVX512VL;
  uint64_t middle = TENON_CPU_AVX2 | TENON_CPU_FMA;
  if ((choice.cpuFeatures & wide) == wide)
    choice.vectorBytes = 64;
  else if ((choice.cpuFeatures & middle) == middle)
    choice.vectorBytes = 32;
  choice.nativeHalf = choice.has(TENON_CPU_F16C);
  // Without optimization LLVM's code generation cannot keep a tile across a
  // loop.
  bool hasTiles = choice.vectorBytes == 64 && options.optLevel != 0;
  choice.bf16Tiles = hasTiles && choice.has(TENON_CPU_AMX_BF16);
  choice.byteTiles = hasTiles && choice.has(TENON_CPU_AMX_INT8);
  choice.bf16Pairs =
      choice.vectorBytes == 64 && choice.has(TENON_CPU_AVX512BF16);
  choice.byteQuads =
      (choice.vectorBytes == 64 && choice.has(TENON_CPU_AVX512VNNI)) ||
      (choice.vectorBytes == 32 && choice.has(TENON_CPU_AVXVNNI));
  // No other processor is known to be like it: docs/rationale/products.md.
  bool isZen4 = choice.cpu == "znver4";
  choice.readsAhead = isZen4;
  choice.costlyBroadcasts = isZen4 && choice.vectorBytes == 64;
  choice.triple = triple.str();
  choice.optLevel = options.optLevel;
  choice.description = choice.cpu + " (" + widthName(choice) + ")";
  return choice;
}

/// What code can be made for. Code for sm_90a uses instructions that no later
/// architecture has.
static const DeviceArchitecture knownArchitectures[] = {
    {"sm_75", 75}, {"sm_80", 80}, {"sm_86", 86},
    {"sm_89", 89}, {"sm_90", 90}, {"sm_90a", 90, true},
};

std::vector<std::string> deviceArchitectures() {
  std::vector<std::string> names;
  for (const DeviceArchitecture &known : knownArchitectures)
    names.push_back(known.name);
  return names;
}

/// Appends the device's target; false after an error was reported.
static bool addDevice(const CompileOptions &options,
                      std::vector<TargetChoice> &targets,
                      const DiagnosticHandler &report, Status &status) {
  TargetChoice device = targets.back();
  std::vector<std::string> names = options.devices;
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  for (const std::string &name : names) {
    auto *found =
        llvm::find_if(knownArchitectures, [&](const DeviceArchitecture &known) {
          return known.name == name;
        });
    if (found == std::end(knownArchitectures)) {
      refuse(report, status, "unknown device architecture '" + name + "'",
             "expected one of " + llvm::join(deviceArchitectures(), ", "));
      return false;
    }
    device.architectures.push_back(*found);
  }
  // Products on tensor cores or of pairs are no part of this version.
  device.bf16Tiles = device.bf16Pairs = device.byteQuads = false;
  device.description = "nvptx (" + llvm::join(names, ", ") + ")";
  if (!options.versionsForCpus)
    targets.clear();
  targets.push_back(std::move(device));
  return true;
}

std::vector<TargetChoice> chooseTargets(const CompileOptions &options,
                                        const DiagnosticHandler &report,
                                        Status &status) {
  std::vector<TargetChoice> targets;
  CompileOptions one = options;
  for (const std::string &cpu :
       options.versions.empty() ? std::vector{options.cpu} : options.versions) {
    one.cpu = cpu;
    std::optional<TargetChoice> target = chooseTarget(one, report, status);
    if (!target)
      return {};
    // Sorted by falling number of features: a target comes before those whose
    // features it includes.
    auto place = llvm::upper_bound(
        targets, *target, [](const TargetChoice &a, const TargetChoice &b) {
          return popcount(a.cpuFeatures) > popcount(b.cpuFeatures);
        });
    targets.insert(place, std::move(*target));
  }
  for (size_t i = 0; i < targets.size(); ++i)
    for (size_t j = i + 1; j < targets.size(); ++j) {
      const TargetChoice &more = targets[i], &less = targets[j];
      std::string both = "'" + more.cpu + "' and '" + less.cpu + "'";
      if (more.cpu == less.cpu || more.cpuFeatures == less.cpuFeatures) {
        refuse(report, status,
               "the versions " + both +
                   " need the same instructions: every machine would run the "
                   "first",
               "leave one of them out");
        return {};
      }
      if (j + 1 == targets.size() && (less.cpuFeatures & ~more.cpuFeatures)) {
        refuse(report, status,
               "of the versions " + both +
                   " neither runs wherever the other does",
               "add one that both include, such as x86-64-v3");
        return {};
      }
    }
  if (!options.devices.empty() && !addDevice(options, targets, report, status))
    return {};
  return targets;
}

std::string describe(const std::vector<TargetChoice> &targets) {
  std::vector<StringRef> parts;
  for (const TargetChoice &target : targets)
    parts.push_back(target.description);
  return (Triple(targets[0].triple).getArchName() + "-linux ").str() +
         join(parts, ", ");
}

std::unique_ptr<TargetMachine> makeTargetMachine(const TargetChoice &target) {
  Triple triple(target.triple);
  const llvm::Target *found = lookup(triple);
  if (!found)
    return nullptr;
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Standard;
  CodeGenOptLevel level = target.optLevel == 0   ? CodeGenOptLevel::None
                          : target.optLevel == 1 ? CodeGenOptLevel::Less
                          : target.optLevel == 2 ? CodeGenOptLevel::Default
                                                 : CodeGenOptLevel::Aggressive;
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(triple, "x86-64", target.features, options,
                                 Reloc::PIC_, CodeModel::Small, level));
}

std::unique_ptr<TargetMachine>
makeDeviceMachine(const TargetChoice &target,
                  const DeviceArchitecture &architecture) {
  Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *found = lookup(triple);
  if (!found)
    return nullptr;
  // A product and a sum are one operation only where the model's code says so.
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, architecture.name, "", options, std::nullopt, std::nullopt,
      target.optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Default));
}

} // namespace tenon
