#include "app/settings/chat_settings.h"

namespace quire {

ChatSettings::ChatSettings(const GenerationDefaults& defaults, const PersonaListModel& personas,
                           QObject* parent)
    : QObject(parent), m_defaults(defaults), m_personas(personas) {
  connect(&m_editor, &GenerationEditor::edited, this, [this] {
    if (!m_chat) return;
    m_chat->changeRecord([this](ChatRecord& chat) { chat.settings = m_editor.own(); });
  });
}

void ChatSettings::open(ChatModel* chat) {
  close();
  if (!chat) return;
  m_chat = chat;
  connect(chat, &ChatModel::recordChanged, this, &ChatSettings::show);
  connect(chat, &QObject::destroyed, this, &ChatSettings::openChanged);
  m_editor.show(SettingsLayer::Chat, {});  // Without the wrong entries of the chat before.
  show();
  emit openChanged();
}

void ChatSettings::close() {
  if (!m_chat) return;
  m_chat->disconnect(this);
  m_chat = nullptr;
  emit openChanged();
}

QString ChatSettings::modelText() const {
  return m_chat ? m_defaults.modelName(m_chat->record().modelPath) : QString();
}

/// Called again when the record changes, because a new persona has other defaults.
void ChatSettings::show() {
  const PersonaRecord* persona = m_personas.find(m_chat->personaId());
  SettingsLayers layers = m_defaults.layersFor(m_chat->record().modelPath);
  if (persona) layers.persona = persona->settings;
  layers.chat = m_chat->record().settings;
  m_editor.refresh(layers, modelText(), persona ? persona->name : QString());
}

}  // namespace quire
