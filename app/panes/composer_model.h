#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QTimer>

#include "app/chat/context_watch.h"
#include "app/documents/attachment_reader.h"
#include "app/engine_page/engine_status.h"
#include "app/panes/ask_plan.h"
#include "app/panes/pane_list_model.h"
#include "app/panes/slash_menu.h"
#include "app/session/data_session.h"

namespace quire {

/// The composer of the window. It edits the draft of the focused chat, or a separate draft that is
/// sent to the chats of all panes.
///
/// Thread: the window's.
/// Invariants: a draft to all exists only while there are several panes.
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
  Q_PROPERTY(quire::SlashMenu* slash READ slash CONSTANT)
  Q_PROPERTY(QString targetText READ targetText NOTIFY changed)
  Q_PROPERTY(QString allTargetsText READ allTargetsText NOTIFY changed)
  Q_PROPERTY(bool canSend READ canSend NOTIFY changed)
  Q_PROPERTY(bool showsSend READ showsSend NOTIFY changed)
  Q_PROPERTY(bool isGenerating READ isGenerating NOTIFY changed)
  Q_PROPERTY(QString hint READ hint NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)
  Q_PROPERTY(bool warns READ warns NOTIFY changed)
  Q_PROPERTY(QString unsentText READ unsentText NOTIFY unsentChanged)

 public:
  ComposerModel(ChatBackend& backend, ModelManager& models, PaneListModel& panes,
                const PersonaListModel& personas, const EngineStatus& engine, DataSession& session,
                QObject* parent = nullptr);

  QString draft() const;
  void setDraft(const QString& draft);
  /// The text of the field has changed.
  Q_INVOKABLE void write(const QString& text, int cursor);
  /// Suggests a draft, which the first key press replaces.
  void offerDraft(const QString& draft);
  bool isOffered() const { return !m_offered.isEmpty() && draft() == m_offered; }
  AttachmentList* files();  ///< The draft's files; null: there is no chat.
  AttachmentReader* reader() { return &m_reader; }
  bool toAll() const { return m_toAll && hasTargets(); }
  void setToAll(bool toAll);
  bool hasTargets() const { return m_panes.isSplit(); }
  AskPlan* plan() { return &m_plan; }
  SlashMenu* slash() { return &m_slash; }
  /// "To this chat", "To both panes".
  QString targetText() const { return toAll() ? allTargetsText() : tr("To this chat"); }
  QString allTargetsText() const;  ///< targetText() if toAll() were set.
  /// A message to all panes can be sent if at least one of their chats can be asked.
  bool canSend() const;
  /// Some chats may be ready for a message while others are still being answered.
  bool showsSend() const { return canSend() || !isGenerating(); }
  bool isGenerating() const;  ///< One of the target chats is being answered.
  QString hint() const;
  QString note() const;
  bool warns() const;
  /// The chats that the last message to all was not sent to, and why; empty: it was sent to all.
  QString unsentText() const { return m_unsentText; }
  Q_INVOKABLE void dismissUnsent() { setUnsentText({}); }

  Q_INVOKABLE void send();
  Q_INVOKABLE void stop();
  Q_INVOKABLE void cancel();  ///< For Escape: stops the answers, or cancels an edit.
  Q_INVOKABLE void toggleTarget() { setToAll(!m_toAll); }
  /// Handles Return, Escape, and Up in the empty composer, which edits the last question; returns
  /// false for other keys. `composing`: an input method is active, and Return only commits its
  /// text.
  Q_INVOKABLE bool handleKey(int key, int modifiers, bool composing);
  /// Whether a key press enters text, as opposed to a shortcut.
  Q_INVOKABLE static bool isTyping(const QString& text, int modifiers);
  /// Attaches the files in the clipboard; false: there are none.
  Q_INVOKABLE bool pasteFiles();
  void saveDraftNow();

 signals:
  void draftChanged();
  void changed();
  void sent();
  void unsentChanged();

 private:
  ChatModel* chat() const { return m_panes.focusedChat(); }
  ChatComposer* own() const { return chat() ? chat()->composer() : nullptr; }
  QList<ChatModel*> targets() const;
  /// Why a chat cannot be sent the draft to all; empty: it can.
  QString obstacleOf(ChatModel* chat) const;
  QString lengthObstacleOf(ChatModel* chat) const;
  QList<ChatModel*> readyTargets() const;  ///< Those that can be asked now.
  /// The chats could be asked, but the message to all is too long for each of them.
  bool isTooLongForAll() const;
  void sendToAll(const QList<AnswerPlan>& plans);
  void setUnsentText(const QString& text);
  QString noteToAll() const;
  SlashMenu::Target slashTarget();
  QList<ChatRequest> requestsToAll() const;
  void follow();
  void onChatChanged();
  bool readModels();
  void announce();
  void updateEstimate();
  void readDraft();
  /// Whether the draft to all has text or files.
  bool hasContent() const { return !m_draft.trimmed().isEmpty() || !m_files.isEmpty(); }

  PaneListModel& m_panes;
  const EngineStatus& m_engine;
  DataSession& m_session;
  bool m_toAll = false;
  QString m_draft;  ///< The draft to all.
  QString m_unsentText;
  QString m_offered;       ///< The suggested draft, until it is changed.
  AttachmentList m_files;  ///< Files of the draft to all.
  QStringList m_readers;   ///< The models of the chats of all panes.
  AttachmentReader m_reader;
  QList<AttachmentRecord> m_savedFiles;  ///< m_files as they are on disk or queued for it.
  bool m_isDraftRead = false;
  QTimer m_saveTimer;
  AskPlan m_plan;
  SlashMenu m_slash;
  const Conversation m_noMessages;
  ContextWatch m_estimate;  ///< Estimates the cost of the draft to all.
  QList<QMetaObject::Connection> m_followed;
};

}  // namespace quire
