// Paged attention of the CUDA backend under the SIMT harness: against a softmax in double, and bit
// for bit between batches, chunks, and shared or unshared pages.

#include <QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/kernels/cuda/gpu_attention_problem.h"

using namespace quire;
using namespace quire::test;

namespace {

/// A prefill from nothing, chunks behind a context, decodes at the edges of pages, of key blocks
/// and of splits, a sequence of one token.
const std::vector<AttentionSequence> kRagged = {{33, 33}, {1, 64}, {1, 65},  {7, 130}, {1, 1},
                                                {5, 20},  {1, 16}, {1, 257}, {3, 514}};

/// What rounding to halves costs: queries and weights are rounded once, by up to 2^-12 or 2^-9 of
/// themselves, and a score's error is that of the queries times its size. f8 and i8 pages are
/// multiplied exactly, as f16.
double bound_of(DType dtype, bool is_exact) {
  if (is_exact) return 4e-6;
  return dtype == DType::kBF16 ? 1.2e-2 : 1.5e-3;
}

/// Whether the kernel in f32 computes the case.
bool is_exact(const AttentionCase& c) {
  return c.dtype == DType::kF32 || c.D % 16 != 0 || c.D != c.value_dim();
}

std::vector<AttentionCase> cases() {
  std::vector<AttentionCase> all;
  const std::vector<DType> dtypes = {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3,
                                     DType::kI8};
  for (DType dtype : dtypes) all.push_back({2, 3, 64, dtype, {.scale = 0.125f}});
  for (DType dtype : dtypes) {
    all.push_back({1, 4, 128, dtype, {.scale = 0.1f, .sliding_window = 100}, 1.0f});
  }
  for (int D : {16, 80, 192, 256}) all.push_back({1, 2, D, DType::kF16, {.scale = 0.1f}});
  all.push_back(
      {1, 2, 256, DType::kBF16, {.scale = 0.06f, .sliding_window = 24, .soft_cap = 5.0f}});
  all.push_back({1, 2, 256, DType::kI8, {.scale = 0.06f}});
  all.push_back({1, 2, 96, DType::kF8E4M3, {.scale = 0.1f, .soft_cap = 3.0f}, 2.0f});
  for (int D : {13, 24, 72, 256}) {
    all.push_back({1, 2, D, DType::kF32, {.scale = 0.1f, .sliding_window = 70}});
  }
  for (DType dtype : {DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8})
    all.push_back({1, 2, 40, dtype, {.scale = 0.2f, .soft_cap = 2.0f}, 1.0f});
  for (int group : {1, 8, 71}) all.push_back({1, group, 64, DType::kF16, {.scale = 0.125f}});
  for (int window : {1, 16, 1000})
    all.push_back({1, 2, 64, DType::kF16, {.scale = 0.125f, .sliding_window = window}});
  for (int chunk : {1, 16, 100})
    all.push_back({1, 2, 64, DType::kF16, {.scale = 0.125f, .chunk_size = chunk}});
  all.push_back({1, 2, 24, DType::kF32, {.scale = 0.1f, .sliding_window = 70, .chunk_size = 101}});
  for (float sink : {-30.0f, 40.0f})
    all.push_back({1, 2, 64, DType::kF16, {.scale = 0.125f}, sink});
  // Latent attention: values narrower than keys, more heads than a tile has rows.
  for (DType dtype : dtypes) all.push_back({1, 5, 40, dtype, {.scale = 0.2f}, 0.0f, 24});
  for (DType dtype : dtypes) all.push_back({2, 3, 192, dtype, {.scale = 0.1f}, 0.0f, 128});
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kI8})
    all.push_back({1, 3, 576, dtype, {.scale = 0.06f}, 0.0f, 512});
  all.push_back({1, 20, 40, DType::kF16, {.scale = 0.2f}, 0.0f, 24});
  return all;
}

