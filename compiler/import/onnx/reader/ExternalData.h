// Tensor data in files beside the model. Every external tensor is located here,
// so this is the only place that checks and refuses locations.
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
  /// `openRoot` returns the folder to read from, or null if there is none. It
  /// is called only at the first use.
  ExternalData(Model &model,
               std::function<std::shared_ptr<FileRoot>()> openRoot,
               std::function<void(Diagnostic)> warn)
      : model(model), openRoot(std::move(openRoot)), warn(std::move(warn)) {}

  /// The file range of one tensor, which must have `need` bytes, from its
  /// external data entries. Throws ReadFailure at `place`.
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
  std::map<std::string, uint32_t> opened;    ///< location to file number
  std::map<uint32_t, std::string> checksums; ///< file number to SHA-1
  bool warned = false;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_EXTERNALDATA_H
