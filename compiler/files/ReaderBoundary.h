// Converts the exceptions of a reader to diagnostics.
#ifndef TENON_COMPILER_FILES_READERBOUNDARY_H
#define TENON_COMPILER_FILES_READERBOUNDARY_H

#include "compiler/files/OpenFile.h"
#include "compiler/files/ReadFailure.h"
#include "compiler/report/Diagnostic.h"

#include <new>
#include <string>

namespace tenon {

/// Runs a reader and reports its exceptions as diagnostics on `file`.
class ReaderBoundary {
public:
  ReaderBoundary(std::string file, const DiagnosticHandler &report)
      : file(std::move(file)), report(report) {}

  /// True if `body` returned without an exception.
  template <typename Body> bool run(const Body &body) const {
    try {
      body();
      return true;
    } catch (const ReadFailure &e) {
      error(e.status, e.place, e.text, e.help);
    } catch (const FileError &e) {
      error(e.status, "", e.text);
    } catch (const std::bad_alloc &) {
      error(Status::Limit, "", "out of memory");
    }
    return false;
  }

  void say(Diagnostic d) const {
    d.file = file;
    report(d);
  }

private:
  void error(Status status, const std::string &place, const std::string &text,
             const std::string &help = "") const {
    Diagnostic d;
    d.place = place;
    d.text = text;
    d.help = help;
    d.status = status;
    say(std::move(d));
  }

  std::string file;
  const DiagnosticHandler &report;
};

} // namespace tenon

#endif // TENON_COMPILER_FILES_READERBOUNDARY_H
