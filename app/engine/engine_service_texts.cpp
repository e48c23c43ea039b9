// The service's side of TextBackend: questions wait for their model, then tokenizers answer them on
// a thread of their own, and the engine's thread computes vectors.
#include <QFileInfo>

#include <filesystem>
#include <utility>

#include "app/engine/engine_service.h"
#include "app/engine/text_answers.h"
#include "app/engine/thread_priority.h"
#include "app/error_strings.h"

namespace quire {
namespace {

TextModel textModelOf(const ServedModel& model) {
  return {.path = model.path(),
          .contextLength = model.ready.model.contextLength,
          .sampling = model.ready.model.sampling,
          .chat = model.ready.chat};
}

TextModel refusedModel(const ServedModel& model) {
  const bool isThere = QFileInfo::exists(model.path());
  return {.error = model.error,
          .errorCode = isThere ? ErrorCode::kIo : ErrorCode::kNotFound,
          .path = model.path()};
}

/// The reply of a kind that has only an error.
template <typename T>
T failed(const QString& error, ErrorCode code) {
  T value;
  value.error = error;
  value.errorCode = code;
  return value;
}

}  // namespace

template <typename T, typename Answer>
PendingReply EngineService::askModel(const QString& path, TaskRunner& runner, Reply<T> reply,
                                     Answer answer) {
  PendingReply pending = reply.pending();
  const bool isLong = &runner == &m_longTexts;
  const auto done = [&runner, isLong, reply, answer = std::move(answer)](const TextModel& model) {
    runner.post([isLong, reply, answer, model] {
      if (isLong) letTheEngineGoFirst();
      if (reply.isWithdrawn()) return;
      if constexpr (!std::is_same_v<T, TextModel>) {
        if (!model.error.isEmpty()) return reply(failed<T>(model.error, model.errorCode));
      }
      answer(model, reply);
    });
  };
  ChatRequest request;
  request.modelPath = path;
  call([this, request, reply, done] {
    m_questions.push_back({request, [reply] { return !reply.isWithdrawn(); }, done});
    sendWaiting();
  });
  return pending;
}

void EngineService::answerQuestions() {
  for (Question& question : std::exchange(m_questions, {})) {
    if (!question.isWanted()) continue;
    ServedModel* model = nullptr;
    const Next next = nextFor(question.request, model);
    if (next == Next::kWait) {
      m_questions.push_back(std::move(question));
    } else if (next == Next::kRefuse) {
      question.answer(refusedModel(*model));
    } else {
      model->touch();
      question.answer(textModelOf(*model));
    }
  }
}

PendingReply EngineService::open(const QString& modelPath, Reply<TextModel> reply) {
  return askModel(modelPath, m_opened, std::move(reply),
                  [](const TextModel& model, const Reply<TextModel>& to) { to(model); });
}

PendingReply EngineService::tokenize(const ChatRequest& request, bool withPieces,
                                     Reply<TokenizedText> reply) {
  return askModel(request.modelPath, runnerOf(promptBytes(request)), std::move(reply),
                  [request, withPieces](const TextModel& model, const Reply<TokenizedText>& to) {
                    to(tokenizedText(model, request, withPieces));
                  });
}

PendingReply EngineService::detokenize(const QString& modelPath, const QList<qint32>& tokens,
                                       Reply<DetokenizedText> reply) {
  const size_t bytes = static_cast<size_t>(tokens.size()) * sizeof(qint32);
  return askModel(modelPath, runnerOf(bytes), std::move(reply),
                  [tokens](const TextModel& model, const Reply<DetokenizedText>& to) {
                    to(detokenizedText(model, tokens));
                  });
}

PendingReply EngineService::embed(const EmbeddingRequest& request, Reply<Embeddings> reply) {
  const auto answer = [this, inputs = request.inputs](const TextModel& model,
                                                      const Reply<Embeddings>& to) {
    auto texts = embeddingTokens(model, inputs);
    if (!texts) return to(failed<Embeddings>(errorText(texts.error()), texts.error().code));
    const auto pooling = read_pooling(std::filesystem::path(model.path.toStdU16String()));
    if (!pooling) return to(failed<Embeddings>(errorText(pooling.error()), pooling.error().code));
    // The last token alone has seen the whole text.
    const EmbedOptions options = {.pooling = pooling->value_or(Pooling::kLast)};
    call([this, path = model.path, to, options, texts = std::move(*texts)] {
      sendEmbedding(path, {.texts = texts, .options = options, .reply = to});
    });
  };
  size_t bytes = 0;
  for (const RawPrompt& input : request.inputs) bytes += static_cast<size_t>(input.text.size());
  return askModel(request.modelPath, runnerOf(bytes), std::move(reply), answer);
}

void EngineService::sendEmbedding(const QString& path, EmbedQueue::Job job) {
  ServedModel* const model = m_pool.find(path);
  if (model == nullptr || !model->isServing()) {
    // It has gone since the question was answered, which takes milliseconds.
    return job.reply(failed<Embeddings>(QStringLiteral("The model was unloaded. Ask again."),
                                        ErrorCode::kCancelled));
  }
  job.id = ++m_lastRequest;
  m_sent[job.id] = model->path();
  ++model->running;
  model->touch();
  if (m_isPaused) model->worker->setPaused(true);
  model->worker->embed(std::move(job));
}

}  // namespace quire
