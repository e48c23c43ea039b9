#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>
#include <QSemaphore>
#include <QThreadPool>
#include <QTimer>

#include "app/session/data_session.h"
#include "app/store/backup/backups.h"
#include "app/task_runner.h"

namespace quire {

/// Offers to delete chats from the backups too, asks first, and does it: each backup that has one
/// of them is rewritten, which takes its time. What is left to do is a setting, so that the next
/// start resumes it if the program ends before it is done, or if a backup could not be rewritten.
///
/// Thread: the window's; backups are listed, and rewritten, on threads of its own, which the
/// destructor stops.
class BackupEraser : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOffered READ isOffered NOTIFY changed)
  Q_PROPERTY(bool isAsking READ isAsking NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(QString progressText READ progressText NOTIFY progressChanged)

 public:
  explicit BackupEraser(DataSession& session, QObject* parent = nullptr);
  ~BackupEraser() override;

  /// Offers it for chats that were just deleted, once it is known that there are backups. `name` is
  /// theirs for the user.
  void offer(const QString& name, const QList<ErasedChat>& chats);
  /// The deletion cannot be undone any more: the offer ends; a question that is open stays.
  void endOffer();
  /// The deletion was undone: the offer and the question end.
  void cancel();
  bool isOffered() const { return m_isOffered && !m_isAsking; }

  Q_INVOKABLE void ask();
  Q_INVOKABLE void dismiss();
  bool isAsking() const { return m_isAsking; }
  QString title() const { return tr("Delete %1 everywhere?").arg(m_name); }
  /// Answers the question with yes.
  Q_INVOKABLE void erase();

  /// Goes on with what an earlier run of the program left; the session is open. Returns these
  /// chats, which that run may not have deleted from the store either: the caller does so at once.
  QList<ErasedChat> resume();
  /// What is being done, once that has taken a moment, and for some seconds that it is done; else
  /// empty.
  QString progressText() const { return m_progressText; }

 signals:
  void changed();
  /// What is to be done is noted on disk; the chats must leave the store now.
  void confirmed();
  void progressChanged();
  /// Backups could not be rewritten and may still have the chats. The next start tries again.
  void failed(const QString& sentence);

 private:
  void begin();
  Result<int> eraseNow(const QList<ErasedChat>& chats);
  bool isStopping() const { return m_stop.available() > 0; }
  bool waitOrStop(int ms);
  void settle(const QList<ErasedChat>& chats, const Result<int>& erased);
  void storePending();
  void showProgress(int done, int total);
  void say(const QString& text);

  DataSession& m_session;
  bool m_isOffered = false;
  bool m_isAsking = false;
  QString m_name;
  QList<ErasedChat> m_chats;    ///< Those that are offered or asked about.
  QList<ErasedChat> m_pending;  ///< Those that are being deleted.
  QList<ErasedChat> m_failed;   ///< Those for the next start: not all backups could be rewritten.
  QString m_progressText;
  QElapsedTimer m_since;
  QTimer m_lastShown;  ///< Removes the text that it is done.
  QSemaphore m_stop;   ///< Released when the destructor begins.
  QThreadPool m_worker;
  TaskRunner m_listing;
};

}  // namespace quire
