#include "app/model_link.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QTimer>

#include <memory>

#include "app/engine/load_marker.h"
#include "app/models/model_labels.h"
#include "app/models/scan/model_inspector.h"
#include "app/models/scan/model_reader.h"

namespace quire {
namespace {

constexpr int kFirstSearchMs = 3000;  ///< The window and the model come first.

struct ModelLinkTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::ModelLinkTexts)
};

std::unique_ptr<ModelScanner> makeScanner(const QString& dataFolder,
                                          const std::shared_ptr<ModelInspector>& inspector) {
  ModelScanner::Options options = {
      .reader = readModelFacts,
      .environment = systemEnvironment(),
      .cachePath = QDir(dataFolder).absoluteFilePath(QStringLiteral("models.json")),
      .readerVersion = modelReaderVersion()};
  if (inspector) {
    options.reader = [inspector](const QString& path) { return inspector->read(path); };
    options.forget = [inspector](const QString& path) { inspector->forget(path); };
  }
  return std::make_unique<ModelScanner>(std::move(options));
}

QString sentenceOf(const LoadMarker::Unfinished& load) {
  const QString name = QFileInfo(load.path).fileName();
  return load.isSameBoot ? ModelLinkTexts::tr(
                               "Quire ended while it was loading %1, so that it is not loaded "
                               "automatically. The page Models loads it again.")
                               .arg(name)
                         : ModelLinkTexts::tr(
                               "Loading %1 was interrupted, so that it is not loaded "
                               "automatically. The page Models loads it again.")
                               .arg(name);
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
  if (const auto load = LoadMarker(app.session().folder()).unfinished();
      load && load->path == last) {
    app.models()->say(sentenceOf(*load));
    return manager.loadModel(app.models()->requestFor(first.bundled));
  }
  fallBackOnce(app, manager, first.bundled);
  manager.loadModel(app.models()->requestFor(last));
}

}  // namespace

std::shared_ptr<ModelInspector> makeInspector(const QString& dataFolder) {
  const QDir programs(QCoreApplication::applicationDirPath());
  return std::make_shared<ModelInspector>(ModelInspector::Options{
      .program = programs.filePath(QStringLiteral("quire-inspect")),
      .verdictsPath = QDir(dataFolder).absoluteFilePath(QStringLiteral("verdicts.json")),
      .readerVersion = modelReaderVersion()});
}

void linkModels(AppModel& app, ModelManager& manager, const FirstModel& first,
                const std::shared_ptr<ModelInspector>& inspector) {
  app.models()->setScanner(makeScanner(app.session().folder(), inspector));
  app.models()->offerDraft(first.bundledDraft);
  if (inspector) {  // Or the end would wait for a file that is being read.
    QObject::connect(qApp, &QCoreApplication::aboutToQuit, &app,
                     [inspector] { inspector->stop(); });
  }
  QObject::connect(app.store(), &StoreStatus::opened, &app, [&app, &manager, first, inspector] {
    if (inspector && inspector->isProgramMissing()) {
      app.models()->say(ModelLinkTexts::tr(
          "The program quire-inspect is missing beside Quire, so that models are "
          "read without its protection. Install Quire again."));
    }
    loadFirst(app, manager, first);
    QTimer::singleShot(kFirstSearchMs, app.models(), &ModelLibrary::prepare);
  });
}

}  // namespace quire
