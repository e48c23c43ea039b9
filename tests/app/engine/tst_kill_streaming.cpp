#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "tests/app/store/kill_harness.h"

using namespace quire;

/// Promise 4 with the engine: a kill while answers stream loses nothing that was committed, and
/// what is left of an answer is its beginning.
class TestKillStreaming : public QObject {
  Q_OBJECT

 private slots:
  void kill_leavesTheBeginningOfEachAnswer() {
    const QString model =
        qEnvironmentVariable("QUIRE_TEST_MODEL", QUIRE_SOURCE_DIR "/resources/models/quire-mini");
    if (!QFile::exists(model + "/model.safetensors")) QSKIP("The bundled model is not there.");
    const int kills = kill::numKills(20, 400);
    QRandomGenerator random = kill::makeRandom();
    const QTemporaryDir folder;
    int answers = 0;
    for (int i = 0; i < kills; ++i) {
      const int moment = random.bounded(1000);
      kill::Promises promises;
      QString wrong = kill::runAndKill(KILL_STREAMER, folder.path(), moment, false, promises);
      const auto check = [this](const MessageRecord& answer) { return checkText(answer); };
      if (wrong.isEmpty()) wrong = kill::verify(folder.path(), promises, check);
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("kill %1 after %2 ms: %3").arg(i).arg(moment).arg(wrong)));
      answers += kill::countAnswers(promises);
    }
    qInfo("%d kills, %d answers checked", kills, answers);
    QVERIFY(answers >= kills);
  }

 private:
  /// Answers to one question (they share a seed) are all beginnings of the longest.
  QString checkText(const MessageRecord& answer) {
    QString& longest = m_longest[answer.seed];
    const auto common = qMin(longest.size(), answer.text().size());
    if (longest.left(common) != answer.text().left(common))
      return "two answers to one question differ";
    if (answer.text().size() > common) longest = answer.text();
    return {};
  }

  QHash<quint64, QString> m_longest;
};

QTEST_GUILESS_MAIN(TestKillStreaming)
#include "tst_kill_streaming.moc"
