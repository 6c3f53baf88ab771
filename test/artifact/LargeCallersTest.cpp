// LLVM may inline the calls of small functions, and no call of a large one.
#include "compiler/codegen/LargeCallers.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace tenon;

namespace {

std::string callerText(const std::string &name, int instructions) {
  std::string text = "define i64 @" + name + "(i64 %v0) {\n";
  for (int i = 1; i < instructions; ++i)
    text += "  %v" + std::to_string(i) + " = add i64 %v" +
            std::to_string(i - 1) + ", 3\n";
  std::string last = "%v" + std::to_string(instructions - 1);
  return text + "  %r = call i64 @callee(i64 " + last + ")\n  ret i64 %r\n}\n";
}

TEST(LargeCallers, OnlyCallsOfLargeFunctionsStay) {
  std::string text =
      "define internal i64 @callee(i64 %v) {\n  ret i64 %v\n}\n" +
      callerText("small", 4000) + callerText("large", 4200);
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  keepLargeCallers(*module);
  auto stays = [&](const char *name) {
    for (llvm::Instruction &each :
         llvm::instructions(*module->getFunction(name)))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&each))
        return call->isNoInline();
    return false;
  };
  EXPECT_FALSE(stays("small"));
  EXPECT_TRUE(stays("large"));
}

} // namespace
