#pragma once

#include <QJsonObject>
#include <QString>

#include <functional>
#include <optional>

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
  /// A hash of its tokens, which is equal for models with the same vocabulary; empty: unknown.
  QString vocabulary = {};
  Error obstacle;  ///< Why it cannot be loaded; the message is empty if it can.
  /// Reading it crashed or took too much: it is neither read nor loaded until it changes or the
  /// user asks. Then there is an obstacle.
  bool isQuarantined = false;

  bool operator==(const ModelFacts&) const = default;
};

/// As quire-inspect answers and as facts are kept; isQuarantined is not part of it.
QJsonObject toJson(const ModelFacts& facts);
/// nullopt if the values are out of range.
std::optional<ModelFacts> factsFromJson(const QJsonObject& json);

/// Reads the facts of a file or folder. Never fails: a read error becomes the obstacle, kCancelled
/// if it says nothing about the file and it should be read again.
using ModelReader = std::function<ModelFacts(const QString& path)>;

}  // namespace quire
