// The facade: loads a model, runs the phases with their guards, and hands the
// result to the artifact writer.
#include "compiler/Compiler.h"

#include "compiler/Variants.h"
#include "compiler/artifact/Artifact.h"
#include "compiler/artifact/Cubins.h"
#include "compiler/artifact/ModelFacts.h"
#include "compiler/codegen/Target.h"
#include "compiler/codegen/Workers.h"
#include "compiler/describe/DescribeGraph.h"
#include "compiler/describe/DescribeKernels.h"
#include "compiler/formats/ModelLoader.h"
#include "compiler/pipeline/Pipelines.h"
#include "compiler/report/PassDiagnostics.h"
#include "compiler/report/PassRemarks.h"
#include "compiler/report/Stopwatch.h"
#include "compiler/verify/ExposeIntermediates.h"
#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Contraction.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/SizeLimit.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {

/// Refuses a text that asks for products which one of the targets cannot form.
static LogicalResult checkProducts(ModuleOp module,
                                   ArrayRef<TargetChoice> targets) {
  SmallVector<Operation *> pairs = productsOfPairs(module);
  if (pairs.empty())
    return success();
  Operation *op = pairs.front();
  for (const TargetChoice &target : targets)
    if (!target.bf16Pairs)
      return op->emitError("unsupported: '")
             << op->getName() << "' asks for products of pairs, and "
             << target.description
             << " has no instruction for them; compile for a CPU with "
                "AVX-512's bf16 instructions, such as -mcpu=znver5, or leave "
                "'products pairs' out";
  return success();
}

namespace {
/// One compilation: a module and the state of its way through the phases.
class Compilation {
public:
  Compilation(const CompileOptions &options, FormatTable formats,
              Workers &workers, const DiagnosticHandler &report,
              const std::function<void(const PhaseReport &)> &onPhase)
      : options(options), formats(formats), report(report), onPhase(onPhase) {
    DialectRegistry registry;
    registerPipelineDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    if (workers.getMaxConcurrency() > 1)
      context.setThreadPool(workers);
    enableRemarks(context, options.remarks,
                  options.countDecisions ? &decisions : nullptr);
  }

  /// Loads the model and runs the phases up to and including `last`; false
  /// after an error was reported.
  bool run(const Phase &last, ArrayRef<TargetChoice> targets) {
    Stopwatch watch;
    PassDiagnostics diagnostics(context, options.input);
    LoadedModel loaded = loadModel(context, options, report, formats);
    if (!loaded.module) {
      status = diagnostics.flush(report, true);
      if (status == Status::Success)
        status = loaded.status;
      return false;
    }
    module = std::move(loaded.module);
    pairsOfText = productsOfPairs(*module).size();
    if (last.needsTarget && failed(checkProducts(*module, targets))) {
      status = diagnostics.flush(report, false);
      return false;
    }
    if (!requestVariants(*module, options, report)) {
      status = Status::Usage;
      return false;
    }
    if (options.exposeIntermediates)
      for (auto func : module->getOps<func::FuncOp>())
        if (!func.isPrivate())
          exposeIntermediates(func);
    versions = {*module};
    bool haveVersions = false, knowsSides = false;
    for (const Phase &phase : phaseTable()) {
      // The facts that all versions share are read from the one module.
      if (phase.needsTarget && !haveVersions) {
        haveVersions = true;
        facts = collectFacts(*module, options, loaded.filesRead.front());
        facts.files = std::move(loaded.openFiles);
        facts.filesRead = std::move(loaded.filesRead);
        if (targets.size() > 1)
          makeVersions(targets);
      }
      bool finished = runPhase(phase, targets, diagnostics);
      diagnostics.reportRemarks(report, versions.size());
      if (!finished)
        return false;
      // Now the sides are known.
      if (phase.needsTarget && !knowsSides && targets.back().hasDevice()) {
        knowsSides = true;
        noteDevice(versions.back(), facts);
      }
      // Sizes are checked before any pass computes with them, and again after
      // each phase, because passes make more of them static.
      if (failed(checkSpans(*module))) {
        status = diagnostics.flush(report, false);
        return false;
      }
      products = std::max(products, decidedBy(phase));
      if (!finishPhase(phase, watch))
        return false;
      if (onModule)
        onModule(phase, versions.front());
      if (&phase == &last)
        break;
      watch = Stopwatch();
    }
    return true;
  }

