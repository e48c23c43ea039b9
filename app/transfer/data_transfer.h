#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <functional>

#include "app/session/data_session.h"
#include "app/store/transfer/transfer.h"
#include "app/task_runner.h"
#include "app/transfer/backup_list_model.h"

namespace quire {

/// Export, import and backups: one at a time, with its progress and its result as text.
///
/// Thread: the window's; the work is done on another.
/// Invariants: while isBusy() nothing else can be started, and result() is empty.
class DataTransfer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isBusy READ isBusy NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
  Q_PROPERTY(QString doing READ doing NOTIFY changed)
  Q_PROPERTY(QString result READ result NOTIFY changed)
  Q_PROPERTY(bool hasFailed READ hasFailed NOTIFY changed)
  Q_PROPERTY(bool hasNews READ hasNews NOTIFY changed)
  Q_PROPERTY(quire::BackupListModel* backups READ backups CONSTANT)

 public:
  explicit DataTransfer(DataSession& session, QObject* parent = nullptr);

  bool isBusy() const { return !m_doing.isEmpty(); }
  double progress() const { return m_progress; }
  QString doing() const { return m_doing; }    ///< "Exporting…", while it goes on.
  QString result() const { return m_result; }  ///< How the last one ended, until it was read.
  bool hasFailed() const { return m_hasFailed; }
  /// There is something to show that the user started; a daily backup is not.
  bool hasNews() const { return m_kind != Kind::Daily && (isBusy() || !m_result.isEmpty()); }
  BackupListModel* backups() { return &m_backups; }

  /// Which chats an export of this chat includes: all that are selected with it. Unset: it alone.
  void setTargets(const std::function<QList<RecordId>(RecordId)>& targetsOf) {
    m_targetsOf = targetsOf;
  }

  /// Before a file is asked for; false: that cannot be, and result() says why.
  Q_INVOKABLE bool mayAsk();
  /// Asks the user for the file; the window has the dialogs.
  Q_INVOKABLE void askExport(qint64 chatId) { emit exportAsked(static_cast<double>(chatId)); }
  Q_INVOKABLE void askImport() { emit importAsked(); }
  /// Chat 0: all. A name that ends in .md is written for reading, every other as JSON, which can be
  /// imported without loss.
  Q_INVOKABLE void exportTo(qint64 chatId, const QUrl& file);
  Q_INVOKABLE void importFrom(const QUrl& file);
  Q_INVOKABLE void backUpNow();
  void backUpDaily();  ///< Today's, unless it is there and holds what changed until lately.
  /// Makes a backup every day while the window is open: tries after `firstMs` and then every
  /// `againMs`, because something else may be going on.
  void keepBackingUp(int firstMs, int againMs = 600'000);
  Q_INVOKABLE void restore(int row);  ///< Of backups(): adds what is missing here.
  /// Adds what another store has and this one lacks; an empty path does nothing.
  void mergeStore(const QString& path);
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void dismissResult();
  /// How long a good result stays to be read.
  void setReadingTime(int ms) { m_readingMs = ms; }

 signals:
  void changed();
  void progressChanged();
  void exportAsked(double chatId);
  void importAsked();
  /// Chats and personas were added from outside; `completed` were here already and got messages.
  void merged(const QList<RecordId>& completed);

 private:
  enum class Kind { Export, Import, Daily, BackUp, Restore };

  using Job = std::function<Result<MergeReport>(const Progress&)>;

  void start(Kind kind, const QString& doing, const QString& name, const Job& job);
  bool reportProgress(qint64 done, qint64 total, const std::stop_token& stop);
  void end(const QString& result, bool hasFailed);
  void onFinished(const MergeReport& report);
  QString mergeText(const MergeReport& report) const;

  DataSession& m_session;
  std::function<QList<RecordId>(RecordId)> m_targetsOf;
  BackupListModel m_backups;
  Kind m_kind = Kind::Export;
  QString m_name;  ///< Of the file that is read or written.
  QString m_doing;
  int m_readingMs = 12'000;
  QString m_result;
  bool m_hasFailed = false;
  QTimer m_backupTimer;
  int m_againMs = 0;
  double m_progress = 0.0;
  qint64 m_lastProgressMs = 0;  ///< Only touched by the worker.
  TaskRunner m_tasks;           ///< Last: its jobs use the rest.
};

}  // namespace quire
