#pragma once

#include <QtTest>

#include <optional>

#include "app/engine/engine_service.h"
#include "tests/app/engine/ask_engine.h"

namespace quire {

/// The state of the model at `path`; an empty one if there is none.
inline ModelState modelAt(const QList<ModelState>& models, const QString& path) {
  for (const ModelState& model : models) {
    if (model.path == path) return model;
  }
  return {};
}

/// Begins a load and cancels it as soon as weights are read. Returns the states of all models just
/// before; none if no weights were read.
inline std::optional<QList<ModelState>> cancelWhileReading(EngineService& service,
                                                           const LoadRequest& request) {
  std::optional<QList<ModelState>> before;
  const auto cancel = [&] {
    const QList<ModelState> models = service.models();
    if (before || modelAt(models, request.path).phase != LoadPhase::kWeights) return;
    before = models;
    service.cancelLoad(request.path);
  };
  const auto connection =
      QObject::connect(&service, &ModelManager::modelsChanged, &service, cancel);
  service.loadModel(request);
  static_cast<void>(QTest::qWaitFor([&] { return before.has_value(); }, kPatienceMs));
  QObject::disconnect(connection);
  return before;
}

}  // namespace quire
