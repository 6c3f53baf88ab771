// Prints diagnostics and progress. Each message is built completely and written
// with one call, so that messages of several threads do not mix.
#include "tools/tenon/Talk.h"

#include "tools/tenon/Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"

#include <cstdlib>
#include <unistd.h>

using namespace tenon::cli::options;

namespace tenon::cli {

Status Talk::configure(const llvm::opt::InputArgList &args) {
  llvm::StringRef format = args.getLastArgValue(OPT_diagnostics_format, "text");
  json = format == "json";
  quiet = args.hasArg(OPT_q);
  verbose = args.hasArg(OPT_v);

  bool terminal = isatty(STDERR_FILENO);
  llvm::StringRef colorWhen = args.getLastArgValue(OPT_color, "auto");
  const char *noColor = getenv("NO_COLOR");
  color = colorWhen == "always" ||
          (colorWhen == "auto" && terminal && (!noColor || !*noColor));

  llvm::StringRef progressWhen = args.getLastArgValue(OPT_progress, "auto");
  progress = !quiet && !json &&
             (progressWhen == "plain" || (progressWhen == "auto" && terminal));

  auto require = [&](llvm::StringRef flag, llvm::StringRef value,
                     std::vector<std::string> known) {
    if (llvm::is_contained(known, value))
      return Status::Success;
    return usage(llvm::formatv("{0}{1}: expected {2}{3}", flag, value,
                               llvm::join(known, ", "),
                               didYouMean(value, known)));
  };
  Status status = require("--diagnostics-format=", format, {"text", "json"});
  if (status == Status::Success)
    status = require("--color=", colorWhen, {"auto", "always", "never"});
  if (status == Status::Success)
    status = require("--progress=", progressWhen, {"auto", "plain", "none"});
  return status;
}

static const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  case Severity::Remark:
    return "remark";
  }
  return "error";
}

static std::string asJson(const Diagnostic &d) {
  llvm::json::Array details;
  for (const std::string &detail : d.details)
    details.push_back(llvm::json::fixUTF8(detail));
  llvm::json::Object object{{"schema", 1},
                            {"severity", severityName(d.severity)},
                            {"file", llvm::json::fixUTF8(d.file)},
                            {"place", llvm::json::fixUTF8(d.place)},
                            {"text", llvm::json::fixUTF8(d.text)},
                            {"details", std::move(details)},
                            {"help", llvm::json::fixUTF8(d.help)},
                            {"status", static_cast<int>(d.status)}};
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object)));
}

static std::string asText(const Diagnostic &d, bool color) {
  std::string text = formatDiagnostic(d);
  std::string word = std::string(severityName(d.severity)) + ":";
  size_t at = text.find(word);
  if (!color || at == std::string::npos)
    return text;
  const char *paint = d.severity == Severity::Error     ? "\033[1;31m"
                      : d.severity == Severity::Warning ? "\033[1;35m"
                                                        : "\033[1;36m";
  return text.substr(0, at) + paint + word + "\033[0m" +
         text.substr(at + word.size());
}

void Talk::showAs(std::string path, std::string shown) {
  shownNames.emplace_back(std::move(path), std::move(shown));
}

std::string Talk::render(const Diagnostic &said) const {
  Diagnostic d = said;
  for (const auto &[path, shown] : shownNames) {
    if (d.file == path)
      d.file = shown;
    for (std::string *text : {&d.text, &d.help})
      for (size_t at; (at = text->find(path)) != std::string::npos;)
        text->replace(at, path.size(), shown);
  }
  return json ? asJson(d) : asText(d, color);
}

Status Talk::say(const Diagnostic &d) {
  if (quiet &&
      (d.severity == Severity::Warning || d.severity == Severity::Note))
    return d.status;
  std::string text = render(d);
  std::lock_guard<std::mutex> lock(mutex);
  llvm::errs() << text;
  return d.status;
}

Status Talk::fail(Status status, std::string file, std::string text,
                  std::vector<std::string> details, std::string help) {
  Diagnostic d;
  d.file = std::move(file);
  d.text = std::move(text);
  d.details = std::move(details);
  d.help = std::move(help);
  d.status = status;
  return say(d);
}

Status Talk::usage(std::string text, std::string help) {
  return say(usageError(std::move(text), std::move(help)));
}

void Talk::note(std::string text) {
  Diagnostic d;
  d.severity = Severity::Note;
  d.text = std::move(text);
  say(d);
}

void Talk::detail(std::string text) {
  if (verbose)
    note(std::move(text));
}

void Talk::phase(const PhaseReport &phase, int index, int count) {
  if (progress) {
    std::string line = llvm::formatv("[{0}/{1}] {2,-9} {3,6:f2}s", index, count,
                                     phase.name, phase.seconds);
    line += phase.ops < 0 ? "\n" : "   " + std::to_string(phase.ops) + " ops\n";
    std::lock_guard<std::mutex> lock(mutex);
    llvm::errs() << line;
    return;
  }
  if (phase.seconds > 5)
    note(llvm::formatv("stage {0} took {1:f1} s", phase.name, phase.seconds));
}

DiagnosticHandler Talk::handler() {
  return [this](const Diagnostic &d) { say(d); };
}

bool wantsJson(const llvm::opt::InputArgList &args) {
  return args.getLastArgValue(OPT_format) == "json";
}

Status finishResult(Talk &talk, Status status) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!error)
    return status;
  llvm::outs().clear_error();
  talk.fail(Status::Io, "tenon",
            "cannot write the standard output: " + error.message());
  return status == Status::Success ? Status::Io : status;
}

std::string formatBytes(uint64_t n) {
  if (n < 1024)
    return std::to_string(n) + " B";
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = double(n) / 1024;
  int unit = 0;
  while (value >= 1024 && unit < 3) {
    value /= 1024;
    ++unit;
  }
  return llvm::formatv("{0:f1} {1}", value, units[unit]);
}

std::string formatTime(double seconds) {
  if (seconds >= 1)
    return llvm::formatv("{0:f2} s", seconds);
  if (seconds >= 1e-3)
    return llvm::formatv("{0:f2} ms", seconds * 1e3);
  return llvm::formatv("{0:f2} us", seconds * 1e6);
}

} // namespace tenon::cli
