#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/session/data_session.h"
#include "app/store/backup/store_rescue.h"
#include "app/task_runner.h"
#include "app/transfer/backup_list_model.h"
#include "app/transfer/store_viewer.h"

namespace quire {

/// Repairs a store that does not open: replaces it by a backup, or by a new store with what can
/// still be read. The damaged file is kept under another name in either case.
///
/// Thread: the window's for every call and signal; the disk is read and written on another.
/// Invariants: one job at a time, and none that writes unless the session has locked the folder.
class StoreRescue : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isBusy READ isBusy NOTIFY changed)
  Q_PROPERTY(bool canHelp READ canHelp NOTIFY changed)
  Q_PROPERTY(bool canStartFresh READ canStartFresh NOTIFY changed)
  Q_PROPERTY(bool suggestsBackup READ suggestsBackup NOTIFY changed)
  Q_PROPERTY(QString findings READ findings NOTIFY changed)
  Q_PROPERTY(QString freshText READ freshText NOTIFY changed)
  Q_PROPERTY(QString error READ error NOTIFY changed)
  Q_PROPERTY(quire::BackupListModel* backups READ backups CONSTANT)
  Q_PROPERTY(bool canLook READ canLook NOTIFY changed)
  Q_PROPERTY(quire::StoreViewer* viewer READ viewer CONSTANT)

 public:
  explicit StoreRescue(DataSession& session, QObject* parent = nullptr);

  bool isBusy() const { return m_tasks.isBusy(); }
  /// A backup may replace the store: it is damaged, or it cannot be read or was written by a newer
  /// Quire and there is a backup that can be read.
  bool canHelp() const;
  /// The store is damaged, so that a new one may replace it.
  bool canStartFresh() const;
  /// Whether the next step is to restore the newest backup; otherwise it is to try again.
  bool suggestsBackup() const { return canStartFresh() && m_backups.numRows() > 0; }
  /// The chats of the damaged store can be listed.
  bool canLook() const { return canHelp() && m_diagnosis.isReadable && !isBusy(); }
  StoreViewer* viewer() { return &m_viewer; }
  QString findings() const;   ///< What the diagnosis found beyond the error; else empty.
  QString freshText() const;  ///< The label of the button that calls startFresh().
  QString error() const { return m_error; }
  BackupListModel* backups() { return &m_backups; }

  /// Finds out what is wrong with the store, which could not be opened because of an error of this
  /// kind.
  void diagnose(ErrorCode openingError);
  Q_INVOKABLE void restore(int row);
  Q_INVOKABLE void startFresh();

 signals:
  void changed();
  /// The store can be opened now. The readable chats of the old one are to be merged
  /// (storesToMerge()).
  void mended();

 private:
  template <typename Job, typename Then>
  void run(const Job& job, const Then& then);
  void finish(const Result<QString>& kept);

  DataSession& m_session;
  ErrorCode m_openingError = ErrorCode::kInternal;
  StoreDiagnosis m_diagnosis;
  BackupListModel m_backups;
  StoreViewer m_viewer;
  QString m_error;
  TaskRunner m_tasks;
};

}  // namespace quire