void add_cases(size_t step = 1) {
  QTest::addColumn<int>("index");
  const std::vector<AttentionCase> all = cases();
  for (size_t i = 0; i < all.size(); i += step) {
    const AttentionCase& c = all[i];
    QTest::addRow("%s Hkv=%d group=%d D=%d Dv=%d window=%d chunk=%d cap=%g sink=%g",
                  dtype_name(c.dtype).data(), c.Hkv, c.group, c.D, c.value_dim(),
                  c.params.sliding_window, c.params.chunk_size, double{c.params.soft_cap},
                  double{c.sink})
        << static_cast<int>(i);
  }
}

}  // namespace

class TestCudaAttention : public QObject {
  Q_OBJECT

 private slots:
  void attention_agreesWithDouble_data() { add_cases(); }
  void attention_agreesWithDouble() {
    QFETCH(int, index);
    const AttentionCase c = cases()[static_cast<size_t>(index)];
    const GpuAttentionProblem p(c, kRagged);
    const double bound = bound_of(c.dtype, is_exact(c));
    QCOMPARE_LE(largest_error(p.run(), p.reference()), bound);
  }

  void attention_givesARowTheSameBitsInAnyBatch_data() {
    add_cases(qEnvironmentVariableIsSet("QUIRE_LONG_TESTS") ? 1 : 4);
  }
  void attention_givesARowTheSameBitsInAnyBatch() {
    QFETCH(int, index);
    const GpuAttentionProblem p(cases()[static_cast<size_t>(index)], kRagged);
    QVERIFY(!check_parts(p, {1, 4}).empty());
  }

