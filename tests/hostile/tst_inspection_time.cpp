#include <QTemporaryDir>
#include <QTest>

#include "app/inspect/facts_request.h"
#include "engine/model_summary.h"
#include "kernels/base/work_budget.h"
#include "tests/hostile/folder_model.h"
#include "tests/hostile/hostile_folder.h"
#include "tests/support/thread_time.h"

using namespace quire;
using namespace std::chrono_literals;

namespace {

/// All time that it gives is spent.
void spendAll(std::chrono::milliseconds time) {
  WorkBudget budget({.cpu_time = time});
  while (budget.spend()) {
  }
}

}  // namespace

/// The steps of reading one model share their time: hostile files cannot add them up.
class InspectionTimeTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->path().toStdString();
    m_model = test::tinyFolder();
  }

  void patterns_takePart() {
    m_model.tokenizer["pre_tokenizer"] = {
        {"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "a+"}}}};
    m_model.write(m_path);
    const auto honest = inspect_model(m_path);
    QVERIFY(honest && honest->obstacles.empty());
    const SharedCpuTime shared(5ms);
    spendAll(10ms);
    const auto summary = inspect_model(m_path);
    QVERIFY(summary && !summary->obstacles.empty());
    const QString message = QString::fromStdString(summary->obstacles.front().message);
    QVERIFY2(message.contains("with what was read before, takes more than 5 ms"),
             qPrintable(message));
  }

  void templates_takePart() {
    m_model.write(m_path);
    test::writeFile(m_path / "chat_template.jinja", "{{ messages[0].content }}");
    QCOMPARE(inspect_model(m_path)->template_error, std::string());
    const SharedCpuTime shared(5ms);
    spendAll(10ms);
    const QString error = QString::fromStdString(inspect_model(m_path)->template_error);
    QVERIFY2(error.contains("with what was read before, takes more than 5 ms"), qPrintable(error));
  }

  /// The trial renders until its time is over, which others may have spent.
  void trial_takesPart() {
    m_model.write(m_path);
    test::writeFile(m_path / "chat_template.jinja",
                    "{% for i in range(90000) %}{% for j in range(90000) %}"
                    "{% set x = 'a' ~ i ~ 'b' ~ j %}{% endfor %}{% endfor %}");
    const auto took = [&] {
      const double before = test::thread_ms();
      const QString facts = QString::fromStdString(facts_of(m_path));
      QTest::qVerify(facts.contains("\"obstacle\":{}"), "", qPrintable(facts), __FILE__, __LINE__);
      return test::thread_ms() - before;
    };
    const double alone = took();
    const SharedCpuTime shared(50ms);
    const double together = took();
    qInfo("%.0f and %.0f ms", alone, together);
    QVERIFY(together < alone / 2);
  }

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
  std::filesystem::path m_path;
  test::FolderModel m_model;
};

QTEST_APPLESS_MAIN(InspectionTimeTest)
#include "tst_inspection_time.moc"
