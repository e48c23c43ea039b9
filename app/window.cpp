#include "app/window.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QFont>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QQmlIncubationController>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QSet>
#include <QThreadPool>
#include <QUrl>

#include "app/renderer.h"
#include "app/session/text_announcer.h"

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

/// The Korean syllables of the translations: pairs of bytes that look like one.
QString koreanSyllables() {
  QFile file(QStringLiteral(":/quire/translations/quire_ko.qm"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray bytes = file.readAll();
  QSet<QChar> found;
  for (qsizetype i = 0; i + 1 < bytes.size(); ++i) {
    const QChar letter(static_cast<uchar>(bytes[i + 1]), static_cast<uchar>(bytes[i]));
    if (letter.script() == QChar::Script_Hangul) found.insert(letter);
  }
  QString all;
  for (const QChar letter : std::as_const(found)) all.append(letter);
  return all;
}

/// The words of the window follow its language: QML tells its own texts anew in an event of its
/// own, what C++ says follows in slices. Before, another thread lays out the letters, or the window
/// would wait for the disk to read another script's font.
void followLanguage(AppModel& app, QQmlApplicationEngine& engine) {
  auto* announcer = new TextAnnouncer(app, &engine);
  auto* reader = new QThreadPool(announcer);
  reader->setMaxThreadCount(1);
  const auto tellAnew = [announcer, &engine] {
    engine.retranslate();
    announcer->announce();
  };
  const auto readFont = [announcer, reader, tellAnew, font = QGuiApplication::font()] {
    reader->start([announcer, tellAnew, font] {
      const QString letters = koreanSyllables();
      for (const QFont::Weight weight : {QFont::Normal, QFont::Medium, QFont::DemiBold}) {
        QFont weighted = font;
        weighted.setWeight(weight);
        QFontMetricsF(weighted).horizontalAdvance(letters);
      }
      QMetaObject::invokeMethod(announcer, tellAnew, Qt::QueuedConnection);
    });
  };
  QObject::connect(app.language(), &InterfaceLanguage::changed, announcer, readFont);
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
