// A compiled model in this process: the runtime's handles as C++ objects, and
// its errors as diagnostics.
#ifndef TENON_TOOLS_TENON_LOADEDMODEL_H
#define TENON_TOOLS_TENON_LOADEDMODEL_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

#include <map>
#include <memory>

namespace tenon::cli {

/// True for an ELF file, and for any file named *.so: a damaged .so is still
/// meant to be an artifact.
bool isArtifact(const std::string &path);

/// The function that the flags name: the first of --function and --signature.
/// Empty: the artifact's first function.
std::string functionName(const Invocation &call);

/// The location of external weights from --weights-file, otherwise from the
/// environment.
std::string weightsPath(const Invocation &call);

/// The names of the model's nodes that a kernel computes.
std::vector<std::string> nodesOf(const tenon_kernel_desc &kernel);

/// Converts the runtime's text to a diagnostic: the cause, lines of facts, and
/// `help: ` lines.
Diagnostic fromRuntime(const std::string &file, tenon_status status,
                       llvm::StringRef text);

/// An open artifact with one context. Call open, then choose a function, then
/// run.
class LoadedModel {
public:
  struct Options {
    int32_t threads = 0;
    uint64_t memoryLimit = 0;
    MemoryBudget memory;
    double deadline = 0; ///< seconds; 0: none
    bool describeOnly = false;
    std::string weightsPath; ///< empty: beside the artifact
    tenon_weights_mode weights = TENON_WEIGHTS_AUTO;
    bool verifyWeights = false;
    std::string device;   ///< of tenon_open_options; empty: the CPU
    uint64_t cpuMask = 0; ///< CPU features to use; 0: all that the host has
    std::map<std::string, int64_t> contextExtents; ///< others have defaults
  };

  /// Opens `artifact`; messages call it `shownAs`.
  Status open(Talk &talk, const std::string &artifact,
              const std::string &shownAs, const Options &options);

  /// Finds the function `name`; an empty name means the first.
  Status find(Talk &talk, const std::string &name,
              const tenon_function_desc *&found) const;

  /// Finds the function `name` and creates a context for it; states have their
  /// initial values. Not allowed after describeOnly.
  Status choose(Talk &talk, const std::string &name);

  const tenon_model_desc &getDesc() const { return *desc; }
  const tenon_function_desc &getFunction() const {
    return *function;
  } ///< chosen
  tenon_model_info getInfo() const;
  tenon_model *getHandle() const { return model.get(); }

  /// Refuses a run on `inputs` that needs more memory than is left. It counts
  /// the workspace and the outputs, the outputs twice because copyOutputs
  /// copies them.
  Status admit(Talk &talk, const std::vector<Tensor> &inputs);

  /// Runs the chosen function on `inputs`, in the order of the function.
  Status run(Talk &talk, const std::vector<Tensor> &inputs);

  /// Numbers of runs so far: of the code for all sizes, then of each variant.
  std::vector<uint64_t> countCalls() const;

  /// Calls `profile` for the kernels of later runs.
  void setProfile(tenon_profile_fn profile, void *state);

  /// Copies of the outputs of the last run.
  std::vector<Tensor> copyOutputs() const;

private:
  /// Refuses states that need more memory than is left.
  Status admitState(Talk &talk);
  /// Sets up the tensors of a call.
  void bind(const std::vector<Tensor> &inputs);

  struct CloseModel {
    void operator()(tenon_model *model) const { tenon_close(model); }
  };
  struct DestroyContext {
    void operator()(tenon_context *context) const {
      tenon_context_destroy(context);
    }
  };

  std::string shownAs;
  Options options;
  const tenon_model_desc *desc = nullptr;
  const tenon_function_desc *function = nullptr;
  std::unique_ptr<tenon_model, CloseModel> model;
  std::unique_ptr<tenon_context, DestroyContext> context;
  std::vector<tenon_tensor> given;
  std::vector<tenon_tensor> results;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LOADEDMODEL_H
