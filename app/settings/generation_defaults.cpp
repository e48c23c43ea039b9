#include "app/settings/generation_defaults.h"

namespace quire {
namespace {

GenerationSettings settingsOf(const ModelSampling& sampling) {
  return {.temperature = sampling.temperature, .topK = sampling.topK, .topP = sampling.topP};
}

}  // namespace

SamplingParams programSampling() {
  SamplingParams sampling;
  sampling.temperature = 0.7f;
  return sampling;
}

GenerationDefaults::GenerationDefaults(const ModelManager& manager, DataSession& session,
                                       QObject* parent)
    : QObject(parent), m_manager(manager), m_session(session) {}

SettingsLayers GenerationDefaults::layersFor(const QString& modelPath) const {
  return {.modelFile = settingsOf(m_manager.defaultSampling(modelPath)),
          .model = m_session.modelSettings(pathOf(modelPath)).generation};
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
  for (const ModelState& model : m_manager.models()) {
    if (model.primary) return model.path;
  }
  return {};
}

QString GenerationDefaults::modelName(const QString& modelPath) const {
  const QString path = pathOf(modelPath);
  if (m_remote && isRemotePath(path)) return m_remote->nameOf(path);
  for (const ModelState& model : m_manager.models()) {
    if (model.path == path) return model.name;
  }
  return m_manager.modelName();
}

void GenerationDefaults::putModelSettings(const ModelSettings& settings) {
  m_session.putModelSettings(settings);
  emit changed(settings.path);
}

void GenerationDefaults::putGeneration(const QString& path, const GenerationSettings& generation) {
  ModelSettings settings = m_session.modelSettings(path);
  if (settings.generation == generation) return;
  settings.generation = generation;
  putModelSettings(settings);
}

}  // namespace quire
