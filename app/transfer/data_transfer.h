#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>
#include <QUrl>

#include <functional>
#include <memory>

#include "app/session/data_session.h"
#include "app/store/transfer/transfer_worker.h"
#include "app/transfer/backup_list_model.h"

namespace quire {

/// Export, import and backups as the window shows them: one at a time, with how far it has come and
/// how it ended, in words.
///
/// Thread: the window's; the work is done on another.
/// Invariants: while isBusy() there is nothing to begin, and result() is empty.
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
  ~DataTransfer() override;

  bool isBusy() const { return !m_doing.isEmpty(); }
  double progress() const { return m_progress; }
  QString doing() const { return m_doing; }    ///< "Exporting…", while it goes on.
  QString result() const { return m_result; }  ///< How the last one ended, until it was read.
  bool hasFailed() const { return m_hasFailed; }
  /// Something that was begun from anywhere in the window; a day's backup is nobody's news.
  bool hasNews() const { return m_kind != Kind::Daily && (isBusy() || !m_result.isEmpty()); }
  BackupListModel* backups() { return &m_backups; }

  /// What an export of this chat is meant for: with it, all that are selected. Unset: it alone.
  void setTargets(const std::function<QList<RecordId>(RecordId)>& targetsOf) {
    m_targetsOf = targetsOf;
  }

  /// Before a file is asked for; false: that cannot be, and result() says why.
  Q_INVOKABLE bool mayAsk();
  /// Asks the user for the file; the window has the dialogs.
  Q_INVOKABLE void askExport(qint64 chatId) { emit exportAsked(static_cast<double>(chatId)); }
  Q_INVOKABLE void askImport() { emit importAsked(); }
  /// Chat 0: all. A name that ends in .md is written for reading, every other as JSON, which comes
  /// back whole.
  Q_INVOKABLE void exportTo(qint64 chatId, const QUrl& file);
  Q_INVOKABLE void importFrom(const QUrl& file);
  Q_INVOKABLE void backUpNow();
  void backUpDaily();  ///< Today's, unless it is there and holds what changed until lately.
  /// A backup of each day from now on, however long the window is open: it is looked after in so
  /// many milliseconds and then again and again, because something else may be going on.
  void keepBackingUp(int firstMs, int againMs = 600'000);
  Q_INVOKABLE void restore(int row);       ///< Of backups(): brings back what is missing here.
  void bringIn(const QString& storePath);  ///< What another store has and this one lacks.
  Q_INVOKABLE void cancel();
  Q_INVOKABLE void dismissResult();
  /// How long a good result stays to be read.
  void setReadingTime(int ms) { m_readingMs = ms; }

 signals:
  void changed();
  void progressChanged();
  void exportAsked(double chatId);
  void importAsked();
  /// Chats and personas came in from outside; these chats were there and got more.
  void broughtIn(const QList<RecordId>& completed);

 private:
  enum class Kind { Export, Import, Daily, BackUp, Restore };

  bool begin(Kind kind, const QString& doing, const QString& name);
  void end(const QString& result, bool hasFailed);
  void onFinished(const MergeReport& report);
  QString mergeText(const MergeReport& report) const;

  DataSession& m_session;
  std::function<QList<RecordId>(RecordId)> m_targetsOf;
  BackupListModel m_backups;
  std::unique_ptr<TransferWorker> m_worker;  ///< From the first transfer on.
  Kind m_kind = Kind::Export;
  QString m_name;  ///< Of the file that is read or written.
  QString m_doing;
  int m_readingMs = 12'000;
  QString m_result;
  bool m_hasFailed = false;
  bool m_isCancelled = false;
  QTimer m_backupTimer;
  int m_againMs = 0;
  double m_progress = 0.0;
};

}  // namespace quire
