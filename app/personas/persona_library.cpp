#include "app/personas/persona_library.h"

#include <QDateTime>

#include <utility>

#include "app/session/text_announcer.h"

namespace quire {
namespace {

constexpr int kMeasureMs = 2000;

PersonaPrompt promptOf(const PersonaRecord& persona) {
  return {persona.systemPrompt, persona.adapterPath};
}

}  // namespace

PersonaLibrary::PersonaLibrary(EngineInspector& inspector, const ModelManager& models,
                               DataSession& session, const GenerationDefaults& generation,
                               PersonaListModel& list, const CountChats& countChats,
                               QObject* parent)
    : QObject(parent),
      m_inspector(inspector),
      m_session(session),
      m_generation(generation),
      m_list(list),
      m_countChats(countChats),
      m_editor(inspector, models) {
  m_shown.setSourceModel(&list);
  m_watchTimer.setInterval(kMeasureMs);
  connect(&m_undo, &PendingUndo::changed, this, &PersonaLibrary::undoChanged);
  connect(&m_watchTimer, &QTimer::timeout, this, &PersonaLibrary::measure);
  connect(&list, &PersonaListModel::changed, this, &PersonaLibrary::onListChanged);
  connect(&m_editor, &PersonaEditor::saved, this, [this](const PersonaRecord& persona) {
    if (persona.id == 0) return add(persona);
    put(persona);
  });
}

PersonaLibrary::~PersonaLibrary() = default;

Result<void> PersonaLibrary::load(const QByteArray& presets, const QString& language) {
  m_presetJson = presets;
  if (!presets.isEmpty()) {
    const auto parsed = parsePersonaPresets(presets, language);
    if (!parsed) return parsed.error();
    m_presets.setPresets(*parsed);
  }
  const auto stored = m_session.store().personas();
  if (!stored) return stored.error();
  QList<PersonaRecord> shown = *stored;
  // A persona whose deletion can be undone is still stored.
  if (m_removed) shown.removeIf([&](const PersonaRecord& one) { return one.id == m_removed->id; });
  m_list.setPersonas(shown);
  if (!stored->isEmpty()) return {};
  for (const PersonaPreset& preset : m_presets.presets()) {
    if (preset.isFirst) add(preset.persona);
  }
  return {};
}

void PersonaLibrary::setLanguage(const QString& language) {
  if (m_presetJson.isEmpty()) return;
  const auto parsed = parsePersonaPresets(m_presetJson, language);
  if (parsed) m_presets.setPresets(*parsed);
}

void PersonaLibrary::setWatched(bool watched) {
  if (watched == isWatched()) return;
  if (watched) {
    m_watchTimer.start();
    measure();
  } else {
    m_watchTimer.stop();
  }
  emit watchedChanged();
}

/// Requests how much of each persona is cached.
void PersonaLibrary::measure() {
  m_list.setUsage(m_countChats());
  m_measures.clear();
  for (const PersonaRecord& persona : m_list.personas()) {
    const auto show = [this, id = persona.id](const PersonaReport& report) {
      m_list.setReport(id, report);
    };
    m_measures.push_back(m_inspector.measurePersona(promptOf(persona), {this, show}));
  }
}

void PersonaLibrary::create() {
  PersonaRecord persona;
  persona.color = m_list.count() % kNumChatColors;
  m_editor.open(persona, 0, m_generation.layersFor(), m_generation.modelName());
}

void PersonaLibrary::edit(qint64 id) {
  const PersonaRecord* persona = m_list.find(id);
  if (!persona) return;
  m_editor.open(*persona, m_countChats().value(id), m_generation.layersFor(),
                m_generation.modelName());
}

void PersonaLibrary::duplicate(qint64 id) {
  const PersonaRecord* persona = m_list.find(id);
  if (!persona) return;
  PersonaRecord copy = *persona;
  copy.name = tr("%1 (copy)").arg(persona->name);
  copy.presetId.clear();
  copy.pinned = false;
  add(copy);
}

void PersonaLibrary::addPreset(const QString& presetId) {
  if (const PersonaRecord* preset = m_presets.find(presetId)) add(*preset);
}

void PersonaLibrary::setPinned(qint64 id, bool pinned) {
  const PersonaRecord* persona = m_list.find(id);
  if (!persona || persona->pinned == pinned) return;
  PersonaRecord changed = *persona;
  changed.pinned = pinned;
  put(changed);
}

void PersonaLibrary::add(PersonaRecord persona) {
  if (!m_session.isOpen()) return;
  persona.id = m_session.ids().next();
  persona.createdMs = QDateTime::currentMSecsSinceEpoch();
  persona.position = m_list.count();
  put(persona);
}

void PersonaLibrary::put(const PersonaRecord& persona) {
  m_list.put(persona);
  m_session.writer().write(&ConversationStore::putPersona, persona);
  if (isWatched()) measure();
}

void PersonaLibrary::move(qint64 id, int step) {
  const int row = m_list.rowOf(id);
  QHash<RecordId, int> before;
  for (const PersonaRecord& persona : m_list.personas()) before[persona.id] = persona.position;
  m_list.move(row, row + step);
  for (const PersonaRecord& persona : m_list.personas()) {
    if (persona.position != before[persona.id])
      m_session.writer().write(&ConversationStore::putPersona, persona);
  }
}

void PersonaLibrary::remove(qint64 id) {
  m_undo.finish();
  m_removed = m_list.take(id);
  if (!m_removed) return;
  const auto undo = [this] {
    const PersonaRecord persona = *std::exchange(m_removed, std::nullopt);
    m_list.put(persona, persona.position);
  };
  const auto finish = [this] {
    const RecordId removed = std::exchange(m_removed, std::nullopt)->id;
    emit personaRemoved(removed);  // First, so that no chat is saved with it afterwards.
    m_session.writer().write(&ConversationStore::removePersona, removed);
  };
  m_undo.offer(tr("“%1” was deleted. Its chats continue without a persona.").arg(m_removed->name),
               undo, finish);
}

void PersonaLibrary::onListChanged() {
  if (TextAnnouncer::isSpeaking()) return;
  QList<PersonaPrompt> warm;
  QStringList added;
  for (const PersonaRecord& persona : m_list.personas()) {
    if (persona.pinned) warm.append(promptOf(persona));
    if (!persona.presetId.isEmpty()) added.append(persona.presetId);
  }
  m_inspector.keepWarm(warm);
  m_presets.setAdded(added);
}

}  // namespace quire
