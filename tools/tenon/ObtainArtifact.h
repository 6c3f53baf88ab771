// Turns the name of a model or artifact into an artifact that can be opened:
// the file, an entry of the cache, or a model compiled now and stored in the
// cache.
#ifndef TENON_TOOLS_TENON_OBTAINARTIFACT_H
#define TENON_TOOLS_TENON_OBTAINARTIFACT_H

#include "compiler/options/CompileOptions.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/Verbs.h"
#include "tools/tenon/cache/CacheFolder.h"

#include <memory>

namespace tenon::cli {

/// An artifact. Its file is kept as long as this object lives.
struct Artifact {
  std::string path;
  bool isCached = false; ///< the cache keeps it
  double seconds = 0;    ///< duration of the compilation; 0: none was needed
  HeldEntry held;
  Descriptor lock; ///< of the artifact's directory, if it is in the cache
  std::unique_ptr<TemporaryDirectory> directory;
};

/// Sets `artifact` to the artifact `path`, or compiles the model `path` with
/// the flags of `call`.
Status obtainArtifact(Invocation &call, const std::string &path,
                      Artifact &artifact);

/// As obtainArtifact, for the model and options in `options`. The output's path
/// is chosen here.
Status obtainCompiled(Invocation &call, CompileOptions options,
                      Artifact &artifact);

/// Reads TENON_CACHE_LIMIT, by default 5 GiB; 0 disables the cache.
Status readCacheLimit(Invocation &call, uint64_t &bytes);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_OBTAINARTIFACT_H
