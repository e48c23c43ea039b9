#include <simt/control.h>

#include <QTest>

#include <cmath>
#include <numeric>

#include "kernels/cuda/linear/gemm_task.h"
#include "tests/kernels/cuda/linear_test_support.h"

using namespace quire;
using namespace quire::test;

namespace {

/// Experts, and which of them each token takes.
struct ExpertProblem {
  std::vector<std::unique_ptr<LinearWeight>> experts;
  std::vector<int32_t> ids;  ///< (T, k)
  int64_t k;
  std::vector<float> x;       ///< (T, K), or (T k, K)
  std::vector<float> biases;  ///< (E, N), or empty

  int64_t num_rows() const { return static_cast<int64_t>(ids.size()); }
  int64_t num_outputs() const { return experts[0]->num_outputs(); }
  int64_t num_inputs() const { return experts[0]->num_inputs(); }
  int64_t rows_per_x() const { return num_rows() * num_inputs() / static_cast<int64_t>(x.size()); }
};

/// num_experts experts, that of number e with the parts that `parts` says.
template <typename Parts>
ExpertProblem make_problem(cuda::CommandQueue& queue, int num_experts, int64_t tokens, int64_t k,
                           Parts parts) {
  ExpertProblem problem;
  problem.k = k;
  for (int e = 0; e < num_experts; ++e) {
    std::vector<ConstTensorView> views;
    const std::vector<WeightNumbers> numbers = parts(e);
    for (const WeightNumbers& part : numbers) views.push_back(part.view());
    problem.experts.push_back(pack(queue, views));
  }
  Numbers numbers(5);
  for (int64_t token = 0; token < tokens; ++token) {
    // Different experts for each token, some of them chosen by many.
    const int first = numbers.below(2) == 0 ? 1 : numbers.below(num_experts);
    for (int64_t j = 0; j < k; ++j) {
      problem.ids.push_back(static_cast<int32_t>((first + 3 * j) % num_experts));
    }
  }
  problem.x = numbers.floats(tokens * problem.num_inputs());
  problem.biases = numbers.floats(num_experts * problem.num_outputs());
  return problem;
}

/// linear_experts() of the problem.
std::vector<float> run_experts(cuda::CommandQueue& queue, const ExpertProblem& problem) {
  const DeviceArray<int32_t> ids(problem.ids);
  const DeviceArray<float> x(problem.x);
  const DeviceArray<float> biases(problem.biases.empty() ? std::vector<float>(1) : problem.biases);
  const int64_t outputs = problem.num_outputs();
  const DeviceArray<float> out(
      std::vector<float>(static_cast<size_t>(problem.num_rows() * outputs), NAN));
  std::vector<const LinearWeight*> experts;
  for (const auto& expert : problem.experts) experts.push_back(expert.get());
  const auto num_experts = static_cast<int64_t>(experts.size());
  const int64_t num_x = static_cast<int64_t>(problem.x.size()) / problem.num_inputs();
  cuda::linear_experts(
      queue, TensorView(out.data(), DType::kF32, {problem.num_rows(), outputs}),
      ConstTensorView(x.data(), DType::kF32, {num_x, problem.num_inputs()}), experts,
      problem.biases.empty() ? ConstTensorView()
                             : ConstTensorView(biases.data(), DType::kF32, {num_experts, outputs}),
      ConstTensorView(ids.data(), DType::kI32, {problem.num_rows() / problem.k, problem.k}));
  const std::vector<float> numbers = out.numbers(queue);
  CHECK(queue.take_failure().has_value());
  return numbers;
}

/// The same with linear() of each row's expert.
std::vector<float> run_one_by_one(cuda::CommandQueue& queue, const ExpertProblem& problem) {
  std::vector<float> all;
  for (int64_t row = 0; row < problem.num_rows(); ++row) {
    const auto expert = static_cast<size_t>(problem.ids[static_cast<size_t>(row)]);
    const std::vector<float> x =
        rows_of(problem.x, problem.num_inputs(), row / problem.rows_per_x(), 1);
    const std::vector<float> bias =
        problem.biases.empty()
            ? std::vector<float>()
            : rows_of(problem.biases, problem.num_outputs(), static_cast<int64_t>(expert), 1);
    const std::vector<float> out = run_linear(queue, *problem.experts[expert], x, bias);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

}  // namespace

/// linear_experts() gives the bits that linear() with a row's expert gives.
class TestCudaExperts : public QObject {
  Q_OBJECT

 private slots:
  void rows_haveTheBitsOfTheirExperts_data();
  void rows_haveTheBitsOfTheirExperts();
  void everyFormat_isTaken_data();
  void everyFormat_isTaken();
  void rowsOfTheirOwn_areTaken();
  void heads_haveTheBitsOfLinear_data();
  void heads_haveTheBitsOfLinear();
  void experts_mayDifferInTheirParts();
  void experts_mayBeMoreThanALaunchNames();
  void experts_thatNobodyChose_areNotRead();
  void capturedSteps_areReplayed();

 private:
  cuda::CommandQueue& queue() {
    if (m_queue == nullptr) m_queue = make_quick_queue();
    return *m_queue;
  }

  std::unique_ptr<cuda::CommandQueue> m_queue;
};

void TestCudaExperts::heads_haveTheBitsOfLinear_data() {
  QTest::addColumn<DType>("dtype");
  QTest::addColumn<int>("copied");
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kQ8_0}) {
    for (int copied : {0, 8, 3}) {
      QTest::addRow("%s, %d copied", dtype_text(dtype).toUtf8().constData(), copied)
          << dtype << copied;
    }
  }
}
/// linear_heads() gives the bits that linear() with a head's weight gives, behind what is copied.
void TestCudaExperts::heads_haveTheBitsOfLinear() {
  QFETCH(DType, dtype);
  QFETCH(int, copied);
  constexpr int64_t H = 5, N = 24, K = 64;
  const ExpertProblem problem = make_problem(queue(), H, 1, 1, [&](int e) {
    return std::vector<WeightNumbers>{WeightNumbers(dtype, N, K, static_cast<uint32_t>(e))};
  });
  std::vector<const LinearWeight*> heads;
  for (const auto& head : problem.experts) heads.push_back(head.get());
  for (const int64_t T : {1, 3, 30}) {
    const std::vector<float> x = Numbers(7).floats(T * H * (copied + K));
    const DeviceArray<float> in(x);
    const DeviceArray<float> out(
        std::vector<float>(static_cast<size_t>(T * H * (copied + N)), NAN));
    cuda::linear_heads(queue(), TensorView(out.data(), DType::kF32, {T, H, copied + N}),
                       ConstTensorView(in.data(), DType::kF32, {T, H, copied + K}), heads);
    const std::vector<float> numbers = out.numbers(queue());
    QVERIFY(queue().take_failure().has_value());
    for (int64_t row = 0; row < T * H; ++row) {
      const std::vector<float> of_row = rows_of(x, copied + K, row, 1);
      std::vector<float> expected(of_row.begin(), of_row.begin() + copied);
      const std::vector<float> rest(of_row.begin() + copied, of_row.end());
      const std::vector<float> product =
          run_linear(queue(), *heads[static_cast<size_t>(row % H)], rest, {});
      expected.insert(expected.end(), product.begin(), product.end());
      QVERIFY(same_bits(rows_of(numbers, copied + N, row, 1), expected));
    }
  }
}

