// Imports ONNX's test cases and evaluates them by the oracle; the results must
// equal the expected outputs of the case. Each case runs in a child process, so
// that a crash is one line of the report.
//   import-cases --at-least=PASSES CASE_FOLDER...
// Exit status: 0 when no case crashed or differed and enough passed.
#include "compiler/import/onnx/graph/NodeContext.h"
#include "compiler/import/onnx/graph/OnnxImporter.h"
#include "compiler/import/onnx/reader/OnnxReader.h"
#include "compiler/import/onnx/reader/OnnxTensorFile.h"
#include "compiler/oracle/Oracle.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace tenon;

namespace {
enum Verdict : int {
  Pass,
  Imported,
  Unsupported,
  Refused,
  Differs,
  Unreadable
};
} // namespace

static const char *const verdictNames[] = {"pass",    "imported", "unsupported",
                                           "refused", "differs",  "unreadable"};

/// The tensor in a file; ONNX's cases store bf16 as u16.
static std::optional<HostTensor> readTensor(mlir::Type wanted,
                                            const std::string &path) {
  auto tensor = readOnnxTensorFile(path, [](const Diagnostic &) {});
  if (!tensor)
    return std::nullopt;
  mlir::Type element = onnx::elementTypeOf(wanted.getContext(), tensor->type);
  const auto *bytes = std::get_if<onnx::InlineBytes>(&tensor->payload);
  if (!element || !bytes)
    return std::nullopt;
  if (wanted.isBF16() && tensor->type == onnx::ElementType::U16)
    element = wanted;
  auto host = HostTensor::fromBytes(
      element, tensor->dims,
      llvm::ArrayRef(reinterpret_cast<const char *>(bytes->data()),
                     bytes->size()));
  if (!host) {
    llvm::consumeError(host.takeError());
    return std::nullopt;
  }
  return *host;
}

static std::string difference(const HostTensor &want, const HostTensor &got) {
  std::string what = want.text(6) + " but got " + got.text(6);
  if (want.element != got.element || want.shape != got.shape)
    return what;
  for (size_t i = 0; i < want.ints.size(); ++i)
    if (want.ints[i] != got.ints[i])
      return what;
  double tolerance =
      want.element.isF16() || want.element.isBF16() ? 2e-2 : 1e-3;
  for (size_t i = 0; i < want.floats.size(); ++i) {
    double a = want.floats[i], b = got.floats[i];
    if (std::isnan(a)   ? !std::isnan(b)
        : std::isinf(a) ? a != b
                        : !(std::abs(a - b) <= 1e-5 + tolerance * std::abs(a)))
      return what;
  }
  return "";
}

/// Runs data set `k`; nullopt if there is none.
static std::optional<Verdict> runSet(mlir::ModuleOp module,
                                     const std::string &folder) {
  if (!llvm::sys::fs::exists(folder))
    return std::nullopt;
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  std::vector<HostTensor> inputs;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto tensor =
        readTensor(mlir::getElementTypeOrSelf(main.getArgument(i).getType()),
                   folder + "/input_" + std::to_string(i) + ".pb");
    // Some cases have inputs of another shape than their model declares.
    if (!tensor || failed(mlir::verifyCompatibleShape(
                       tensor->shape, mlir::cast<mlir::ShapedType>(
                                          main.getArgument(i).getType())
                                          .getShape())))
      return Unreadable;
    inputs.push_back(*tensor);
  }
  auto results = evaluate(main, inputs, weightsFromFiles());
  if (!results) {
    llvm::outs() << "    " << llvm::toString(results.takeError()) << "\n";
    return Differs;
  }
  for (auto [i, got] : llvm::enumerate(*results)) {
    auto want = readTensor(mlir::getElementTypeOrSelf(main.getResultTypes()[i]),
                           folder + "/output_" + std::to_string(i) + ".pb");
    if (!want)
      return Unreadable;
    std::string text = difference(*want, got);
    if (!text.empty()) {
      if (text.size() > 2000)
        text.resize(2000);
      llvm::outs() << "    output " << i << ": want " << text << "\n";
      return Differs;
    }
  }
  return Pass;
}

static Verdict runCase(const std::string &folder) {
  Status status = Status::Success;
  auto report = [&](const Diagnostic &d) {
    llvm::outs() << "    " << formatDiagnostic(d);
    status = d.status;
  };
  auto model = readOnnx(folder + "/model.onnx", report);
  if (!model)
    return status == Status::Unsupported ? Unsupported : Refused;
  mlir::MLIRContext context;
  auto module = importOnnx(context, *model, {}, report);
  if (!module)
    return status == Status::Unsupported ? Unsupported : Refused;
  Verdict verdict = Imported;
  for (int set = 0;; ++set) {
    auto found =
        runSet(*module, folder + "/test_data_set_" + std::to_string(set));
    if (!found)
      return verdict;
    verdict = *found;
    if (verdict != Pass)
      return verdict;
  }
}

int main(int argc, char **argv) {
  std::map<std::string, int> counts;
  bool failed = false;
  int atLeast = 0;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument.consume_front("--at-least=")) {
      failed |= argument.getAsInteger(10, atLeast);
      continue;
    }
    std::string folder = argv[i];
    llvm::outs().flush();
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      Verdict verdict = runCase(folder);
      llvm::outs().flush();
      _exit(int(verdict));
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::string name = WIFEXITED(status) && WEXITSTATUS(status) <= Unreadable
                           ? verdictNames[WEXITSTATUS(status)]
                           : "crash";
    failed |= name == "crash" || name == "differs";
    ++counts[name];
    llvm::outs() << name << " " << folder << "\n";
  }
  for (const auto &[name, count] : counts)
    llvm::outs() << "# " << name << ": " << count << "\n";
  return failed || counts["pass"] < atLeast ? 1 : 0;
}
