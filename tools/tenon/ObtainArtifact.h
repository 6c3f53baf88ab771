// From the name of a model or an artifact to an artifact that can be opened:
// the file itself, one from the cache, or one compiled now and put there.
#ifndef TENON_TOOLS_TENON_OBTAINARTIFACT_H
#define TENON_TOOLS_TENON_OBTAINARTIFACT_H

#include "compiler/options/CompileOptions.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/Verbs.h"
#include "tools/tenon/cache/CacheFolder.h"

#include <memory>

namespace tenon::cli {

/// An artifact, and what keeps it where it is as long as this lives.
struct Artifact {
  std::string path;
  bool isCached = false; ///< it will be found again
  double seconds = 0;    ///< compiled for so long; 0: it was there
  HeldEntry held;
  Descriptor lock; ///< of the directory, where it stands in the cache
  std::unique_ptr<TemporaryDirectory> directory;
};

/// `artifact` becomes `path`, or what the flags of `call` compile it to.
Status obtainArtifact(Invocation &call, const std::string &path,
                      Artifact &artifact);

/// The same for the model and the options in `options`, whose output is chosen
/// here.
Status obtainCompiled(Invocation &call, CompileOptions options,
                      Artifact &artifact);

/// TENON_CACHE_LIMIT, by default 5 GiB; 0 is no cache.
Status readCacheLimit(Invocation &call, uint64_t &bytes);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_OBTAINARTIFACT_H
