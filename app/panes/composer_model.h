#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "app/documents/attachment_reader.h"
#include "app/engine_page/engine_status.h"
#include "app/panes/ask_plan.h"
#include "app/panes/draft_estimate.h"
#include "app/panes/pane_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// The one composer of the window. What is written in it goes to the focused chat, whose draft it
/// then is, or to the chats of all panes, for which there is a draft of its own.
///
/// Thread: the window's.
/// Invariants: while a message is edited it is the focused chat's alone.
class ComposerModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
  Q_PROPERTY(bool isOffered READ isOffered NOTIFY draftChanged)
  Q_PROPERTY(quire::AttachmentList* files READ files NOTIFY changed)
  Q_PROPERTY(quire::AttachmentReader* reader READ reader CONSTANT)
  Q_PROPERTY(bool toAll READ toAll WRITE setToAll NOTIFY changed)
  Q_PROPERTY(bool hasTargets READ hasTargets NOTIFY changed)
  Q_PROPERTY(quire::AskPlan* plan READ plan CONSTANT)
  Q_PROPERTY(bool canAskSeveral READ canAskSeveral NOTIFY changed)
  Q_PROPERTY(QString sendText READ sendText NOTIFY changed)
  Q_PROPERTY(QString targetText READ targetText NOTIFY changed)
  Q_PROPERTY(QString allTargetsText READ allTargetsText NOTIFY changed)
  Q_PROPERTY(bool canSend READ canSend NOTIFY changed)
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY changed)
  Q_PROPERTY(bool isEditing READ isEditing NOTIFY changed)
  Q_PROPERTY(QString hint READ hint NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(bool warns READ warns NOTIFY changed)

 public:
  ComposerModel(ChatBackend& backend, ModelManager& models, PaneListModel& panes,
                const PersonaListModel& personas, const EngineStatus& engine, DataSession& session,
                QObject* parent = nullptr);

  QString draft() const;
  void setDraft(const QString& draft);
  /// Writes a draft for the user, which the first key replaces.
  void offerDraft(const QString& draft);
  bool isOffered() const { return !m_offered.isEmpty() && draft() == m_offered; }
  AttachmentList* files();  ///< That go with the draft; null: there is no chat.
  AttachmentReader* reader() { return &m_reader; }
  bool toAll() const;
  void setToAll(bool toAll);
  bool hasTargets() const;  ///< There is a choice: several panes, and nothing is edited.
  AskPlan* plan() { return &m_plan; }
  bool canAskSeveral() const;  ///< Not while an answer is edited: nothing is asked then.
  QString sendText() const;
  QString targetText() const;      ///< "To this chat", "To both panes".
  QString allTargetsText() const;  ///< What it would be for all.
  bool canSend() const;
  bool isGenerating() const;  ///< One of the chats that would be asked is being answered.
  bool isEditing() const;
  QString hint() const;
  QString note() const;
  bool warns() const;

  Q_INVOKABLE void send();
  Q_INVOKABLE void stop();
  Q_INVOKABLE void cancel();  ///< Escape: stops the answers, or leaves the edit.
  Q_INVOKABLE void toggleTarget();
  /// Adds the files of the clipboard; false: there are none in it.
  Q_INVOKABLE bool pasteFiles();
  /// What is written but not on disk yet is queued for it.
  void saveDraftNow();

 signals:
  void draftChanged();
  void changed();
  void editStarted();
  void sent();

 private:
  ChatModel* chat() const { return m_panes.focusedChat(); }
  QList<ChatModel*> targets() const;
  QList<ChatRequest> requestsToAll() const;
  void follow();
  void announce();
  void readDraft();
  bool hasContent() const;  ///< Of the draft to all.

  PaneListModel& m_panes;
  const EngineStatus& m_engine;
  DataSession& m_session;
  bool m_toAll = false;
  QString m_draft;         ///< For all panes.
  QString m_offered;       ///< The draft that Quire wrote, for as long as nobody changed it.
  AttachmentList m_files;  ///< For all panes.
  AttachmentReader m_reader;
  QList<AttachmentRecord> m_savedFiles;  ///< Of m_files, as they are on disk or queued for it.
  bool m_isDraftRead = false;
  QTimer m_saveTimer;
  AskPlan m_plan;
  DraftEstimate m_estimate;
  QList<QMetaObject::Connection> m_followed;
};

}  // namespace quire
