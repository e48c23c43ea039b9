#include <QtTest>

#include "app/hub/hub_name.h"
#include "app/hub/hub_problem.h"
#include "app/hub/recommended_models.h"

using namespace quire;

namespace {

constexpr qint64 kGb = 1'000'000'000;

QList<qint64> sizesOf(const QList<RecommendedModel>& models) {
  QList<qint64> sizes;
  for (const RecommendedModel& model : models) sizes.append(model.bytes / kGb);
  return sizes;
}

QByteArray listWith(const QByteArray& model, const QByteArray& date = "2026-11-26") {
  return R"({"as_of":")" + date + R"(","models":[)" + model + "]}";
}

}  // namespace

/// What is offered to someone who has no model, and how errors are told apart by each face.
class RecommendedModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void sizes_areThreeThatFit() {
    QList<RecommendedModel> models;
    for (const qint64 gb : {1, 2, 4, 5, 12, 20}) {
      models.append({.name = "o/m", .bytes = gb * kGb, .freeBytes = gb * kGb + kGb});
    }
    QCOMPARE(sizesOf(chooseRecommended(models, 100 * kGb)), QList<qint64>({2, 5, 20}));
    QCOMPARE(sizesOf(chooseRecommended(models, 13 * kGb)), QList<qint64>({2, 5, 12}));
    QCOMPARE(sizesOf(chooseRecommended(models, 3 * kGb)), QList<qint64>({1, 2}));
    QVERIFY(chooseRecommended(models, kGb).isEmpty());
  }

  void data_isCompleteAndFits() {
    for (const qint64 free : {2 * kGb, 6 * kGb, 16 * kGb, 64 * kGb, 200 * kGb}) {
      const auto models = recommendedModels(free);
      QVERIFY(!models.isEmpty() && models.size() <= 3);
      for (const RecommendedModel& model : models) {
        QVERIFY2(readHubName(model.name), qPrintable(model.name));
        QVERIFY(model.asOf >= QDate(2026, 11, 26));
        // What pull estimates: the weights, a tenth, and half a gigabyte.
        QVERIFY2(model.freeBytes >= model.bytes + model.bytes / 10 + kGb / 2,
                 qPrintable(model.name));
        QVERIFY(model.freeBytes <= free);
      }
    }
    QCOMPARE(recommendedModels(16 * kGb).size(), 3);
    QVERIFY(recommendedModels(kGb / 2).isEmpty());
    QVERIFY(recommendedModels(16 * kGb, "ko").first().summary !=
            recommendedModels(16 * kGb).first().summary);
  }

  void damagedData_isRefused_data() {
    QTest::addColumn<QByteArray>("text");
    const QByteArray good =
        R"({"name":"o/m:Q4_0","title":"M","summary":{"en":"x"},"licence":"mit","bytes":5,"free_bytes":9})";
    QTest::newRow("no JSON") << QByteArray("{");
    QTest::newRow("no date") << listWith(good, "soon");
    QTest::newRow("no list") << QByteArray(R"({"as_of":"2026-11-26"})");
    QTest::newRow("no object") << listWith("7");
    QTest::newRow("name") << listWith(QByteArray(good).replace("o/m:Q4_0", "../x"));
    QTest::newRow("summary") << listWith(QByteArray(good).replace("\"en\"", "\"fr\""));
    QTest::newRow("size") << listWith(QByteArray(good).replace(":5,", ":-5,"));
    QTest::newRow("memory") << listWith(QByteArray(good).replace(":9}", ":4}"));
    QVERIFY(readRecommended(listWith(good), "en"));
  }
  void damagedData_isRefused() {
    QFETCH(QByteArray, text);
    QVERIFY(!readRecommended(text, "en"));
  }

  void problems_areTold() {
    QCOMPARE(problemOf(targetDiffers("/m")), HubProblem::kTargetDiffers);
    const Error space = noSpace("M", 5 * kGb, "/m", 1, 256);
    QCOMPARE(problemOf(space), HubProblem::kNoSpace);
    QCOMPARE(space.arguments.at(1), std::string("5.0 GB"));
    QCOMPARE(problemOf(needsConsent("h", "m", "p")), HubProblem::kNeedsConsent);
    QCOMPARE(problemOf(notAModel("f", "r", "d")), HubProblem::kNotAModel);
    QCOMPARE(problemOf(Error{ErrorCode::kIo, "else"}), HubProblem::kOther);
    for (const Error& error : {targetDiffers("/m"), space, folderNotWritable("a", "b"),
                               notMoved("a", "b"), noFolder(), needsConsent("h", "m", "p")}) {
      QVERIFY2(error.message.find("--") == std::string::npos &&
                   error.message.find("HF_TOKEN") == std::string::npos,
               error.message.c_str());
    }
  }
};

QTEST_GUILESS_MAIN(RecommendedModelsTest)
#include "tst_recommended_models.moc"
