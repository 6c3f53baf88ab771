// Payloads in files beside the model: every tensor of every kind comes through
// here, so there is one place to refuse.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_EXTERNALDATA_H
#define TENON_COMPILER_IMPORT_ONNX_READER_EXTERNALDATA_H

#include "compiler/files/FileRoot.h"
#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/report/Diagnostic.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tenon::onnx {

class ExternalData {
public:
  /// `openRoot` gives the folder to read from, null when there is none; it is
  /// called at the first use only.
  ExternalData(Model &model,
               std::function<std::shared_ptr<FileRoot>()> openRoot,
               std::function<void(Diagnostic)> warn)
      : model(model), openRoot(std::move(openRoot)), warn(std::move(warn)) {}

  /// The checked range the entries of one tensor denote, `need` bytes long.
  /// Throws ReadFailure at `place`.
  FileRange
  locate(const std::vector<std::pair<std::string, std::string>> &entries,
         uint64_t need, const std::string &place);

private:
  uint32_t fileOf(const std::string &location, const std::string &place);
  void verifyChecksum(uint32_t file, const std::string &declared,
                      const std::string &place);

  Model &model;
  std::function<std::shared_ptr<FileRoot>()> openRoot;
  std::function<void(Diagnostic)> warn;
  std::shared_ptr<FileRoot> root;
  std::map<std::string, uint32_t> opened;    ///< location to file
  std::map<uint32_t, std::string> checksums; ///< file to its SHA-1
  bool warned = false;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_EXTERNALDATA_H
