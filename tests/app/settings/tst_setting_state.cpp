#include <QSignalSpy>
#include <QTest>

#include "app/settings/setting_state.h"

using namespace quire;

/// When the row of a setting is there, and when it can be reset.
class SettingStateTest : public QObject {
  Q_OBJECT

 private slots:
  void row_isShownWithItsSection_andByASearch() {
    SettingsSearch search;
    SettingState row;
    QSignalSpy changed(&row, &SettingState::changed);
    row.setSearch(&search);
    row.setProperty("setting", "textSize");
    QVERIFY(row.isShown());
    changed.clear();
    search.open(static_cast<int>(SettingsSection::kEngine));
    QVERIFY(!row.isShown() && !changed.isEmpty());
    search.setQuery("font");
    QVERIFY(row.isShown());
    row.setProperty("isPossible", false);
    QVERIFY(!row.isShown());
  }

  void changedRow_isNotFoldedAway_butASearchDecides() {
    SettingsSearch search;
    SettingState row;
    row.setSearch(&search);
    row.setProperty("setting", "engine4");
    search.open(static_cast<int>(SettingsSection::kEngine));
    QVERIFY(!row.isShown());  // It is an advanced one.
    row.setProperty("isChanged", true);
    QVERIFY(row.isShown());
    search.setQuery("font");
    QVERIFY(!row.isShown());
  }

  void rowElsewhere_isFolded_unlessItIsChangedOrWrong() {
    SettingState row;
    QVERIFY(row.isShown());
    row.setProperty("isFolded", true);
    QVERIFY(!row.isShown());
    row.setProperty("problem", "This is a whole number.");
    QVERIFY(row.isShown());
  }

  void reset_isOffered_whereThereIsSomethingToReset() {
    SettingState row;
    QVERIFY(!row.canReset());
    row.setProperty("problem", "This is a whole number.");
    QVERIFY(!row.canReset());  // There is no default to go back to.
    row.setProperty("defaultText", "Default: 1");
    QVERIFY(row.canReset());
    row.setProperty("problem", "");
    QVERIFY(!row.canReset());
    row.setProperty("isChanged", true);
    QVERIFY(row.canReset());
  }
};

QTEST_MAIN(SettingStateTest)
#include "tst_setting_state.moc"
