// Draws the pages of personas and settings in their states, for the eye:
// quire_settings_pictures FOLDER [light|dark] [state...]. Not run by ctest.
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <functional>
#include <map>

#include "tests/support/fake_backend.h"
#include "tests/ui/window_driver.h"

namespace {

using namespace quire;

QByteArray presets() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/resources/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void ask(FakeBackend& backend, WindowDriver& driver, const QString& message) {
  const qsizetype before = backend.requests.size();
  driver.chat().sendText(message);
  if (!QTest::qWaitFor([&] { return backend.requests.size() > before; })) {
    qFatal("Nothing was asked.");
  }
  backend.advance(1000);
}

/// Chats under the first personas, some of which are warm.
void fill(FakeBackend& backend, WindowDriver& driver) {
  const QList<PersonaRecord> personas = driver.app().personas()->personas();
  backend.personaReports[personas[0].systemPrompt] = {
      .tokens = 1037, .residentTokens = 1024, .sharingChats = 3, .bytesSaved = quint64{256} << 20};
  backend.personaReports[personas[1].systemPrompt] = {.tokens = 214, .diskTokens = 208};
  backend.personaReports[personas[2].systemPrompt] = {
      .tokens = 388, .residentTokens = 384, .sharingChats = 1};
  for (const int persona : {0, 0, 0, 2}) {
    driver.app().newChatUnder(personas[persona].id);
    ask(backend, driver, "Why does a page table beat one big contiguous cache?");
  }
  driver.app().personaLibrary()->addPreset("critic");
  driver.app().personaLibrary()->addPreset("planner");
  driver.app().personaLibrary()->setPinned(personas[0].id, true);
}

void openPersonas(FakeBackend& backend, WindowDriver& driver) {
  fill(backend, driver);
  driver.app().setPage(AppModel::Page::Personas);
  QTest::qWait(100);
}

using Draw = std::function<void(FakeBackend&, WindowDriver&)>;

const std::map<QString, Draw>& states() {
  static const std::map<QString, Draw> kStates = {
      {"personas", openPersonas},
      {"personas-search",
       [](FakeBackend& b, WindowDriver& d) {
         openPersonas(b, d);
         d.app().personaLibrary()->shown()->setSearchText("accountant");
       }},
      {"personas-deleted",
       [](FakeBackend& b, WindowDriver& d) {
         openPersonas(b, d);
         d.app().personaLibrary()->remove(d.app().personas()->personas()[4].id);
       }},
      {"persona-new",
       [](FakeBackend& b, WindowDriver& d) {
         openPersonas(b, d);
         d.app().personaLibrary()->create();
       }},
      {"persona-edit",
       [](FakeBackend& b, WindowDriver& d) {
         openPersonas(b, d);
         d.app().personaLibrary()->edit(d.app().personas()->personas()[0].id);
         PersonaEditor& editor = *d.app().personaLibrary()->editor();
         editor.setPrompt(editor.prompt() + " Never use a formula.");
         QTest::qWait(400);
       }},
      {"persona-presets",
       [](FakeBackend& b, WindowDriver& d) {
         openPersonas(b, d);
         d.click("presetButton");
       }},
      {"settings",
       [](FakeBackend& b, WindowDriver& d) {
         fill(b, d);
         b.setModels({{.path = "/m.gguf", .name = "quire-mini", .primary = true}});
         d.app().settings()->generation()->set(0, "0.9");
         d.app().setPage(AppModel::Page::Settings);
       }},
      {"settings-end",
       [](FakeBackend& b, WindowDriver& d) {
         fill(b, d);
         d.app().settings()->setChatMiB("much");
         d.app().setPage(AppModel::Page::Settings);
         QTest::qWait(300);
         d.item("settingsPage")->setProperty("contentY", 420);
       }},
      {"chat-settings",
       [](FakeBackend& b, WindowDriver& d) {
         fill(b, d);
         d.app().chatSettings()->open(&d.chat());
         d.app().chatSettings()->generation()->set(0, "1.1");
         d.app().chatSettings()->generation()->set(2, "-4");
       }},
      {"welcome", [](FakeBackend&, WindowDriver& d) { d.app().newChat(); }},
  };
  return kStates;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_QUICK_BACKEND", "software");
  QGuiApplication application(argc, argv);
  setUpLook();
  const QStringList arguments = QGuiApplication::arguments();
  const QString folder = arguments.value(1, QStringLiteral("."));
  const QString theme = arguments.value(2, QStringLiteral("light"));
  QDir().mkpath(folder);
  for (const auto& [name, draw] : states()) {
    if (arguments.size() > 3 && !arguments.mid(3).contains(name)) continue;
    QTemporaryDir data;
    FakeBackend backend;
    WindowDriver driver(backend, data.path(), presets());
    driver.app().setThemeChoice(theme);
    driver.window()->resize(1440, 900);
    draw(backend, driver);
    QTest::qWait(500);
    const QString path = QStringLiteral("%1/%2-%3.png").arg(folder, name, theme);
    std::printf("%s %s\n", qPrintable(path),
                driver.window()->grabWindow().save(path) ? "" : "NOT WRITTEN");
  }
  return 0;
}
