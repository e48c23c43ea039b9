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

/// Announces the streamed answer of the focused pane to screen readers, in whole sentences and at
/// most once a second. It does nothing while no screen reader is active.
///
/// Thread: the window's.
/// Invariants: a sentence is announced once; text from before the focus is not announced.
class SpokenAnswer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString text READ text NOTIFY spoken)

 public:
  static constexpr int kPauseMs = 1000;

  explicit SpokenAnswer(PaneListModel& panes, QObject* parent = nullptr);

  QString text() const { return m_text; }  ///< The current announcement.
  /// Whether a screen reader is active; asks Qt unless set.
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
  ReasoningScanner m_scanner;  ///< Reasoning is not announced.
  SentenceSplitter m_splitter;
  QStringList m_waiting;
  QString m_text;
  QTimer m_pause;
};

/// A sentence without Markdown marks.
QString spokenText(const QString& sentence);

}  // namespace quire
