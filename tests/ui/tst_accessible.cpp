#include <QAccessible>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/fake_backend.h"
#include "tests/support/watched_test.h"
#include "tests/ui/ui_test_main.h"
#include "tests/ui/window_driver.h"

using namespace quire;

namespace {

QByteArray presets() {
  QFile file(QStringLiteral(":/quire/personas/presets.json"));
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isControl(const QQuickItem* item) {
  return item->activeFocusOnTab() || item->inherits("QQuickAbstractButton") ||
         item->inherits("QQuickComboBox") || item->inherits("QQuickSlider") ||
         item->inherits("QQuickTextField") || item->inherits("QQuickTextArea");
}

QString placeOf(const QQuickItem* item) {
  QStringList names;
  for (const QQuickItem* at = item; at && names.size() < 6; at = at->parentItem()) {
    const QString kind = QString(at->metaObject()->className()).section("_QML", 0, 0);
    names.prepend(at->objectName().isEmpty() ? kind : kind + " " + at->objectName());
  }
  return names.join(" > ");
}

/// All controls under `root` that can be seen.
void addControls(QQuickItem* root, QList<QQuickItem*>& found) {
  if (!root->isVisible() || root->width() * root->height() < 0) return;
  if (isControl(root)) found.append(root);
  for (QQuickItem* child : root->childItems()) addControls(child, found);
}

bool hasFrame(const QQuickItem* item) {
  if (QByteArray(item->metaObject()->className()).startsWith("FocusFrame"))
    return item->property("shown").toBool();
  const QList<QQuickItem*> children = item->childItems();
  return std::any_of(children.cbegin(), children.cend(), hasFrame);
}

}  // namespace

/// What people who do not see the window, or hold no mouse, have of it.
class AccessibleTest : public WatchedTest {
  Q_OBJECT

 protected:
  void prepare() override {
    m_folder = std::make_unique<QTemporaryDir>();
    m_backend = std::make_unique<FakeBackend>();
    m_driver = std::make_unique<WindowDriver>(*m_backend, m_folder->path(), presets());
    m_driver->window()->resize(1440, 900);
  }

  void tidyUp() override {
    m_driver.reset();
    m_backend.reset();
  }

 private slots:
  void controls_haveNamesAndRoles_data() { pages(); }
  void controls_haveNamesAndRoles() {
    show();
    QStringList wrong;
    const QList<QQuickItem*> all = controls();
    QVERIFY(all.size() >= 2);
    for (QQuickItem* item : all) {
      QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
      if (!face) {
        wrong.append("nothing: " + placeOf(item));
        continue;
      }
      if (face->text(QAccessible::Name).isEmpty()) wrong.append("no name: " + placeOf(item));
      if (face->role() == QAccessible::Client || face->role() == QAccessible::NoRole)
        wrong.append("no role: " + placeOf(item));
    }
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
  }

  void tab_reachesEveryControl_showsWhereItIs_andGoesRound_data() { pages(); }
  void tab_reachesEveryControl_showsWhereItIs_andGoesRound() {
    show();
    QSet<QQuickItem*> missing;
    for (QQuickItem* item : controls()) {
      if (item->activeFocusOnTab() && item->isEnabled()) missing.insert(item);
    }
    m_driver->press(Qt::Key_Tab);
    QQuickItem* first = m_driver->window()->activeFocusItem();
    QStringList unseen;
    for (int steps = 0; steps < 300; ++steps) {
      QQuickItem* at = m_driver->window()->activeFocusItem();
      QVERIFY(at);
      for (QQuickItem* reached = at; reached; reached = reached->parentItem())
        missing.remove(reached);  // A list is reached with its current row.
      if (at->inherits("QQuickAbstractButton") && !hasFrame(at)) unseen.append(placeOf(at));
      m_driver->press(Qt::Key_Tab);
      if (m_driver->window()->activeFocusItem() == first) break;
    }
    QCOMPARE(m_driver->window()->activeFocusItem(), first);
    QStringList names;
    for (QQuickItem* item : missing) names.append(placeOf(item));
    QVERIFY2(names.isEmpty(), qPrintable("Not reached:\n" + names.join("\n")));
    QVERIFY2(unseen.isEmpty(), qPrintable("No focus to be seen:\n" + unseen.join("\n")));
  }

