#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "app/engine/answer_stream.h"
#include "app/engine/block_watch.h"
#include "app/engine/engine_command.h"
#include "app/engine/engine_view.h"
#include "app/engine/outbox.h"
#include "app/engine/pace_meter.h"
#include "app/engine/warm_prompts.h"

namespace quire {

/// The thread that owns the engine: carries out commands between steps, steps while there is work,
/// sleeps when there is none, and puts what comes of it into the outbox.
///
/// Serves one model at a time, or none. A new model takes over at once: answers that the old one
/// was writing end as failed and keep their text. The same model, loaded anew, waits until they are
/// written; what is asked meanwhile waits for it. Requests that come while there is no model end
/// with the reason; while it has given up its devices they wait.
///
/// Thread: public calls from any; they return at once. All else is the worker's.
/// Invariants: the sink of every submitted request is finished once, unless the worker is destroyed
/// first; the destructor returns after the step that is being computed.
class EngineWorker {
 public:
  explicit EngineWorker(Outbox& outbox);
  ~EngineWorker();

  void submit(RequestId id, const ChatRequest& request, std::shared_ptr<AnswerSink> sink);
  void cancel(RequestId id);
  void setPriority(RequestId id, int priority);
  /// While paused no step is computed; commands are carried out all the same.
  void setPaused(bool paused);

  /// Without a model the forecast is empty.
  void forecast(const ChatRequest& request, Reply<ContextForecast> reply);

  void watchBlocks(bool watched);
  void readBlock(int block, Reply<BlockReading> reply);

  void measurePersona(const QString& systemPrompt, Reply<PersonaReport> reply);
  /// These are computed while nobody wants an answer, and stay in the pool.
  void keepWarm(const QStringList& systemPrompts);

  /// The chat is gone for good: its part of the cache is the first to be given up.
  void forgetChat(qint64 chatId);

  void adoptModel(LoadNumber load, std::unique_ptr<ServingModel> model);
  /// Gives up the model's devices with all that lies on them, says RoomMade, and computes nothing
  /// until resume() or another model. afterAnswers: as soon as those being written have ended.
  void suspend(bool afterAnswers);
  /// Takes the devices back, loading the weights again: ModelReady, or ModelFailed.
  void resume();
  /// Gives up the model: answers that are being written end with that sentence; ModelUnloaded.
  void unloadModel(const QString& sentence);

 private:
  /// An answer that the engine is computing.
  struct Running {
    RequestId id = 0;  ///< The backend's.
    AnswerStream stream;
    std::chrono::steady_clock::time_point lastToken = {};
  };

  void post(EngineCommand command);
  void run();
  /// Waits until there are commands or work. False: stop.
  bool takeCommands(std::vector<EngineCommand>& commands);
  /// Answers to compute, or something to hand to the prefix store.
  bool hasWork() const;
  void step();
  void take(const std::vector<RequestEvent>& events);
  /// After a failure of the device: brings it back, or ends all answers with the reason.
  void reopenDevices();
  /// Brings the devices back. False: all answers ended with the reason, and nothing serves.
  bool reopen(const Error& failure);
  void endServing(const Error& failure);
  void endRunning(const QString& sentence);
  bool mayServe() const { return m_serving && !m_isSuspended; }
  /// Waits until the answers being written have ended; nothing new begins.
  bool isDraining() const { return m_nextModel || m_suspendsNext; }
  void endDraining();
  void adopt(engine_command::Adopt& command);
  void suspendNow();
  void startWaiting();
  void announce(LoadNumber load);
  /// `answers`: how many were being written in the step.
  void measure(int tokens, size_t answers);
  void report(double tokensPerSecond, size_t answers);
  void mapBlocks();

  void handle(engine_command::Submit& command);
  void handle(engine_command::Cancel& command);
  void handle(engine_command::SetPriority& command);
  void handle(engine_command::Pause& command);
  void handle(engine_command::Forecast& command);
  void handle(engine_command::Watch& command);
  void handle(engine_command::ReadBlock& command);
  void handle(engine_command::Measure& command);
  void handle(engine_command::Warm& command);
  void handle(engine_command::Forget& command);
  void handle(engine_command::Adopt& command);
  void handle(engine_command::Suspend& command);
  void handle(engine_command::Resume& command);
  void handle(engine_command::Unload& command);

  void keepForNextTime();
  void start(engine_command::Submit& command);
  /// Counts a chat among the last ones that asked, whose part of the cache is kept longer.
  void keepOpen(qint64 chatId);
  void refuse(const engine_command::Submit& command, FinishReason finish,
              const QString& error = {});

  Outbox& m_outbox;

  // The worker's own.
  std::unique_ptr<ServingModel> m_serving;        ///< Null until the first model is there.
  AnswerOrigin m_origin;                          ///< Of m_serving, without prompt and sampling.
  QString m_loadError;                            ///< Why there is no model.
  std::vector<engine_command::Submit> m_waiting;  ///< While it is suspended, or drains.
  std::map<RequestId, Running>
      m_running;  ///< By the engine's ids, which start anew with each model.
  static constexpr size_t kMaxOpenChats = 8;
  WarmPrompts m_warm;
  std::deque<qint64> m_openChats;           ///< The last that asked comes last.
  std::map<qint64, LeftTurns> m_leftTurns;  ///< By chat, of those in m_openChats.
  PaceMeter m_pace;
  BlockWatch m_blockWatch;
  static constexpr int kMaxReopenings = 3;
  std::deque<std::chrono::steady_clock::time_point> m_reopenings;  ///< The last ones.
  bool m_isPaused = false;
  bool m_isSuspended = false;                        ///< m_serving gave its devices up for a load.
  std::optional<engine_command::Adopt> m_nextModel;  ///< Takes over when nothing is being written.
  bool m_suspendsNext = false;                       ///< The same.
  LoadNumber m_served = 0;                           ///< The load of m_serving.

  std::mutex m_mutex;  ///< Guards the rest.
  std::condition_variable m_changed;
  std::vector<EngineCommand> m_inbox;
  bool m_stopping = false;

  std::thread m_thread;  ///< Last: started when all of the above is there.
};

}  // namespace quire
