#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <functional>

#include "app/session/data_session.h"
#include "app/task_runner.h"

namespace quire {

/// Whether the user's data is open, the errors of opening and writing it, and the start of the
/// rescue page.
///
/// Thread: the window's. Work that takes time in proportion to the data runs on another.
class StoreStatus : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isOpening READ isOpening NOTIFY changed)
  Q_PROPERTY(QString error READ error NOTIFY changed)
  Q_PROPERTY(QString writeError READ writeError NOTIFY writeErrorChanged)
  Q_PROPERTY(bool canRescue READ canRescue NOTIFY writeErrorChanged)
  Q_PROPERTY(QString pauseReason READ pauseReason NOTIFY pauseChanged)

 public:
  /// `load` reads what the window shows first; it is called when the session is open.
  StoreStatus(DataSession& session, std::function<Result<void>()> load, QObject* parent = nullptr);

  /// Opens the data, also after a failure; `opened` or `failed` follows.
  Q_INVOKABLE void open();
  /// Handles events until open() is done, at most `timeoutMs`.
  void wait(int timeoutMs);
  /// As open(), but returns when it is done.
  void openNow();
  bool isOpen() const { return m_isOpen; }
  bool isOpening() const { return m_tasks.isBusy(); }
  QString error() const { return m_error; }  ///< Why the data could not be opened; else empty.

  /// The last write that failed for good; stays until it is dismissed.
  QString writeError() const { return m_writeError; }
  void setWriteError(const QString& error);
  Q_INVOKABLE void dismissWriteError() { setWriteError({}); }
  /// The write error comes from a damaged store, which startRescue() can repair.
  bool canRescue() const { return m_canRescue; }
  bool isDamaged() const;  ///< Damage was found while reading or writing.
  /// Why nothing can be written for now, usually a full disk; empty if writing works.
  QString pauseReason() const { return m_pauseReason; }
  Q_INVOKABLE void retryWriting() { m_session.retryWriting(); }
  /// Closes this window, as quitting does, and opens one with the rescue page: a store can be
  /// replaced only while no program has it open.
  Q_INVOKABLE void startRescue();
  bool isReopenWanted() const { return m_isReopenWanted; }
  /// The window stays open after all, so that a later quit is an ordinary one.
  void cancelRescue() { m_isReopenWanted = false; }

 signals:
  void changed();
  void opened();
  void failed(quire::ErrorCode code);
  void writeErrorChanged();
  void pauseChanged();
  void closeWanted();

 private:
  void finish(const Result<void>& result);
  void setPauseReason(const QString& reason);

  DataSession& m_session;
  const std::function<Result<void>()> m_load;
  bool m_isOpen = false;
  QString m_error;
  QString m_writeError;
  QString m_pauseReason;
  bool m_canRescue = false;
  bool m_isReopenWanted = false;
  TaskRunner m_tasks;
};

}  // namespace quire