void TestCudaExperts::rows_haveTheBitsOfTheirExperts_data() {
  QTest::addColumn<DType>("dtype");
  QTest::addColumn<int>("num_experts");
  QTest::addColumn<int>("tokens");
  QTest::addColumn<int>("k");
  // The last ones take every shape of a GEMM: about 12, 25, 50 and 150 rows for an expert.
  for (DType dtype : {DType::kBF16, DType::kF32}) {
    const QByteArray name = dtype_text(dtype).toUtf8();
    QTest::addRow("%s, one token", name.constData()) << dtype << 16 << 1 << 4;
    QTest::addRow("%s, some tokens", name.constData()) << dtype << 8 << 5 << 2;
    QTest::addRow("%s, one expert", name.constData()) << dtype << 1 << 9 << 1;
    QTest::addRow("%s, 12 rows each", name.constData()) << dtype << 4 << 24 << 2;
    QTest::addRow("%s, 25 rows each", name.constData()) << dtype << 2 << 50 << 1;
  }
  QTest::newRow("bf16, 50 rows each") << DType::kBF16 << 2 << 50 << 2;
  QTest::newRow("bf16, 150 rows each") << DType::kBF16 << 4 << 300 << 2;
}
void TestCudaExperts::rows_haveTheBitsOfTheirExperts() {
  QFETCH(DType, dtype);
  QFETCH(int, num_experts);
  QFETCH(int, tokens);
  QFETCH(int, k);
  ExpertProblem problem = make_problem(queue(), num_experts, tokens, k, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(dtype, tokens == 300 ? 130 : 21, 70, 100 + e);
    return parts;
  });
  for (bool has_biases : {true, false}) {
    if (!has_biases) problem.biases.clear();
    const std::vector<float> actual = run_experts(queue(), problem);
    if (tokens < 300) {
      QVERIFY(same_bits(actual, run_one_by_one(queue(), problem)));
      continue;
    }
    // One by one would take too long: each expert for all tokens at once.
    for (size_t e = 0; e < problem.experts.size(); ++e) {
      const int64_t outputs = problem.num_outputs();
      const std::vector<float> bias =
          has_biases ? rows_of(problem.biases, outputs, static_cast<int64_t>(e), 1)
                     : std::vector<float>();
      const std::vector<float> all = run_linear(queue(), *problem.experts[e], problem.x, bias);
      for (int64_t row = 0; row < problem.num_rows(); ++row) {
        if (problem.ids[static_cast<size_t>(row)] != static_cast<int32_t>(e)) continue;
        QVERIFY(same_bits(&actual[static_cast<size_t>(row * outputs)],
                          &all[static_cast<size_t>(row / k * outputs)], outputs));
      }
    }
  }
}

