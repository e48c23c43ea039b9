// Draws the window at work with the bundled model, for the README: quire_model_picture FILE.png
// [dark]. What is in the picture is what the model writes. Not run by ctest.
#include <QGuiApplication>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>

#include "app/engine/engine_service.h"
#include "tests/support/bundled_model.h"
#include "tests/ui/window_driver.h"

namespace {

using namespace quire;

constexpr int kPatienceMs = 120'000;

/// Asks in a new chat of that persona (by its place in the list; -1: none) and waits for the
/// answer.
void ask(WindowDriver& driver, int persona, const QString& text, bool wait = true) {
  const PersonaListModel& personas = *driver.app().personas();
  driver.app().newChat();
  if (persona >= 0) {
    const QModelIndex index = personas.index(persona);
    driver.chat().setPersona(personas.data(index, PersonaListModel::kPersonaId).toLongLong());
  }
  driver.chat().sendText(text);
  if (wait && !QTest::qWaitFor([&] { return !driver.chat().isGenerating(); }, kPatienceMs)) {
    qFatal("No answer came.");
  }
}

QByteArray presets() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/resources/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool hasCharacters(const ChatModel& chat, int count) {
  return chat.conversation().find(chat.conversation().head())->text.size() >= count;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_QUICK_BACKEND", "software");
  QGuiApplication application(argc, argv);
  setUpLook();
  const QStringList arguments = QGuiApplication::arguments();
  QTemporaryDir folder;
  EngineServiceOptions options;
  options.modelPath = QString::fromStdString(bundled_model_folder());
  options.bundledModelPath = options.modelPath;
  EngineService engine(options);
  WindowDriver driver(engine, folder.path(), presets());
  driver.app().setThemeChoice(arguments.value(2, QStringLiteral("light")));
  driver.window()->resize(1440, 900);
  if (!QTest::qWaitFor([&] { return engine.state() == ChatBackend::State::Ready; }, kPatienceMs)) {
    qFatal("The model did not load: %s", qPrintable(engine.stateText()));
  }
  ask(driver, -1, "What is the capital of France?");
  ask(driver, 1, "Who are you?");
  ask(driver, 3, "Write a Python function that adds two numbers");
  ask(driver, -1, "Make a list of five fruits");
  ChatModel& shown = driver.chat();
  ask(driver, 5, "Tell me a long story about a bear", false);
  ask(driver, -1, "Tell me a short story about a fox", false);
  driver.app().openChat(shown.chatId());
  shown.sendText("Tell me a short story about a rabbit");
  if (!QTest::qWaitFor([&] { return hasCharacters(shown, 120); }, kPatienceMs))
    qFatal("No answer came.");
  QTest::qWait(30);
  std::printf("%s\n",
              driver.window()->grabWindow().save(arguments.value(1)) ? "written" : "NOT WRITTEN");
  return 0;
}
