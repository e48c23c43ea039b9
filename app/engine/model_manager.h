#pragma once

#include <QObject>

#include <optional>

#include "app/engine/model_state.h"
#include "app/engine/reply.h"

namespace quire {

/// The sampling parameters that a model's own files recommend (generation_config.json).
struct ModelSampling {
  std::optional<double> temperature = {};
  std::optional<double> topP = {};
  std::optional<int> topK = {};
};

/// A model as its files and its load describe it.
struct ModelDescription {
  QString name;
  QString fingerprint;
  QString deviceName;  ///< "CPU · AVX-512 · 2 threads".
  /// Why no GPU is used although one may be, or how the layers are spread; empty otherwise.
  QString deviceNote;
  QString draftName = {};        ///< The draft model that guesses for it; empty: none.
  QString draftNote = {};        ///< Why its draft model is not used; else empty.
  int contextLength = 0;         ///< Tokens; 0 until it is loaded.
  bool isDemonstration = false;  ///< The bundled little model.
  /// The default chat format of a model whose files have none: "ChatML"; else empty.
  QString defaultTemplate;
  ModelSampling sampling;
};

/// Loads, unloads and describes the models of the local engine.
///
/// The primary model is the one that was loaded or chosen last. It receives the requests that name
/// no model.
///
/// Thread: the window's. No call blocks.
class ModelManager : public QObject {
  Q_OBJECT

 public:
  /// Of the primary model. Unloaded: it is loaded again when a chat asks for it.
  enum class State { Loading, Ready, Failed, Unloaded };
  Q_ENUM(State)

  using QObject::QObject;

  virtual State state() const = 0;
  virtual QString stateText() const = 0;    ///< One sentence: what is loading, or why it failed.
  virtual double loadProgress() const = 0;  ///< 0 to 1 while loading.
  virtual ModelDescription primaryModel() const = 0;
  QString modelName() const { return primaryModel().name; }
  QString deviceName() const { return primaryModel().deviceName; }
  int contextLength() const { return primaryModel().contextLength; }
  /// Of the model with that path; of the primary one for an empty path.
  virtual ModelSampling defaultSampling(const QString& path = {}) const = 0;

  /// Loaded models, and those that are being loaded, failed or were unloaded; the primary one
  /// first, then in the order of their loads.
  virtual QList<ModelState> models() const = 0;
  /// Loads a model, which becomes the primary one when it is ready; what serves goes on until then,
  /// and if the load fails. One that is loaded already is loaded again if the request differs, and
  /// becomes the primary one at once if it does not. Another load for the same place is given up.
  virtual void loadModel(const LoadRequest& request) = 0;
  void loadModel(const QString& path) { loadModel(LoadRequest{.path = path}); }
  /// Cancels the load of that model. The model that served before continues to serve.
  virtual void cancelLoad(const QString& path) = 0;
  /// Frees a model's memory. Its running answers end and keep their text.
  virtual void unloadModel(const QString& path) = 0;
  virtual void setPrimaryModel(const QString& path) = 0;
  /// Plans a load without doing it.
  virtual void planLoad(const LoadRequest& request, Reply<LoadPlan> reply) = 0;
  /// Lists the devices of this computer.
  virtual void listDevices(Reply<QList<ComputeDevice>> reply) = 0;
  /// Unloads a model after so many minutes without a request; 0 (the default): never.
  virtual void setIdleUnload(int minutes) = 0;
  virtual int idleUnload() const = 0;
  /// The same for one model: 0 is never; nothing: as all.
  virtual void setIdleUnload(const QString& path, std::optional<int> minutes) = 0;
  /// How a model is loaded when a chat asks for it. An empty path sets the default for all models
  /// without a request of their own.
  virtual void setLoadRequest(const LoadRequest& request) = 0;

  /// Pauses all computation. Running answers continue afterwards, and new requests wait; cancel()
  /// still ends an answer immediately.
  virtual void setPaused(bool paused) = 0;
  virtual bool isPaused() const = 0;

 signals:
  void stateChanged();
  void pausedChanged();
  /// models() has changed; while a model loads about 10 times a second.
  void modelsChanged();
  /// The rates in models() have changed: of all models together, about twice a second while there
  /// is work, and once when it ends.
  void throughputChanged(double tokensPerSecond, int runningRequests);
};

}  // namespace quire
