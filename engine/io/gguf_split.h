#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/io/gguf_file.h"

namespace quire {

/// "model-00002-of-00003.gguf" taken apart.
struct GgufPartName {
  std::string stem;  ///< "model".
  int number = 0;    ///< 2, from 1.
  int count = 0;     ///< 3.

  /// The name of another part of the same set.
  std::string part(int other) const;
};

/// Nothing for names that are not of this kind.
std::optional<GgufPartName> parse_gguf_part_name(const std::string& file_name);

/// The most models of a folder that are listed.
inline constexpr size_t kMostListedModels = 1000;

/// The models that a folder holds as GGUF, by name ascending: files, and of each split set its
/// first part that is there. Projectors of images (mmproj), which are no models, are left out. Of
/// more than kMostListedModels models, these are the first ones that the file system names.
std::vector<std::filesystem::path> list_gguf_models(const std::filesystem::path& folder);

/// The files that make up a model: the file itself or, if it is one part of a split set, all parts
/// in order, found beside it by name. The first holds the metadata.
/// Errors: those of GgufFile::open; kNotFound naming a part that is missing; kCorruptFile for parts
/// that do not belong together; kUnsupported for parts whose headers together have more than
/// GgufFile::kMaxHeaderBytes.
Result<std::vector<GgufFile>> open_gguf_set(const std::filesystem::path& path);

}  // namespace quire
