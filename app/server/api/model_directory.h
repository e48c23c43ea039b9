#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace quire {

/// A model that requests may name.
struct ListedModel {
  std::string name;  ///< The file's or folder's name without ".gguf"; unique.
  std::string path;
  int64_t created = 0;       ///< When the file was changed last, in seconds since 1970.
  uint64_t bytes = 0;        ///< Of the file; 0 for a folder.
  int contextLength = 0;     ///< 0 until it was loaded.
  bool isLoaded = false;     ///< It answers without being loaded first.
  bool hasAnswered = false;  ///< It was loaded once; if it is not now, a request loads it again.
  std::string error = {};    ///< Why its last load failed; else empty.
  uint64_t memoryBytes = 0;  ///< What it takes while it is loaded.
  bool isOnGpu = false;      ///< Where that memory is, for the most part.
};

/// The names of the models that are served. The first one answers requests without a name.
/// Thread: any. Readers get a snapshot.
class ModelDirectory {
 public:
  using Models = std::vector<ListedModel>;

  /// Replaces the list. Names are made here: of two models with one name the second is called
  /// "name-2", and a name stays with its path.
  void set(Models models);
  std::shared_ptr<const Models> models() const;
  /// By its name (or path, as it was listed); the first one for an empty name.
  std::optional<ListedModel> find(const std::string& name) const;

  static std::string nameOfPath(const std::string& path);

 private:
  mutable std::mutex m_mutex;
  std::shared_ptr<const Models> m_models = std::make_shared<Models>();
};

}  // namespace quire
