#include "app/window.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QFileInfo>
#include <QFont>
#include <QFontDatabase>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QIcon>
#include <QLocale>
#include <QQmlIncubationController>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QUrl>

#include "app/session/text_announcer.h"
#include "app/task_runner.h"

extern void qml_register_types_Quire();
extern void qml_register_types_Quire_Models();

namespace quire {
namespace {

/// Finishes incubating objects before it is destroyed: Qt 6.4 would leak them, with a warning.
class WindowEngine : public QQmlApplicationEngine {
 public:
  ~WindowEngine() override {
    constexpr int kLongestMs = 500;
    constexpr int kSliceMs = 20;
    QQmlIncubationController* controller = incubationController();
    const QDeadlineTimer deadline(kLongestMs);
    while (controller && controller->incubatingObjectCount() > 0 && !deadline.hasExpired())
      controller->incubateFor(kSliceMs);
  }
};

constexpr QSize kFirstSize(1200, 800);  ///< As in Main.qml.
constexpr int kTitleBarHeight = 40;     ///< Of most desktops; known only once a window is shown.

QVariantMap initialProperties(AppModel& app, QSize available) {
  const QSize stored = app.appearance()->windowSize();
  const QSize size = sizeOnScreen(stored.isEmpty() ? kFirstSize : stored, available);
  return {{QStringLiteral("app"), QVariant::fromValue(&app)},
          {QStringLiteral("width"), size.width()},
          {QStringLiteral("height"), size.height()}};
}

/// Shows the window in its new language: QML translates its own texts, and a TextAnnouncer has
/// those that C++ makes read again. A worker first lays out a few letters of the language, or the
/// window would wait for the disk to read the font of another script.
void followLanguage(AppModel& app, QQmlApplicationEngine& engine) {
  auto* tasks = new TaskRunner(&engine);
  auto* announcer = new TextAnnouncer(app, &engine);
  QObject::connect(app.language(), &InterfaceLanguage::changed, tasks, [=, &engine] {
    const auto readFont = [font = QGuiApplication::font()](std::stop_token) {
      const QString letters = QLocale().nativeLanguageName();
      double width = 0.0;
      for (const QFont::Weight weight : {QFont::Normal, QFont::Medium, QFont::DemiBold}) {
        QFont weighted = font;
        weighted.setWeight(weight);
        width += QFontMetricsF(weighted).horizontalAdvance(letters);
      }
      return width;
    };
    tasks->runNewest(readFont, [announcer, &engine](double) {
      engine.retranslate();
      announcer->announce();
    });
  });
}

/// Chooses Qt Quick's software renderer on Linux where nothing but OpenGL on the processor would be
/// left: that draws the whole window for each letter, the other one what changed, and the engine
/// needs the cores. What the environment says (QT_QUICK_BACKEND, QSG_RHI_BACKEND) goes before.
void chooseRenderer() {
#ifdef Q_OS_LINUX
  const bool isChosen =
      qEnvironmentVariableIsSet("QT_QUICK_BACKEND") || qEnvironmentVariableIsSet("QSG_RHI_BACKEND");
  if (isChosen || hasGraphicsProcessor(QStringLiteral("/dev"))) return;
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
#endif
}

}  // namespace

bool hasGraphicsProcessor(const QString& devices) {
  const QDir folder(devices);
  const QDir direct(folder.filePath(QStringLiteral("dri")));
  if (!direct.entryList({QStringLiteral("renderD*")}, QDir::Files | QDir::System).isEmpty()) {
    return true;
  }
  return folder.exists(QStringLiteral("nvidiactl")) || folder.exists(QStringLiteral("dxg"));
}

int addFonts(const QString& folder) {
  int numAdded = 0;
  for (const QFileInfo& font : QDir(folder).entryInfoList(
           {QStringLiteral("*.otf"), QStringLiteral("*.ttf")}, QDir::Files)) {
    if (QFontDatabase::addApplicationFont(font.filePath()) >= 0) ++numAdded;
  }
  return numAdded;
}

void setUpLook() {
  chooseRenderer();
  addFonts(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/quire/fonts"));
  QGuiApplication::setDesktopFileName(QStringLiteral("quire"));
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/quire/app/quire.svg")));
  QQuickStyle::setStyle(QStringLiteral("Basic"));
  QFont font(QStringLiteral("Inter"));
  font.setFamilies({QStringLiteral("Inter"), QStringLiteral("Noto Sans"),
                    QStringLiteral("sans-serif"), QStringLiteral("Noto Sans CJK KR")});
  font.setPixelSize(13);
  QGuiApplication::setFont(font);
}

void registerQmlTypes() {
  qml_register_types_Quire_Models();
  qml_register_types_Quire();
}

QSize sizeOnScreen(QSize wanted, QSize available) {
  if (available.isEmpty()) return wanted;
  return wanted.boundedTo({available.width(), available.height() - kTitleBarHeight});
}

std::unique_ptr<QQmlApplicationEngine> openWindow(AppModel& app, QSize available) {
  registerQmlTypes();
  auto engine = std::make_unique<WindowEngine>();
  engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
  engine->setInitialProperties(initialProperties(app, available));
  engine->load(QUrl(QStringLiteral("qrc:/qt/qml/Quire/Main.qml")));
  if (engine->rootObjects().isEmpty()) return nullptr;
  followLanguage(app, *engine);
  auto* window = qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
  QObject::connect(app.store(), &StoreStatus::opened, window, [&app, window, available] {
    const QSize size = app.appearance()->windowSize();
    if (!size.isEmpty()) window->resize(sizeOnScreen(size, available));
  });
  QObject::connect(app.notifier(), &AnswerNotifier::attentionWanted, window,
                   [window] { window->alert(0); });
  QObject::connect(&app, &AppModel::raiseRequested, window, [window](const QString& token) {
    // Qt takes the token for xdg-activation from there.
    if (!token.isEmpty()) qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
    window->show();
    window->raise();
    window->requestActivate();
  });
  return engine;
}

}  // namespace quire
