#include "kernels/cuda/host_staging.h"

#include <algorithm>
#include <cstring>

#include "kernels/base/check.h"

namespace quire::cuda {

Result<std::unique_ptr<HostStaging>> HostStaging::create(CommandQueue& queue) {
  std::unique_ptr<HostStaging> staging(new HostStaging(queue));
  const cudaError_t status = staging->allocate();
  if (status != cudaSuccess) return cuda_error(status, "allocating pinned memory");
  return staging;
}

cudaError_t HostStaging::allocate() {
  for (Slot& slot : m_slots) {
    cudaError_t status = cudaMallocHost(&slot.memory, kSlotBytes);
    if (status == cudaSuccess) {
      status = cudaEventCreateWithFlags(&slot.is_free, cudaEventDisableTiming);
    }
    if (status != cudaSuccess) return status;
  }
  for (cudaEvent_t& mark : m_marks) {
    const cudaError_t status = cudaEventCreateWithFlags(&mark, cudaEventDisableTiming);
    if (status != cudaSuccess) return status;
  }
  void* memory = nullptr;
  const cudaError_t status = cudaMallocHost(&memory, kDownloadBytes);
  m_downloads_memory = static_cast<char*>(memory);
  return status;
}

HostStaging::~HostStaging() {
  for (Slot& slot : m_slots) {
    if (slot.is_free != nullptr) cudaEventDestroy(slot.is_free);
    if (slot.memory != nullptr) cudaFreeHost(slot.memory);
  }
  for (const cudaEvent_t mark : m_marks) {
    if (mark != nullptr) cudaEventDestroy(mark);
  }
  if (m_downloads_memory != nullptr) cudaFreeHost(m_downloads_memory);
}

void HostStaging::upload(void* dst, const void* host_src, size_t bytes) {
  if (bytes > kMaxStagedBytes) {
    if (m_queue.has_failed()) return;
    m_queue.note(cudaMemcpyAsync(dst, host_src, bytes, cudaMemcpyHostToDevice, m_queue.stream()),
                 "upload");
    return;
  }
  for (size_t done = 0; done < bytes; done += kSlotBytes) {
    upload_piece(static_cast<char*>(dst) + done, static_cast<const char*>(host_src) + done,
                 std::min(kSlotBytes, bytes - done));
  }
}

void HostStaging::upload_piece(void* dst, const void* host_src, size_t bytes) {
  if (m_queue.has_failed()) return;
  const cudaStream_t stream = m_queue.stream();
  Slot& slot = m_slots[m_next_slot];
  m_next_slot = (m_next_slot + 1) % m_slots.size();
  m_queue.note(cudaEventSynchronize(slot.is_free), "upload");
  std::memcpy(slot.memory, host_src, bytes);
  m_queue.note(cudaMemcpyAsync(dst, slot.memory, bytes, cudaMemcpyHostToDevice, stream), "upload");
  m_queue.note(cudaEventRecord(slot.is_free, stream), "upload");
}

void HostStaging::download(void* host_dst, const void* src, size_t bytes) {
  if (bytes == 0 || m_queue.has_failed()) return;
  void* to = host_dst;
  if (bytes <= kDownloadBytes - m_downloads_used) {
    to = m_downloads_memory + m_downloads_used;
    m_downloads.push_back({host_dst, to, bytes, m_next_mark});
    m_downloads_used += bytes;
  }
  m_queue.note(cudaMemcpyAsync(to, src, bytes, cudaMemcpyDeviceToHost, m_queue.stream()),
               "download");
}

void HostStaging::finish_download(const Download& download) {
  std::memcpy(download.to, download.from, download.bytes);
}

void HostStaging::finish_downloads() {
  for (const Download& download : m_downloads) finish_download(download);
  m_downloads.clear();
  m_downloads_used = 0;
}

uint64_t HostStaging::mark() {
  const uint64_t mark = m_next_mark++;
  m_queue.note(cudaEventRecord(m_marks[mark % m_marks.size()], m_queue.stream()), "marking a step");
  return mark;
}

void HostStaging::wait_for(uint64_t mark) {
  CHECK(mark < m_next_mark && m_next_mark - mark <= m_marks.size());
  m_queue.note(cudaEventSynchronize(m_marks[mark % m_marks.size()]), "waiting for a step");
  while (!m_downloads.empty() && m_downloads.front().mark <= mark) {
    finish_download(m_downloads.front());
    m_downloads.pop_front();
  }
  if (m_downloads.empty()) m_downloads_used = 0;
}

}  // namespace quire::cuda
