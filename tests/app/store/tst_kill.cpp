#include <QTemporaryDir>
#include <QtTest>

#include <memory>

#include "tests/app/store/kill_harness.h"

using namespace quire;

/// Promise 4: what was reported as committed survives a kill at any moment.
class TestKill : public QObject {
  Q_OBJECT

 private slots:
  void kill_losesNothingThatWasCommitted() {
    const int kills = kill::numKills(50, 1000);
    QRandomGenerator random = kill::makeRandom();
    std::unique_ptr<QTemporaryDir> folder;
    int answers = 0;
    for (int i = 0; i < kills; ++i) {
      // Every tenth begins with an empty folder, and may be killed while it makes the database.
      const bool fromStart = i % 10 == 0;
      if (fromStart) folder = std::make_unique<QTemporaryDir>();
      const int moment = random.bounded(fromStart ? 60 : 200);
      kill::Promises promises;
      QString wrong = kill::runAndKill(KILL_WRITER, folder->path(), moment, fromStart, promises);
      if (wrong.isEmpty()) wrong = kill::verify(folder->path(), promises, &checkText);
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("kill %1 after %2 ms: %3").arg(i).arg(moment).arg(wrong)));
      answers += kill::countAnswers(promises);
    }
    qInfo("%d kills, %d answers checked", kills, answers);
    QVERIFY(answers > kills);
  }

 private:
  /// kill_writer repeats the answer's id.
  static QString checkText(const MessageRecord& answer) {
    const QString unit = QString::number(answer.id);
    const bool whole = answer.text == unit.repeated(answer.text.size() / unit.size());
    return whole ? QString() : "answer " + unit + " is torn";
  }
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