  const CompileOptions &options;
  FormatTable formats;
  const DiagnosticHandler &report;
  const std::function<void(const PhaseReport &)> &onPhase;
  /// Called after each phase with the module of the first target.
  std::function<void(const Phase &, ModuleOp)> onModule;
  DecisionCounter decisions;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  /// The modules that phases work on: `module`, or the ones in it, one per
  /// target.
  SmallVector<ModuleOp> versions;
  ModelFacts facts;
  size_t pairsOfText = 0; ///< products of pairs that the text asked for
  /// The least precise products that phases have chosen.
  MatmulPrecision products = MatmulPrecision::Strict;
  Status status = Status::Success;

private:
  /// Replaces the module's content by a copy of it for each target, a module
  /// named after the target's version.
  void makeVersions(ArrayRef<TargetChoice> targets) {
    OwningOpRef<ModuleOp> all = ModuleOp::create(module->getLoc());
    versions.clear();
    for (const TargetChoice &target : targets) {
      versions.push_back(module->clone());
      versions.back().setSymName(target.version());
      all->push_back(versions.back());
    }
    module = std::move(all);
  }

  /// Runs `phase` on each version for its target; the first phase is a check
  /// alone, of what the importer has made.
  bool runPhase(const Phase &phase, ArrayRef<TargetChoice> targets,
                PassDiagnostics &diagnostics) {
    if (!phase.build) {
      if (succeeded(checkPhase(phase, *module)))
        return true;
      status = diagnostics.flush(report, false);
      return false;
    }
    for (size_t i = 0; i < versions.size(); ++i) {
      // The artifact has one table of launches and one of sites for all
      // versions, without equal rows.
      if (i > 0) {
        copyRows(annotation::launches, versions[i - 1], versions[i]);
        copyRows(annotation::sites, versions[i - 1], versions[i]);
      }
      // One version for all targets so far has the machine that runs least.
      annotation::machine.set(
          versions[i],
          machineFor(&context, options,
                     versions.size() == 1 ? targets.back() : targets[i]));
      diagnostics.setVersion(targets[i].version());
      if (!runPhaseOn(versions[i], phase,
                      PipelineOptions(options, targets[i], targets),
                      diagnostics))
        return false;
    }
    return true;
  }

  template <typename TableT>
  static void copyRows(const TableT &table, ModuleOp from, ModuleOp to) {
    if (auto rows = table.of(from))
      table.set(to, rows);
  }

  bool runPhaseOn(ModuleOp version, const Phase &phase,
                  const PipelineOptions &pipeline,
                  PassDiagnostics &diagnostics) {
    OwningOpRef<ModuleOp> before = version.clone();
    PassManager pm(&context);
    // Verify once a phase: after each pass takes a third of the time.
    pm.enableVerifier(options.verifyEachPass);
    buildPhase(pm, phase, pipeline);
    LogicalResult result = pm.run(version);
    if (succeeded(result))
      result = verify(version);
    Status collected = diagnostics.flush(report, false);
    if (succeeded(result) && collected == Status::Success)
      return true;
    status = collected == Status::Success ? Status::Internal : collected;
    if (status == Status::Internal)
      writeReproducer(*before, phase, pipeline);
    return false;
  }

  /// The least precise products of f32 that `phase` has chosen. Pairs that a
  /// text asks for multiply its own bf16 and do not count.
  MatmulPrecision decidedBy(const Phase &phase) {
    if (!phase.decidesProducts)
      return MatmulPrecision::Strict;
    if (productsOfPairs(*module).size() > pairsOfText)
      return MatmulPrecision::Bf16;
    auto isTile = [](amx::TileMulFOp) { return WalkResult::interrupt(); };
    if (module->walk(isTile).wasInterrupted())
      return options.matmulPrecision;
    return MatmulPrecision::Strict;
  }

  /// Writes the module that made `phase` fail to a temporary file. Its first
  /// line is the command that shows the failure again.
  void writeReproducer(ModuleOp before, const Phase &phase,
                       const PipelineOptions &pipeline) {
    SmallString<128> path;
    int descriptor;
    if (llvm::sys::fs::createTemporaryFile("tenon-reproducer", "mlir",
                                           descriptor, path))
      return;
    llvm::raw_fd_ostream stream(descriptor, true);
    stream << "// tenon-opt --pass-pipeline='builtin.module("
           << pipelineName(*(&phase - 1), phase);
    pipeline.print(stream);
    stream << ")' ";
    llvm::sys::printArg(stream, path, /*Quote=*/true);
    stream << "\n";
    before->print(stream, OpPrintingFlags().enableDebugInfo());
    report({.severity = Severity::Note,
            .file = options.input,
            .text = "the module before phase " + phase.name.str() +
                    " was written to " + path.str().str(),
            .help = "attach that file to a bug report"});
  }

