#pragma once

#include <QString>

#include <functional>

#include "kernels/base/result.h"

namespace quire {

/// What a file or folder contains.
enum class ModelKind {
  kModel,      ///< A language model, whether Quire can load it or not.
  kProjector,  ///< An image encoder for another model (mmproj).
  kAdapter,    ///< Changes to another model (LoRA).
};

/// The facts in a model's files, read without its weights.
struct ModelFacts {
  ModelKind kind = ModelKind::kModel;
  QString architecture;  ///< As in the files: "qwen3"; empty if it is missing there.
  QString quantisation;  ///< "Q4_K_M", "BF16".
  QString format;        ///< "GGUF version 3", "safetensors".
  qint64 parameters = 0;
  quint64 fileBytes = 0;
  int contextLength = 0;  ///< Tokens of the trained context; 0: unknown.
  Error obstacle;         ///< Why it cannot be loaded; the message is empty if it can.

  bool operator==(const ModelFacts&) const = default;
};

/// Reads the facts of a file or folder. Never fails: a read error becomes the obstacle.
using ModelReader = std::function<ModelFacts(const QString& path)>;

}  // namespace quire
