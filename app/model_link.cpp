#include "app/model_link.h"

#include <QDir>
#include <QTimer>

#include <memory>

#include "app/models/model_words.h"
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
void fallBackOnce(AppModel& app, ChatBackend& backend, const QString& bundled) {
  auto once = std::make_unique<QObject>();
  QObject* const context = once.get();
  QObject::connect(&backend, &ChatBackend::stateChanged, context,
                   [&app, &backend, bundled, context] {
                     if (backend.state() == ChatBackend::State::Loading) return;
                     const bool failed = backend.state() == ChatBackend::State::Failed;
                     const QString sentence = backend.stateText();
                     context->deleteLater();
                     context->disconnect();
                     QObject::disconnect(&backend, nullptr, context, nullptr);
                     if (!failed) return;
                     app.models()->say(sentence);
                     backend.loadModel(app.models()->requestFor(bundled));
                   });
  once.release()->setParent(&app);
}

void loadFirst(AppModel& app, ChatBackend& backend, const FirstModel& first) {
  if (!first.named.isEmpty()) {
    return backend.loadModel(model_words::normalPath(first.named));
  }
  const QString last = app.models()->lastModel();
  if (last.isEmpty() || last == first.bundled) {
    return backend.loadModel(app.models()->requestFor(first.bundled));
  }
  fallBackOnce(app, backend, first.bundled);
  backend.loadModel(app.models()->requestFor(last));
}

}  // namespace

void linkModels(AppModel& app, ChatBackend& backend, const FirstModel& first) {
  app.models()->setScanner(makeScanner(app.session().folder()));
  QObject::connect(&app, &AppModel::storeChanged, &app, [&app, &backend, first] {
    if (!app.storeOpen()) return;
    loadFirst(app, backend, first);
    QTimer::singleShot(kFirstSearchMs, app.models(), &ModelLibrary::prepare);
  });
}

}  // namespace quire
