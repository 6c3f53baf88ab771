// Evaluates a function of an MLIR file with the oracle: inputs from the command
// line, results as text, one line each.
#include "compiler/oracle/Oracle.h"
#include "compiler/oracle/RandomTensor.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

namespace cl = llvm::cl;
using namespace mlir;

static cl::opt<std::string> file(cl::Positional, cl::desc("FILE"),
                                 cl::init("-"));
static cl::opt<std::string> entry("entry", cl::desc("the function's name"),
                                  cl::init("main"));
static cl::list<std::string> inputs(
    "input",
    cl::desc("one per argument: `dense<1.0> : tensor<2xf32>`, an integer for "
             "an index argument, or random:SEED[:TYPE]"));
static cl::opt<bool> all("all",
                         cl::desc("evaluate every function without arguments"));
static cl::opt<bool> roundToType("round", cl::desc("round each op's result"));
static cl::opt<int64_t> iterations("iterations",
                                   cl::desc("no loop may run longer"),
                                   cl::init(1 << 24));
static cl::opt<int> digits("digits", cl::desc("of floats"), cl::init(6));
static cl::opt<int> repeat("repeat", cl::init(1),
                           cl::desc("evaluate so many times; states are kept"));
static cl::list<std::string>
    contextExtents("context", cl::CommaSeparated,
                   cl::desc("sizes of context extents: rows=4,positions=8"));
static cl::opt<bool> trace("trace", cl::desc("print every op's results"));

static llvm::Error badInput(StringRef text, const Twine &why) {
  return llvm::createStringError("--input=" + text + ": " + why);
}

static llvm::Expected<tenon::HostTensor> parseRandom(StringRef text,
                                                     Type type) {
  auto [seedText, typeText] = text.split(':').second.split(':');
  uint64_t seed;
  if (seedText.getAsInteger(10, seed))
    return badInput(text, "expected a seed");
  if (!typeText.empty())
    type = parseType(typeText, type.getContext());
  auto shaped = dyn_cast_or_null<RankedTensorType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return badInput(text, "expected a static tensor type after the seed");
  tenon::RandomStream stream(seed);
  return randomTensor(stream, shaped.getElementType(), shaped.getShape());
}

static llvm::Expected<tenon::HostTensor> parseInput(StringRef text, Type type) {
  if (text.starts_with("random:"))
    return parseRandom(text, type);
  if (!isa<ShapedType>(type)) {
    int64_t number;
    if (text.getAsInteger(10, number) || isa<FloatType>(type))
      return badInput(text, "expected an integer");
    return tenon::HostTensor::scalar(type, number);
  }
  auto elements =
      dyn_cast_or_null<ElementsAttr>(parseAttribute(text, type.getContext()));
  if (!elements)
    return badInput(text, "expected an elements attribute");
  return tenon::HostTensor::fromAttr(elements);
}

static llvm::Error run(func::FuncOp function,
                       llvm::ArrayRef<std::string> inputs) {
  if (inputs.size() != function.getNumArguments())
    return llvm::createStringError("expected " +
                                   Twine(function.getNumArguments()) +
                                   " --input, got " + Twine(inputs.size()));
  std::vector<tenon::HostTensor> values;
  for (auto [text, type] :
       llvm::zip_equal(inputs, function.getArgumentTypes())) {
    auto value = parseInput(text, type);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  tenon::OracleOptions options;
  options.roundToType = roundToType;
  options.maxIterations = iterations;
  for (StringRef text : contextExtents) {
    auto [name, size] = text.split('=');
    if (size.getAsInteger(10, options.contextExtents[name.str()]))
      return llvm::createStringError("--context: expected NAME=N, got " + text);
  }
  tenon::OpObserver observer;
  if (trace)
    observer = [](Operation *op, ArrayRef<const tenon::HostTensor *> results) {
      for (const tenon::HostTensor *result : results)
        llvm::outs() << op->getName() << ' ' << result->text(digits) << '\n';
    };
  auto folder = llvm::sys::path::parent_path(StringRef(file)).str();
  tenon::OracleState state;
  for (int i = 0; i < repeat; ++i) {
    auto results = evaluate(function, values, tenon::weightsFromFiles(folder),
                            options, observer, &state);
    if (!results)
      return results.takeError();
    for (const tenon::HostTensor &result : *results)
      llvm::outs() << result.text(digits) << '\n';
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "Evaluates a graph with the oracle\n");
  MLIRContext context;
  context
      .loadDialect<tenon::TenonDialect, arith::ArithDialect, func::FuncDialect,
                   scf::SCFDialect, tensor::TensorDialect>();
  auto module = parseSourceFile<ModuleOp>(file, &context);
  if (!module)
    return 1;
  auto report = [](llvm::Error error) {
    if (!error)
      return 0;
    llvm::outs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return 1;
  };
  if (!all) {
    auto function = module->lookupSymbol<func::FuncOp>(entry);
    return report(
        function ? run(function, inputs)
                 : llvm::createStringError("no function is named " + entry));
  }
  int status = 0;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (function.getNumArguments() != 0)
      continue;
    llvm::outs() << '@' << function.getName() << '\n';
    status |= report(run(function, {}));
  }
  return status;
}
