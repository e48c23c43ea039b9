#pragma once

#include <QElapsedTimer>

#include <functional>
#include <mutex>
#include <optional>

#include "app/engine/chat_backend.h"

namespace quire {

/// What a receiver does with its answer; functions that are empty are not called.
struct AnswerHandlers {
  std::function<void(const PromptReport&)> started = {};
  std::function<void(const QList<qint32>& tokens)> tokensSampled = {};
  std::function<void(const QString& text, int outputTokens)> textAppended = {};
  std::function<void(const AnswerReport&)> finished = {};
};

/// Brings an answer to a QObject in its own thread: joined to some 30 updates a second if it comes
/// from another thread, at once if it comes from the receiver's.
///
/// Thread: any.
/// Invariants: the handlers are called in the order of the calls, and never once the receiver is
/// gone.
class WindowSink : public AnswerSink, public std::enable_shared_from_this<WindowSink> {
 public:
  static constexpr int kIntervalMs = 33;

  static std::shared_ptr<AnswerSink> make(QObject* receiver, AnswerHandlers handlers) {
    return std::shared_ptr<WindowSink>(new WindowSink(receiver, std::move(handlers)));
  }

  void started(const PromptReport& report) override;
  void tokensSampled(const QList<qint32>& tokens) override;
  void textAppended(const QString& text, int outputTokens) override;
  void finished(const AnswerReport& report) override;

 private:
  /// What has not been delivered.
  struct Pending {
    std::optional<PromptReport> started;
    QList<qint32> tokens;
    QString text;
    int outputTokens = 0;
    std::optional<AnswerReport> finished;
  };

  WindowSink(QObject* receiver, AnswerHandlers handlers)
      : m_receiver(receiver), m_handlers(std::move(handlers)) {}

  void add(const std::function<void(Pending&)>& change);
  void deliver();

  const Receiver m_receiver;
  const AnswerHandlers m_handlers;

  std::mutex m_mutex;  ///< Guards the rest.
  Pending m_pending;
  bool m_isScheduled = false;
  QElapsedTimer m_sinceDelivery;
};

}  // namespace quire
