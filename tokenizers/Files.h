// The files that a tokenizer is made of: from a folder, or from memory.
#ifndef TENON_TOKENIZERS_FILES_H
#define TENON_TOKENIZERS_FILES_H

#include <map>
#include <string>

namespace tenon::tokenizers {

/// The contents of files that were found, by name.
class Files {
public:
  /// The files of a checkpoint's folder that concern tokenizers; or, if `path`
  /// is a file, that file as tokenizer.json, or as spiece.model if its name
  /// ends with `.model`. Throws Failure.
  static Files read(const std::string &path);

  /// Adds a file in memory. Throws Failure if the name is not one of ours.
  void add(const std::string &name, std::string content);

  /// The content of a file, or null.
  const std::string *find(const std::string &name) const {
    auto found = contents.find(name);
    return found == contents.end() ? nullptr : &found->second;
  }

  /// A file's name in messages.
  std::string nameOf(const std::string &name) const;
  /// The name of the whole in messages.
  const std::string &getPath() const { return path; }

private:
  std::string path;    ///< empty: in memory
  bool isFile = false; ///< `path` is the only file
  std::map<std::string, std::string> contents;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_FILES_H
