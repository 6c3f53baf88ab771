// The text of the model after the phase `placed`, from which the facts are
// read, and after `llvm`. A run on seven rows raises a fault, to test that
// faults are reported.
#include "test/artifact/SmallModel.h"

#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace mlir;

namespace tenon::test {
namespace {
const char *placedText = R"mlir(
module attributes {tenon.weight_bytes = 128 : i64} {
  tenon.weight @unused : tensor<2xf32> from #tenon.source<"FILE", 16, 8>
  tenon.weight @w : tensor<4xf32> from #tenon.source<"FILE", 8, 16> attributes {offset = 64 : i64}
  func.func @main(
      %call: !llvm.ptr,
      %x: memref<?x4xf32> {tenon.name = "x", tenon.dims = ["N", 4]},
      %y: memref<?x4xf32> {tenon.name = "y", tenon.dims = ["N", 4], tenon.output},
      %arena: memref<?xi8>, %weights: memref<?xi8>, %state: memref<?xi8>,
      %shapes: memref<?xi64>)
      attributes {tenon.num_inputs = 1 : i64, tenon.num_outputs = 1 : i64,
                  tenon.arena_bytes = 256 : i64} {
    return
  }
})mlir";

const char *llvmText = R"mlir(
module attributes {tenon.sites = ["node \"seven\" (Add)"]} {
  llvm.func @tenon_core_fault(!llvm.ptr, i32, i32, i64, i64, i64)
  llvm.func @tenon_core_parallel(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64)
  llvm.func @map.add.0.task(%args: !llvm.ptr, %begin: i64, %end: i64) {
    %one = llvm.mlir.constant(1 : i64) : i64
    %three = llvm.mlir.constant(3 : i64) : i64
    %p0 = llvm.load %args : !llvm.ptr -> !llvm.ptr
    %a1 = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %p1 = llvm.load %a1 : !llvm.ptr -> !llvm.ptr
    %a2 = llvm.getelementptr %args[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %p2 = llvm.load %a2 : !llvm.ptr -> !llvm.ptr
    llvm.br ^head(%begin : i64)
  ^head(%i: i64):
    %more = llvm.icmp "slt" %i, %end : i64
    llvm.cond_br %more, ^body, ^done
  ^body:
    %xp = llvm.getelementptr %p0[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %xv = llvm.load %xp : !llvm.ptr -> f32
    %wi = llvm.and %i, %three : i64
    %wp = llvm.getelementptr %p2[%wi] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %wv = llvm.load %wp : !llvm.ptr -> f32
    %sum = llvm.fadd %xv, %wv : f32
    %yp = llvm.getelementptr %p1[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %sum, %yp : f32, !llvm.ptr
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next : i64)
  ^done:
    llvm.return
  } loc(fused["/first/Add", "/second/Relu"])
  llvm.func @main.run_entry(%call: !llvm.ptr) -> i32 {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %c7 = llvm.mlir.constant(7 : i64) : i64
    %c0_32 = llvm.mlir.constant(0 : i32) : i32
    %c1_32 = llvm.mlir.constant(1 : i32) : i32
    %c0 = llvm.mlir.constant(0 : i64) : i64
    %args = llvm.alloca %c4 x i64 : (i64) -> !llvm.ptr
    %f0 = llvm.getelementptr %call[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %inputs = llvm.load %f0 : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %inputs : !llvm.ptr -> !llvm.ptr
    %f1 = llvm.getelementptr %call[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %indims = llvm.load %f1 : !llvm.ptr -> !llvm.ptr
    %xdims = llvm.load %indims : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %xdims : !llvm.ptr -> i64
    %f2 = llvm.getelementptr %call[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %outputs = llvm.load %f2 : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %outputs : !llvm.ptr -> !llvm.ptr
    %f3 = llvm.getelementptr %call[56] : (!llvm.ptr) -> !llvm.ptr, i8
    %blob = llvm.load %f3 : !llvm.ptr -> !llvm.ptr
    %w = llvm.getelementptr %blob[64] : (!llvm.ptr) -> !llvm.ptr, i8
    %seven = llvm.icmp "eq" %n, %c7 : i64
    llvm.cond_br %seven, ^bad, ^good
  ^bad:
    llvm.call @tenon_core_fault(%call, %c1_32, %c0_32, %n, %c0, %c4) : (!llvm.ptr, i32, i32, i64, i64, i64) -> ()
    llvm.return %c1_32 : i32
  ^good:
    llvm.store %x, %args : !llvm.ptr, !llvm.ptr
    %a1 = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %y, %a1 : !llvm.ptr, !llvm.ptr
    %a2 = llvm.getelementptr %args[16] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %w, %a2 : !llvm.ptr, !llvm.ptr
    %count = llvm.mul %n, %c4 : i64
    %task = llvm.mlir.addressof @map.add.0.task : !llvm.ptr
    llvm.call @tenon_core_parallel(%call, %task, %args, %count, %count, %count) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64) -> ()
    llvm.return %c0_32 : i32
  }
  llvm.func @main.plan_entry(%call: !llvm.ptr) -> i32 {
    %c0_32 = llvm.mlir.constant(0 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %c256 = llvm.mlir.constant(256 : i64) : i64
    %f1 = llvm.getelementptr %call[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %indims = llvm.load %f1 : !llvm.ptr -> !llvm.ptr
    %xdims = llvm.load %indims : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %xdims : !llvm.ptr -> i64
    %f4 = llvm.getelementptr %call[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %outdims = llvm.load %f4 : !llvm.ptr -> !llvm.ptr
    %ydims = llvm.load %outdims : !llvm.ptr -> !llvm.ptr
    llvm.store %n, %ydims : i64, !llvm.ptr
    %y1 = llvm.getelementptr %ydims[8] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %c4, %y1 : i64, !llvm.ptr
    %f5 = llvm.getelementptr %call[48] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %c256, %f5 : i64, !llvm.ptr
    llvm.return %c0_32 : i32
  }
})mlir";
} // namespace

SmallModel::SmallModel(const std::string &name)
    : folder(std::string(TENON_TEST_FOLDER) + "/" + name) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  float values[] = {9, 9, 0.5f, 1.0f, 1.5f, 2.0f, 9, 9};
  writeFile(path("weights.bin"),
            std::string(reinterpret_cast<char *>(values), sizeof values));
  options.input = path("weights.bin");
  options.name = "small";
  options.cpu = "x86-64-v2";
  context.loadDialect<TenonDialect, func::FuncDialect, memref::MemRefDialect,
                      LLVM::LLVMDialect>();
}

CompileReport SmallModel::write(const std::string &output, EmitKind emit) {
  options.output = path(output);
  options.emit = emit;
  auto report = [this](const Diagnostic &d) { diagnostics.push_back(d); };
  std::string text = placedText;
  for (size_t at; (at = text.find("FILE")) != std::string::npos;)
    text.replace(at, 4, path("weights.bin"));
  auto placed = parseSourceString<ModuleOp>(text, &context);
  auto lowered = parseSourceString<ModuleOp>(llvmText, &context);
  CompileReport result;
  auto targets = chooseTargets(options, report, result.status);
  if (!placed || !lowered || targets.empty()) {
    result.status = targets.empty() ? result.status : Status::Internal;
    return result;
  }
  ModelFacts facts = collectFacts(*placed, options, options.input);
  // The code is the same for each version.
  std::vector<ModuleOp> versions(targets.size(), *lowered);
  Workers workers(options.jobs);
  return writeArtifact(versions, facts, options, targets, workers, report,
                       [](const PhaseReport &) {});
}

std::string SmallModel::text() const {
  std::string text;
  for (const Diagnostic &diagnostic : diagnostics) {
    text += diagnostic.file + ": " + diagnostic.text + "\n";
    for (const std::string &detail : diagnostic.details)
      text += "  " + detail + "\n";
    text += "  help: " + diagnostic.help + "\n";
  }
  return text;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeFile(const std::string &path, const std::string &content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::vector<std::string> namesIn(const std::string &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace tenon::test
