#pragma once

#include <QObject>

#include <map>
#include <memory>

#include "app/engine/window_sink.h"

namespace quire {

/// Asks a backend and records its answers, by request.
/// Thread: the test's.
class AnswerLog : public QObject {
 public:
  struct Answer {
    QString text;
    PromptReport prompt;
    AnswerReport report;
    int starts = 0;
    int texts = 0;
    int finishes = 0;
    bool inOrder = true;
  };

  explicit AnswerLog(ChatBackend& backend) : m_backend(backend) {}

  RequestId submit(const ChatRequest& request) {
    const auto id = std::make_shared<RequestId>(0);
    *id = m_backend.submit(
        request,
        WindowSink::make(
            this, {.started = [=, this](const auto& r) { onStarted(*id, r); },
                   .textAppended = [=, this](const QString& text, int) { onText(*id, text); },
                   .finished = [=, this](const auto& r) { onFinished(*id, r); }}));
    return *id;
  }
  Answer& operator[](RequestId id) { return m_answers[id]; }
  /// The ids of all text so far.
  const QList<RequestId>& sequence() const { return m_sequence; }
  int numFinished() const { return m_numFinished; }

 private:
  void onStarted(RequestId id, const PromptReport& report) {
    Answer& answer = m_answers[id];
    answer.inOrder &= answer.starts++ == 0 && answer.texts == 0 && answer.finishes == 0;
    answer.prompt = report;
  }
  void onText(RequestId id, const QString& text) {
    Answer& answer = m_answers[id];
    answer.inOrder &= answer.starts == 1 && answer.finishes == 0;
    ++answer.texts;
    answer.text += text;
    m_sequence.append(id);
  }
  void onFinished(RequestId id, const AnswerReport& report) {
    Answer& answer = m_answers[id];
    answer.inOrder &= answer.finishes++ == 0;
    answer.report = report;
    ++m_numFinished;
  }

  ChatBackend& m_backend;
  std::map<RequestId, Answer> m_answers;
  QList<RequestId> m_sequence;
  int m_numFinished = 0;
};

}  // namespace quire
