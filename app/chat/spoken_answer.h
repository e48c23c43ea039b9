#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include <functional>

#include "app/chat/sentence_splitter.h"
#include "app/panes/pane_list_model.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {

/// Tells screen readers the answer of the focused pane while it is written, by whole sentences and
/// at most once a second, those that came in between together. It does nothing while no screen
/// reader listens.
///
/// Thread: the window's.
/// Invariants: a sentence is told once; what stood there before a chat got the focus is not told.
class SpokenAnswer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString text READ text NOTIFY spoken)

 public:
  static constexpr int kPauseMs = 1000;

  explicit SpokenAnswer(PaneListModel& panes, QObject* parent = nullptr);

  QString text() const { return m_text; }  ///< What is told now.
  /// Whether a screen reader listens; as Qt knows it unless told.
  void setHeard(const std::function<bool()>& isHeard) { m_isHeard = isHeard; }
  /// The item that speaks: one whose accessible name is text().
  Q_INVOKABLE void setSpeaker(QObject* speaker) { m_speaker = speaker; }

 signals:
  void spoken();

 private:
  void follow();
  void onGrown();
  void onEnded();
  void take(const QList<ReasoningScanner::Piece>& pieces);
  void speak();

  PaneListModel& m_panes;
  std::function<bool()> m_isHeard;
  QPointer<QObject> m_speaker;
  QPointer<ChatModel> m_chat;
  RecordId m_message = 0;
  qsizetype m_read = 0;        ///< Of the text of m_message.
  ReasoningScanner m_scanner;  ///< What a model thinks is not told.
  SentenceSplitter m_splitter;
  QStringList m_waiting;
  QString m_text;
  QTimer m_pause;
};

/// A sentence without the marks of Markdown, as it is read aloud.
QString spokenText(const QString& sentence);

}  // namespace quire
