#include "app/window.h"

#include <QDeadlineTimer>
#include <QFont>
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
  // QML tells its own texts anew in one piece, not beside what chose the language; what C++ says
  // follows in slices.
  auto* announcer = new TextAnnouncer(app, engine.get());
  QObject::connect(
      app.language(), &InterfaceLanguage::changed, announcer,
      [announcer, qml = engine.get()] {
        qml->retranslate();
        announcer->announce();
      },
      Qt::QueuedConnection);
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
