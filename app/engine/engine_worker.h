#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "app/engine/answer_stream.h"
#include "app/engine/block_watch.h"
#include "app/engine/embed_queue.h"
#include "app/engine/engine_view.h"
#include "app/engine/model_phase.h"
#include "app/engine/pace_meter.h"
#include "app/engine/prompt_preparer.h"
#include "app/engine/service_event.h"
#include "app/engine/warm_prompts.h"

namespace quire {

/// The thread that owns an engine: carries out calls between steps, steps while there is work,
/// sleeps when there is none. Prompts are rendered and tokenised on the preparer's threads.
///
/// Serves one model at a time, or none. A new model replaces the old one at once: answers that the
/// old one was writing end as failed and keep their text. The same model, loaded again, waits until
/// they are written, even while paused; new requests wait for it. Without a model requests fail
/// with the reason; while it is suspended they wait.
///
/// Thread: public calls from any; they return at once. All else is the worker's.
/// Invariants: the sink of every submitted request is finished once, unless the worker is destroyed
/// first; the destructor returns after the step and the prompt under way.
class EngineWorker {
 public:
  /// `trial` is made of adapters before they are loaded; empty: none.
  explicit EngineWorker(TellWorkerEvent tell, TrialOfModel trial = {});
  ~EngineWorker();

  void submit(RequestId id, const ChatRequest& request, std::shared_ptr<AnswerSink> sink);
  void cancel(RequestId id);
  void setPriority(RequestId id, int priority);
  /// While paused no step is computed; calls are carried out all the same.
  void setPaused(bool paused);

  /// Texts, in slices between the steps; RequestEnded follows the reply. They wait while the model
  /// is suspended.
  void embed(EmbedQueue::Job job);

  /// Without a model the forecast is empty.
  void forecast(const ChatRequest& request, Reply<ContextForecast> reply);
  void measurePersona(const PersonaPrompt& persona, Reply<PersonaReport> reply);
  void watchBlocks(bool watched);
  void readBlock(int block, Reply<BlockReading> reply);
  /// These are computed while no answer is wanted, and stay in the pool.
  void keepWarm(const QList<PersonaPrompt>& personas);
  /// The chat is deleted: its blocks are the first to be evicted.
  void forgetChat(qint64 chatId);

  void adoptModel(LoadNumber load, std::shared_ptr<ServingModel> model);
  /// Frees the model's devices with all that lies on them, says RoomMade, and computes nothing
  /// until resume() or another model. afterAnswers: as soon as those being written have ended.
  void suspend(bool afterAnswers);
  /// Opens the devices again and loads the weights: ModelReady, or ModelFailed.
  void resume();
  /// Frees the model: answers that are being written end with that sentence; ModelUnloaded.
  void unloadModel(const QString& sentence);

 private:
  using Clock = std::chrono::steady_clock;
  /// A request that the engine does not have yet.
  struct Waiting {
    ChatRequest request;
    std::shared_ptr<AnswerSink> sink;
    bool isPreparing = false;
    /// Destroyed with this: then its prompt need not be prepared any more.
    std::shared_ptr<const bool> life = std::make_shared<const bool>(true);
  };
  /// An answer that the engine computes.
  struct Running {
    RequestId id = 0;  ///< The backend's.
    AnswerStream stream;
    Clock::time_point lastToken = {};
  };
  /// What follows when the answers being written have ended.
  struct Next {
    LoadNumber load = 0;
    std::shared_ptr<ServingModel> model;  ///< Replaces the one that serves; null: it is suspended.
  };

  // The thread and its engine (engine_worker.cpp).
  void post(std::function<void()> call);
  void run();
  /// Waits until there are calls or work. False: stop.
  bool takeCalls(std::vector<std::function<void()>>& calls);
  bool hasWork() const;
  void step();
  void take(const std::vector<RequestEvent>& events);
  /// `answers`: how many were being written in the step.
  void measure(int tokens, size_t answers);
  void report(double tokensPerSecond, size_t answers);
  void mapBlocks();

  // Requests (engine_worker_requests.cpp).
  void prepareWaiting();
  void onPrepared(LoadNumber load, RequestId id, Result<PreparedChat> chat);
  void start(RequestId id, const Waiting& waiting, PreparedChat chat);
  /// Keeps the blocks of the chats that asked last for longer.
  void keepOpen(qint64 chatId);
  void finish(RequestId id, AnswerSink& sink, const AnswerReport& report);
  void refuse(RequestId id, AnswerSink& sink, const Error& error);
  void finishRunning(const QString& error);
  void finishWaiting(const QString& error);
  void tellEnded(const std::vector<RequestId>& ids);
  void prepareWarm();

  // The model (engine_worker_model.cpp).
  bool serves() const {
    return m_phase == ModelPhase::kServing || m_phase == ModelPhase::kDraining;
  }
  void advance(PhaseEvent event) { m_phase = transition(m_phase, event).value_or(m_phase); }
  void drained();
  void adopt(LoadNumber load, std::shared_ptr<ServingModel> model);
  void suspendNow();
  void announce();
  /// After a failure of the device: opens it again, or ends all answers with the reason.
  void reopenDevices();
  /// False: all answers ended with the reason, and nothing serves.
  bool reopen(const Error& failure);
  void fail(const Error& failure);
  void dropModel();
  void saveToPrefixStore();

  const TellWorkerEvent m_tell;
  const TrialOfModel m_trial;

  // The worker's own.
  ModelPhase m_phase = ModelPhase::kUnloaded;
  QString m_error;                             ///< Why there is no model.
  std::shared_ptr<ServingModel> m_serving;     ///< Null while isEmpty(m_phase).
  std::unique_ptr<PromptPreparer> m_preparer;  ///< Of m_serving, which outlives it.
  LoadNumber m_load = 0;                       ///< Of m_serving.
  AnswerOrigin m_origin;                       ///< Of m_serving, without prompt and sampling.
  Next m_next;                                 ///< While m_phase is kDraining.
  bool m_isPaused = false;
  std::map<RequestId, Waiting> m_waiting;  ///< In the order of their ids.
  std::map<RequestId, Running>
      m_running;  ///< By the engine's ids, which start anew with each model.
  EmbedQueue m_embeddings;
  QList<PersonaPrompt> m_warmPrompts;
  WarmPrompts m_warm;
  std::deque<qint64> m_openChats;           ///< The last that asked comes last.
  std::map<qint64, LeftTurns> m_leftTurns;  ///< By chat, of those in m_openChats.
  PaceMeter m_pace;
  BlockWatch m_blockWatch;
  std::deque<Clock::time_point> m_reopenings;  ///< The last ones.

  std::mutex m_mutex;  ///< Guards the rest.
  std::condition_variable m_changed;
  std::vector<std::function<void()>> m_calls;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
