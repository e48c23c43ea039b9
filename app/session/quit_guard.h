#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <functional>

#include "app/session/data_session.h"

namespace quire {

/// Lets the window close only when everything is on disk: waits for it without blocking the window,
/// and asks the user if the disk accepts no writes.
///
/// Thread: the window's.
/// Invariants: `closeWanted` is emitted only when nothing is unsaved, or the user chose to lose it.
/// Answers are ended only when nothing else is left to write.
class QuitGuard : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isAsking READ isAsking NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString words READ words NOTIFY changed)
  Q_PROPERTY(QString loseText READ loseText NOTIFY changed)

 public:
  using Step = std::function<void()>;

  /// `saveDrafts` queues drafts that are not queued yet and ends no answer; `endAll` ends the
  /// answers and queues their text.
  QuitGuard(DataSession& session, const Step& saveDrafts, const Step& endAll,
            QObject* parent = nullptr);

  /// Whether the window may close at once. If not, `closeWanted` follows or isAsking() turns true.
  Q_INVOKABLE bool mayClose();
  bool isAsking() const { return m_isAsking; }
  QString title() const;
  QString words() const;
  QString loseText() const;  ///< "Quit and lose 3 messages".
  Q_INVOKABLE void keepTrying();
  Q_INVOKABLE void quitAnyway() { leave(); }

 signals:
  void changed();
  void keptOpen();  ///< The user chose not to quit now.
  void closeWanted();

 private:
  bool isAllSaved();
  void check();
  void ask();
  void leave();

  DataSession& m_session;
  const Step m_saveDrafts;
  const Step m_endAll;
  bool m_isEnded = false;  ///< m_endAll was called.
  StoreWriter::Unsaved m_unsaved;
  QString m_pause;  ///< Why nothing can be written; empty if writing works.
  bool m_isAsking = false;
  bool m_mayQuit = false;
  QElapsedTimer m_waiting;
  QTimer m_timer;
};

}  // namespace quire
