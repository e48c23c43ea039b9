#pragma once

#include <QtQml/qqmlregistration.h>
#include <QPointer>

#include <optional>

#include "app/get_models/hub_access.h"
#include "app/role_list_model.h"

namespace quire {

/// The downloads, in the order in which they start.
/// Thread: the window's. Invariants: without an access it is empty.
class DownloadList : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(QString summaryText READ summaryText NOTIFY progressed)
  Q_PROPERTY(double progress READ progress NOTIFY progressed)
  Q_PROPERTY(bool isActive READ isActive NOTIFY progressed)
  Q_PROPERTY(bool isAsking READ isAsking NOTIFY askingChanged)
  Q_PROPERTY(QString askedTitle READ askedTitle NOTIFY askingChanged)
  Q_PROPERTY(bool isAskedWorking READ isAskedWorking NOTIFY askingChanged)
  Q_PROPERTY(QString askedText READ askedText NOTIFY askingChanged)

 public:
  enum Role {
    kId = Qt::UserRole + 1,
    kTitle,
    kText,
    kProblem,
    kShare,
    kCanPause,
    kCanResume,
    kCanRetry,
    kCanMoveUp,
    kNeedsToken,
    kIsFailed,
    kIsDone,
    kIsNext  ///< Loading it is to be done next: of those that are done, the first.
  };

  explicit DownloadList(QObject* parent = nullptr);

  void setAccess(HubAccess* access);

  int numRows() const override { return count(); }
  int count() const { return static_cast<int>(m_rows.size()); }
  QString summaryText() const;  ///< "2 downloads · 41 MB/s · 3 minutes left"; empty: none runs.
  double progress() const;      ///< Of all that have not ended, 0 to 1.
  bool isActive() const;        ///< One has neither ended nor was paused.
  /// One is done, and waits to be loaded or removed.
  bool hasFinished() const { return firstFinished() >= 0; }
  /// "Qwen3 · Q4_K_M stopped. …", the last one of other targets than these; empty: none failed.
  QString failureText(const QStringList& exceptTargets = {}) const;
  const QList<HubDownload>& rows() const { return m_rows; }

  Q_INVOKABLE void pause(quint64 id);
  Q_INVOKABLE void resume(quint64 id);
  Q_INVOKABLE void moveUp(quint64 id);
  /// Cancels a download without a byte; asks what shall become of the bytes of others.
  Q_INVOKABLE void cancel(quint64 id);
  /// Removes one that has ended from the list.
  Q_INVOKABLE void dismiss(quint64 id);
  Q_INVOKABLE void load(quint64 id);        ///< The model of one that is done.
  Q_INVOKABLE void enterToken(quint64 id);  ///< For one that the hub refused without.
  /// Tries those again that the hub refused for want of a token.
  void retryRefused();

  bool isAsking() const { return m_asked != 0; }
  QString askedTitle() const;
  bool isAskedWorking() const;  ///< It would go on, was there no question.
  QString askedText() const;
  Q_INVOKABLE void answerDelete();
  Q_INVOKABLE void answerKeep();     ///< It is paused.
  Q_INVOKABLE void answerNothing();  ///< It goes on.

 signals:
  void changed();     ///< Other rows.
  void progressed();  ///< What the rows say.
  void askingChanged();
  void loadWanted(const QString& path);
  void tokenWanted(const QString& why);

 private:
  void readAll();
  void readOne(quint64 id);
  int rowOf(quint64 id) const;
  int firstFinished() const;  ///< Below 0: none is.
  void ask(quint64 id);
  void act(quint64 id, DownloadAction action);

  QPointer<HubAccess> m_access;
  QList<HubDownload> m_rows;
  quint64 m_asked = 0;  ///< 0: no question is open.
};

}  // namespace quire
