// Runs a graph in a child process and compares it with the oracle. Reduces a
// failing graph to the ops that matter.
#include "test/random/GraphCase.h"

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/Annotations.h"
#include "test/random/Agreement.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace tenon {

RandomGraph cloneGraph(const RandomGraph &graph) {
  return {ModuleOp(*graph.module).clone(), graph.inputs, graph.weights,
          graph.runs, graph.contextExtents};
}

static Outcome compare(const RandomGraph &graph, const Backend &backend) {
  if (failed(verify(ModuleOp(*graph.module))))
    return {Verdict::Invalid, "the graph is not valid"};
  auto expected = boundedOutputs(graph);
  if (!expected)
    return {Verdict::Invalid, llvm::toString(expected.takeError())};
  RandomGraph copy = cloneGraph(graph);
  auto actual = backend(copy);
  if (!actual)
    return {Verdict::Refused, llvm::toString(actual.takeError())};
  if (actual->bf16Products)
    expected = boundedOutputs(graph, /*bf16Products=*/true);
  if (actual->outputs.size() != expected->size())
    return {Verdict::Differs, "expected " + std::to_string(expected->size()) +
                                  " outputs, got " +
                                  std::to_string(actual->outputs.size())};
  for (size_t i = 0; i < expected->size(); ++i) {
    std::string text = disagreement((*expected)[i], actual->outputs[i]);
    if (!text.empty())
      return {Verdict::Differs, "output " + std::to_string(i) + ": " + text};
  }
  return {};
}

Outcome runAndCompare(const RandomGraph &graph, const Backend &backend,
                      unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    return {Verdict::Invalid, "no pipe can be made"};
  pid_t child = fork();
  if (child < 0)
    return {Verdict::Invalid, "no process can be made"};
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO); // messages of asserts become part of the text
    alarm(seconds);
    Outcome outcome = compare(graph, backend);
    size_t left = outcome.text.size();
    for (const char *from = outcome.text.data(); left > 0;) {
      ssize_t wrote = write(ends[1], from, left);
      if (wrote <= 0)
        break;
      from += wrote;
      left -= size_t(wrote);
    }
    _exit(int(outcome.verdict));
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    outcome.text.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) <= int(Verdict::Invalid)) {
    outcome.verdict = Verdict(WEXITSTATUS(status));
  } else {
    outcome.verdict = Verdict::Crashed;
    outcome.text += WIFSIGNALED(status)
                        ? std::string("signal ") + strsignal(WTERMSIG(status))
                        : std::string("unexpected exit");
  }
  return outcome;
}

/// Erases ops, arguments and weights that no output depends on.
static void sweep(RandomGraph &graph) {
  func::FuncOp function = graph.main();
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (function.getArgument(i).use_empty() &&
        succeeded(function.eraseArgument(i)))
      graph.inputs.erase(graph.inputs.begin() + i);
  for (WeightOp weight :
       llvm::make_early_inc_range(graph.module->getOps<WeightOp>()))
    if (SymbolTable::symbolKnownUseEmpty(weight, *graph.module))
      weight.erase();
}

static void dropOutput(RandomGraph &graph, unsigned output) {
  func::FuncOp function = graph.main();
  function.front().getTerminator()->eraseOperand(output);
  (void)function.eraseResult(output);
  sweep(graph);
}

/// Makes the results of one op the only outputs.
static bool returnOnly(RandomGraph &graph, unsigned position) {
  func::FuncOp function = graph.main();
  Operation &op = *std::next(function.front().begin(), position);
  if (op.getNumResults() == 0 || op.hasTrait<OpTrait::IsTerminator>() ||
      llvm::any_of(op.getResultTypes(),
                   [](Type type) { return !isa<RankedTensorType>(type); }))
    return false;
  for (unsigned i = function.getNumResults(); i-- > 0;)
    if (failed(function.eraseResult(i)))
      return false;
  for (auto [i, type] : llvm::enumerate(op.getResultTypes())) {
    Builder builder(op.getContext());
    auto name = builder.getNamedAttr(
        annotation::name.key, builder.getStringAttr("y" + std::to_string(i)));
    if (failed(function.insertResult(i, type, builder.getDictionaryAttr(name))))
      return false;
  }
  function.front().getTerminator()->setOperands(op.getResults());
  sweep(graph);
  return true;
}

