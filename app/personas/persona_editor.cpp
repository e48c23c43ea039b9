#include "app/personas/persona_editor.h"

#include <QFileInfo>

#include <algorithm>

#include "app/personas/persona_labels.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

constexpr int kMeasureDelayMs = 250;

bool isSame(const PersonaRecord& a, const PersonaRecord& b) {
  return a.name == b.name && a.description == b.description && a.systemPrompt == b.systemPrompt &&
         a.icon == b.icon && a.color == b.color && a.pinned == b.pinned &&
         a.settings == b.settings && a.adapterPath == b.adapterPath;
}

}  // namespace

PersonaEditor::PersonaEditor(EngineInspector& inspector, const ModelManager& models,
                             QObject* parent)
    : QObject(parent), m_inspector(inspector), m_models(models) {
  m_measureTimer.setSingleShot(true);
  m_measureTimer.setInterval(kMeasureDelayMs);
  connect(&m_measureTimer, &QTimer::timeout, this, &PersonaEditor::measure);
  connect(&m_generation, &GenerationEditor::edited, this, [this] {
    m_persona.settings = m_generation.own();
    emit changed();
  });
}

void PersonaEditor::open(const PersonaRecord& persona, int numChats, const SettingsLayers& layers,
                         const QString& modelName) {
  m_stored = persona;
  m_persona = persona;
  m_numChats = numChats;
  m_hasAdapter = QFileInfo::exists(persona.adapterPath);
  m_tokens = 0;
  m_newTokens = 0;
  m_isOpen = true;
  SettingsLayers all = layers;
  all.persona = persona.settings;
  m_generation.show(SettingsLayer::Persona, all, modelName);
  measure();
  emit openChanged();
  emit changed();
}

void PersonaEditor::setPrompt(const QString& prompt) {
  if (!change(&PersonaRecord::systemPrompt, prompt)) return;
  m_measureTimer.start();
  emit costChanged();
}

void PersonaEditor::setIconName(const QString& name) {
  if (name != iconName()) change(&PersonaRecord::icon, name);
}

QString PersonaEditor::adapterName() const {
  return visibleString(QFileInfo(m_persona.adapterPath).fileName());
}

QString PersonaEditor::adapterProblem() const {
  if (m_persona.adapterPath.isEmpty() || m_hasAdapter) return {};
  return tr(
      "The file is not there any more: chats of this persona will not be answered. Choose it "
      "again, or remove it.");
}

void PersonaEditor::setAdapterFile(const QUrl& file) {
  const QFileInfo info(file.toLocalFile());
  const bool isPart = info.fileName() == QStringLiteral("adapter_config.json") ||
                      info.fileName() == QStringLiteral("adapter_model.safetensors");
  const QString path = isPart ? info.absolutePath() : info.absoluteFilePath();
  m_hasAdapter = QFileInfo::exists(path);
  if (!change(&PersonaRecord::adapterPath, path)) emit changed();
}

QString PersonaEditor::costText() const {
  return promptCostText(prompt().trimmed().isEmpty() ? 0 : m_tokens, m_models.contextLength());
}

QString PersonaEditor::warning() const {
  if (isNew() || prompt() == m_stored.systemPrompt) return {};
  return editWarning(m_numChats, m_newTokens);
}

bool PersonaEditor::canSave() const {
  return m_isOpen && !name().trimmed().isEmpty() && (isNew() || isChanged());
}

bool PersonaEditor::isChanged() const {
  return m_isOpen && !isSame(m_persona, m_stored);
}

void PersonaEditor::save() {
  if (!canSave()) return;
  m_persona.name = name().simplified();
  const PersonaRecord persona = m_persona;
  close();
  emit saved(persona);
}

void PersonaEditor::cancel() {
  if (m_isOpen) close();
}

void PersonaEditor::measure() {
  const auto take = [this](const PersonaReport& report) {
    m_tokens = report.tokens;
    // The unchanged beginning of the prompt is cached.
    m_newTokens = std::max(0, report.tokens - report.residentTokens - report.diskTokens);
    emit costChanged();
  };
  m_measuring = m_inspector.measurePersona({prompt(), m_persona.adapterPath}, {this, take});
}

void PersonaEditor::close() {
  m_measureTimer.stop();
  m_measuring.reset();
  m_isOpen = false;
  emit openChanged();
  emit changed();
}

}  // namespace quire
