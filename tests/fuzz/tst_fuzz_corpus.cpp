#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/support.h"

namespace fs = std::filesystem;

/// Every input that a fuzzer ever thought worth keeping, past crashers included, read once more by
/// an ordinary build. A broken promise aborts and says which.
class TestFuzzCorpus : public QObject {
  Q_OBJECT

  std::vector<quire::fuzz::NamedTarget> m_targets;

 private slots:
  void initTestCase() {
    m_targets.assign(std::begin(quire::fuzz::kTargets), std::end(quire::fuzz::kTargets));
#ifdef QUIRE_HAS_STORE
    m_targets.insert(m_targets.end(), std::begin(quire::fuzz::kAppTargets),
                     std::end(quire::fuzz::kAppTargets));
#endif
  }

  void corpus_keepsEveryPromise_data() {
    QTest::addColumn<int>("target");
    for (size_t i = 0; i < m_targets.size(); ++i) {
      QTest::newRow(m_targets[i].name) << static_cast<int>(i);
    }
  }

  void corpus_keepsEveryPromise() {
    QFETCH(int, target);
    const auto& [name, run] = m_targets[static_cast<size_t>(target)];
    std::vector<fs::path> paths;
    for (const auto& entry :
         fs::directory_iterator(fs::path(QUIRE_SOURCE_DIR "/tests/fuzz/corpus") / name)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    QVERIFY2(!paths.empty(), "no inputs are kept for this target");
    run({});  // What is prepared once is not the first input's to answer for.
    for (const fs::path& path : paths) {
      quire::fuzz::name_input(path.string());
      std::ifstream file(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      quire::fuzz::run_measured(run, bytes);
    }
    qInfo("%zu inputs of %s", paths.size(), name);
  }
};

QTEST_APPLESS_MAIN(TestFuzzCorpus)
#include "tst_fuzz_corpus.moc"