/// Replaces an op's results by arguments with the values it computed.
static bool cutAt(RandomGraph &graph, unsigned position) {
  func::FuncOp function = graph.main();
  Operation &op = *std::next(function.front().begin(), position);
  if (op.hasTrait<OpTrait::IsTerminator>() ||
      llvm::any_of(op.getResultTypes(),
                   [](Type type) { return !isa<RankedTensorType>(type); }))
    return false;
  std::vector<HostTensor> values;
  OracleOptions rounding;
  rounding.roundToType = true;
  rounding.contextExtents = graph.contextExtents;
  auto keep = [&](Operation *seen, ArrayRef<const HostTensor *> results) {
    if (seen == &op)
      for (const HostTensor *result : results)
        values.push_back(*result);
  };
  auto all =
      evaluate(function, graph.inputs, graph.weightLoader(), rounding, keep);
  if (!all || values.size() != op.getNumResults())
    return llvm::consumeError(all.takeError()), false;
  Builder builder(op.getContext());
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values)) {
    std::string name = "cut" + std::to_string(function.getNumArguments());
    llvm::SmallVector<Attribute> dims;
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      dims.push_back(
          type.isDynamicDim(d)
              ? Attribute(builder.getStringAttr(name + "_" + std::to_string(d)))
              : Attribute(builder.getI64IntegerAttr(type.getDimSize(d))));
    auto attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr(annotation::name.key,
                              builder.getStringAttr(name)),
         builder.getNamedAttr(annotation::dims.key,
                              builder.getArrayAttr(dims))});
    unsigned place = function.getNumArguments();
    if (failed(function.insertArgument(place, type, attributes, op.getLoc())))
      return false;
    result.replaceAllUsesWith(function.getArgument(place));
    graph.inputs.push_back(value);
  }
  op.erase();
  sweep(graph);
  return true;
}

/// Replaces a branch by one of its regions, or a loop by one run of its body.
static bool unfold(RandomGraph &graph, unsigned position, unsigned region) {
  Operation &op = *std::next(graph.main().front().begin(), position);
  if (!isa<scf::IfOp, scf::ForOp>(op) || region >= op.getNumRegions() ||
      op.getRegion(region).empty())
    return false;
  llvm::SmallVector<Value> arguments;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    arguments.push_back(loop.getLowerBound());
    llvm::append_range(arguments, loop.getInitArgs());
  }
  Block &body = op.getRegion(region).front();
  Operation *yield = body.getTerminator();
  IRRewriter rewriter(op.getContext());
  rewriter.inlineBlockBefore(&body, &op, arguments);
  rewriter.replaceOp(&op, yield->getOperands());
  rewriter.eraseOp(yield);
  sweep(graph);
  return true;
}

RandomGraph reduce(const RandomGraph &graph, const Backend &backend,
                   unsigned seconds, Verdict verdict) {
  RandomGraph best = cloneGraph(graph);
  auto keepIf = [&](RandomGraph candidate) {
    if (runAndCompare(candidate, backend, seconds).verdict != verdict)
      return false;
    best = std::move(candidate);
    return true;
  };
  for (unsigned i = best.main().getNumResults();
       i-- > 0 && best.main().getNumResults() > 1;) {
    RandomGraph candidate = cloneGraph(best);
    dropOutput(candidate, i);
    keepIf(std::move(candidate));
  }
  auto opCount = [&] {
    return unsigned(best.main().front().getOperations().size());
  };
  // A change may allow further ones. The loop ends, because ops only become
  // fewer.
  for (bool changed = true; changed;) {
    changed = false;
    // Find the first op with wrong results and drop the ops after it.
    for (unsigned i = 0, n = opCount(); i < n; ++i) {
      RandomGraph candidate = cloneGraph(best);
      if (returnOnly(candidate, i) && keepIf(std::move(candidate)))
        break;
    }
    for (unsigned i = opCount(); i-- > 0;)
      for (unsigned region = 0; region < 2 && i < opCount(); ++region) {
        RandomGraph candidate = cloneGraph(best);
        if (unfold(candidate, i, region) && keepIf(std::move(candidate)))
          changed = true;
      }
    for (unsigned i = opCount(); i-- > 0;) {
      if (i >= opCount())
        continue;
      RandomGraph candidate = cloneGraph(best);
      if (cutAt(candidate, i) && keepIf(std::move(candidate)))
        changed = true;
    }
  }
  return best;
}

} // namespace tenon
