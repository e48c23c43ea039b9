#include <simt/control.h>

#include <QtTest>
#include <vector>

#include "kernels/base/dtype.h"
#include "kernels/cuda/device/async_copy.h"
#include "kernels/cuda/device/tensor_core.h"

namespace {

using quire::cuda::Half;

/// Device memory with a vector's content.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : m_count(values.size()) {
    cudaMalloc(&m_memory, m_count * sizeof(T));
    cudaMemcpy(m_memory, values.data(), m_count * sizeof(T), cudaMemcpyHostToDevice);
  }
  explicit OnDevice(size_t count) : OnDevice(std::vector<T>(count)) {}
  ~OnDevice() { cudaFree(m_memory); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* data() const { return m_memory; }
  std::vector<T> values() const {
    std::vector<T> values(m_count);
    cudaMemcpy(values.data(), m_memory, m_count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  size_t m_count;
  T* m_memory = nullptr;
};

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                   Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

__global__ void sum_rows(const float* x, float* out, int count) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = int(threadIdx.x); i < count; i += int(blockDim.x)) sum += x[blockIdx.x * count + i];
  sum = quire::cuda::warp_sum(sum);
  if (quire::cuda::lane_index() == 0) parts[quire::cuda::warp_index()] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) total += parts[warp];
  out[blockIdx.x] = total;
}

/// (16, 16) times (16, 8) of halves, both row by row.
template <Half kHalf>
__global__ void multiply(const uint16_t* a, const uint16_t* b, float* out) {
  const int lane = int(threadIdx.x);
  const int g = lane / 4;
  const int c = lane % 4 * 2;
  const auto pair = [](const uint16_t* first, int step) {
    return quire::cuda::pack_x2(first[0], first[step]);
  };
  const uint32_t fragment_a[4] = {pair(a + g * 16 + c, 1), pair(a + (g + 8) * 16 + c, 1),
                                  pair(a + g * 16 + c + 8, 1), pair(a + (g + 8) * 16 + c + 8, 1)};
  const uint32_t fragment_b[2] = {pair(b + c * 8 + g, 8), pair(b + (c + 8) * 8 + g, 8)};
  float d[4] = {1, 2, 3, 4};
  quire::cuda::mma_m16n8k16<kHalf>(d, fragment_a, fragment_b);
  for (int i = 0; i < 4; ++i) out[(g + i / 2 * 8) * 8 + c + i % 2] = d[i];
}

template <bool kIsTransposed>
__global__ void load_matrices(const uint4* x, uint32_t* out) {
  auto* const shared = quire::cuda::dynamic_shared<uint4>();
  const unsigned lane = threadIdx.x;
  quire::cuda::copy_async_16(shared + lane, x + lane);
  quire::cuda::copy_async_commit();
  quire::cuda::copy_async_wait<0>();
  __syncwarp();
  uint32_t r[4];
  if constexpr (kIsTransposed) {
    quire::cuda::load_matrix_x4_transposed(r, shared + lane);
  } else {
    quire::cuda::load_matrix_x4(r, shared + lane);
  }
  for (unsigned i = 0; i < 4; ++i) out[i * 32 + lane] = r[i];
}

}  // namespace

class TestSimt : public QObject {
  Q_OBJECT

 private slots:
  void init() { simt::set_machine({}); }
  void sum_overWarpsAndLanes();
  void product_everyLaneHasItsElements_data();
  void product_everyLaneHasItsElements();
  void loadMatrix_bothWays();
};

void TestSimt::sum_overWarpsAndLanes() {
  std::vector<float> x(3 * 1000);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 1000) + float(i / 1000);
  const OnDevice<float> on_device(x);
  const OnDevice<float> out(3);
  QCOMPARE(launch(&sum_rows, 3, 256, 0, on_device.data(), out.data(), 1000), cudaSuccess);
  QCOMPARE(out.values(), (std::vector<float>{499500, 500500, 501500}));
}

void TestSimt::product_everyLaneHasItsElements_data() {
  QTest::addColumn<bool>("is_bf16");
  QTest::newRow("f16") << false;
  QTest::newRow("bf16") << true;
}

void TestSimt::product_everyLaneHasItsElements() {
  QFETCH(bool, is_bf16);
  std::vector<uint16_t> a(16 * 16);
  std::vector<uint16_t> b(16 * 8);
  const auto number = [](size_t i) { return float(int(i * 37 % 23) - 11) / 4; };
  const auto half = [&](float x) { return is_bf16 ? quire::f32_to_bf16(x) : quire::f32_to_f16(x); };
  for (size_t i = 0; i < a.size(); ++i) a[i] = half(number(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = half(number(i + 5));
  const OnDevice<uint16_t> a_on_device(a);
  const OnDevice<uint16_t> b_on_device(b);
  const OnDevice<float> out(16 * 8);
  const auto kernel = is_bf16 ? &multiply<Half::kBF16> : &multiply<Half::kF16>;
  QCOMPARE(launch(kernel, 1, 32, 0, a_on_device.data(), b_on_device.data(), out.data()),
           cudaSuccess);
  const std::vector<float> found = out.values();
  for (size_t row = 0; row < 16; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      float expected = float(1 + row / 8 * 2 + column % 2);
      for (size_t k = 0; k < 16; ++k) expected += number(row * 16 + k) * number(k * 8 + column + 5);
      QCOMPARE(found[row * 8 + column], expected);
    }
  }
}

void TestSimt::loadMatrix_bothWays() {
  // Four matrices of 8 x 8: the element is 100 * matrix + 10 * row + column.
  std::vector<uint16_t> elements(4 * 64);
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = uint16_t(i / 64 * 100 + i / 8 % 8 * 10 + i % 8);
  }
  std::vector<uint4> rows(32);
  std::memcpy(rows.data(), elements.data(), 512);
  const OnDevice<uint4> x(rows);
  const OnDevice<uint32_t> out(4 * 32);
  for (const bool is_transposed : {false, true}) {
    const auto kernel = is_transposed ? &load_matrices<true> : &load_matrices<false>;
    QCOMPARE(launch(kernel, 1, 32, 512, x.data(), out.data()), cudaSuccess);
    const std::vector<uint32_t> found = out.values();
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t g = i % 32 / 4;
      const uint32_t c = i % 4 * 2;
      const uint32_t low = i / 32 * 100 + (is_transposed ? c * 10 + g : g * 10 + c);
      const uint32_t high = low + (is_transposed ? 10 : 1);
      QCOMPARE(found[i], low | high << 16);
    }
  }
}

QTEST_GUILESS_MAIN(TestSimt)
#include "tst_simt.moc"
