#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <utility>

#include "app/panes/pane_list_model.h"
#include "app/richtext/reasoning_scanner.h"

namespace quire {

/// Splits streamed text into sentences for screen readers. English and Korean sentences end at a
/// full stop, question mark or exclamation mark before a space, Chinese and Japanese ones at their
/// own marks, and all at the end of a line.
/// Invariants: no character is lost; text without a sentence end is cut at a space after 240
/// characters.
class SentenceSplitter {
 public:
  /// Appends text and returns the sentences that are complete now.
  QStringList append(QStringView text);
  /// Returns the incomplete sentence at the end of the answer; empty: there is none.
  QString finish() { return std::exchange(m_rest, QString()).trimmed(); }

 private:
  qsizetype endOfSentence() const;  ///< -1: no sentence is complete yet.

  QString m_rest;
};

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
  /// Replaces the check whether a screen reader is active, for tests.
  void setHeard(const std::function<bool()>& isHeard) { m_isHeard = isHeard; }
  /// Sets the item that sends the announcements; its accessible name is text().
  Q_INVOKABLE void setSpeaker(QObject* speaker) { m_speaker = speaker; }

 signals:
  void spoken();

 private:
  void follow();
  void onGrown();
  void onEnded();
  void addPieces(const QList<ReasoningScanner::Piece>& pieces);
  void speak();

  PaneListModel& m_panes;
  std::function<bool()> m_isHeard;
  QPointer<QObject> m_speaker;
  QPointer<ChatModel> m_chat;
  RecordId m_message = 0;
  qsizetype m_read = 0;        ///< Characters of m_message that were processed.
  ReasoningScanner m_scanner;  ///< Finds the reasoning, which is not announced.
  SentenceSplitter m_splitter;
  QStringList m_waiting;
  QString m_text;
  QTimer m_pause;
};

/// A sentence without Markdown marks.
QString spokenText(const QString& sentence);

}  // namespace quire
