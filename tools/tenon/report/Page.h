// The parts of the page of `tenon inspect --html`, which CMake embeds.
#ifndef TENON_TOOLS_TENON_REPORT_PAGE_H
#define TENON_TOOLS_TENON_REPORT_PAGE_H

#include "llvm/Support/JSON.h"

#include <string>

namespace tenon::cli {

/// The whole page. No text of `data` can become markup.
std::string asPage(llvm::json::Value data);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_PAGE_H
