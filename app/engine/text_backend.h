#pragma once

#include <QList>
#include <QString>

#include <memory>
#include <vector>

#include "app/engine/chat_backend.h"
#include "app/engine/model_manager.h"
#include "engine/chat/chat_format.h"

namespace quire {

/// What a loaded model's files say, for those who prepare requests for it. The tokenizer and the
/// template stay valid when the model is unloaded.
struct TextModel {
  QString error;  ///< Why the model cannot be used; then all else is empty.
  ErrorCode errorCode = ErrorCode::kInternal;
  QString path;
  int contextLength = 0;
  ModelSampling sampling = {};
  std::shared_ptr<const ChatFormat> chat = nullptr;
};

struct TokenizedText {
  QString error;
  ErrorCode errorCode = ErrorCode::kInternal;
  QList<qint32> tokens;
  QList<QByteArray> pieces;  ///< The text of each token, if it was asked for.
  int contextLength = 0;
};

struct DetokenizedText {
  QString error;
  ErrorCode errorCode = ErrorCode::kInternal;
  QString text;
};

/// Texts to be turned into vectors.
struct EmbeddingRequest {
  QString modelPath;              ///< As ChatRequest::modelPath.
  std::vector<RawPrompt> inputs;  ///< Never empty; each a text, or tokens as they are.
};

struct Embeddings {
  QString error;
  ErrorCode errorCode = ErrorCode::kInternal;
  std::vector<std::vector<float>> vectors;  ///< Of each input, with the length 1.
  int promptTokens = 0;                     ///< Of all inputs.
};

/// Answers questions about texts with a model, which is loaded if necessary.
///
/// Thread: any. No call blocks, and none calls a reply itself. A reply that is withdrawn early
/// costs nothing.
class TextBackend {
 public:
  virtual ~TextBackend() = default;

  /// Replies when the model is loaded, or has failed to load. Empty path: the primary one.
  virtual PendingReply open(const QString& modelPath, Reply<TextModel> reply) = 0;
  /// The tokens of the chat or the raw prompt of a request, as submit() would compute them;
  /// `withPieces`: and the text of each.
  virtual PendingReply tokenize(const ChatRequest& request, bool withPieces,
                                Reply<TokenizedText> reply) = 0;
  virtual PendingReply detokenize(const QString& modelPath, const QList<qint32>& tokens,
                                  Reply<DetokenizedText> reply) = 0;
  /// Computes a few texts at a time, between the steps of the answers that run.
  virtual PendingReply embed(const EmbeddingRequest& request, Reply<Embeddings> reply) = 0;
};

}  // namespace quire
