#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>
#include <algorithm>
#include <numeric>
#include <random>

#include "tests/app/cli/cli_process.h"

using quire::CliResult;
using quire::runCli;

/// An answer does not depend on its neighbours: sixteen chats together, in any order, say what each
/// says alone, with every instruction set that this machine has.
class TestParallel : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { REQUIRE_BUNDLED_MODEL(); }
  void cleanup() { qunsetenv("QUIRE_CPU_ISA"); }
  void chats_answerAloneAsTogether_data();
  void chats_answerAloneAsTogether();
};

namespace {

/// Sixteen chats of different lengths; some share a system prompt, some have several turns.
QList<QByteArray> sixteenChats() {
  const QStringList questions = {"What is the capital of France?",
                                 "Hello!",
                                 "Who are you?",
                                 "Name three colours.",
                                 "What is 2 plus 3?",
                                 "Tell me a story."};
  QList<QByteArray> lines;
  for (int i = 0; i < 16; ++i) {
    QJsonArray messages;
    const auto say = [&](const char* role, const QString& text) {
      messages << QJsonObject{{"role", role}, {"content", text}};
    };
    if (i % 3 == 0) say("system", "You are a friendly helper who answers in one short sentence.");
    for (int turn = 0; turn < i % 4; ++turn) {
      say("user", questions[(i + turn) % questions.size()]);
      say("assistant", QString("That is answer number %1.").arg(i * turn));
    }
    say("user", questions[i % questions.size()] + QString(" (%1)").arg(i));
    lines << QJsonDocument(QJsonObject{{"messages", messages}}).toJson(QJsonDocument::Compact);
  }
  return lines;
}

/// The tokens of the answers to those lines, in their order; none if the program failed.
QList<QJsonArray> answers(const QList<QByteArray>& lines, int max_tokens) {
  const CliResult result = runCli({"generate", "--messages", "-", "--temperature", "0", "--json",
                                   "--max-tokens", QString::number(max_tokens)},
                                  lines.join('\n') + '\n');
  QList<QJsonArray> tokens;
  if (result.code != 0) return tokens;
  for (const QJsonObject& answer : result.jsonLines()) tokens << answer["tokens"].toArray();
  return tokens;
}

}  // namespace

void TestParallel::chats_answerAloneAsTogether_data() {
  QTest::addColumn<QByteArray>("isa");
  QTest::addColumn<int>("num_chats");
  QTest::addColumn<int>("max_tokens");
  QTest::newRow("the best one here") << QByteArray() << 16 << 24;
  QTest::newRow("avx512") << QByteArray("avx512") << 16 << 24;
  QTest::newRow("avx2") << QByteArray("avx2") << 16 << 24;
  // The oracle is slow.
  QTest::newRow("scalar") << QByteArray("scalar") << 4 << 3;
}

void TestParallel::chats_answerAloneAsTogether() {
  QFETCH(QByteArray, isa);
  QFETCH(int, num_chats);
  QFETCH(int, max_tokens);
  if (!isa.isEmpty()) qputenv("QUIRE_CPU_ISA", isa);
  const QByteArray device = runCli({"inspect", "--devices"}).out;
  if (!isa.isEmpty() && device.contains("cannot be used here: QUIRE_CPU_ISA")) {
    QSKIP("this processor lacks the instruction set");
  }
  const QList<QByteArray> lines = sixteenChats().mid(0, num_chats);
  const QList<QJsonArray> together = answers(lines, max_tokens);
  QCOMPARE(together.size(), num_chats);
  QVERIFY(std::none_of(together.begin(), together.end(),
                       [](const QJsonArray& tokens) { return tokens.isEmpty(); }));
  for (int i = 0; i < num_chats; ++i) {
    const QList<QJsonArray> alone = answers({lines[i]}, max_tokens);
    QCOMPARE(alone.size(), 1);
    QCOMPARE(alone[0], together[i]);
  }
  QList<int> order(num_chats);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(20261120));
  QList<QByteArray> shuffled;
  for (const int i : order) shuffled << lines[i];
  const QList<QJsonArray> reordered = answers(shuffled, max_tokens);
  QCOMPARE(reordered.size(), num_chats);
  for (int i = 0; i < num_chats; ++i) QCOMPARE(reordered[i], together[order[i]]);
}

QTEST_APPLESS_MAIN(TestParallel)
#include "tst_parallel.moc"
