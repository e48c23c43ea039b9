#pragma once

#include <QString>

namespace quire {

/// How models are loaded unless the options of a model say otherwise. 0 or empty: Quire's choice.
struct LoadDefaults {
  int threads = 0;
  int contextLength = 0;   ///< Tokens; a model never holds more than its own context.
  int cacheMebibytes = 0;  ///< For the KV cache of each model.
  int batchTokens = 0;     ///< Largest number of tokens of one step.
  QString cacheType;       ///< As LoadRequest::cacheType; one that cache_types offers.

  bool operator==(const LoadDefaults&) const = default;
};

/// The bounds of the values other than 0.
struct LoadBounds {
  static constexpr int kMostThreads = 1024;
  static constexpr int kLeastContext = 512;
  static constexpr int kMostContext = 16 << 20;
  static constexpr int kMostCacheMebibytes = 4 << 20;
  static constexpr int kLeastBatch = 16;
  static constexpr int kMostBatch = 8192;
  static constexpr int kStandardBatch = 512;  ///< The default of EngineOptions.
};

}  // namespace quire
