#include "app/commands/command_list.h"

#include <QTest>

#include "app/commands/shortcut_list_model.h"

using namespace quire;

class CommandListTest : public QObject {
  Q_OBJECT

 private slots:
  void run_runsEnabledCommandsOnly() {
    CommandList list;
    int done = 0;
    bool enabled = false;
    list.add(
        {.id = "a", .text = "A", .run = [&] { ++done; }, .isEnabled = [&] { return enabled; }});
    list.add({.id = "told", .text = "Told", .keys = {"Return"}});
    list.run("a");
    QCOMPARE(done, 0);
    enabled = true;
    list.run("a");
    list.run("told");
    list.run("unknown");
    QCOMPARE(done, 1);
  }

  void keys_ofCommandsWithoutAction_areNotShortcuts() {
    CommandList list;
    list.add({.id = "told", .text = "Told", .keys = {"Return"}});
    list.add({.id = "b", .text = "B", .keys = {"Ctrl+N", "F5"}, .run = [] {}});
    const auto key = [&](int row, int role) { return list.data(list.index(row), role).toString(); };
    QCOMPARE(key(0, CommandList::kKey), QString());
    QCOMPARE(key(1, CommandList::kKey), QString("Ctrl+N"));
    QCOMPARE(key(1, CommandList::kOtherKey), QString("F5"));
    QCOMPARE(CommandList::keyText(*list.find("told")), QString("Return"));
  }

  void shortcutPage_groupsAndSearches() {
    CommandList list;
    list.add({.id = "a", .group = "One", .text = "Apple", .keys = {"F2"}});
    list.add({.id = "b", .group = "Two", .text = "Pear", .keys = {"F3"}});
    list.add({.id = "c", .group = "One", .text = "Plum", .keys = {"F4"}});
    list.add({.id = "d", .group = "One", .text = "No key"});
    ShortcutListModel page(list);
    const auto texts = [&] {
      QStringList all;
      for (int row = 0; row < page.rowCount(); ++row) {
        all.append(page.data(page.index(row), ShortcutListModel::kText).toString());
      }
      return all;
    };
    QCOMPARE(texts(), QStringList({"Apple", "Plum", "Pear"}));
    QVERIFY(!page.data(page.index(1), ShortcutListModel::kIsFirst).toBool());
    QVERIFY(page.data(page.index(2), ShortcutListModel::kIsFirst).toBool());
    page.setQuery("two");
    QCOMPARE(texts(), QStringList({"Pear"}));
    page.setQuery("f4 pl");
    QCOMPARE(texts(), QStringList({"Plum"}));
    page.setQuery("nothing");
    QVERIFY(page.isEmpty());
  }

  void fuzzyMatch_prefersWordStartsAndNeighbours() {
    const auto score = [](const QString& query, const QString& text) {
      const auto match = fuzzyMatch(query, text);
      return match ? match->score : -1;
    };
    QCOMPARE(score("xyz", "Theme: dark"), -1);
    QCOMPARE(score("dt", "Theme: dark"), -1);  // The order matters.
    QVERIFY(score("td", "Theme: dark") > score("td", "Shut down, instead"));
    QVERIFY(score("the", "Theme: dark") > score("the", "To have a name"));
    QVERIFY(score("N C", "New chat") > 0);
    QVERIFY(score("대화", "새 대화") > 0);
    QCOMPARE(fuzzyMatch("td", "Theme: dark")->positions, QList<int>({0, 7}));
  }

  void markedText_escapesAndMarks() {
    QCOMPARE(markedText("a<b>", {0, 1, 3}), QString("<b>a&lt;</b>b<b>&gt;</b>"));
    QCOMPARE(markedText("plain", {}), QString("plain"));
  }
};

QTEST_GUILESS_MAIN(CommandListTest)
#include "tst_command_list.moc"
