// The flag --debug-only. LLVM defines it only in builds with assertions, but
// its libraries always have what the flag switches on.
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

#include <string>
#include <vector>

static llvm::cl::list<std::string>
    debugOnly("debug-only", llvm::cl::CommaSeparated,
              llvm::cl::desc("Print the debug output of these passes, such as "
                             "tenon-plan-kernels"),
              llvm::cl::value_desc("PASS,.."),
              llvm::cl::callback([](const std::string &type) {
                static std::vector<std::string> types;
                types.push_back(type);
                std::vector<const char *> names;
                for (const std::string &each : types)
                  names.push_back(each.c_str());
                llvm::DebugFlag = true;
                llvm::setCurrentDebugTypes(names.data(), names.size());
              }));
