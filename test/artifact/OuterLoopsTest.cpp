// LLVM may unroll the three innermost loops of a nest, and no other.
#include "compiler/codegen/OuterLoops.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace tenon;

namespace {

TEST(OuterLoops, ThreeInnermostLoopsStayFree) {
  constexpr int depth = 5;
  std::string text = "define void @nest(i1 %c) {\n  br label %head0\n";
  for (int i = 0; i < depth; ++i) {
    std::string next = i + 1 < depth ? "head" + std::to_string(i + 1)
                                     : "latch" + std::to_string(i);
    text += "head" + std::to_string(i) + ":\n  br label %" + next + "\n";
  }
  for (int i = depth - 1; i >= 0; --i) {
    std::string next = i > 0 ? "latch" + std::to_string(i - 1) : "end";
    text += "latch" + std::to_string(i) + ":\n  br i1 %c, label %head" +
            std::to_string(i) + ", label %" + next + "\n";
  }
  text += "end:\n  ret void\n}\n";
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  keepOuterLoops(*module);
  std::vector<std::string> marked;
  for (const llvm::BasicBlock &block : *module->getFunction("nest"))
    if (block.getTerminator()->getMetadata("llvm.loop"))
      marked.push_back(block.getName().str());
  EXPECT_EQ(marked, (std::vector<std::string>{"latch1", "latch0"}));
}

} // namespace
