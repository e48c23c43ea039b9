#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <functional>

#include "app/session/data_session.h"
#include "app/task_runner.h"

namespace quire {

/// Whether the user's data is open; the errors of opening and writing it, and the way to the rescue
/// page.
///
/// Thread: the window's. What takes time in proportion to the data is done on another.
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
  /// `load` reads what the window shows first; the session is open then.
  StoreStatus(DataSession& session, std::function<Result<void>()> load, QObject* parent = nullptr);

  /// Opens the data, again if that failed before: `opened` or `failed` follows.
  Q_INVOKABLE void open();
  /// Handles events until open() is done, at most `timeoutMs`.
  void wait(int timeoutMs);
  /// As open(), but returns when it is done.
  void openNow();
  bool isOpen() const { return m_isOpen; }
  bool isOpening() const { return m_tasks.isBusy(); }
  QString error() const { return m_error; }  ///< Why it could not be opened; else empty.

  /// What could not be written is not tried again, so the sentence stays until it is dismissed.
  QString writeError() const { return m_writeError; }
  void setWriteError(const QString& error);
  Q_INVOKABLE void dismissWriteError() { setWriteError({}); }
  /// The error comes from a damaged store: startRescue() leads to what can be done about it.
  bool canRescue() const { return m_canRescue; }
  bool isDamaged() const;  ///< The damage was noted when something was read or written.
  /// Why nothing can be written for now, mostly because the disk is full; empty: it can.
  QString pauseReason() const { return m_pauseReason; }
  Q_INVOKABLE void retryWriting() { m_session.retryWriting(); }
  /// Ends this window, as quitting does, for one that begins with the rescue page: a store can be
  /// replaced only while nobody has it open.
  Q_INVOKABLE void startRescue();
  bool isReopenWanted() const { return m_isReopenWanted; }

 signals:
  void changed();
  void opened();
  void failed();
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
