#include <QTest>

#include "app/panes/pane_titles.h"

using namespace quire;

class PaneTitlesTest : public QObject {
  Q_OBJECT

 private slots:
  void numberedLabels_numberOnlyWhatIsThereTwice_data() {
    QTest::addColumn<QStringList>("labels");
    QTest::addColumn<QStringList>("numbered");
    QTest::newRow("different") << QStringList{"Teacher", "Critic", ""}
                               << QStringList{"Teacher", "Critic", ""};
    QTest::newRow("same") << QStringList{"Teacher", "Critic", "Teacher"}
                          << QStringList{"Teacher 1", "Critic", "Teacher 2"};
    QTest::newRow("none") << QStringList{"", "", "Critic"} << QStringList{"1", "2", "Critic"};
  }
  void numberedLabels_numberOnlyWhatIsThereTwice() {
    QFETCH(QStringList, labels);
    QTEST(numberedLabels(labels), "numbered");
  }
};

QTEST_APPLESS_MAIN(PaneTitlesTest)
#include "tst_pane_titles.moc"
