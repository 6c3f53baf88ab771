// The speed of a generation model: tokens per second of a prompt and of a text.
#ifndef TENON_TOOLS_TENON_GENERATE_GENERATIONBENCH_H
#define TENON_TOOLS_TENON_GENERATE_GENERATIONBENCH_H

#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/Statistics.h"

namespace tenon::cli {

/// Sets `found` if the artifact has the entries of a generation model.
Status findGeneration(Invocation &call, const std::string &artifact,
                      const std::string &shownAs, bool &found);

/// Measures two rows for each number of threads: `pp128` computes a prompt of
/// 128 tokens, `tg32` makes 32 tokens after it. The floor is the least time in
/// which memory delivers all weights: once for the prompt, and for each token.
/// There is none on a device. A model of speech has no row of the prompt and no
/// floor; `mel480000` makes features of samples, `en3000` encodes them.
class GenerationBench {
public:
  int64_t warmup = 0;
  int64_t runs = 0; ///< 0: until minTime has passed
  double minTime = 1;
  LoadedModel::Options loading;

  Status measure(Invocation &call, const std::string &artifact,
                 const std::string &shownAs, int32_t threads);

  /// The table, with its header first.
  std::vector<std::vector<std::string>> cells() const;
  std::string asJson() const;
  /// The tokens per second of each row as SVG.
  std::string asChart() const;

private:
  struct Row {
    std::string model, test;
    int64_t threads = 1, tokens = 0;
    std::vector<double> seconds; ///< of each run
    TimeStatistics statistics;
    double floor = 0; ///< seconds of one run at least
    uint64_t weightBytes = 0;
  };
  std::vector<Row> rows;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_GENERATE_GENERATIONBENCH_H
