#include <QtTest>
#include <cmath>

#include "engine/io/gguf_weights.h"
#include "engine/quantize/compare_models.h"
#include "engine/quantize/measure_importance.h"
#include "tests/support/must.h"

using namespace quire;
using test::must;

namespace fs = std::filesystem;

namespace {

const fs::path kGguf = fs::path(QUIRE_SOURCE_DIR) / "tests/data/gguf";
const fs::path kBundled = fs::path(QUIRE_SOURCE_DIR) / "resources/models/quire-mini";
constexpr std::string_view kText =
    "The quick brown fox jumps over the lazy dog. A quire is a gathering of pages. 1 2 3 4 5 6 7";

}  // namespace

/// The mean squared inputs of matrices, seen by the CPU backend's observer.
class TestImportance : public QObject {
  Q_OBJECT

 private slots:
  void everyMatrix_hasColumns_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"llama.gguf", "qwen3_moe.gguf", "gpt_oss.gguf", "phi3.gguf"}) {
      QTest::newRow(file) << file;
    }
  }
  void everyMatrix_hasColumns() {
    QFETCH(QString, file);
    const fs::path path = kGguf / file.toStdString();
    const Importance importance = must(measure_importance(path, kText, {}));
    const auto weights = must(GgufWeights::open(path));
    int num_matrices = 0;
    for (const TensorInfo& tensor : weights->tensors()) {
      const bool is_table = tensor.name == "token_embd.weight";
      if (tensor.shape.size() < 2 || !tensor.name.ends_with("weight") || is_table) continue;
      const auto at = importance.columns.find(tensor.name);
      QVERIFY2(at != importance.columns.end(), tensor.name.c_str());
      const int64_t stack = tensor.shape.size() == 3 ? tensor.shape[0] : 1;
      QCOMPARE(static_cast<int64_t>(at->second.size()), stack * tensor.shape.back());
      for (const float value : at->second) QVERIFY(std::isfinite(value) && value >= 0.0f);
      ++num_matrices;
    }
    QVERIFY(num_matrices > 4);
    // Queries, keys and values read the same input.
    if (importance.columns.contains("blk.1.attn_q.weight")) {
      QCOMPARE(importance.columns.at("blk.1.attn_q.weight"),
               importance.columns.at("blk.1.attn_v.weight"));
    }
  }

  void threadsAndWindows_changeNothingOrLittle() {
    const fs::path path = kGguf / "llama.gguf";
    const Importance one = must(measure_importance(path, kText, {.num_threads = 1}));
    const Importance two = must(measure_importance(path, kText, {.num_threads = 2}));
    QVERIFY(one.columns == two.columns);
  }

  /// A folder's matrices have the names that its GGUF file would have.
  void folders_haveGgufNames() {
    if (!fs::exists(kBundled)) QSKIP("resources/models/quire-mini is not in this checkout");
    const Importance importance = must(measure_importance(kBundled, kText, {}));
    for (const char* name : {"token_embd.weight", "blk.0.attn_q.weight", "blk.5.ffn_down.weight"}) {
      QVERIFY2(importance.columns.contains(name), name);
    }
  }

  void theSameModel_doesNotDiverge() {
    const fs::path path = kGguf / "llama.gguf";
    const ModelComparison same = must(compare_models(path, path, kText, false, {}));
    QCOMPARE(same.mean_divergence, 0.0);
    QCOMPARE(same.perplexity, same.other_perplexity);
    QCOMPARE(same.same_top_fraction, 1.0);
  }

  void cancel_andShortTexts_areErrors() {
    const std::atomic<bool> cancelled = true;
    const fs::path path = kGguf / "llama.gguf";
    QCOMPARE(measure_importance(path, kText, {.cancelled = &cancelled}).error().code,
             ErrorCode::kCancelled);
    QCOMPARE(measure_importance(path, "", {}).error().code, ErrorCode::kInvalidArgument);
  }
};

QTEST_APPLESS_MAIN(TestImportance)
#include "tst_importance.moc"
