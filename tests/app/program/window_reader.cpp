// A plugin of Qt's that tells a test what the window of another process shows: Qt loads it where
// QT_QPA_GENERIC_PLUGINS names it.
#include <QDir>
#include <QGenericPlugin>
#include <QGuiApplication>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSaveFile>
#include <QTest>
#include <QTimer>

namespace {

constexpr int kIntervalMs = 100;

/// The texts of what is visible in the window, a line each.
QStringList shownTexts(const QQuickWindow& window) {
  QStringList texts;
  QList<QQuickItem*> items = {window.contentItem()};
  while (!items.isEmpty()) {
    const QQuickItem* item = items.takeLast();
    if (!item->isVisible()) continue;
    const QString text = item->property("text").toString();
    if (!text.isEmpty()) texts.append(text);
    items += item->childItems();
  }
  return texts;
}

}  // namespace

/// Ten times a second, presses Alt+2, which opens the page Models, and writes the texts of the
/// window to the file QUIRE_SHOWN_TEXTS.
class WindowReader : public QGenericPlugin {
  Q_OBJECT
  Q_PLUGIN_METADATA(IID QGenericPluginFactoryInterface_iid FILE "window_reader.json")

 public:
  QObject* create(const QString&, const QString&) override {
    auto* timer = new QTimer;
    connect(timer, &QTimer::timeout, timer, &WindowReader::read);
    timer->start(kIntervalMs);
    return timer;  // Qt's from here on.
  }

 private:
  static void read() {
    for (QWindow* at : QGuiApplication::topLevelWindows()) {
      auto* window = qobject_cast<QQuickWindow*>(at);
      if (!window || !window->isExposed()) continue;
      QTest::keyClick(window, Qt::Key_2, Qt::AltModifier);
      QSaveFile file(qEnvironmentVariable("QUIRE_SHOWN_TEXTS"));
      if (!file.open(QIODevice::WriteOnly)) continue;
      file.write(shownTexts(*window).join(u'\n').toUtf8());
      file.commit();
    }
  }
};

#include "window_reader.moc"
