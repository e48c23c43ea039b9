#include "tests/ui/gallery/stage.h"

#include <QCursor>
#include <QFile>
#include <QGuiApplication>
#include <QTest>

#include <chrono>

#include "tests/ui/gallery/sample_models.h"
#include "tests/ui/incubation.h"
#include "tests/ui/still_window.h"
#include "tests/ui/window_driver.h"

namespace quire::gallery {
namespace {

constexpr QSize kSize(1440, 900);
constexpr int kPatienceMs = 20'000;

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Pages and cards are made in slices: until their number stands still they are not all there. -1:
/// a pane is still being created.
int numItems(const QQuickWindow& window) {
  int count = 0;
  QList<QQuickItem*> items = {window.contentItem()};
  while (!items.isEmpty()) {
    const QQuickItem* item = items.takeLast();
    if (item->property("isAwaited").toBool()) return -1;
    items += item->childItems();
    ++count;
  }
  return count;
}

}  // namespace

Stage::Stage() {
  if (!m_folder.isValid()) qFatal("There is no folder for the pictures' data.");
  qputenv("HOME", path(QStringLiteral("home")).toUtf8());  // What the window calls "~".
}

Stage::~Stage() {
  close();
}

void Stage::close() {
  m_fullDisk.reset();
  m_window = nullptr;
  if (m_engine) finishIncubation(*m_engine);
  m_engine.reset();
  m_app.reset();
  m_pseudo.reset();
}

/// After the window's own language, which would be asked first otherwise.
void Stage::speakPseudo() {
  if (pseudoLanguage().isEmpty()) return;
  const bool isRightToLeft = pseudoLanguage() == QLatin1String("rtl");
  m_pseudo = std::make_unique<PseudoLanguage>(isRightToLeft);
  if (isRightToLeft) QGuiApplication::setLayoutDirection(Qt::RightToLeft);
  QCoreApplication::installTranslator(m_pseudo.get());
}

void Stage::makeWindow() {
  m_engine = openWindow(*m_app);
  if (!m_engine) qFatal("The window's QML does not load.");
  m_window = qobject_cast<QQuickWindow*>(m_engine->rootObjects().constFirst());
  m_window->resize(kSize);
  if (!QTest::qWaitForWindowExposed(m_window)) qFatal("The window does not appear.");
  m_window->requestActivate();
  QCursor::setPos(m_window->mapToGlobal(QPoint(2, kSize.height() / 2)));  // Over nothing.
}

void Stage::open(bool isGreeted) {
  close();
  m_app = std::make_unique<AppModel>(m_backend, dataFolder(), presets());
  speakPseudo();
  m_app->models()->setScanner(sampleScanner(path(QStringLiteral("home")), m_folder.path()));
  m_app->library()->clock().setImmediate(true);  // The pictures say how far an answer is.
  m_app->library()->setMaxReadWait(std::chrono::milliseconds(kPatienceMs));
  m_app->open();
  if (isGreeted) m_app->greet();
  m_app->appearance()->setThemeChoice(QStringLiteral("light"));
  makeWindow();
}

void Stage::openOn(const QString& dataFolder) {
  close();
  m_app = std::make_unique<AppModel>(m_backend, dataFolder, presets());
  speakPseudo();
  m_app->library()->clock().setImmediate(true);  // The pictures say how far an answer is.
  m_app->library()->setMaxReadWait(std::chrono::milliseconds(kPatienceMs));
  m_app->open();
  m_app->appearance()->setThemeChoice(QStringLiteral("light"));
  makeWindow();
}

void Stage::settle(int ms) const {
  QTest::qWait(ms);
}

void Stage::ask(const QString& message, const QString& answer, int ticks) {
  m_backend.queueAnswer(answer);
  const qsizetype before = m_backend.requests.size();
  chat().composer()->sendText(message);
  if (!QTest::qWaitFor([&] { return m_backend.requests.size() > before; }, kCommitMs))
    qFatal("Nothing was asked.");
  m_backend.advance(ticks);
  settle(20);
}

void Stage::fill() {
  serve(QStringLiteral("Qwen3-8B-Q4_K_M"));
  ask(words().haiku, words().haikuAnswer);
  newChat();
  ask(words().trip, words().tripAnswer);
  newChat();
  ask(words().letter, words().letterAnswer);
}

void Stage::choosePersona(int row) {
  const PersonaListModel& personas = *m_app->personas();
  chat().setPersona(personas.data(personas.index(row), PersonaListModel::kPersonaId).toLongLong());
}

void Stage::type(const QString& query) {
  m_app->quickOpen()->showSearch();
  m_app->quickOpen()->setQuery(query);
  settle(300);
}

QQuickItem* Stage::item(const QString& name) const {
  return findItem(*m_window, name);
}

QQuickItem* Stage::waitFor(const QString& name) const {
  QQuickItem* found = nullptr;
  const auto isThere = [&] { return (found = item(name)) && found->isVisible(); };
  if (!QTest::qWaitFor(isThere, kPatienceMs)) qFatal("There is no item %s.", qPrintable(name));
  return found;
}

/// Its middle in the window, once it stands still and no popup is coming or going.
QPoint Stage::placeOf(const QString& name) const {
  waitFor(name);
  settle();
  const auto look = [&] { return areAllOpen(shownPopups(*m_window)) ? item(name) : nullptr; };
  const auto at = placeOfStill(look, kPatienceMs);
  if (!at) qFatal("There is no item %s that stands still.", qPrintable(name));
  return *at;
}

void Stage::click(const QString& name, Qt::MouseButton button) {
  clickAt(placeOf(name), button);
}

void Stage::pointAt(const QString& name) {
  QTest::mouseMove(m_window, placeOf(name));
}

void Stage::clickAt(const QPoint& place, Qt::MouseButton button) {
  QCursor::setPos(m_window->mapToGlobal(place));  // Where menus open.
  QTest::mouseClick(m_window, button, Qt::NoModifier, place);
}

void Stage::serve(const QString& model) {
  m_backend.modelNameValue = model;
  m_backend.demonstration = false;
  m_backend.setState(ModelManager::State::Ready);
}

void Stage::rest() const {
  int before = -1;
  const auto isAtRest = [&] {
    settle(60);
    const int now = numItems(*m_window);
    return std::exchange(before, now) == now && now >= 0;
  };
  if (!QTest::qWaitFor(isAtRest, kPatienceMs)) qFatal("The window does not come to rest.");
}

QImage Stage::picture(const QString& theme) {
  m_app->appearance()->setThemeChoice(theme);
  settle(180);
  rest();
  return m_window->grabWindow();
}

QList<State> allStates() {
  return chatStates() + messageStates() + paneStates() + sidebarStates() + searchStates() +
         modelStates() + personaStates() + settingsStates() + engineStates() + dataStates() +
         remoteStates() + getModelsStates();
}

}  // namespace quire::gallery
