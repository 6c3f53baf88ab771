// `tenon cache` lists the artifacts that `tenon run` has compiled, with their
// sizes, and removes them.
#include "tools/tenon/CompileFlags.h"
#include "tools/tenon/ObtainArtifact.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <ctime>

using namespace tenon::cli::options;
using llvm::json::fixUTF8;

namespace tenon::cli {

static std::string agoText(int64_t used) {
  int64_t seconds = std::max<int64_t>(0, time(nullptr) - used);
  if (seconds < 120)
    return std::to_string(seconds) + " s ago";
  if (seconds < 120 * 60)
    return std::to_string(seconds / 60) + " min ago";
  if (seconds < 48 * 3600)
    return std::to_string(seconds / 3600) + " h ago";
  return std::to_string(seconds / 86400) + " days ago";
}

static void print(const CacheFolder &cache,
                  const std::vector<CacheFolder::Row> &rows, uint64_t limit) {
  uint64_t bytes = 0;
  size_t model = 5, target = 6;
  for (const CacheFolder::Row &row : rows) {
    bytes += row.bytes;
    model = std::max(model, escapeForTerminal(row.origin.model).size());
    target = std::max(target, escapeForTerminal(row.origin.target).size());
  }
  llvm::raw_ostream &out = llvm::outs();
  out << "folder   " << escapeForTerminal(cache.getPath()) << '\n'
      << "entries  " << rows.size() << ", " << formatBytes(bytes) << " of "
      << formatBytes(limit) << '\n';
  auto line = [&](std::string first, std::string second, std::string third,
                  const std::string &fourth) {
    first.resize(std::max(model, first.size()), ' ');
    second.resize(std::max(target, second.size()), ' ');
    out << first << "  " << second << "  " << llvm::formatv("{0,10}", third)
        << "  " << fourth << '\n';
  };
  if (!rows.empty())
    line("model", "target", "size", "used");
  for (const CacheFolder::Row &row : rows)
    line(escapeForTerminal(row.origin.model),
         escapeForTerminal(row.origin.target), formatBytes(row.bytes),
         agoText(row.used));
}

static void printJson(const CacheFolder &cache,
                      const std::vector<CacheFolder::Row> &rows, uint64_t limit,
                      int64_t removed) {
  llvm::json::Array entries;
  for (const CacheFolder::Row &row : rows)
    entries.push_back(llvm::json::Object{{"name", row.name},
                                         {"model", fixUTF8(row.origin.model)},
                                         {"target", fixUTF8(row.origin.target)},
                                         {"bytes", row.bytes},
                                         {"used", row.used}});
  llvm::outs() << llvm::formatv(
      "{0:2}\n",
      llvm::json::Value(llvm::json::Object{{"schema", 1},
                                           {"folder", fixUTF8(cache.getPath())},
                                           {"limit", limit},
                                           {"removed", removed},
                                           {"entries", std::move(entries)}}));
}

Status cacheVerb(Invocation &call) {
  std::string format;
  uint64_t limit = 0, wanted = 0;
  if (call.args.hasArg(OPT_INPUT))
    return call.talk.usage("unexpected argument '" +
                           call.args.getLastArgValue(OPT_INPUT).str() + "'");
  Status status =
      readChoice(call, OPT_format, {"text", "json"}, "text", format);
  if (status == Status::Success)
    status = readCacheLimit(call, limit);
  if (status == Status::Success)
    status = readSize(call, OPT_limit, wanted);
  if (status != Status::Success)
    return status;
  if (call.args.hasArg(OPT_clear) && call.args.hasArg(OPT_limit))
    return call.talk.usage("--clear and --limit both say what to remove");
  CacheFolder cache = CacheFolder::ofUser();
  if (cache.getPath().empty())
    return call.talk.fail(Status::Io, "tenon", "there is no cache", {},
                          "set TENON_CACHE_DIR to a folder of yours");
  if (call.args.hasArg(OPT_dir)) {
    llvm::outs() << cache.getPath() << '\n';
    return Status::Success;
  }
  if (std::string why = cache.open(); !why.empty())
    return call.talk.fail(Status::Io, "tenon", "the cache is not used: " + why);
  int64_t removed = 0;
  bool removing = call.args.hasArg(OPT_clear, OPT_limit);
  if (removing)
    removed = cache.prune(wanted);
  std::vector<CacheFolder::Row> rows = cache.list();
  if (format == "json")
    printJson(cache, rows, limit, removed);
  else if (removing)
    llvm::outs() << removed << " removed, " << rows.size() << " left\n";
  else
    print(cache, rows, limit);
  return Status::Success;
}

} // namespace tenon::cli
