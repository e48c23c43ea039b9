#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include <functional>

#include "app/chat/chat_selection.h"

namespace quire {

/// Announces to screen readers what is at the caret of a SelectionArea: the character, the word or
/// the line that it was moved to. Qt Quick has no public interface for a caret in text that is not
/// edited. It does nothing while no screen reader is active.
///
/// Thread: the window's.
class SpokenCaret : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a SelectionArea.")
  Q_PROPERTY(QString text READ text NOTIFY spoken)

 public:
  explicit SpokenCaret(QObject* parent = nullptr);

  QString text() const { return m_text; }  ///< The last announcement; empty: none yet.
  bool isHeard() const { return m_isHeard(); }
  /// Replaces the check whether a screen reader is active, for tests.
  void setHeard(const std::function<bool()>& isHeard) { m_isHeard = isHeard; }
  /// Sets the item that sends the announcements; its accessible name is text().
  Q_INVOKABLE void setSpeaker(QObject* speaker) { m_speaker = speaker; }

  void tellShown(const QString& line);
  void tellHidden();
  void tellLine(const QString& line);
  /// Tells the character or the word at a position.
  void tellUnit(const TimelineModel& timeline, const TextPosition& at, TextUnit unit);

 signals:
  void spoken();

 private:
  void speak(const QString& text);
  static QString unitText(const MarkdownBlock& block, qsizetype offset, TextUnit unit);

  std::function<bool()> m_isHeard;
  QPointer<QObject> m_speaker;
  QString m_text;
};

}  // namespace quire
