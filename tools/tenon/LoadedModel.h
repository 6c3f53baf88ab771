// A compiled model in this process: the runtime's handles with C++ lifetimes,
// and its errors as diagnostics.
#ifndef TENON_TOOLS_TENON_LOADEDMODEL_H
#define TENON_TOOLS_TENON_LOADEDMODEL_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

#include <memory>

namespace tenon::cli {

/// True for an ELF file, and for any file called *.so: a damaged one is still
/// meant as an artifact.
bool isArtifact(const std::string &path);

/// The function that the flags name: the first of --function and --signature.
/// Empty: the artifact's first.
std::string functionName(const Invocation &call);

/// Where --weights-file, or else the environment, says external weights are.
std::string weightsPath(const Invocation &call);

/// The model's nodes that a kernel computes.
std::vector<std::string> nodesOf(const tenon_kernel_desc &kernel);

/// An open artifact and one context of it: opened, then a function is chosen,
/// then run.
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
    uint64_t cpuMask = 0; ///< of the host's features; 0: all of them
  };

  /// Opens `artifact`, which messages call `shownAs`.
  Status open(Talk &talk, const std::string &artifact,
              const std::string &shownAs, const Options &options);

  /// The description of the function `name`; empty: of the first.
  Status find(Talk &talk, const std::string &name,
              const tenon_function_desc *&found) const;

  /// The function to run, found by the same name, in a context of its own:
  /// states have their first values. Not of what is open to be described only.
  Status choose(Talk &talk, const std::string &name);

  const tenon_model_desc &getDesc() const { return *desc; }
  const tenon_function_desc &getFunction() const {
    return *function;
  } ///< chosen
  tenon_model_info getInfo() const;

  /// Refuses a run on `inputs` that needs more memory than is left: workspace,
  /// and outputs, of which `copyOutputs` makes another.
  Status admit(Talk &talk, const std::vector<Tensor> &inputs);

  /// Runs the chosen function on `inputs`, which are in its order.
  Status run(Talk &talk, const std::vector<Tensor> &inputs);

  /// Runs so far: those of the code for every size, then those of each variant.
  std::vector<uint64_t> countCalls() const;

  /// Lets `profile` hear of the kernels of later runs.
  void setProfile(tenon_profile_fn profile, void *state);

  /// The outputs of the last run, copied.
  std::vector<Tensor> copyOutputs() const;

private:
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