void TestCudaExperts::everyFormat_isTaken_data() {
  QTest::addColumn<DType>("dtype");
  for (DType dtype : weight_dtypes()) QTest::addRow("%s", qPrintable(dtype_text(dtype))) << dtype;
}
void TestCudaExperts::everyFormat_isTaken() {
  QFETCH(DType, dtype);
  const ExpertProblem problem = make_problem(queue(), 3, 3, 2, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(dtype, 18, odd_inputs(dtype), 200 + e);
    return parts;
  });
  QVERIFY(same_bits(run_experts(queue(), problem), run_one_by_one(queue(), problem)));
}

void TestCudaExperts::rowsOfTheirOwn_areTaken() {
  // As the second projection does: x has a row for each token and expert.
  ExpertProblem problem = make_problem(queue(), 5, 6, 3, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(DType::kQ4_0, 33, 96, 300 + e);
    return parts;
  });
  problem.x = Numbers(9).floats(problem.num_rows() * 96);
  QCOMPARE(problem.rows_per_x(), int64_t{1});
  QVERIFY(same_bits(run_experts(queue(), problem), run_one_by_one(queue(), problem)));
}

void TestCudaExperts::experts_mayDifferInTheirParts() {
  const ExpertProblem problem = make_problem(queue(), 4, 10, 2, [&](int e) {
    std::vector<WeightNumbers> parts;
    if (e == 3) {
      parts.emplace_back(DType::kF32, 40, 256, 400);
      return parts;
    }
    parts.emplace_back(e == 1 ? DType::kQ6_K : DType::kQ4_K, 17, 256, 401 + e);
    parts.emplace_back(DType::kBF16, 3, 256, 411 + e);
    parts.emplace_back(DType::kQ4_K, 20, 256, 421 + e);
    return parts;
  });
  QVERIFY(same_bits(run_experts(queue(), problem), run_one_by_one(queue(), problem)));
}

