#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QLockFile>
#include <QObject>
#include <QSize>
#include <QTimer>

#include <memory>

#include "app/store/conversation_store.h"
#include "app/viewmodels/chat/chat_model.h"
#include "app/viewmodels/chat_list_model.h"
#include "app/viewmodels/engine_status.h"
#include "app/viewmodels/persona_list_model.h"

namespace quire {

/// The root of what the window binds to: the chats, which one is shown, personas, the engine's
/// state, and what there is to say when the user's data cannot be opened or written.
///
/// Thread: the window's. Reads through a store of its own; writes only through the StoreWriter.
/// Invariants: while storeOpen() there is always a currentChat(); an open chat lives until it is
/// deleted for good, so that its answer goes on while another is shown.
class AppModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(quire::ChatListModel* chats READ chats CONSTANT)
  Q_PROPERTY(quire::PersonaListModel* personas READ personas CONSTANT)
  Q_PROPERTY(quire::EngineStatus* engine READ engine CONSTANT)
  Q_PROPERTY(quire::ChatModel* currentChat READ currentChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool isNewChat READ isNewChat NOTIFY currentChatChanged)
  Q_PROPERTY(bool storeOpen READ storeOpen NOTIFY storeChanged)
  Q_PROPERTY(QString storeError READ storeError NOTIFY storeChanged)
  Q_PROPERTY(QString writeError READ writeError NOTIFY writeErrorChanged)
  Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged)
  Q_PROPERTY(QString themeChoice READ themeChoice WRITE setThemeChoice NOTIFY themeChoiceChanged)
  Q_PROPERTY(QStringList examplePrompts READ examplePrompts CONSTANT)
  Q_PROPERTY(QString themeText READ themeText NOTIFY themeChoiceChanged)
  Q_PROPERTY(int windowWidth READ windowWidth NOTIFY storeChanged)
  Q_PROPERTY(int windowHeight READ windowHeight NOTIFY storeChanged)

 public:
  /// `presets`: the JSON of the persona presets, made into personas when the store has none yet.
  AppModel(ChatBackend& backend, const QString& dataFolder, const QByteArray& presets,
           QObject* parent = nullptr);
  ~AppModel() override;

  ChatListModel* chats() { return &m_chats; }
  PersonaListModel* personas() { return &m_personas; }
  EngineStatus* engine() { return &m_engine; }
  ChatModel* currentChat() const { return m_current; }
  bool isNewChat() const;
  bool storeOpen() const { return m_store != nullptr; }
  QString storeError() const { return m_storeError; }
  QString writeError() const { return m_writeError; }
  QString undoText() const;
  QString themeChoice() const { return m_themeChoice; }
  void setThemeChoice(const QString& choice);
  QString themeText() const;
  /// As it was stored; empty if it was not.
  QString setting(const QString& key) const;
  QStringList examplePrompts() const;  ///< What the bundled model answers well.
  int windowWidth() const { return m_windowSize.width(); }  ///< As it was left; 0 at first.
  int windowHeight() const { return m_windowSize.height(); }

  /// Opens the user's data, or says in storeError() why not. Also to try again.
  Q_INVOKABLE void open();
  Q_INVOKABLE void newChat();
  /// What could not be written is not tried again, so the sentence stays until it was read.
  Q_INVOKABLE void dismissWriteError();
  Q_INVOKABLE void openChat(qint64 id);
  Q_INVOKABLE void openNeighbour(int step);  ///< The chat below (1) or above (-1) in the list.
  Q_INVOKABLE void renameChat(qint64 id, const QString& title);
  Q_INVOKABLE void deleteChat(qint64 id);
  Q_INVOKABLE void undoDelete();
  Q_INVOKABLE void saveWindowSize(int width, int height);
  Q_INVOKABLE void cycleTheme();
  Q_INVOKABLE void copyText(const QString& text) const;
  Q_INVOKABLE void openLink(const QString& url) const;
  /// Keeps everything and waits for the disk; the program is about to end.
  Q_INVOKABLE void close();

 signals:
  void currentChatChanged();
  void storeChanged();
  void writeErrorChanged();
  void undoChanged();
  void themeChoiceChanged();
  /// For good: there is no way back any more.
  void chatRemoved(qint64 id);

 private:
  Result<void> load();
  Result<void> loadPersonas(const QByteArray& presets);
  void readSettings();
  ChatModel* modelOf(const ChatRecord& record, bool isNew);
  void show(ChatModel* chat);
  void onTouched(ChatModel* chat);
  void onAnswerEnded(ChatModel* chat);
  void onRecordChanged(ChatModel* chat);
  void finishDelete();
  void setWriteError(const QString& error);
  void putSetting(const QString& key, const QString& value);

  ChatBackend& m_backend;
  const QString m_dataFolder;
  const QByteArray m_presets;
  EngineStatus m_engine;
  ChatListModel m_chats;
  PersonaListModel m_personas;

  std::unique_ptr<QLockFile> m_lock;  ///< One program for one folder.
  std::unique_ptr<ConversationStore> m_store;
  std::unique_ptr<StoreWriter> m_writer;
  std::unique_ptr<IdSource> m_ids;
  QString m_storeError;
  QString m_writeError;
  QString m_themeChoice = QStringLiteral("system");
  QSize m_windowSize;

  QHash<RecordId, ChatModel*> m_open;
  ChatModel* m_current = nullptr;
  std::optional<ChatRecord> m_deleted;  ///< Taken out of the list, not yet of the disk.
  QTimer m_deleteTimer;
  QTimer m_minuteTimer;
};

}  // namespace quire
