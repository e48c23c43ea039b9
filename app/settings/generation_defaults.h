#pragma once

#include <QObject>

#include "app/engine/model_manager.h"
#include "app/session/data_session.h"

namespace quire {

/// What answers are drawn by where nobody says anything: Quire's own defaults.
SamplingParams programSampling();

/// Whose settings an answer follows: the model's files, the user's settings for the model, the
/// persona and the chat. Knows the first two, and puts all four together.
///
/// Thread: the window's.
class GenerationDefaults : public QObject {
  Q_OBJECT

 public:
  GenerationDefaults(const ModelManager& manager, DataSession& session, QObject* parent = nullptr);

  /// What stands below a persona and a chat of that model; empty: the primary one.
  SettingsLayers layersFor(const QString& modelPath = {}) const;
  ResolvedSettings resolveFor(const ChatRecord& chat, const PersonaRecord* persona) const;

  /// The path of that model, or of the primary one if it is empty; empty if it is not known.
  QString pathOf(const QString& modelPath) const;
  QString modelName(const QString& modelPath = {}) const;

  /// All of the user's settings for a model, as they were put last by anybody.
  ModelSettings modelSettings(const QString& path) const { return m_session.modelSettings(path); }
  void putModelSettings(const ModelSettings& settings);
  /// Keeps how that model is to answer.
  void putGeneration(const QString& path, const GenerationSettings& generation);

 signals:
  /// The user's settings for that model.
  void changed(const QString& path);

 private:
  const ModelManager& m_manager;
  DataSession& m_session;
};

}  // namespace quire
