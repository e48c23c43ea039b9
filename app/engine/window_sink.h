#pragma once

#include <QElapsedTimer>

#include <functional>
#include <mutex>
#include <optional>

#include "app/engine/chat_backend.h"

namespace quire {

/// A receiver's handlers of the events of an answer. Empty functions are not called.
struct AnswerHandlers {
  std::function<void(const PromptReport&)> started = {};
  std::function<void(const QList<qint32>& tokens)> tokensSampled = {};
  std::function<void(const QString& text, int outputTokens)> textAppended = {};
  std::function<void(const AnswerReport&)> finished = {};
};

/// Delivers an answer to a QObject in its thread: in about 30 combined updates a second if it
/// arrives on another thread, immediately if it arrives on the receiver's.
///
/// Thread: any.
/// Invariants: the handlers are called in the order of the calls, and never after the receiver
/// was destroyed.
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
  /// Events that are not delivered yet.
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
