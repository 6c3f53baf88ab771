// Translates errors of passes and the parser into messages for users.
#include "compiler/report/PassDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mlir;

namespace tenon {

std::vector<std::string> nodesOf(Location loc) {
  std::vector<std::string> names;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part)) {
      std::string text = name.getName().str();
      if (!llvm::is_contained(names, text))
        names.push_back(text);
    }
    return WalkResult::advance();
  });
  return names;
}

/// The place of a message: `node "x"`, or line and column of a text, or empty.
static std::string placeOf(Location loc) {
  std::vector<std::string> nodes = nodesOf(loc);
  if (!nodes.empty())
    return "node \"" + nodes.front() + "\"";
  if (auto text = loc->findInstanceOf<FileLineColLoc>())
    return "line " + std::to_string(text.getLine()) + ", column " +
           std::to_string(text.getColumn());
  return "";
}

static std::string keyOf(const Diagnostic &remark) {
  return remark.place + "\n" + remark.text;
}

PassDiagnostics::PassDiagnostics(MLIRContext &context, std::string file)
    : file(std::move(file)),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
        if (!isError && diagnostic.getSeverity() != DiagnosticSeverity::Remark)
          return success();
        tenon::Diagnostic ours;
        ours.file = this->file;
        ours.place = placeOf(diagnostic.getLocation());
        ours.text = diagnostic.str();
        if (isError) {
          collected.push_back(std::move(ours));
          return success();
        }
        ours.severity = Severity::Remark;
        std::vector<std::string> &having = versionsOf[keyOf(ours)];
        if (having.empty())
          remarks.push_back(std::move(ours));
        if (!llvm::is_contained(having, version))
          having.push_back(version);
        return success();
      }) {}

void PassDiagnostics::reportRemarks(const DiagnosticHandler &report,
                                    size_t versions) {
  for (Diagnostic &remark : remarks) {
    std::vector<std::string> &having = versionsOf[keyOf(remark)];
    if (having.size() < versions)
      remark.text += " (for " + llvm::join(having, ", ") + ")";
    // Variants and later phases may repeat a remark.
    if (reported.insert(keyOf(remark)).second)
      report(remark);
  }
  remarks.clear();
  versionsOf.clear();
}

Status PassDiagnostics::flush(const DiagnosticHandler &report, bool parsing) {
  Status worst = Status::Success;
  for (Diagnostic &diagnostic : collected) {
    llvm::StringRef text(diagnostic.text);
    diagnostic.status = parsing                       ? Status::InvalidModel
                        : text.starts_with("limit: ") ? Status::Limit
                        : text.starts_with("unsupported: ")
                            ? Status::Unsupported
                            : Status::Internal;
    if (diagnostic.status == Status::Internal)
      diagnostic.text = "internal compiler error: " + diagnostic.text;
    if (worst == Status::Success || diagnostic.status == Status::Internal)
      worst = diagnostic.status;
    report(diagnostic);
  }
  collected.clear();
  return worst;
}

} // namespace tenon
