#include "kernels/cuda/linear/cublas_gemm.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/linear/inputs.h"
#include "kernels/cuda/weights/linear_packer.h"

namespace quire::cuda {
namespace {

/// The fewest rows for which cuBLAS is used. Estimated for an H200, not measured. Unpacking writes
/// 2 bytes for each weight and the GEMM reads them again: 0.4 (if all is in L2) to 0.8 ps per
/// weight. A GEMM of T rows computes 2 T FLOP per weight: 2.9 T fs with cuBLAS at 70 % of the
/// chip's 990 TFLOP/s, with Quire's own kernels (many_rows.h) 4.5 T fs for 16-bit weights and 3.6 T
/// fs for quantised ones, of which less is read. So cuBLAS breaks even between 260 and 510 rows for
/// the former and between 500 and 1,100 for the latter.
constexpr int kFewestRowsOfHalves = 512;
constexpr int kFewestRowsOfQuantised = 1024;

/// NVIDIA's recommendation for cublasSetWorkspace: 32 MiB from Hopper on, 4 MiB before.
size_t workspace_bytes(const GpuFacts& facts) {
  return size_t{facts.compute_capability >= 90 ? 32u : 4u} << 20;
}

/// The runtime's error for a status of cuBLAS.
cudaError_t cuda_status(int cublas_status) {
  switch (cublas_status) {
    case CublasLibrary::kSuccess:
      return cudaSuccess;
    case CublasLibrary::kAllocFailed:
      return cudaErrorMemoryAllocation;
    case CublasLibrary::kExecutionFailed:
      return cudaErrorLaunchFailure;
    case CublasLibrary::kNotSupported:
      return cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
  }
}

std::vector<std::string> candidate_files() {
  if (const char* const named = std::getenv("QUIRE_CUBLAS_LIBRARY"); named != nullptr) {
    return {named};
  }
#ifdef QUIRE_SIMT_HARNESS
  // cuBLAS cannot use the harness's GPU.
  return {};
#else
  // The driver supports this runtime's major version, so cuBLAS of that version works as well.
  const std::string own = std::to_string(CUDART_VERSION / 1000);
  return {"libcublas.so." + own, "libcublas.so.13", "libcublas.so.12"};
#endif
}

Error unsupported(const std::string& why) {
  return {ErrorCode::kUnsupported, "cuBLAS cannot be loaded (" + why +
                                       "): install it with CUDA's libraries, or name its file in "
                                       "QUIRE_CUBLAS_LIBRARY."};
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Result<CublasLibrary> find_functions(void* handle, const std::string& file) {
  CublasLibrary library = {};
  const bool has_all = find(handle, "cublasCreate_v2", library.create) &&
                       find(handle, "cublasDestroy_v2", library.destroy) &&
                       find(handle, "cublasSetStream_v2", library.set_stream) &&
                       find(handle, "cublasSetWorkspace_v2", library.set_workspace) &&
                       find(handle, "cublasGemmEx", library.gemm);
  if (!has_all) return unsupported(file + " lacks its functions");
  return library;
}

}  // namespace

Result<CublasLibrary> load_cublas() {
  std::string why = "the GPU is none of NVIDIA's";
  for (const std::string& file : candidate_files()) {
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return find_functions(handle, file);
    const char* const words = dlerror();
    why = words != nullptr ? words : file;
  }
  return unsupported(why);
}

Result<std::unique_ptr<CublasGemm>> CublasGemm::open(CommandQueue& queue) {
  const Result<CublasLibrary> library = load_cublas();
  if (!library) return library.error();
  return create(queue, *library);
}

Result<std::unique_ptr<CublasGemm>> CublasGemm::create(CommandQueue& queue,
                                                       const CublasLibrary& library,
                                                       size_t slice_bytes) {
  std::unique_ptr<CublasGemm> cublas(new CublasGemm(queue, library));
  for (auto [buffer, bytes] : {std::pair(&cublas->m_slice, slice_bytes),
                               std::pair(&cublas->m_workspace, workspace_bytes(queue.facts()))}) {
    auto memory = allocate_device(queue, bytes);
    if (!memory) return memory.error();
    *buffer = std::move(*memory);
  }
  if (const int status = cublas->start(); status != CublasLibrary::kSuccess) {
    return Error{ErrorCode::kUnsupported, "cuBLAS does not start on this GPU (status " +
                                              std::to_string(status) +
                                              "): install the version that belongs to the driver."};
  }
  return std::unique_ptr<CublasGemm>(std::move(cublas));
}

int CublasGemm::start() {
  m_queue.activate();
  int status = m_library.create(&m_handle);
  if (status != CublasLibrary::kSuccess) {
    m_handle = nullptr;
    return status;
  }
  status = m_library.set_stream(m_handle, m_queue.stream());
  if (status != CublasLibrary::kSuccess) return status;
  // After set_stream, which resets the workspace. With a workspace of its own, cuBLAS would
  // allocate memory within captured steps.
  return m_library.set_workspace(m_handle, m_workspace->data(), m_workspace->size_bytes());
}

CublasGemm::~CublasGemm() {
  m_queue.activate();
  // A destructor cannot report failures.
  if (m_handle != nullptr) m_library.destroy(m_handle);
}

bool CublasGemm::supports(DType dtype, const GemmTask& gemm) const {
  const DType inputs_as = input_dtype(dtype, m_queue.facts());
  if (inputs_as != DType::kF16 && inputs_as != DType::kBF16) return false;
  if (gemm.tiles != nullptr || gemm.out_stride > INT_MAX) return false;
  const bool is_half = dtype == DType::kF16 || dtype == DType::kBF16;
  if (gemm.num_rows < (is_half ? kFewestRowsOfHalves : kFewestRowsOfQuantised)) return false;
  const int64_t inputs = num_chunks_of(gemm.num_inputs) * kChunkInputs;
  return inputs <= static_cast<int64_t>(m_slice->size_bytes()) / (2 * kUnitOutputs);
}

void CublasGemm::run(const char* operation, DType dtype, const GemmTask& gemm) {
  CHECK(supports(dtype, gemm) && gemm.quantized != nullptr);
  const bool has_bf16 = m_queue.facts().has_bf16_mma;
  const UnitSize unit = unit_size(dtype, has_bf16);
  const bool is_f16 = input_dtype(dtype, m_queue.facts()) == DType::kF16;
  const Half half = is_f16 ? Half::kF16 : Half::kBF16;
  const int num_inputs = gemm.num_units * unit.inputs;
  const int64_t group_bytes = int64_t{gemm.num_units} * unit.bytes;
  const int num_groups = (gemm.num_outputs + kUnitOutputs - 1) / kUnitOutputs;
  const auto most_groups = static_cast<int>(static_cast<int64_t>(m_slice->size_bytes()) /
                                            (2 * kUnitOutputs) / num_inputs);
  // Slices of equal size: a short last slice would leave most of the GPU idle.
  const int num_slices = (num_groups + most_groups - 1) / most_groups;
  const int slice_groups = (num_groups + num_slices - 1) / num_slices;

  if (gemm.bias != nullptr) fill_with_bias(m_queue, operation, gemm);
  for (int group = 0; group < num_groups; group += slice_groups) {
    const int count = std::min(slice_groups, num_groups - group);
    unpack_weights(m_queue, operation, dtype, static_cast<uint4*>(m_slice->data()),
                   gemm.data + group * group_bytes, count, gemm.num_units);
    const int first_output = group * kUnitOutputs;
    multiply(operation, gemm, half, first_output,
             std::min(count * kUnitOutputs, gemm.num_outputs - first_output), num_inputs);
  }
}

/// cuBLAS's matrices are column-major: it computes out^T (outputs, rows) = op(A) B, where A is W^T,
/// transposed by op, and B is x^T.
void CublasGemm::multiply(const char* operation, const GemmTask& gemm, Half half, int first_output,
                          int num_outputs, int num_inputs) {
  using C = CublasLibrary;
  if (m_queue.has_failed()) return;
  // cuBLAS submits to this stream: the next kernel must not begin early.
  static_cast<void>(m_queue.stream());
  const int type = half == Half::kF16 ? C::kF16 : C::kBF16;
  const auto x_stride = static_cast<int>(num_chunks_of(gemm.num_inputs)) * kChunkInputs;
  const float alpha = half == Half::kF16 ? 1.0f / kF16InputScale : 1.0f;
  const float beta = gemm.bias != nullptr ? 1.0f : 0.0f;
  const int status =
      m_library.gemm(m_handle, C::kTranspose, C::kNoTranspose, num_outputs, gemm.num_rows,
                     num_inputs, &alpha, m_slice->data(), type, num_inputs, gemm.quantized, type,
                     x_stride, &beta, gemm.out + first_output, C::kF32,
                     static_cast<int>(gemm.out_stride), C::kComputeF32, C::kDefaultAlgorithm);
  m_queue.note(cuda_status(status), operation);
}

}  // namespace quire::cuda
