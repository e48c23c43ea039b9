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

/// Export, import and backups: one job at a time, with its progress and its result as text.
///
/// Thread: the window's; the work is done on another.
/// Invariants: while isBusy() nothing else can be started, and result() is empty and hasFailed()
/// false.
class DataTransfer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isBusy READ isBusy NOTIFY changed)
  Q_PROPERTY(double progress READ progress NOTIFY progressChanged)
  Q_PROPERTY(QString doing READ doing NOTIFY changed)
  Q_PROPERTY(QString result READ result NOTIFY changed)
  Q_PROPERTY(bool hasFailed READ hasFailed NOTIFY changed)
  Q_PROPERTY(QString newsText READ newsText NOTIFY changed)
  Q_PROPERTY(QString errorText READ errorText NOTIFY changed)
  Q_PROPERTY(bool hasNews READ hasNews NOTIFY changed)
  Q_PROPERTY(quire::BackupListModel* backups READ backups CONSTANT)

 public:
  explicit DataTransfer(DataSession& session, QObject* parent = nullptr);

  bool isBusy() const { return !m_doing.isEmpty(); }
  double progress() const { return m_progress; }
  QString doing() const { return m_doing; }    ///< "Exporting…" while a job runs, else empty.
  QString result() const { return m_result; }  ///< How the last job ended, until it is dismissed.
  bool hasFailed() const { return m_hasFailed; }
  /// What is being done, or the result of a job that succeeded; empty: there is none.
  QString newsText() const;
  /// Why the last job failed, until it is dismissed; else empty.
  QString errorText() const { return m_hasFailed ? m_result : QString(); }
  /// A job that the user started runs or has a result; a daily backup does not count.
  bool hasNews() const { return m_kind != Kind::Daily && (isBusy() || !m_result.isEmpty()); }
  BackupListModel* backups() { return &m_backups; }

  /// Which chats an export of a chat includes: all that are selected with it. Unset: that chat
  /// only.
  void setTargets(const std::function<QList<RecordId>(RecordId)>& targetsOf) {
    m_targetsOf = targetsOf;
  }

  /// To be called before the user is asked for a file. False if that is impossible; result() then
  /// says why.
  Q_INVOKABLE bool mayAsk();
  /// Asks the user for the file; the window has the dialogs.
  Q_INVOKABLE void askExport(qint64 chatId) { emit exportAsked(static_cast<double>(chatId)); }
  Q_INVOKABLE void askImport() { emit importAsked(); }
  /// Chat 0: all. A name that ends in .md is written for reading, every other as JSON, which can be
  /// imported without loss.
  Q_INVOKABLE void exportTo(qint64 chatId, const QUrl& file);
  Q_INVOKABLE void importFrom(const QUrl& file);
  Q_INVOKABLE void backUpNow();
  void backUpDaily();  ///< Makes today's backup unless there is a recent one.
  /// Makes a backup every day while the window is open: tries after `firstMs` and then every
  /// `againMs`, because another job may be running.
  void keepBackingUp(int firstMs, int againMs = 600'000);
  /// Adds what a row of backups() has and the store lacks.
  Q_INVOKABLE void restore(int row) { mergeStore(m_backups.pathAt(row)); }
  /// Adds what another store has and this one lacks; an empty path does nothing.
  void mergeStore(const QString& path);
  /// Adds what the stores that a rescue put aside have and this one lacks. A merge that ends early
  /// begins again at the next call, which is one of the next start.
  void mergeKept();
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void dismissResult();
  /// How long the result of a successful job is shown.
  void setReadingTime(int ms) { m_readingMs = ms; }

 signals:
  void changed();
  void progressChanged();
  void exportAsked(double chatId);
  void importAsked();
  /// Chats and personas were added; the chats in `completed` existed before and got messages.
  void merged(const QList<RecordId>& completed);

 private:
  enum class Kind { Export, Import, Daily, BackUp, Restore, MergeKept };

  using Job = std::function<Result<MergeReport>(const Progress&)>;

  bool isMerge() const { return m_kind == Kind::Import || isRestore(); }
  bool isRestore() const { return m_kind == Kind::Restore || m_kind == Kind::MergeKept; }
  void start(Kind kind, const QString& doing, const QString& name, const Job& job);
  bool reportProgress(qint64 done, qint64 total, const std::stop_token& stop);
  void end(const QString& result, bool hasFailed);
  /// Without `isAllSaved` the job did not see the writer's last changes.
  void onFinished(const MergeReport& report, bool isAllSaved);
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
