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

/// Says this in the composer, once there is one and it can be sent. False: not yet.
bool say(QQuickWindow& window, const QString& words) {
  QList<QQuickItem*> items = {window.contentItem()};
  while (!items.isEmpty()) {
    QQuickItem* item = items.takeLast();
    items += item->childItems();
    if (item->objectName() != QLatin1String("composerText") || !item->isVisible()) continue;
    window.requestActivate();
    item->forceActiveFocus();
    const auto text = [&] { return item->property("text").toString(); };
    for (const QChar c : text().isEmpty() ? words : QString())
      QTest::sendKeyEvent(QTest::Click, &window, Qt::Key_unknown, QString(c), Qt::NoModifier);
    QTest::keyClick(&window, Qt::Key_Return);
    return text().isEmpty();
  }
  return false;
}

/// Ten times a second, presses Alt+2, which opens the page Models, and writes the texts of the
/// window to the file QUIRE_SHOWN_TEXTS. With QUIRE_SAID it says that in the first chat instead.
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
      static QString said = qEnvironmentVariable("QUIRE_SAID");
      static const bool isToSpeak = !said.isEmpty();
      if (!isToSpeak) QTest::keyClick(window, Qt::Key_2, Qt::AltModifier);
      if (!said.isEmpty() && say(*window, said)) said.clear();
      QSaveFile file(qEnvironmentVariable("QUIRE_SHOWN_TEXTS"));
      if (!file.open(QIODevice::WriteOnly)) continue;
      file.write(shownTexts(*window).join(u'\n').toUtf8());
      file.commit();
    }
  }
};

#include "window_reader.moc"
