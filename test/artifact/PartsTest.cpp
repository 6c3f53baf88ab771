// Tests the split of a module into parts. Every function is in one part,
// functions called from other parts are visible to the linker only, and small
// modules are not split.
#include "compiler/codegen/Parts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <map>

using namespace tenon;

namespace {

/// A module with `count` kernels of about `length` instructions, each with its
/// task. The entry also calls the last kernel directly.
std::string moduleText(int count, int length) {
  std::string text = "@table = internal constant [4 x i8] c\"abcd\"\n"
                     "@exported = constant ptr @entry\n";
  std::string entry = "define i32 @entry(ptr %c) {\n";
  for (int k = 0; k < count; ++k) {
    std::string name = "@k" + std::to_string(k);
    text += "define internal i64 " + name + "(i64 %v0) {\n";
    for (int i = 1; i < length; ++i)
      text += "  %v" + std::to_string(i) + " = add i64 %v" +
              std::to_string(i - 1) + ", " + std::to_string(k + 1) + "\n";
    text += "  %t = load i8, ptr @table\n  ret i64 %v" +
            std::to_string(length - 1) + "\n}\n";
    text += "define internal i64 @k" + std::to_string(k) +
            ".task(i64 %v) {\n  %r = call i64 " + name +
            "(i64 %v)\n  ret i64 %r\n}\n";
    entry += "  %r" + std::to_string(k) + " = call i64 @k" + std::to_string(k) +
             ".task(i64 1)\n";
  }
  entry += "  %last = call i64 @k" + std::to_string(count - 1) + "(i64 1)\n";
  return text + entry + "  ret i32 0\n}\n";
}

struct Cut {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::vector<std::string> kernels;

  Cut(int count, int length) {
    llvm::SMDiagnostic error;
    module =
        llvm::parseAssemblyString(moduleText(count, length), error, context);
    for (int k = 0; k < count; ++k)
      kernels.push_back("k" + std::to_string(k));
  }
};

TEST(Parts, SmallModulesStayWhole) {
  Cut cut(5, 100);
  ASSERT_TRUE(cut.module);
  EXPECT_EQ(planParts(*cut.module, cut.kernels).count, 1u);
}

TEST(Parts, EachFunctionStandsInOne) {
  Cut cut(40, 2000);
  ASSERT_TRUE(cut.module);
  PartPlan plan = planParts(*cut.module, cut.kernels);
  ASSERT_GT(plan.count, 4u);
  EXPECT_EQ(plan.partOf.lookup("entry"), 0u);
  for (const std::string &kernel : cut.kernels) {
    EXPECT_NE(plan.partOf.lookup(kernel), 0u);
    EXPECT_EQ(plan.partOf.lookup(kernel), plan.partOf.lookup(kernel + ".task"));
  }
  exportBetweenParts(*cut.module, plan);
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(*cut.module, stream);

  std::map<std::string, int> defined;
  std::vector<size_t> sizes;
  for (unsigned part = 0; part < plan.count; ++part) {
    llvm::LLVMContext own;
    auto module = llvm::getLazyBitcodeModule(
        llvm::MemoryBufferRef(llvm::StringRef(bitcode.data(), bitcode.size()),
                              "part"),
        own);
    ASSERT_TRUE(bool(module));
    EXPECT_EQ(reduceToPart(**module, plan, part), "");
    EXPECT_FALSE(llvm::verifyModule(**module, &llvm::errs()));
    EXPECT_EQ((*module)->getNamedGlobal("exported") != nullptr, part == 0);
    size_t size = 0;
    for (const llvm::Function &function : **module) {
      if (function.isDeclaration())
        continue;
      ++defined[function.getName().str()];
      size += function.getInstructionCount();
      // Hidden visibility: the linker resolves the name but does not export it.
      bool isKernel = plan.partOf.contains(function.getName());
      if (isKernel && !function.hasLocalLinkage())
        EXPECT_TRUE(function.hasHiddenVisibility());
      // Only the last kernel is called from another part.
      bool isTask = function.getName().ends_with(".task");
      if (isKernel && !isTask)
        EXPECT_EQ(function.hasLocalLinkage(),
                  function.getName() != cut.kernels.back());
    }
    if (part != 0)
      sizes.push_back(size);
  }
  EXPECT_EQ(defined.size(), 2 * cut.kernels.size() + 1);
  for (auto &[name, times] : defined)
    EXPECT_EQ(times, 1) << name;
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()),
            2 * *std::min_element(sizes.begin(), sizes.end()));
}

} // namespace