  bool finishPhase(const Phase &phase, const Stopwatch &watch) {
    if (onPhase) {
      PhaseReport finished{phase.name.str(), watch.seconds(),
                           watch.cpuSeconds(), 0};
      module->walk([&](Operation *) { ++finished.ops; });
      onPhase(finished);
    }
    if (options.dumpDir.empty())
      return true;
    SmallString<128> path(options.dumpDir);
    llvm::sys::path::append(path, phase.name + ".mlir");
    std::error_code error = llvm::sys::fs::create_directories(options.dumpDir);
    llvm::raw_fd_ostream stream(error ? StringRef("-") : path.str(), error);
    if (!error)
      module->print(stream);
    stream.close();
    if (!error && !stream.has_error())
      return true;
    stream.clear_error();
    status = Status::Io;
    report({.file = path.str().str(),
            .text = "cannot be written: " +
                    (error ? error.message() : std::string("no space")),
            .status = Status::Io});
    return false;
  }
};
} // namespace

std::vector<PhaseInfo> Compiler::phases() {
  std::vector<PhaseInfo> infos;
  for (const Phase &phase : phaseTable())
    infos.push_back({phase.name.str(), phase.rule.str()});
  return infos;
}

std::vector<std::string> Compiler::remarkCategories() {
  std::vector<std::string> names;
  for (llvm::StringRef name : tenon::remarkCategories())
    names.push_back(name.str());
  return names;
}

uint64_t Compiler::cpuFeatures(const std::string &cpu) {
  CompileOptions options;
  options.cpu = cpu;
  Status status = Status::Success;
  std::optional<TargetChoice> target =
      chooseTarget(options, [](const Diagnostic &) {}, status);
  return target ? target->cpuFeatures : 0;
}

/// The stage that printStage prints.
static const Phase &printedStage(const CompileOptions &options) {
  if (options.stopAfter.empty())
    return phaseTable().front();
  const Phase *stage = findPhase(options.stopAfter);
  assert(stage && "expected the name of a phase in stopAfter");
  return *stage;
}

/// The phase after which kernels and their launches are known.
static const Phase &lastOfGraph() { return *findPhase("tiled"); }

static int countUpTo(const Phase &last) {
  return int(&last - phaseTable().begin()) + 1;
}

int Compiler::countGraphSteps() { return countUpTo(lastOfGraph()); }

int Compiler::countSteps(const CompileOptions &options) {
  if (options.emit == EmitKind::Mlir)
    return countUpTo(printedStage(options));
  int phases = countUpTo(phaseTable().back());
  // The steps of the device's kernels and of their machine code.
  phases += !options.devices.empty();
  phases += options.cubins;
  switch (options.emit) {
  case EmitKind::Mlir:
  case EmitKind::Ptx:
    return phases;
  case EmitKind::Assembly:
  case EmitKind::LlvmIr:
    return phases + 1;
  case EmitKind::Object:
    return phases + 2;
  case EmitKind::Shared:
  case EmitKind::Executable:
    return phases + 3;
  }
  return phases;
}

std::string Compiler::printStage(const CompileOptions &options,
                                 Status &status) {
  std::vector<TargetChoice> targets = chooseTargets(options, report, status);
  if (targets.empty())
    return "";
  Workers workers(options.jobs);
  Compilation compilation(options, formats, workers, report, onPhase);
  if (!compilation.run(printedStage(options), targets)) {
    status = compilation.status;
    return "";
  }
  status = Status::Success;
  std::string text;
  llvm::raw_string_ostream stream(text);
  compilation.module->print(stream);
  return text;
}

ModelSummary Compiler::describe(const CompileOptions &options, Status &status) {
  return describeModel(options, report, status, formats);
}

ModelGraph Compiler::graph(const CompileOptions &options, Status &status) {
  std::vector<TargetChoice> targets = chooseTargets(options, report, status);
  if (targets.empty())
    return {};
  Workers workers(options.jobs);
  Compilation compilation(options, formats, workers, report, onPhase);
  ModelGraph graph;
  compilation.onModule = [&](const Phase &phase, ModuleOp module) {
    if (phase.name == "imported")
      describeGraphs(module, graph);
    else if (phase.name == "planned")
      describeFusions(module, graph);
    else if (&phase == &lastOfGraph())
      describeLaunches(module, graph);
  };
  bool finished = compilation.run(lastOfGraph(), targets);
  status = compilation.status;
  return finished ? graph : ModelGraph();
}

CompileReport Compiler::compile(const CompileOptions &options) {
  CompileReport result;
  std::vector<TargetChoice> targets =
      chooseTargets(options, report, result.status);
  if (targets.empty() ||
      (options.cubins && !checkAssembler(report, result.status)))
    return result;
  Workers workers(options.jobs);
  Compilation compilation(options, formats, workers, report, onPhase);
  bool finished = compilation.run(phaseTable().back(), targets);
  if (finished)
    result = writeArtifact(compilation.versions, compilation.facts, options,
                           targets, workers, report, onPhase);
  else
    result.status = compilation.status;
  result.products = compilation.products;
  result.decisions = compilation.decisions.counts();
  result.filesRead = std::move(compilation.facts.filesRead);
  result.peakMemory = Stopwatch::peakMemory();
  return result;
}

} // namespace tenon
