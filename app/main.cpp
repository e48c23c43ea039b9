// The window: composition root of the program `quire`.
#include <QCommandLineParser>
#include <QFile>
#include <QGuiApplication>
#include <QIcon>
#include <QScreen>
#include <QStandardPaths>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "app/app_model.h"
#include "app/bundled_model.h"
#include "app/desktop_link.h"
#include "app/end_signals.h"
#include "app/engine/engine_service.h"
#include "app/hub_link/hub_link.h"
#include "app/model_link.h"
#include "app/models/model_labels.h"
#include "app/models/scan/model_inspector.h"
#include "app/prefix_link.h"
#include "app/quantize_link.h"
#include "app/remote/keychain_store.h"
#include "app/remote/router_backend.h"
#include "app/remote_link.h"
#include "app/server/api_server.h"
#include "app/server_link.h"
#include "app/window.h"
#include "engine/tuning_file.h"

namespace {

struct Options {
  quire::EngineServiceOptions engine;
  quire::FirstModel firstModel;
  QString dataFolder;
  std::optional<int> prefixMebibytes;  ///< Not given: as the settings say.
};

QString translate(const char* text) {
  return QCoreApplication::translate("main", text);
}

/// A number, 0 or more; ends the program where it is none.
int countOf(const QCommandLineParser& parser, const QCommandLineOption& option) {
  bool isNumber = false;
  const int count = parser.value(option).toInt(&isNumber);
  if (isNumber && count >= 0) return count;
  qCritical(
      "%s",
      qPrintable(translate("--%1 must be a number, 0 or more.").arg(option.names().constFirst())));
  std::exit(2);
}

/// Reads the command line; ends the program where it is wrong or only asks for help.
Options parseOptions(const QCoreApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(
      translate("Many chats with language models on your own machine."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption model("model", translate("Folder or GGUF file of the model to load."),
                                 "PATH");
  const QCommandLineOption device(
      "device", translate("auto, cpu, cuda, cuda:N, or several: cuda:0+cuda:1."), "NAME", "auto");
  const QCommandLineOption threads("threads", translate("CPU threads; 0 takes all cores."), "N",
                                   "0");
  const QCommandLineOption context(
      "context", translate("Tokens a chat may hold; 0 is the model's own."), "N", "0");
  const QCommandLineOption data("data", translate("Folder of your chats."), "FOLDER",
                                QStandardPaths::writableLocation(QStandardPaths::AppDataLocation));
  const QCommandLineOption prefixCache(
      "prefix-cache-mb",
      translate("Disk space in MiB for what was computed, for personas and for chats each; 0 keeps "
                "nothing."),
      "N");
  parser.addOptions({model, device, threads, context, data, prefixCache});
  parser.addPositionalArgument("PATH", model.description(), "[PATH]");
  parser.process(application);
  const QStringList paths = parser.values(model) + parser.positionalArguments();
  if (paths.size() > 1) parser.showHelp(2);
  const int numThreads = countOf(parser, threads);
  const int contextLength = countOf(parser, context);
  const QString bundled = QString::fromStdString(quire::bundled_model_path().string());
  Options options;
  options.engine.bundledModelPath = bundled;
  options.firstModel = {
      .named = paths.value(0),
      .bundled = bundled,
      .bundledDraft = QString::fromStdString(quire::bundled_draft_path().string())};
  options.engine.backend.device = parser.value(device).toStdString();
  options.engine.backend.num_threads = numThreads;
  options.engine.engine.max_context = contextLength;
  options.dataFolder = parser.value(data);
  if (parser.isSet(prefixCache)) options.prefixMebibytes = countOf(parser, prefixCache);
  return options;
}

void nameApplication() {
  QCoreApplication::setApplicationName(QStringLiteral("quire"));
  QCoreApplication::setApplicationVersion(QStringLiteral(QUIRE_VERSION));
}

QByteArray personaPresets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Whether the program is only asked about itself, which needs no display.
bool asksForText(int argc, char** argv) {
  constexpr std::string_view kAsking[] = {"-h", "--help", "--help-all", "-v", "--version"};
  return std::any_of(argv + 1, argv + argc, [&](std::string_view argument) {
    return std::find(std::begin(kAsking), std::end(kAsking), argument) != std::end(kAsking);
  });
}

/// Whether there is a display to open a window on; without one Qt would abort.
bool hasDisplay([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#ifdef Q_OS_LINUX
  constexpr const char* kNaming[] = {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"};
  return !std::all_of(std::begin(kNaming), std::end(kNaming), qEnvironmentVariableIsEmpty) ||
         std::any_of(argv + 1, argv + argc,
                     [](std::string_view argument) { return argument.ends_with("-platform"); });
#else
  return true;
#endif
}

/// How a window ended.
struct Ending {
  int code = 1;
  bool isReopenWanted = false;
};

/// So long the window waits for the chats. It shows that they are being opened where that takes
/// longer: after a crash, or before a migration.
constexpr int kOpenMs = 150;

Ending runWindow(const QGuiApplication& application, Options options) {
  quire::keep_cpu_tunings(
      std::filesystem::path((options.dataFolder + "/cpu-tuning.json").toStdU16String()));
  const auto prefixes = quire::openPrefixDatabase(options.dataFolder);
  options.engine.engine.prefix_store = prefixes;
  const auto inspector = quire::makeInspector(options.dataFolder);
  options.engine.markerFolder = options.dataFolder;
  options.engine.trial = [inspector](const QString& path, const std::stop_token& stop) {
    return inspector->tryOut(path, stop);
  };
  quire::EngineService backend(options.engine);
  quire::KeychainStore secrets;
  quire::RemoteBackend remote(secrets);
  quire::RouterBackend router(backend, remote);
  quire::AppModel app({router, backend, backend.inspector()}, options.dataFolder, personaPresets());
  quire::linkRemote(app, remote, secrets);
  quire::linkHub(app, secrets);
  quire::linkDesktop(app);
  quire::ApiServer server(backend, backend, backend);
  quire::linkServer(app, server, secrets,
                    [&backend](const QString& path) { return backend.stats(path); });
  quire::linkPrefixDatabase(app, prefixes, options.prefixMebibytes);
  quire::linkModels(app, backend, options.firstModel, inspector);
  app.models()->quantizer()->setTools(
      quire::makeQuantizeTools(quire::promptsOf(personaPresets()), inspector));
  QObject::connect(app.library(), &quire::ChatLibrary::chatRemoved, &backend,
                   &quire::EngineService::forgetChat);
  QObject::connect(app.store(), &quire::StoreStatus::opened, &app, &quire::AppModel::greet);
  app.store()->open();
  app.store()->wait(kOpenMs);
  const QScreen* const screen = QGuiApplication::primaryScreen();
  const auto window = quire::openWindow(app, screen ? screen->availableSize() : QSize());
  if (!window) return {};
  QObject::connect(&application, &QCoreApplication::aboutToQuit, &app, &quire::AppModel::close);
  const int code = QGuiApplication::exec();
  return {code, app.store()->isReopenWanted()};
}

}  // namespace

int main(int argc, char** argv) {
  if (asksForText(argc, argv)) {
    const QCoreApplication application(argc, argv);
    nameApplication();
    parseOptions(application);
    return 0;
  }
  if (!hasDisplay(argc, argv)) {
    const QCoreApplication application(argc, argv);
    qCritical("%s", qPrintable(translate("There is no display to open a window on. In a terminal, "
                                         "quire-cli chat talks to the same models.")));
    return 1;
  }
  QGuiApplication application(argc, argv);
  nameApplication();
  QGuiApplication::setApplicationDisplayName(QStringLiteral("Quire"));
  const Options options = parseOptions(application);
  constexpr int kAnswerMs = 1500;
  const QString named = quire::model_labels::normalPath(options.firstModel.named);
  if (quire::RaiseRequest::askRunning(options.dataFolder, kAnswerMs, named)) return 0;
  quire::setUpLook();
  const quire::EndSignals endSignals;
  Ending ending = runWindow(application, options);
  while (ending.isReopenWanted) ending = runWindow(application, options);
  return ending.code;
}
