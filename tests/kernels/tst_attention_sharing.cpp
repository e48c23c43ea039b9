// Backend::attention of sequences that have their first pages in common, or whose contexts are
// divided among threads: the same bits as alone and as with pages of their own.

#include <QTest>

#include "tests/kernels/attention_problem.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A tree of sequences, and some that share nothing: decodes under one prefix, one that parts
/// inside a key block and one that parts at its edge, forks of forks, a speculated tail, prefill
/// chunks short and long behind the prefix, a sequence that is a prefix of others.
const std::vector<AttentionSequence> kTree = {
    {1, 209},         {1, 230, 0, 12}, {3, 216, 0, 12}, {1, 300, 1, 14}, {1, 299, 3, 18},
    {33, 240, 0, 12}, {2, 70},         {1, 210, 0, 9},  {1, 140, 0, 8},  {1, 66, 6, 4},
    {5, 17},          {1, 1},          {1, 300, 3, 18}, {1, 195, 0, 12}, {7, 131, 0, 7},
};

/// One prefix of 21 blocks, which is no multiple of a key block, under `n` sequences.
std::vector<AttentionSequence> under_one_prefix(int n) {
  std::vector<AttentionSequence> all = {{1, 21 * kBlockSize + 5}};
  for (int i = 1; i < n; ++i) all.push_back({1 + i % 2, 21 * kBlockSize + 2 + i * 7 % 90, 0, 21});
  return all;
}

std::vector<AttentionCase> cases() {
  std::vector<AttentionCase> all;
  for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (int D : {64, 72, 128}) all.push_back({2, 2, D, dtype, {.scale = 0.125f}});
  }
  for (int group : {1, 3, 4, 7, 8}) all.push_back({2, group, 64, DType::kF16, {.scale = 0.125f}});
  all.push_back({1, 2, 256, DType::kBF16, {.scale = 0.0625f}});
  all.push_back({1, 33, 64, DType::kF32, {.scale = 0.125f}});
  for (int window : {3, 64, 100, 201, 4096}) {
    all.push_back({2, 2, 64, DType::kF16, {.scale = 0.2f, .sliding_window = window}});
  }
  all.push_back({2, 2, 64, DType::kF16, {.scale = 0.5f, .soft_cap = 2.0f}});
  all.push_back({2, 4, 64, DType::kBF16, {.scale = 0.3f}, 2.0f});
  all.push_back(
      {1, 8, 80, DType::kF32, {.scale = 0.3f, .sliding_window = 77, .soft_cap = 5.0f}, -1.0f});
  return all;
}

void add_cases() {
  QTest::addColumn<QString>("isa");
  QTest::addColumn<int>("index");
  const std::vector<AttentionCase> all = cases();
  for (const std::string& isa : instruction_sets()) {
    // The scalar variant never cuts a row, and takes most of the time.
    for (size_t i = 0; i < all.size(); i += isa == "scalar" ? 6 : 1) {
      const AttentionCase& c = all[i];
      QTest::addRow("%s %s Hkv=%d group=%d D=%d window=%d cap=%g sink=%g", isa.c_str(),
                    dtype_name(c.dtype).data(), c.Hkv, c.group, c.D, c.params.sliding_window,
                    double{c.params.soft_cap}, double{c.sink})
          << QString::fromStdString(isa) << static_cast<int>(i);
    }
  }
}

}  // namespace

class TestAttentionSharing : public QObject {
  Q_OBJECT

 private slots:
  void sharedPages_changeNoBit_data() { add_cases(); }
  void sharedPages_changeNoBit() {
    QFETCH(QString, isa);
    QFETCH(int, index);
    AttentionProblem p(cases()[static_cast<size_t>(index)], kTree);
    const std::vector<float> together = p.run(*make_backend(isa.toStdString(), 2));
    const auto one = make_backend(isa.toStdString(), 1);
    QCOMPARE_LE(largest_error(together, p.reference()), 2e-6);
    for (int s = 0; s < static_cast<int>(kTree.size()); ++s) {
      const int rows = kTree[static_cast<size_t>(s)].rows;
      for (int count : {1, rows}) {
        for (int first = 0; first < rows; first += count) {
          const std::vector<float> alone = p.run_rows(*one, s, first, count);
          QVERIFY2(
              same_bits(alone.data(), together.data() + (p.first_row(s) + first) * p.row_floats(),
                        count * p.row_floats()),
              qPrintable(QString("sequence %1 row %2").arg(s).arg(first)));
        }
      }
    }
    p.unshare();
    QVERIFY(same_bits(together, p.run(*one)));
  }

  void manySequencesUnderOnePrefix_changeNoBit_data() { add_instruction_sets(); }
  void manySequencesUnderOnePrefix_changeNoBit() {
    QFETCH(QString, isa);
    const AttentionCase shape = {2, 4, 64, DType::kF16, {.scale = 0.125f}};
    for (int n : {2, 9, 40}) {
      AttentionProblem p(shape, under_one_prefix(n));
      const std::vector<float> together = p.run(*make_backend(isa.toStdString(), 3));
      if (n < 40) QCOMPARE_LE(largest_error(together, p.reference()), 2e-6);
      p.unshare();
      QVERIFY(same_bits(together, p.run(*make_backend(isa.toStdString(), 1))));
    }
  }

  void forksDeeperThanTheRounds_changeNoBit_data() { add_instruction_sets(); }
  void forksDeeperThanTheRounds_changeNoBit() {
    QFETCH(QString, isa);
    std::vector<AttentionSequence> chain = {{1, 70}};
    for (int i = 1; i < 13; ++i) chain.push_back({1, 70 + 64 * i, i - 1, 4 * i});
    AttentionProblem p({1, 2, 64, DType::kBF16, {.scale = 0.125f}}, chain);
    const std::vector<float> together = p.run(*make_backend(isa.toStdString(), 2));
    QCOMPARE_LE(largest_error(together, p.reference()), 2e-6);
    p.unshare();
    QVERIFY(same_bits(together, p.run(*make_backend(isa.toStdString(), 1))));
  }

  void contextsDividedAmongThreads_changeNoBit_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("window");
    for (const std::string& isa : instruction_sets()) {
      for (int rows : {1, 9, 20}) {
        if (isa == "scalar" && rows > 1) continue;
        for (int window : {0, 500, 1150}) {
          QTest::addRow("%s rows=%d window=%d", isa.c_str(), rows, window)
              << QString::fromStdString(isa) << rows << window;
        }
      }
    }
  }
  void contextsDividedAmongThreads_changeNoBit() {
    QFETCH(QString, isa);
    QFETCH(int, rows);
    QFETCH(int, window);
    const AttentionCase shape = {
        1, 5, 64, DType::kF16, {.scale = 0.125f, .sliding_window = window}, 1.0f};
    AttentionProblem p(shape, {{rows, 1500}, {1, 1210, 0, 70}});
    const std::vector<float> one = p.run(*make_backend(isa.toStdString(), 1));
    QCOMPARE_LE(largest_error(one, p.reference()), 2e-6);
    for (int threads : {2, 16}) {
      QVERIFY(same_bits(one, p.run(*make_backend(isa.toStdString(), threads))));
    }
  }

 private:
  static void add_instruction_sets() {
    QTest::addColumn<QString>("isa");
    for (const std::string& isa : instruction_sets()) {
      QTest::newRow(isa.c_str()) << QString::fromStdString(isa);
    }
  }
};

QTEST_APPLESS_MAIN(TestAttentionSharing)
#include "tst_attention_sharing.moc"
