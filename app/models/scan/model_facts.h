#pragma once

#include <QJsonObject>
#include <QString>

#include <atomic>
#include <functional>
#include <optional>

#include "kernels/base/result.h"

namespace quire {

/// What a file or folder turned out to be.
enum class ModelKind {
  kModel,      ///< A language model, whether Quire can load it or not.
  kProjector,  ///< What turns pictures into tokens for another model (mmproj).
  kAdapter,    ///< Changes to another model (LoRA).
};

/// What a model's own files say about it, read without its weights.
struct ModelFacts {
  ModelKind kind = ModelKind::kModel;
  QString architecture;  ///< As the files spell it: "qwen3"; empty if they do not say.
  QString quantisation;  ///< "Q4_K_M", "BF16".
  QString format;        ///< "GGUF version 3", "safetensors".
  qint64 parameters = 0;
  quint64 fileBytes = 0;
  int contextLength = 0;  ///< Tokens it was trained for; 0: the files do not say.
  Error obstacle;         ///< Why it cannot be loaded; its message is empty if it can.

  bool operator==(const ModelFacts&) const = default;
};

/// Reads them from a file or folder; never fails, since what cannot be read is an obstacle.
using ModelReader = std::function<ModelFacts(const QString& path)>;

QJsonObject toJson(const ModelFacts& facts);
/// Nothing for what toJson() did not make.
std::optional<ModelFacts> factsFromJson(const QJsonObject& json);

}  // namespace quire
