// A generator on an open artifact, as a C++ object. An interrupt ends its call
// and not the process.
#ifndef TENON_TOOLS_TENON_GENERATE_LOADEDGENERATOR_H
#define TENON_TOOLS_TENON_GENERATE_LOADEDGENERATOR_H

#include "runtime/tenon_generate.h"
#include "tools/tenon/LoadedModel.h"

#include <functional>
#include <memory>

namespace tenon::cli {

class LoadedGenerator {
public:
  /// Opens `artifact`; messages call it `shownAs`. Extents in the options are
  /// least sizes of the context.
  Status open(Talk &talk, const std::string &artifact,
              const std::string &shownAs, const LoadedModel::Options &options);

  tenon_generator *get() const { return generator.get(); }

  /// The model's entry with the options.
  const tenon_function_desc &getStart() const { return *start; }

  using OnToken = std::function<tenon_token_answer(size_t, int64_t)>;

  /// Generates; calls `onToken` for each new id of each sequence. The first
  /// interrupt ends the call with `interruptStatus`. Whatever the status, the
  /// sequences that were begun are there.
  Status run(Talk &talk, const std::vector<std::vector<int64_t>> &prompts,
             OnToken onToken);

  /// The sequences of the last run.
  std::vector<tenon_sequence> getSequences() const;

private:
  struct Destroy {
    void operator()(tenon_generator *generator) const {
      tenon_generator_destroy(generator);
    }
  };
  std::string shownAs;
  double deadline = 0;
  LoadedModel model;
  const tenon_function_desc *start = nullptr;
  std::unique_ptr<tenon_generator, Destroy> generator;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_LOADEDGENERATOR_H
