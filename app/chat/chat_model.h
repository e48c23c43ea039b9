#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include <functional>

#include "app/chat/chat_composer.h"
#include "app/chat/chat_find.h"
#include "app/chat/chat_messages.h"
#include "app/chat/chat_selection.h"
#include "app/chat/chat_turns.h"
#include "app/chat/conversation.h"
#include "app/chat/message_editor.h"
#include "app/chat/timeline_model.h"
#include "app/engine_page/engine_status.h"
#include "app/personas/persona_list_model.h"
#include "app/settings/generation_defaults.h"
#include "app/store/id_source.h"
#include "app/store/store_writer.h"

namespace quire {

/// What a chat needs from the application; all of it outlives the chat.
struct ChatServices {
  ChatBackend& backend;
  ModelManager& models;
  StoreWriter& writer;
  IdSource& ids;
  const PersonaListModel& personas;
  const EngineStatus& engine;
  const GenerationDefaults& generation;
  TextClock& clock;
};

/// Everything the store has for a chat besides its record.
struct ChatContent {
  QList<MessageRecord> messages;
  QList<AttachmentRecord> draftFiles;
  QList<ComparedAnswer> compared;  ///< Answers that are shown side by side.
  MessageEdit edit;                ///< An edit that was not saved.
};

/// One open chat: its record, its messages, and the three objects that work on them: the composer,
/// the turns that are being answered, and the history.
///
/// Thread: the window's.
/// Invariants: everything shown is on disk or queued for it; before load() only the record changes.
class ChatModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the application.")
  Q_PROPERTY(double chatId READ chatId CONSTANT)
  Q_PROPERTY(quire::TimelineModel* timeline READ timeline CONSTANT)
  Q_PROPERTY(quire::ChatComposer* composer READ composer CONSTANT)
  Q_PROPERTY(quire::ChatTurns* turns READ turns CONSTANT)
  Q_PROPERTY(quire::MessageEditor* editor READ editor CONSTANT)
  Q_PROPERTY(quire::ChatMessages* history READ history CONSTANT)
  Q_PROPERTY(quire::ChatFind* find READ find CONSTANT)
  Q_PROPERTY(quire::ChatSelection* selection READ selection CONSTANT)
  Q_PROPERTY(QString title READ title NOTIFY recordChanged)
  Q_PROPERTY(int colorIndex READ colorIndex NOTIFY recordChanged)
  Q_PROPERTY(double personaId READ personaId NOTIFY recordChanged)
  Q_PROPERTY(QString personaName READ personaName NOTIFY recordChanged)
  Q_PROPERTY(bool hasPersona READ hasPersona NOTIFY recordChanged)
  Q_PROPERTY(bool hasOwnModel READ hasOwnModel NOTIFY recordChanged)
  Q_PROPERTY(QString ownModelName READ ownModelName NOTIFY recordChanged)
  Q_PROPERTY(QString ownModelPath READ ownModelPath NOTIFY recordChanged)
  Q_PROPERTY(QString ownModelHint READ ownModelHint NOTIFY recordChanged)
  Q_PROPERTY(bool isRemote READ isRemote NOTIFY recordChanged)
  Q_PROPERTY(bool isReady READ isReady NOTIFY stateChanged)
  Q_PROPERTY(QString introduction READ introduction NOTIFY stateChanged)
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY messagesChanged)
  Q_PROPERTY(QString personaHint READ personaHint NOTIFY messagesChanged)
  Q_PROPERTY(QString activityText READ activityText NOTIFY stateChanged)
  Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged)

 public:
  ChatModel(const ChatServices& services, const ChatRecord& record, QObject* parent = nullptr);
  ~ChatModel() override;

  /// Called once, when the chat was read from the store; a new chat has empty content.
  void load(const ChatContent& content);
  bool isLoaded() const { return m_isLoaded; }
  /// Adds what an import put into the store. The chat is loaded and has no running answer.
  void merge(const ChatRecord& record, const ChatContent& content);

  const ChatServices& services() const { return m_services; }
  const ChatRecord& record() const { return m_record; }
  const Conversation& conversation() const { return m_conversation; }
  TimelineModel* timeline() { return &m_timeline; }
  ChatComposer* composer() { return &m_composer; }
  const ChatComposer* composer() const { return &m_composer; }
  ChatTurns* turns() { return &m_turns; }
  const ChatTurns* turns() const { return &m_turns; }
  MessageEditor* editor() { return &m_editor; }
  ChatMessages* history() { return &m_history; }
  ChatFind* find() { return &m_find; }
  ChatSelection* selection() { return &m_selection; }

  RecordId chatId() const { return m_record.id; }
  QString title() const { return m_record.title.isEmpty() ? tr("New chat") : m_record.title; }
  int colorIndex() const { return m_record.color; }
  RecordId personaId() const { return m_record.personaId; }
  QString personaName() const;
  bool hasPersona() const { return m_record.personaId != 0; }
  QString personaHint() const;
  bool hasOwnModel() const { return !m_record.modelPath.isEmpty(); }
  QString ownModelName() const;  ///< Empty: the chat uses the window's model.
  const QString& ownModelPath() const { return m_record.modelPath; }
  QString ownModelHint() const;
  /// Whether another program answers, so that what is written may leave this computer.
  bool isRemote() const { return isRemotePath(m_record.modelPath); }
  /// The endpoint that answers; null: the chat is local, or the endpoint is not known any more.
  const RemoteEndpoint* endpoint() const;
  bool isReady() const;          ///< Whether its model can be asked now.
  QString introduction() const;  ///< Introduces its model in an empty chat.
  bool isEmpty() const { return m_isLoaded && m_conversation.isEmpty(); }
  bool isBlank() const;   ///< There are no messages, and the composer is empty.
  bool isUnused() const;  ///< Closing it loses nothing: no pane, answer, edit, undo or notice.
  QString activityText() const;                ///< "Paused" or "Answering…", or empty.
  QString notice() const { return m_notice; }  ///< An error of the chat as a whole, or empty.
  void setNotice(const QString& notice);

  /// Whether a pane shows this chat; other chats ignore the engine's progress.
  void setShown(bool shown);
  /// Whether the chat has the focus; its answer is scheduled first then.
  void setFocused(bool focused);
  bool isFocused() const { return m_focused; }
  void rename(const QString& title);
  /// Whether the first message gives the chat its title.
  bool awaitsTitle() const { return m_record.titleIsAutomatic && m_record.title.isEmpty(); }
  /// Titles a chat that awaits its title; the first message saves it.
  void setAutomaticTitle(const QString& title);
  /// Changes the record (pinned, its folder and the like) and saves it.
  void changeRecord(const std::function<void(ChatRecord&)>& change);
  /// Saves everything without waiting, because the program closes or the chat is deleted.
  void close();

  Q_INVOKABLE void setPersona(qint64 personaId);
  Q_INVOKABLE void togglePersona(qint64 personaId);
  /// The model that answers in this chat; empty: the window's.
  Q_INVOKABLE void setOwnModel(const QString& path);
  /// The window's model answers again if a remote one did.
  Q_INVOKABLE void leaveRemote();
  Q_INVOKABLE void dismissNotice() { setNotice({}); }
  Q_INVOKABLE QString plainMarkup(const QString& text) const;  ///< Plain text as markup.

 signals:
  void recordChanged();
  void messagesChanged();
  /// A message was added, removed, or its text grew.
  void contentChanged();
  /// The actions that are possible now have changed.
  void stateChanged();
  void noticeChanged();
  void loaded();
  /// Requests a fork of this chat at that message.
  void forkWanted(qint64 messageId);
  /// A message or version was added: the chat moves to the top of the list.
  void touched();
  void answerEnded();

 private:
  friend class ChatComposer;
  friend class ChatMessages;
  friend class ChatTurns;

  void onEngineChanged();
  void onRemoteChanged();
  void saveRecord();
  void announceTurn();
  /// The shown branch has changed.
  void announcePath();
  MessageRecord newMessage(MessageRole role, RecordId parent) const;

  ChatServices m_services;
  ChatRecord m_record;
  Conversation m_conversation;
  TimelineModel m_timeline;
  ChatComposer m_composer;
  ChatTurns m_turns;
  MessageEditor m_editor;
  ChatMessages m_history;
  ChatFind m_find;
  QString m_notice;
  bool m_isLoaded = false;
  bool m_isShown = false;
  bool m_focused = false;
  ChatSelection m_selection;
};

}  // namespace quire