  void buttons_arePressedByScreenReaders() {
    QAccessibleInterface* face =
        QAccessible::queryAccessibleInterface(m_driver->item("navSettings"));
    QVERIFY(face && face->actionInterface());
    QVERIFY(
        face->actionInterface()->actionNames().contains(QAccessibleActionInterface::pressAction()));
    face->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
    QCOMPARE(m_driver->app().navigation()->page(), Navigation::Page::Settings);
  }

  void answer_isToldBySentence_onceASecond() {
    m_driver->app().spokenAnswer()->setHeard([] { return true; });
    listen();
    m_backend->charactersPerTick = 1000;
    m_backend->queueAnswer("**First** one. Second one! And the third");
    m_driver->chat().composer()->sendText("Speak");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    const qint64 beginMs = m_clock.elapsed();
    m_backend->advance();
    QTRY_COMPARE(m_told.size(), 1);
    QCOMPARE(m_told[0], QString("First one. Second one!"));
    m_backend->advance(5);
    QTRY_COMPARE(m_told.size(), 2);
    QCOMPARE(m_told[1], QString("And the third"));
    const qint64 pauseMs = m_toldMs[1] - beginMs;  // The first telling may be noted late.
    // Its timer is a coarse one.
    QVERIFY2(pauseMs >= SpokenAnswer::kPauseMs * 3 / 4, qPrintable(QString::number(pauseMs)));
  }

  void nothingIsTold_whenNobodyListens_orOfAnotherPane() {
    listen();
    m_driver->chat().composer()->sendText("Speak");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_backend->advance(1000);
    QVERIFY(m_told.isEmpty());
    m_driver->app().spokenAnswer()->setHeard([] { return true; });
    m_driver->chat().composer()->sendText("Speak again");
    QTRY_COMPARE(m_backend->numRunning(), 1);
    m_driver->app().panes()->setCount(2);
    m_driver->app().panes()->setFocusedPane(1);
    m_backend->advance(1000);
    QCOMPARE(m_backend->numRunning(), 0);
    QVERIFY(m_told.isEmpty());
  }

 private:
  /// Keeps what the item that speaks is called each time it is told to. (Qt passes events on to
  /// update handlers only while a platform has a screen reader, which a test has not.)
  void listen() {
    m_told.clear();
    m_toldMs.clear();
    m_clock.start();
    connect(m_driver->app().spokenAnswer(), &SpokenAnswer::spoken, this, [this] {
      m_toldMs.append(m_clock.elapsed());
      QAccessibleInterface* speaker =
          QAccessible::queryAccessibleInterface(m_driver->item("spokenText"));
      m_told.append(speaker ? speaker->text(QAccessible::Name) : QString());
    });
  }
  void pages() {
    QTest::addColumn<int>("page");
    QTest::newRow("first run") << -1;
    QTest::newRow("chats") << int(Navigation::Page::Chats);
    QTest::newRow("personas") << int(Navigation::Page::Personas);
    QTest::newRow("models") << int(Navigation::Page::Models);
    QTest::newRow("engine") << int(Navigation::Page::Engine);
    QTest::newRow("settings") << int(Navigation::Page::Settings);
    QTest::newRow("shortcuts") << int(Navigation::Page::Shortcuts);
  }
  void show() {
    QFETCH(int, page);
    if (page < 0) {
      m_driver->app().greet();
    } else {
      m_driver->chat().composer()->sendText("Speak");
      QTRY_COMPARE(m_backend->numRunning(), 1);
      m_backend->advance(1000);
      m_driver->app().navigation()->setPage(Navigation::Page(page));
    }
    m_driver->finishPages();
    m_driver->settle(50);
  }
  QList<QQuickItem*> controls() {
    QList<QQuickItem*> found;
    addControls(m_driver->window()->contentItem(), found);
    return found;
  }

  QStringList m_told;
  QList<qint64> m_toldMs;  ///< When, since listen().
  QElapsedTimer m_clock;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<FakeBackend> m_backend;
  std::unique_ptr<WindowDriver> m_driver;
};

QUIRE_UI_TEST_MAIN(AccessibleTest)
#include "tst_accessible.moc"
