#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <atomic>
#include <functional>
#include <thread>

#include "app/store/backup/store_rescue.h"
#include "app/transfer/backup_list_model.h"
#include "app/transfer/store_viewer.h"

namespace quire {

/// What can be done about a store that does not open: put a backup in its place, or begin anew with
/// what can still be read. The damaged file is kept aside in either case.
///
/// Thread: the window's for every call and signal; the disk is read and written on another.
/// Invariants: at most one thing goes on at a time; the destructor waits for it.
class StoreRescue : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isBusy READ isBusy NOTIFY changed)
  Q_PROPERTY(bool canHelp READ canHelp NOTIFY changed)
  Q_PROPERTY(QString findings READ findings NOTIFY changed)
  Q_PROPERTY(QString freshText READ freshText NOTIFY changed)
  Q_PROPERTY(QString error READ error NOTIFY changed)
  Q_PROPERTY(quire::BackupListModel* backups READ backups CONSTANT)
  Q_PROPERTY(bool canLook READ canLook NOTIFY changed)
  Q_PROPERTY(quire::StoreViewer* viewer READ viewer CONSTANT)

 public:
  explicit StoreRescue(const QString& folder, QObject* parent = nullptr);
  ~StoreRescue() override;

  bool isBusy() const { return m_isBusy; }
  /// The store is damaged: a backup or a new beginning may take its place.
  bool canHelp() const { return m_diagnosis.state == StoreState::Damaged; }
  /// Its chats can be listed, to be looked at before anything is done.
  bool canLook() const { return canHelp() && m_diagnosis.isReadable && !m_isBusy; }
  StoreViewer* viewer() { return &m_viewer; }
  QString storePath() const;
  QString findings() const;   ///< What was found out beyond the error; else empty.
  QString freshText() const;  ///< What a new beginning would mean: words for its button.
  QString error() const { return m_error; }
  BackupListModel* backups() { return &m_backups; }

  void look();  ///< Finds out what is wrong.
  Q_INVOKABLE void restore(int row);
  Q_INVOKABLE void startAfresh();

 signals:
  void changed();
  /// The store can be opened now. `keptPath`: what could be read of the old one is to be taken from
  /// there; empty: nothing.
  void mended(const QString& keptPath);

 private:
  void run(const std::function<std::function<void()>()>& work);
  void finish(const Result<QString>& kept);

  const QString m_folder;
  StoreDiagnosis m_diagnosis;
  BackupListModel m_backups;
  StoreViewer m_viewer;
  bool m_isBusy = false;
  QString m_error;
  std::atomic<bool> m_isLeaving = false;  ///< What goes on is given up.
  std::thread m_thread;
};

}  // namespace quire
