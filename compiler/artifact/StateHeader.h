// The part of a model's header about states: their memory, their first values,
// and the context extents that choose their sizes.
#ifndef TENON_COMPILER_ARTIFACT_STATEHEADER_H
#define TENON_COMPILER_ARTIFACT_STATEHEADER_H

#include "compiler/artifact/Header.h"

#include "llvm/Support/raw_ostream.h"

namespace tenon {

class StateHeader {
public:
  StateHeader(const ModelFacts &facts, const HeaderOptions &options);

  /// Writes the declarations for the whole model.
  void write(llvm::raw_ostream &out) const;

  /// The C type of the context extents, as a parameter named `extents`.
  std::string parameter() const;

  /// Writes the start of a function with that parameter: checks, and the
  /// variables `tenon_extents` and `tenon_offsets` for a call.
  void writeTables(llvm::raw_ostream &out) const;

  /// Writes a variable `tenon_chosen` with the extents of `context`.
  void writeChosen(llvm::raw_ostream &out) const;

private:
  void writeExtents(llvm::raw_ostream &out) const;
  void writeFirstValues(llvm::raw_ostream &out) const;
  std::string sizes() const;

  const ModelFacts &facts;
  const HeaderOptions &options;
  std::string model;              ///< the descriptor
  std::vector<std::string> names; ///< of the context extents' members
};

/// Writes code that returns TENON_FAULT_SHAPE if `value` is outside the range
/// or no multiple.
void writeRangeCheck(llvm::raw_ostream &out, const std::string &value,
                     const DimFacts &range);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_STATEHEADER_H
