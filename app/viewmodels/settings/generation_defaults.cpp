#include "app/viewmodels/settings/generation_defaults.h"

namespace quire {
namespace {

GenerationSettings settingsOf(const ModelSampling& sampling) {
  GenerationSettings settings;
  settings.temperature = sampling.temperature;
  settings.topK = sampling.topK;
  settings.topP = sampling.topP;
  return settings;
}

}  // namespace

SamplingParams programSampling() {
  SamplingParams sampling;
  sampling.temperature = 0.7f;
  return sampling;
}

GenerationDefaults::GenerationDefaults(const ChatBackend& backend, DataSession& session,
                                       QObject* parent)
    : QObject(parent), m_backend(backend), m_session(session) {}

SettingsLayers GenerationDefaults::layersFor(const QString& modelPath) const {
  return {.modelFile = settingsOf(m_backend.defaultSampling(modelPath)),
          .model = modelSettings(pathOf(modelPath)).generation};
}

ResolvedSettings GenerationDefaults::resolveFor(const ChatRecord& chat,
                                                const PersonaRecord* persona) const {
  SettingsLayers layers = layersFor(chat.modelPath);
  if (persona) layers.persona = persona->settings;
  layers.chat = chat.settings;
  return resolve(programSampling(), layers);
}

QString GenerationDefaults::pathOf(const QString& modelPath) const {
  if (!modelPath.isEmpty()) return modelPath;
  for (const ModelState& model : m_backend.models()) {
    if (model.primary) return model.path;
  }
  return {};
}

QString GenerationDefaults::modelName(const QString& modelPath) const {
  const QString path = pathOf(modelPath);
  for (const ModelState& model : m_backend.models()) {
    if (model.path == path) return model.name;
  }
  return m_backend.modelName();
}

ModelSettings GenerationDefaults::modelSettings(const QString& path) const {
  if (const auto known = m_known.constFind(path); known != m_known.cend()) return *known;
  ModelSettings settings;
  settings.path = path;
  if (path.isEmpty() || !m_session.isOpen()) return settings;
  const auto stored = m_session.store().modelSettings(path);
  if (stored && *stored) settings = **stored;
  m_known.insert(path, settings);
  return settings;
}

void GenerationDefaults::putModelSettings(const ModelSettings& settings) {
  if (settings.path.isEmpty() || !m_session.isOpen()) return;
  m_known.insert(settings.path, settings);
  m_session.writer().putModelSettings(settings);
  emit changed();
}

}  // namespace quire
