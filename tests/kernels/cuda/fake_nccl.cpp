#include "tests/kernels/cuda/fake_nccl.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "tests/support/simt/runtime.h"

namespace quire::test {
namespace {

using simt::Runtime;

/// What a device has sent to the others, in the order of its stream.
struct Sender {
  std::shared_ptr<simt::Stream> stream;
  uint64_t num_sent = 0;
  uint64_t num_received = 0;                ///< Exchanges that it has all of.
  std::deque<std::vector<std::byte>> kept;  ///< The last sent, which not all have received.
};

struct Group {
  explicit Group(int size) : senders(static_cast<size_t>(size)) {}
  std::vector<Sender> senders;

  void send(size_t rank, const std::byte* from, size_t bytes) {
    senders[rank].kept.emplace_back(from, from + bytes);
    ++senders[rank].num_sent;
  }

  /// Works off the senders' streams until all have sent; then copies.
  cudaError_t receive(size_t rank, std::byte* to, size_t bytes) {
    const uint64_t number = senders[rank].num_received;
    for (size_t s = 0; s < senders.size(); ++s) {
      Sender& sender = senders[s];
      while (sender.num_sent <= number) {
        if (sender.stream->tasks.empty()) return cudaErrorLaunchTimeout;
        const cudaError_t status =
            Runtime::instance().run_until({sender.stream, sender.stream->num_done + 1});
        if (status != cudaSuccess) return cudaErrorLaunchTimeout;
      }
      const auto& sent = sender.kept.at(sender.kept.size() - (sender.num_sent - number));
      if (sent.size() != bytes) return cudaErrorLaunchFailure;
      if (s != rank) std::memcpy(to + s * bytes, sent.data(), bytes);
    }
    ++senders[rank].num_received;
    forget_received();
    return cudaSuccess;
  }

 private:
  void forget_received() {
    uint64_t least = senders[0].num_received;
    for (const Sender& sender : senders) least = std::min(least, sender.num_received);
    for (Sender& sender : senders) {
      while (sender.num_sent - sender.kept.size() < least) sender.kept.pop_front();
    }
  }
};

struct Communicator {
  std::shared_ptr<Group> group;
  size_t rank;
  std::shared_ptr<int> use = std::make_shared<int>(0);  ///< Held by what is submitted.
};

struct Call {
  const void* from;
  void* to;
  size_t bytes;
  Communicator* communicator;
  cudaStream_t stream;
};

std::vector<Call> g_calls;  // Of the group that has begun.
bool g_has_begun = false;

constexpr int kInvalidUsage = 5;

int create(cuda::NcclLibrary::Communicator* communicators, int num_devices, const int* devices) {
  if (fake_nccl().create_status != 0) return fake_nccl().create_status;
  std::vector<int> sorted(devices, devices + num_devices);
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return kInvalidUsage;
  const auto group = std::make_shared<Group>(num_devices);
  for (int i = 0; i < num_devices; ++i) {
    communicators[i] = new Communicator{.group = group, .rank = static_cast<size_t>(i)};
  }
  return 0;
}

int destroy(cuda::NcclLibrary::Communicator handle) {
  auto* const communicator = static_cast<Communicator*>(handle);
  if (communicator->use.use_count() > 1) ++fake_nccl().num_used_when_destroyed;
  delete communicator;
  return 0;
}

int begin_group() {
  g_has_begun = true;
  g_calls.clear();
  return 0;
}

int all_gather(const void* from, void* to, size_t count, int type,
               cuda::NcclLibrary::Communicator communicator, cudaStream_t stream) {
  if (!g_has_begun || type != cuda::NcclLibrary::kBytes) return kInvalidUsage;
  if (fake_nccl().gather_status != 0) return fake_nccl().gather_status;
  g_calls.push_back({from, to, count, static_cast<Communicator*>(communicator), stream});
  return 0;
}

int end_group() {
  g_has_begun = false;
  if (g_calls.empty()) return 0;
  const std::shared_ptr<Group> group = g_calls[0].communicator->group;
  if (g_calls.size() != group->senders.size()) return kInvalidUsage;
  Runtime& runtime = Runtime::instance();
  const std::lock_guard lock(runtime.mutex);
  for (const Call& call : g_calls) {
    const auto stream = runtime.find(call.stream);
    const size_t rank = call.communicator->rank, bytes = call.bytes;
    auto* const to = static_cast<std::byte*>(call.to);
    const auto* const from = static_cast<const std::byte*>(call.from);
    if (bytes != g_calls[0].bytes || from != to + rank * bytes) return kInvalidUsage;
    group->senders[rank].stream = stream;
    const cudaError_t sent = runtime.submit(stream, {[=] {
                                                       group->send(rank, from, bytes);
                                                       return cudaSuccess;
                                                     },
                                                     {}});
    const cudaError_t received = runtime.submit(
        stream,
        {[=, use = call.communicator->use] { return group->receive(rank, to, bytes); }, {}});
    if (sent != cudaSuccess || received != cudaSuccess) return 1;
  }
  ++fake_nccl().num_exchanges;
  return 0;
}

}  // namespace

FakeNccl& fake_nccl() {
  static FakeNccl fake;
  return fake;
}

const cuda::NcclLibrary kFakeNccl = {.create = create,
                                     .destroy = destroy,
                                     .begin_group = begin_group,
                                     .end_group = end_group,
                                     .all_gather = all_gather};

}  // namespace quire::test
