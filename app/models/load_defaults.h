#pragma once

#include <QString>

namespace quire {

/// How models are loaded where nothing was chosen for one of them; 0 or empty: Quire's own choice.
struct LoadDefaults {
  int threads = 0;
  int contextLength = 0;   ///< Tokens; a model never holds more than its own context.
  int cacheMebibytes = 0;  ///< For keys and values, of each model.
  int batchTokens = 0;     ///< Computed in one step at most.
  QString cacheType;       ///< As LoadRequest's; one of those that cache_types offers.

  bool operator==(const LoadDefaults&) const = default;
};

/// What can be asked for, beside 0.
struct LoadBounds {
  static constexpr int kMostThreads = 1024;
  static constexpr int kLeastContext = 512;
  static constexpr int kMostContext = 16 << 20;
  static constexpr int kMostCacheMebibytes = 4 << 20;
  static constexpr int kLeastBatch = 16;
  static constexpr int kMostBatch = 8192;
  static constexpr int kStandardBatch = 512;  ///< Of EngineOptions.
};

}  // namespace quire
