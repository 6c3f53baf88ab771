// Results go to the standard output, the line of times to the error stream.
#include "tools/tenon/generate/Report.h"

#include "runtime/tenon_generate.h"
#include "tools/tenon/Talk.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <sys/resource.h>

namespace tenon::cli {

void printIds(llvm::raw_ostream &out,
              const std::vector<GeneratedSequence> &results) {
  for (const GeneratedSequence &result : results)
    out << llvm::join(
               llvm::map_range(result.ids,
                               [](int64_t id) { return std::to_string(id); }),
               " ")
        << '\n';
}

void printTexts(llvm::raw_ostream &out,
                const std::vector<GeneratedSequence> &results, bool wereShown) {
  for (size_t i = 0; i < results.size(); ++i) {
    bool isShown = i == 0 && wereShown;
    out << (i ? "\n" : "") << (isShown ? results[i].rest : results[i].text)
        << '\n';
  }
}

static const char *nameOfReason(int32_t reason) {
  switch (reason) {
  case TENON_REASON_EOS:
    return "eos";
  case TENON_REASON_LENGTH:
    return "length";
  case TENON_REASON_STOPPED:
    return "stop";
  default:
    return "cancelled";
  }
}

void printAsJson(llvm::raw_ostream &out,
                 const std::vector<GeneratedSequence> &results,
                 bool withTexts) {
  llvm::json::Array all;
  for (const GeneratedSequence &result : results) {
    llvm::json::Object one{{"prompt", int64_t(result.prompt)},
                           {"ids", llvm::json::Array(result.ids)},
                           {"reason", nameOfReason(result.reason)}};
    one["score"] = std::isfinite(result.score) ? llvm::json::Value(result.score)
                                               : llvm::json::Value(nullptr);
    if (withTexts)
      one["text"] = llvm::json::fixUTF8(result.text);
    all.push_back(std::move(one));
  }
  out << llvm::formatv("{0:2}\n",
                       llvm::json::Value(llvm::json::Object{
                           {"schema", 1}, {"results", std::move(all)}}));
}

void GenerationTimes::addToken() {
  if (tokens++ == 0)
    first = now();
}

static std::string rate(size_t tokens, std::chrono::duration<double> time) {
  if (time.count() <= 0)
    return "";
  return llvm::formatv(" ({0:f1} tok/s)", tokens / time.count());
}

std::string
GenerationTimes::report(const std::vector<std::vector<int64_t>> &prompts,
                        const std::vector<GeneratedSequence> &results) const {
  size_t given = 0, made = 0;
  for (const std::vector<int64_t> &prompt : prompts)
    given += prompt.size();
  for (const GeneratedSequence &result : results)
    made += result.ids.size();
  auto seconds = [](std::chrono::duration<double> time) {
    return formatTime(time.count());
  };
  // Beam search tells no single token.
  bool isTold = tokens > 0;
  std::string text = llvm::formatv("prompt {0} tok", given);
  if (isTold)
    text += "  " + seconds(first - running) + rate(given, first - running);
  text += llvm::formatv(" · generated {0} tok  {1}", made,
                        seconds(ended - (isTold ? first : running)));
  // The first token of each text is part of the prompt's time.
  if (isTold && made > results.size())
    text += rate(made - results.size(), ended - first);
  else if (!isTold && made > 0)
    text += rate(made, ended - running);
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return text + " · load " + seconds(running - loading) + " · peak " +
         formatBytes(uint64_t(usage.ru_maxrss) * 1024);
}

} // namespace tenon::cli
