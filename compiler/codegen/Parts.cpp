// Kernels do not call one another, so separate parts lose no optimization. The
// graph functions, which call all kernels, form a part of their own: LLVM would
// inline kernels into them, and many of its passes take more than twice the
// time for a function of twice the size.
#include "compiler/codegen/Parts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace tenon {
namespace {
/// A part needs this many instructions, because each costs some milliseconds.
constexpr size_t partInstructions = 8192;
constexpr size_t maxParts = 16;

unsigned partOf(const PartPlan &plan, StringRef name) {
  return plan.partOf.lookup(name);
}

/// Collects the parts in which `user` is used; tables count as part 0.
void collectParts(const User *user, const PartPlan &plan,
                  SmallVectorImpl<unsigned> &parts) {
  if (auto *instruction = dyn_cast<Instruction>(user)) {
    parts.push_back(partOf(plan, instruction->getFunction()->getName()));
  } else if (isa<GlobalValue>(user)) {
    parts.push_back(0);
  } else {
    for (const User *next : user->users())
      collectParts(next, plan, parts);
  }
}

template <typename Range> bool eraseUnused(Range &&globals) {
  bool erased = false;
  for (auto &global : make_early_inc_range(globals)) {
    global.removeDeadConstantUsers();
    if (!global.use_empty() ||
        !(global.hasLocalLinkage() || global.isDeclaration()))
      continue;
    global.eraseFromParent();
    erased = true;
  }
  return erased;
}
} // namespace

PartPlan planParts(const Module &module,
                   const std::vector<std::string> &kernels) {
  struct Group {
    std::vector<std::string> names;
    size_t instructions = 0;
  };
  std::vector<Group> groups;
  size_t total = 0;
  for (const std::string &kernel : kernels) {
    Group group;
    for (const std::string &name : {kernel, kernel + ".task"})
      if (const Function *function = module.getFunction(name)) {
        group.names.push_back(name);
        group.instructions += function->getInstructionCount();
      }
    total += group.instructions;
    groups.push_back(std::move(group));
  }
  PartPlan plan;
  size_t kernelParts = std::min(total / partInstructions, maxParts - 1);
  if (kernelParts < 2)
    return plan;
  plan.count = kernelParts + 1;
  llvm::sort(groups, [](const Group &a, const Group &b) {
    return a.instructions != b.instructions ? a.instructions > b.instructions
                                            : a.names < b.names;
  });
  std::vector<size_t> filled(kernelParts);
  for (const Group &group : groups) {
    size_t part = min_element(filled) - filled.begin();
    filled[part] += group.instructions;
    for (const std::string &name : group.names)
      plan.partOf[name] = part + 1;
  }
  return plan;
}

void exportBetweenParts(Module &module, const PartPlan &plan) {
  for (Function &function : module) {
    if (function.isDeclaration() || !function.hasLocalLinkage())
      continue;
    SmallVector<unsigned> parts;
    for (const User *user : function.users())
      collectParts(user, plan, parts);
    unsigned own = partOf(plan, function.getName());
    if (all_of(parts, [&](unsigned part) { return part == own; }))
      continue;
    function.setLinkage(GlobalValue::ExternalLinkage);
    function.setVisibility(GlobalValue::HiddenVisibility);
  }
}

std::string reduceToPart(Module &module, const PartPlan &plan, unsigned part) {
  for (Function &function : module) {
    if (function.isDeclaration() && !function.isMaterializable())
      continue;
    if (partOf(plan, function.getName()) == part)
      continue;
    function.deleteBody();
    function.setVisibility(GlobalValue::HiddenVisibility);
  }
  if (Error error = module.materializeAll())
    return toString(std::move(error));
  if (part != 0) {
    if (GlobalVariable *used = module.getGlobalVariable("llvm.used"))
      used->eraseFromParent();
    for (GlobalVariable &global : module.globals())
      if (global.hasExternalLinkage())
        global.setInitializer(nullptr);
  }
  // Erase tables that refer to erased symbols, and then symbols that only those
  // tables used.
  while (eraseUnused(module.globals()) || eraseUnused(module.functions())) {
  }
  return "";
}

} // namespace tenon