  /// A tree of sequences: decodes under one prefix, sequences that part inside and at the edge of a
  /// split, forks of forks, a speculated tail, a chunk behind the prefix, a prefix of others.
  void sharedPages_changeNoBit_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("window");
    for (int window : {0, 300, 530})
      QTest::addRow("f16 window=%d", window) << static_cast<int>(DType::kF16) << 64 << window;
    QTest::newRow("f32 window=300") << static_cast<int>(DType::kF32) << 64 << 300;
    QTest::newRow("i8") << static_cast<int>(DType::kI8) << 64 << 0;
    QTest::newRow("bf16 D=128") << static_cast<int>(DType::kBF16) << 128 << 0;
    QTest::newRow("f8 D=256") << static_cast<int>(DType::kF8E4M3) << 256 << 0;
  }
  void sharedPages_changeNoBit() {
    QFETCH(int, dtype);
    QFETCH(int, dim);
    QFETCH(int, window);
    const std::vector<AttentionSequence> tree = {
        {1, 790},         {1, 600, 0, 36}, {3, 530, 0, 32}, {1, 900, 1, 36}, {1, 880, 3, 48},
        {33, 640, 0, 32}, {2, 300},        {1, 513, 0, 32}, {1, 512, 0, 32}, {1, 270, 6, 16}};
    GpuAttentionProblem p(
        {1, 4, dim, static_cast<DType>(dtype), {.scale = 0.1f, .sliding_window = window}, 1.0f},
        tree);
    const std::vector<float> together = check_parts(p, {1});
    const bool is_exact = static_cast<DType>(dtype) == DType::kF32;
    QCOMPARE_LE(largest_error(together, p.reference()),
                bound_of(static_cast<DType>(dtype), is_exact));
    p.unshare();
    QVERIFY(same_bits(together, p.run()));
  }

  /// What lies before the window of a sequence's first row may have been given up.
  void pagesBeforeWindows_changeNoBit_data() {
    QTest::addColumn<int>("dtype");
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kI8, DType::kF8E4M3}) {
      QTest::newRow(dtype_name(dtype).data()) << static_cast<int>(dtype);
    }
  }
  void pagesBeforeWindows_changeNoBit() {
    QFETCH(int, dtype);
    for (const int window : {1, 33, 300}) {
      GpuAttentionProblem p(
          {1, 4, 64, static_cast<DType>(dtype), {.scale = 0.1f, .sliding_window = window}},
          {{1, 790}, {1, 600, 0, 36}, {33, 640, 0, 32}, {3, 530, 0, 32}, {1, 40}});
      const std::vector<float> before = p.run();
      p.forget_before_windows();
      QVERIFY(same_bits(before, p.run()));
    }
  }

  /// Calls with a window are planned by tables of their own: the others' seem all alike here.
  void windowTables_planCallsWithAWindow() {
    GpuAttentionProblem p({1, 4, 64, DType::kF16, {.scale = 0.1f, .sliding_window = 600}},
                          {{1, 790}, {1, 800}, {2, 700}});
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    const std::vector<float> expected = p.run(*gpu.queue, attention, p.whole());
    const GpuAttentionStep step(p, p.whole());
    step.begin_with_windows(attention, 0);
    step.run(attention);
    QVERIFY(same_bits(expected, step.out(*gpu.queue)));
  }

  void manySequencesUnderOnePrefix_changeNoBit() {
    std::vector<AttentionSequence> all = {{1, 530}};
    for (int i = 1; i < 40; ++i) all.push_back({1 + i % 2, 515 + i * 7 % 90, 0, 32});
    GpuAttentionProblem p({1, 4, 64, DType::kF16, {.scale = 0.125f}}, all);
    const std::vector<float> together = p.run();
    p.unshare();
    QVERIFY(same_bits(together, p.run()));
  }

  /// Contexts around the edges of pages, key blocks and splits, as decodes and as chunks.
  void contextsAroundEdges_data() {
    QTest::addColumn<int>("dtype");
    for (DType dtype : {DType::kF32, DType::kF16, DType::kF8E4M3})
      QTest::newRow(dtype_name(dtype).data()) << static_cast<int>(dtype);
  }
  void contextsAroundEdges() {
    QFETCH(int, dtype);
    std::vector<AttentionSequence> all;
    for (int edge : {16, 64, 256, 512, 1024}) {
      for (int context = edge - 1; context <= edge + 1; ++context)
        all.push_back({1 + context % 3, context});
    }
    all.push_back({1, 1100});
    all.push_back({1, 1540});
    const GpuAttentionProblem p({1, 2, 16, static_cast<DType>(dtype), {.scale = 0.3f}}, all);
    const std::vector<float> together = check_parts(p, {1});
    const bool is_exact = static_cast<DType>(dtype) == DType::kF32;
    QCOMPARE_LE(largest_error(together, p.reference()),
                bound_of(static_cast<DType>(dtype), is_exact));
  }

  /// Tall tiles of a long prefill, which fold their splits themselves.
  void longPrefills_haveTheBitsOfShortOnes_data() {
    QTest::addColumn<int>("dim");
    for (int dim : {64, 128, 256}) QTest::addRow("D=%d", dim) << dim;
  }
  void longPrefills_haveTheBitsOfShortOnes() {
    QFETCH(int, dim);
    const GpuAttentionProblem p({1, 4, dim, DType::kF16, {.scale = 0.1f}}, {{140, 700}, {1, 40}});
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    const std::vector<float> together = p.run(*gpu.queue, attention, p.whole());
    QCOMPARE_LE(largest_error(together, p.reference()), bound_of(DType::kF16, false));
    for (const AttentionPart part : {AttentionPart{0, 0, 60}, {0, 60, 80}, {0, 139, 1}, {0, 67, 2}})
      check_part(p, *gpu.queue, attention, together, part);
  }

  void theOrderOfThreads_changesNoBit_data() { add_dtypes(); }
  void theOrderOfThreads_changesNoBit() {
    QFETCH(int, dtype);
    const GpuAttentionProblem p({2, 4, 64, static_cast<DType>(dtype), {.scale = 0.125f}, 1.0f},
                                {{9, 600}, {1, 530, 0, 32}, {1, 300, 0, 16}, {40, 40}});
    const std::vector<float> in_order = p.run();
    for (uint64_t seed : {1, 2, 3}) {
      const TestGpu gpu(seed);
      cuda::PagedAttention attention(*gpu.queue);
      QVERIFY(same_bits(in_order, p.run(*gpu.queue, attention, p.whole())));
    }
  }

  /// sm_75: bf16 is multiplied as f16, and little shared memory makes keys and values take turns.
  void oldGpus_agreeWithDouble_data() { add_dtypes(); }
  void oldGpus_agreeWithDouble() {
    QFETCH(int, dtype);
    for (int dim : {64, 256}) {
      const GpuAttentionProblem p({1, 8, dim, static_cast<DType>(dtype), {.scale = 0.1f}},
                                  {{9, 300}, {1, 64}, {40, 40}});
      simt::Machine machine;
      machine.compute_capability = 75;
      simt::set_machine(machine);
      const auto queue = cuda::CommandQueue::create(0).value();
      cuda::PagedAttention attention(*queue);
      const std::vector<float> out = p.run(*queue, attention, p.whole());
      const bool is_exact = static_cast<DType>(dtype) == DType::kF32;
      QCOMPARE_LE(largest_error(out, p.reference()), bound_of(DType::kF16, is_exact));
      for (const AttentionPart part : {AttentionPart{0, 3, 1}, {2, 20, 4}})
        check_part(p, *queue, attention, out, part);
    }
  }

  void paddedRows_areZeros_data() { add_dtypes(); }
  void paddedRows_areZeros() {
    QFETCH(int, dtype);
    const GpuAttentionProblem p({1, 2, 64, static_cast<DType>(dtype), {.scale = 0.1f}, 1.0f},
                                {{1, 70}, {1, 600}});
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    const std::vector<float> alone = p.run(*gpu.queue, attention, p.whole());
    std::vector<float> padded = p.run(*gpu.queue, attention, p.whole(), 3);
    std::vector<float> expected = alone;
    expected.resize(padded.size(), 0.0f);
    QVERIFY(same_bits(padded, expected));
    QVERIFY(same_bits(p.run(*gpu.queue, attention, {}, 2), std::vector<float>(2 * 128, 0.0f)));
  }

  /// A captured step finds the plan of what the batch holds when it runs: other contexts, pages
  /// that are shared or not, states or none. The next step is announced while one runs.
  void capturedSteps_findLaterPlans() {
    const GpuAttentionProblem p({2, 4, 64, DType::kF16, {.scale = 0.125f}, 1.0f},
                                {{1, 900}, {1, 700, 0, 32}, {1, 70}, {1, 16}, {1, 1100}, {1, 257}});
    const std::vector<std::vector<AttentionPart>> steps = {
        {{2, 0, 1}, {3, 0, 1}, {5, 0, 1}},
        {{0, 0, 1}, {1, 0, 1}, {4, 0, 1}},
        {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}},
        {{0, 0, 1}, {2, 0, 1}, {3, 0, 1}},
    };
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    std::vector<std::vector<float>> expected;
    for (const auto& parts : steps) expected.push_back(p.run(*gpu.queue, attention, parts));

    cuda::PagedAttention captured(*gpu.queue);
    check_captured(p, *gpu.queue, captured, steps, expected);
  }

  void aNewKindUnderCapture_isRefused() {
    const GpuAttentionProblem p({1, 2, 64, DType::kF16, {.scale = 0.1f}}, {{1, 70}});
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    const GpuAttentionStep step(p, {{0, 0, 1}});
    step.begin(attention);
    QCOMPARE(cudaStreamBeginCapture(gpu.queue->stream(), cudaStreamCaptureModeThreadLocal),
             cudaSuccess);
    step.run(attention);
    QVERIFY(!gpu.queue->take_failure());
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(gpu.queue->stream(), &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }

  void attention_ofHugeNumbersIsNotNan() {
    // Scores far apart, and scores that vanish.
    for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      for (float scale : {1e30f, 1e35f, 1e-38f}) {
        const GpuAttentionProblem p({1, 2, 64, dtype, {.scale = scale}}, {{3, 70}});
        for (const float x : p.run()) QVERIFY(std::isfinite(x));
      }
    }
  }

 private:
  static void add_dtypes() {
    QTest::addColumn<int>("dtype");
    for (DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8})
      QTest::newRow(dtype_name(dtype).data()) << static_cast<int>(dtype);
  }

  /// Captures the first step after it ran once, and replays it for the others.
  static void check_captured(const GpuAttentionProblem& p, cuda::CommandQueue& queue,
                             cuda::PagedAttention& attention,
                             const std::vector<std::vector<AttentionPart>>& steps,
                             const std::vector<std::vector<float>>& expected) {
    GpuAttentionStep step(p, steps[0]);
    step.begin(attention);
    step.run(attention);
    cudaGraph_t graph = nullptr;
    QCOMPARE(cudaStreamBeginCapture(queue.stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
    step.run(attention);
    QCOMPARE(cudaStreamEndCapture(queue.stream(), &graph), cudaSuccess);
    cudaGraphExec_t exec = nullptr;
    QCOMPARE(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    for (size_t i = 0; i < steps.size(); ++i) {
      step.change(queue, steps[i]);
      step.begin(attention);
      QCOMPARE(cudaGraphLaunch(exec, queue.stream()), cudaSuccess);
      // Another plan is on its way before this one's step has run.
      GpuAttentionStep(p, steps[0]).begin(attention);
      QVERIFY2(same_bits(step.out(queue), expected[i]), qPrintable(QString("step %1").arg(i)));
    }
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  }

  /// The part alone in its batch has the bits that it has in the whole.
  static void check_part(const GpuAttentionProblem& p, cuda::CommandQueue& queue,
                         cuda::PagedAttention& attention, const std::vector<float>& together,
                         AttentionPart part) {
    const std::vector<float> alone = p.run(queue, attention, {part});
    const int64_t first = (p.first_row(part.sequence) + part.first) * p.row_floats();
    QVERIFY2(same_bits(alone.data(), together.data() + first, part.count * p.row_floats()),
             qPrintable(QString("rows %1 + %2 of sequence %3")
                            .arg(part.first)
                            .arg(part.count)
                            .arg(part.sequence)));
  }

  /// The whole batch; parts of each sequence, of those sizes, have the same bits, and so have all
  /// in another order.
  static std::vector<float> check_parts(const GpuAttentionProblem& p,
                                        const std::vector<int>& counts) {
    const TestGpu gpu;
    cuda::PagedAttention attention(*gpu.queue);
    const std::vector<float> together = p.run(*gpu.queue, attention, p.whole());
    std::vector<AttentionPart> mixed;
    for (const int count : counts) {
      for (size_t s = 0; s < p.sequences().size(); ++s) {
        const int rows = p.sequences()[s].rows;
        // The first and the last parts, and one in the middle.
        for (const int first : std::set{0, rows / 2 / count * count, (rows - 1) / count * count}) {
          const AttentionPart part{static_cast<int>(s), first, std::min(count, rows - first)};
          check_part(p, *gpu.queue, attention, together, part);
          mixed.insert(mixed.begin(), part);
        }
      }
    }
    const std::vector<float> shuffled = p.run(*gpu.queue, attention, mixed);
    int64_t at = 0;
    bool same = true;
    for (const AttentionPart& part : mixed) {
      const int64_t first = (p.first_row(part.sequence) + part.first) * p.row_floats();
      const int64_t count = part.count * p.row_floats();
      same = same && same_bits(shuffled.data() + at, together.data() + first, count);
      at += count;
    }
    if (!same) qWarning("rows in another order have other bits");
    return same ? together : std::vector<float>{};
  }
};

QTEST_APPLESS_MAIN(TestCudaAttention)
#include "tst_cuda_attention.moc"
