#include "kernels/cuda/host_staging.h"

#include <algorithm>
#include <cstring>

#include "kernels/cuda/device_memory.h"

namespace quire::cuda {

Result<std::unique_ptr<HostStaging>> HostStaging::create(CommandQueue& queue) {
  std::unique_ptr<HostStaging> staging(new HostStaging(queue));
  if (auto reserved = staging->m_uploads.reserve(kSlotBytes); !reserved) return reserved.error();
  auto downloads = allocate_pinned(queue, kDownloadBytes);
  if (!downloads) return downloads.error();
  staging->m_downloads_memory = std::move(*downloads);
  for (cudaEvent_t& mark : staging->m_marks) {
    const cudaError_t status = cudaEventCreateWithFlags(&mark, cudaEventDisableTiming);
    if (status != cudaSuccess) return cuda_error(status, "creating events");
  }
  return staging;
}

HostStaging::~HostStaging() {
  for (const cudaEvent_t mark : m_marks) {
    if (mark != nullptr) cudaEventDestroy(mark);
  }
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
  uint8_t* const staged = m_uploads.next(bytes);
  if (staged == nullptr) return;
  std::memcpy(staged, host_src, bytes);
  m_queue.note(cudaMemcpyAsync(dst, staged, bytes, cudaMemcpyHostToDevice, m_queue.stream()),
               "upload");
  m_uploads.submitted();
}

/// Where the next download of that size can go in the pinned memory, if there is room.
std::optional<size_t> HostStaging::find_download_space(size_t bytes) const {
  if (bytes > kDownloadBytes) return std::nullopt;
  if (m_downloads.empty()) return 0;
  const size_t oldest = m_downloads.front().offset;
  const size_t next = m_downloads.back().offset + m_downloads.back().bytes;
  if (next > oldest) {
    if (bytes <= kDownloadBytes - next) return next;
    if (bytes < oldest) return 0;  // Not up to `oldest`: a full ring would look like an empty one.
    return std::nullopt;
  }
  if (bytes < oldest - next) return next;
  return std::nullopt;
}

void HostStaging::download(void* host_dst, const void* src, size_t bytes) {
  if (bytes == 0 || m_queue.has_failed()) return;
  void* to = host_dst;
  if (const auto offset = find_download_space(bytes)) {
    to = static_cast<char*>(m_downloads_memory->data()) + *offset;
    m_downloads.push_back({host_dst, to, bytes, *offset, m_next_mark});
  }
  m_queue.note(cudaMemcpyAsync(to, src, bytes, cudaMemcpyDeviceToHost, m_queue.stream()),
               "download");
}

void HostStaging::finish_downloads() {
  for (const Download& download : m_downloads) download.finish();
  m_downloads.clear();
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
    m_downloads.front().finish();
    m_downloads.pop_front();
  }
}

}  // namespace quire::cuda
