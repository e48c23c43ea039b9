#pragma once

#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// What a user typed to name a model on a hub.
struct HubName {
  enum class Hub { kHuggingFace, kOllama };
  Hub hub = Hub::kHuggingFace;
  QString owner;     ///< "Qwen"; of Ollama's own models "library".
  QString model;     ///< "Qwen3-8B-GGUF".
  QString tag;       ///< A file or a type such as Q4_K_M; of Ollama its tag. May be empty.
  QString revision;  ///< Of Hugging Face; empty: main.

  /// "Qwen/Qwen3-8B-GGUF", "qwen3:8b".
  QString text() const;
  bool operator==(const HubName&) const = default;
};

/// "Hugging Face", "Ollama".
QString hubTitle(HubName::Hub hub);

/// Reads "org/repo", "org/repo:Q4_K_M", "org/repo@revision", "hf.co/org/repo", an address of a page
/// there, "qwen3", "qwen3:8b", "ollama.com/library/qwen3:8b" or "ollama.com/user/model". Errors:
/// kInvalidArgument.
Result<HubName> readHubName(const QString& typed);

}  // namespace quire
