#pragma once

#include <QObject>

#include "app/engine/model_manager.h"
#include "app/models/remote_models.h"
#include "app/session/data_session.h"

namespace quire {

/// Quire's own sampling defaults.
SamplingParams programSampling();

/// Resolves the sampling settings of an answer from four layers: the model's files, the user's
/// settings for the model, the persona and the chat.
///
/// Thread: the window's.
class GenerationDefaults : public QObject {
  Q_OBJECT

 public:
  GenerationDefaults(const ModelManager& manager, DataSession& session, QObject* parent = nullptr);

  /// Where the names of remote models are; they outlive all later calls but the destructor.
  void setRemote(const RemoteModels* remote) { m_remote = remote; }
  const RemoteModels* remote() const { return m_remote; }  ///< Null: there are no remote models.

  /// The layers below persona and chat for a model; an empty path means the primary model.
  SettingsLayers layersFor(const QString& modelPath = {}) const;
  ResolvedSettings resolveFor(const ChatRecord& chat, const PersonaRecord* persona) const;

  /// `modelPath`; if that is empty, the path of the primary model, which may be empty too.
  QString pathOf(const QString& modelPath) const;
  QString modelName(const QString& modelPath = {}) const;

  /// The user's settings for a model.
  ModelSettings modelSettings(const QString& path) const { return m_session.modelSettings(path); }
  void putModelSettings(const ModelSettings& settings);
  /// Stores the sampling settings of a model, and keeps its other settings.
  void putGeneration(const QString& path, const GenerationSettings& generation);

 signals:
  /// The user's settings for a model have changed.
  void changed(const QString& path);

 private:
  const ModelManager& m_manager;
  DataSession& m_session;
  const RemoteModels* m_remote = nullptr;
};

}  // namespace quire
