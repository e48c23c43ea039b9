#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include "app/chat/chat_model.h"
#include "app/settings/generation_defaults.h"
#include "app/settings/generation_editor.h"

namespace quire {

/// The settings of one chat while their sheet is open. Changes apply from the next answer on.
/// Thread: the window's.
class ChatSettings : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(QString title READ title NOTIFY openChanged)
  Q_PROPERTY(quire::ChatModel* chat READ chat NOTIFY openChanged)
  Q_PROPERTY(QString modelText READ modelText NOTIFY openChanged)
  /// The chat's own system prompt, which it uses while it has no persona.
  Q_PROPERTY(QString ownPrompt READ ownPrompt WRITE setOwnPrompt NOTIFY ownPromptChanged)
  Q_PROPERTY(bool usesOwnPrompt READ usesOwnPrompt NOTIFY ownPromptChanged)
  Q_PROPERTY(quire::GenerationEditor* generation READ generation CONSTANT)

 public:
  ChatSettings(const GenerationDefaults& defaults, const PersonaListModel& personas,
               QObject* parent = nullptr);

  bool isOpen() const { return m_chat != nullptr; }
  QString title() const { return m_chat ? m_chat->title() : QString(); }
  ChatModel* chat() const { return m_chat; }
  QString modelText() const;
  const QString& ownPrompt() const { return m_ownPrompt; }
  void setOwnPrompt(const QString& prompt);
  bool usesOwnPrompt() const { return m_chat && m_chat->personaId() == 0; }
  GenerationEditor* generation() { return &m_editor; }

  Q_INVOKABLE void open(quire::ChatModel* chat);
  Q_INVOKABLE void close();

 signals:
  void openChanged();
  void ownPromptChanged();

 private:
  void show();
  void savePrompt();

  const GenerationDefaults& m_defaults;
  const PersonaListModel& m_personas;
  GenerationEditor m_editor;
  QPointer<ChatModel> m_chat;
  QString m_ownPrompt;
  QTimer m_promptTimer;  ///< A typed prompt is saved a moment later.
};

}  // namespace quire
