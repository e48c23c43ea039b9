#pragma once

#include <QHash>
#include <QTimer>

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>

#include "app/engine/local_inspector.h"
#include "app/engine/model_pool.h"
#include "app/engine/prompt_length.h"
#include "app/engine/text_backend.h"
#include "app/task_runner.h"

namespace quire {

struct EngineServiceOptions {
  QString modelPath;  ///< Loaded at the start; empty: none until loadModel().
  BackendOptions backend;
  EngineOptions engine;
  QString bundledModelPath;      ///< For ModelDescription::isDemonstration.
  TrialOfModel trial;            ///< Called before a model or adapter is loaded; empty: none.
  QString markerFolder;          ///< The folder of the LoadMarker; empty: none.
  int msPerIdleMinute = 60'000;  ///< Smaller in tests of setIdleUnload().
  /// A request within this time after a failed load is refused with its error; a later one has the
  /// model loaded again.
  int retryMs = 3000;
};

/// The local engine: answers chats and questions about texts, manages models and lets them be
/// inspected.
///
/// A request goes to the model that it names, or to the primary one, and waits while that model is
/// being loaded; if the load fails, the request finishes with the reason. A model that is not
/// loaded is loaded for the request, without ending other models' answers. The old primary model
/// serves while the next one loads, and continues if the load fails.
///
/// Thread: the window's; ChatBackend's and TextBackend's calls from any. Only the destructor waits:
/// for the step being computed or the tensor being read.
class EngineService : public ModelManager, public ChatBackend, public TextBackend {
  Q_OBJECT

 public:
  explicit EngineService(const EngineServiceOptions& options, QObject* parent = nullptr);

  EngineInspector& inspector() { return m_inspector; }
  operator EngineInspector&() { return m_inspector; }
  operator EngineInterfaces() { return {*this, *this, m_inspector}; }

  RequestId submit(const ChatRequest& request, std::shared_ptr<AnswerSink> sink) override;
  void cancel(RequestId id) override;
  void setPriority(RequestId id, int priority) override;
  PendingReply forecast(const ChatRequest& request, Reply<ContextForecast> reply) override;

  PendingReply open(const QString& modelPath, Reply<TextModel> reply) override;
  PendingReply tokenize(const ChatRequest& request, bool withPieces,
                        Reply<TokenizedText> reply) override;
  PendingReply detokenize(const QString& modelPath, const QList<qint32>& tokens,
                          Reply<DetokenizedText> reply) override;
  PendingReply embed(const EmbeddingRequest& request, Reply<Embeddings> reply) override;

  State state() const override;
  QString stateText() const override { return m_pool.notice(); }
  double loadProgress() const override;
  ModelDescription primaryModel() const override;
  ModelSampling defaultSampling(const QString& path = {}) const override;
  QList<ModelState> models() const override { return m_pool.states(); }
  void loadModel(const LoadRequest& request) override { m_pool.load(request, /*byUser=*/true); }
  using ModelManager::loadModel;
  void cancelLoad(const QString& path) override { m_pool.cancelLoad(path); }
  void unloadModel(const QString& path) override { m_pool.unload(path); }
  void setPrimaryModel(const QString& path) override { m_pool.setPrimary(path); }
  void planLoad(const LoadRequest& request, Reply<LoadPlan> reply) override;
  void listDevices(Reply<QList<ComputeDevice>> reply) override;
  void setIdleUnload(int minutes) override;
  int idleUnload() const override { return m_idleMinutes; }
  void setIdleUnload(const QString& path, std::optional<int> minutes) override;
  void setLoadRequest(const LoadRequest& request) override;
  void setPaused(bool paused) override;
  bool isPaused() const override { return m_isPaused; }

  /// The chat was deleted and cannot be restored.
  void forgetChat(qint64 chatId);
  QString modelPath() const;  ///< Of the primary model if it serves; else empty.
  /// The primary model's, as of the last throughputChanged.
  EngineStats stats() const;
  /// The same of the model with that path; zeros if it is not loaded.
  EngineStats stats(const QString& path) const;

 signals:
  /// The sentence is also stateText(); the previous model, if any, continues to serve.
  void loadFailed(const QString& sentence);

 private:
  struct Waiting {
    RequestId id = 0;
    ChatRequest request;
    std::shared_ptr<AnswerSink> sink;
  };
  /// Of a TextBackend's caller, who waits for a model.
  struct Question {
    ChatRequest request;  ///< Names the model.
    std::function<bool()> isWanted;
    std::function<void(const TextModel&)> answer;
  };
  /// The next step for a request.
  enum class Next { kSend, kWait, kRefuse };

  /// Runs a function in the window's thread, in the order of the calls of all threads.
  void call(std::function<void()> function);
  void runCalls();
  void onPoolChanged();
  void onEvent(ServedModel& model, const WorkerEvent& event);
  void onMeasured(ServedModel& model, const ThroughputMeasured& event);

  ServedModel* modelOf(const ChatRequest& request) const;
  Next nextFor(const ChatRequest& request, ServedModel*& model);
  Next nextFor(ServedModel& model);
  bool isRefused(const ServedModel& model) const;
  void sendWaiting();
  void send(const Waiting& waiting, ServedModel& model);
  void finish(const Waiting& waiting, FinishReason finish, const QString& error = {});
  LoadRequest requestFor(const QString& path) const;

  /// `answer` is called by `runner` when the model serves; an error of the model is replied at once
  /// (open() has its own).
  template <typename T, typename Answer>
  PendingReply askModel(const QString& path, TaskRunner& runner, Reply<T> reply, Answer answer);
  /// Which one tokenizes so much text.
  TaskRunner& runnerOf(size_t bytes) { return bytes > kLongPromptBytes ? m_longTexts : m_texts; }
  void answerQuestions();
  void sendEmbedding(const QString& path, EmbedQueue::Job job);

  void watchIdle();
  void unloadIdle();

  std::atomic<RequestId> m_lastRequest = 0;
  std::mutex m_callsMutex;
  std::deque<std::function<void()>> m_calls;  ///< Guarded by m_callsMutex.

  bool m_isPaused = false;
  QHash<RequestId, QString> m_sent;  ///< The path of the model that the request was sent to.
  QList<Waiting> m_waiting;
  std::vector<Question> m_questions;
  bool m_isSending = false;
  int m_idleMinutes = 0;
  QHash<QString, int> m_idleOf;              ///< By path, for models with their own time.
  QHash<QString, LoadRequest> m_requestFor;  ///< By path; the one of the empty path is the default.
  const int m_msPerIdleMinute;
  const int m_retryMs;

  QTimer m_idleTimer;

  // Destroyed first: each of these may call those above it.
  ModelPool m_pool;
  LocalInspector m_inspector{m_pool};
  TaskRunner m_tasks;   ///< Makes plans, lists devices, and finishes requests that were not sent.
  TaskRunner m_opened;  ///< Says that models are open.
  TaskRunner m_texts;   ///< Tokenizes.
  TaskRunner m_longTexts;  ///< The same in the background, for texts that take tenths of seconds.
};

}  // namespace quire
