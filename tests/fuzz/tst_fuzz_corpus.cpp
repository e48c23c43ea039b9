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

 private slots:
  void corpus_keepsEveryPromise_data() {
    QTest::addColumn<int>("target");
    for (size_t i = 0; i < std::size(quire::fuzz::kTargets); ++i) {
      QTest::newRow(quire::fuzz::kTargets[i].name) << static_cast<int>(i);
    }
  }

  void corpus_keepsEveryPromise() {
    QFETCH(int, target);
    const auto& [name, run] = quire::fuzz::kTargets[target];
    std::vector<fs::path> paths;
    for (const auto& entry :
         fs::directory_iterator(fs::path(QUIRE_SOURCE_DIR "/tests/fuzz/corpus") / name)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    QVERIFY2(!paths.empty(), "no inputs are kept for this target");
    for (const fs::path& path : paths) {
      quire::fuzz::name_input(path.string());
      std::ifstream file(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      run(bytes);
    }
    qInfo("%zu inputs of %s", paths.size(), name);
  }
};

QTEST_APPLESS_MAIN(TestFuzzCorpus)
#include "tst_fuzz_corpus.moc"