void TestCudaExperts::experts_mayBeMoreThanALaunchNames() {
  ExpertProblem problem = make_problem(queue(), cuda::kExpertsOfLaunch + 30, 1, 3, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(DType::kF16, 4, 32, 500 + e);
    return parts;
  });
  problem.ids = {2, cuda::kExpertsOfLaunch + 29, cuda::kExpertsOfLaunch};
  QVERIFY(same_bits(run_experts(queue(), problem), run_one_by_one(queue(), problem)));
}

void TestCudaExperts::experts_thatNobodyChose_areNotRead() {
  ExpertProblem problem = make_problem(queue(), 6, 2, 2, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(DType::kF16, 16, 64, 600 + e);
    return parts;
  });
  problem.ids = {4, 1, 1, 4};
  const std::vector<float> expected = run_experts(queue(), problem);
  for (size_t e : {0, 2, 3, 5}) {
    // Where they were, nothing is: reading it would end the program.
    const auto& packed = static_cast<const cuda::PackedWeight&>(*problem.experts[e]);
    auto& segment = const_cast<cuda::LinearSegment&>(packed.segments()[0]);
    segment.data = reinterpret_cast<const uint8_t*>(uintptr_t{4096});
  }
  QVERIFY(same_bits(run_experts(queue(), problem), expected));
}

void TestCudaExperts::capturedSteps_areReplayed() {
  const ExpertProblem problem = make_problem(queue(), 8, 2, 2, [&](int e) {
    std::vector<WeightNumbers> parts;
    parts.emplace_back(DType::kBF16, 20, 64, 700 + e);
    return parts;
  });
  run_experts(queue(), problem);  // The workspace grows.
  const DeviceArray<int32_t> ids(std::vector<int32_t>(4));
  const DeviceArray<float> x(problem.x);
  const DeviceArray<float> out(std::vector<float>(4 * 20, NAN));
  std::vector<const LinearWeight*> experts;
  for (const auto& expert : problem.experts) experts.push_back(expert.get());

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  const cudaStream_t stream = queue().stream();
  QCOMPARE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  cuda::linear_experts(queue(), TensorView(out.data(), DType::kF32, {4, 20}),
                       ConstTensorView(x.data(), DType::kF32, {2, 64}), experts, ConstTensorView(),
                       ConstTensorView(ids.data(), DType::kI32, {2, 2}));
  QCOMPARE(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  QVERIFY(queue().take_failure().has_value());
  QCOMPARE(cudaGraphInstantiate(&step, graph, 0), cudaSuccess);
  for (const std::vector<int32_t>& choice : {std::vector{1, 7, 0, 3}, std::vector{5, 5, 2, 5}}) {
    QCOMPARE(cudaMemcpy(ids.data(), choice.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
    QCOMPARE(cudaGraphLaunch(step, stream), cudaSuccess);
    const std::vector<float> actual = out.numbers(queue());
    for (size_t row = 0; row < 4; ++row) {
      const std::vector<float> expected =
          run_linear(queue(), *problem.experts[static_cast<size_t>(choice[row])],
                     rows_of(problem.x, 64, static_cast<int64_t>(row) / 2, 1), {});
      QVERIFY(same_bits(&actual[row * 20], expected.data(), 20));
    }
  }
  cudaGraphExecDestroy(step);
  cudaGraphDestroy(graph);
}

QTEST_GUILESS_MAIN(TestCudaExperts)
#include "tst_cuda_experts.moc"
