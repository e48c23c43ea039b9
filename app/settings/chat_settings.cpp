#include "app/settings/chat_settings.h"

#include "app/chat/own_prompt.h"

namespace quire {

constexpr int kPromptDelayMs = 600;

ChatSettings::ChatSettings(const GenerationDefaults& defaults, const PersonaListModel& personas,
                           QObject* parent)
    : QObject(parent), m_defaults(defaults), m_personas(personas) {
  m_promptTimer.setSingleShot(true);
  m_promptTimer.setInterval(kPromptDelayMs);
  connect(&m_promptTimer, &QTimer::timeout, this, &ChatSettings::savePrompt);
  connect(&m_editor, &GenerationEditor::edited, this, [this] {
    if (!m_chat) return;
    m_chat->changeRecord([this](ChatRecord& chat) { chat.settings = m_editor.own(); });
  });
}

void ChatSettings::open(ChatModel* chat) {
  close();
  if (!chat) return;
  m_chat = chat;
  m_ownPrompt = ownPromptOf(chat->record().settings);
  connect(chat, &ChatModel::recordChanged, this, &ChatSettings::show);
  connect(chat, &QObject::destroyed, this, &ChatSettings::openChanged);
  m_editor.show(SettingsLayer::Chat, {});  // Without the wrong entries of the chat before.
  show();
  emit openChanged();
}

void ChatSettings::close() {
  if (!m_chat) return;
  if (m_promptTimer.isActive()) savePrompt();
  m_chat->disconnect(this);
  m_chat = nullptr;
  emit openChanged();
}

QString ChatSettings::modelText() const {
  return m_chat ? m_defaults.modelName(m_chat->record().modelPath) : QString();
}

void ChatSettings::setOwnPrompt(const QString& prompt) {
  if (!m_chat || prompt == m_ownPrompt) return;
  m_ownPrompt = prompt.left(kMaxOwnPrompt);
  m_promptTimer.start();
  emit ownPromptChanged();
}

void ChatSettings::savePrompt() {
  m_promptTimer.stop();
  if (!m_chat || ownPromptOf(m_chat->record().settings) == m_ownPrompt) return;
  m_chat->changeRecord(
      [this](ChatRecord& chat) { quire::setOwnPrompt(chat.settings, m_ownPrompt); });
  m_chat->composer()->updateForecast();
}

/// Called again when the record changes, because a new persona has other defaults.
void ChatSettings::show() {
  const PersonaRecord* persona = m_personas.find(m_chat->personaId());
  SettingsLayers layers = m_defaults.layersFor(m_chat->record().modelPath);
  if (persona) layers.persona = persona->settings;
  layers.chat = m_chat->record().settings;
  emit ownPromptChanged();
  m_editor.refresh(layers, modelText(), persona ? persona->name : QString());
}

}  // namespace quire
