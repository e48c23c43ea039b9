#include "app/model_link.h"

#include <QDir>
#include <QTimer>

#include <memory>

#include "app/models/model_labels.h"
#include "app/models/scan/model_reader.h"

namespace quire {
namespace {

constexpr int kFirstSearchMs = 3000;  ///< The window and the model come first.

std::unique_ptr<ModelScanner> makeScanner(const QString& dataFolder) {
  return std::make_unique<ModelScanner>(ModelScanner::Options{
      .reader = readModelFacts,
      .environment = systemEnvironment(),
      .cachePath = QDir(dataFolder).absoluteFilePath(QStringLiteral("models.json")),
      .readerVersion = modelReaderVersion()});
}

/// A model that is gone or damaged must not leave the window without one: the bundled model takes
/// its place, and the window says why.
void fallBackOnce(AppModel& app, ModelManager& manager, const QString& bundled) {
  auto once = std::make_unique<QObject>();
  QObject* const context = once.get();
  QObject::connect(&manager, &ModelManager::stateChanged, context,
                   [&app, &manager, bundled, context] {
                     if (manager.state() == ModelManager::State::Loading) return;
                     const bool failed = manager.state() == ModelManager::State::Failed;
                     const QString sentence = manager.stateText();
                     context->deleteLater();
                     context->disconnect();
                     QObject::disconnect(&manager, nullptr, context, nullptr);
                     if (!failed) return;
                     app.models()->say(sentence);
                     manager.loadModel(app.models()->requestFor(bundled));
                   });
  once.release()->setParent(&app);
}

void loadFirst(AppModel& app, ModelManager& manager, const FirstModel& first) {
  if (!first.named.isEmpty()) {
    return manager.loadModel(model_labels::normalPath(first.named));
  }
  const QString last = app.models()->lastModel();
  if (last.isEmpty() || last == first.bundled) {
    return manager.loadModel(app.models()->requestFor(first.bundled));
  }
  fallBackOnce(app, manager, first.bundled);
  manager.loadModel(app.models()->requestFor(last));
}

}  // namespace

void linkModels(AppModel& app, ModelManager& manager, const FirstModel& first) {
  app.models()->setScanner(makeScanner(app.session().folder()));
  QObject::connect(app.store(), &StoreStatus::opened, &app, [&app, &manager, first] {
    loadFirst(app, manager, first);
    QTimer::singleShot(kFirstSearchMs, app.models(), &ModelLibrary::prepare);
  });
}

}  // namespace quire
