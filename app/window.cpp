#include "app/window.h"

#include <QDeadlineTimer>
#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QQmlIncubationController>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QUrl>

#include "app/renderer.h"
#include "app/viewmodels/session/text_announcer.h"

extern void qml_register_types_Quire();
extern void qml_register_types_Quire_Models();

namespace quire {
namespace {

/// Finishes what is being made in slices before it goes: Qt 6.4 forgets to end that, and says so.
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

QVariantMap initialProperties(AppModel& app) {
  QVariantMap properties = {{QStringLiteral("app"), QVariant::fromValue(&app)}};
  if (app.windowWidth() > 0 && app.windowHeight() > 0) {
    properties.insert(QStringLiteral("width"), app.windowWidth());
    properties.insert(QStringLiteral("height"), app.windowHeight());
  }
  return properties;
}

/// The words of the window follow its language, each piece in an event of its own: the font of
/// another script is found and opened, QML tells its own texts anew, and what C++ says in slices.
void followLanguage(AppModel& app, QQmlApplicationEngine& engine) {
  auto* announcer = new TextAnnouncer(app, &engine);
  const InterfaceLanguage& language = *app.language();
  const auto openFonts = [&language] {
    const QFontMetricsF metrics{QGuiApplication::font()};
    for (const QString& name : language.names()) metrics.horizontalAdvance(name);
  };
  const auto tellAnew = [announcer, &engine] {
    engine.retranslate();
    announcer->announce();
  };
  QObject::connect(&language, &InterfaceLanguage::changed, announcer, openFonts,
                   Qt::QueuedConnection);
  QObject::connect(&language, &InterfaceLanguage::changed, announcer, tellAnew,
                   Qt::QueuedConnection);
}

}  // namespace

void setUpLook() {
  chooseRenderer();
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

std::unique_ptr<QQmlApplicationEngine> openWindow(AppModel& app) {
  registerQmlTypes();
  auto engine = std::make_unique<WindowEngine>();
  engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
  engine->setInitialProperties(initialProperties(app));
  engine->load(QUrl(QStringLiteral("qrc:/qt/qml/Quire/Main.qml")));
  if (engine->rootObjects().isEmpty()) return nullptr;
  followLanguage(app, *engine);
  auto* window = qobject_cast<QQuickWindow*>(engine->rootObjects().constFirst());
  QObject::connect(&app, &AppModel::raiseRequested, window, [window](const QString& token) {
    // Where Qt looks for the desktop's leave to take the focus (xdg-activation).
    if (!token.isEmpty()) qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
    window->show();
    window->raise();
    window->requestActivate();
  });
  return engine;
}

}  // namespace quire
