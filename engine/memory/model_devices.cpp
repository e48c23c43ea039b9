#include "engine/memory/model_devices.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace quire {

std::optional<DeviceInfo> find_device(std::span<const DeviceInfo> all, const std::string& name) {
  std::vector<DeviceInfo> parts;
  std::istringstream names(name);
  for (std::string part; std::getline(names, part, '+');) {
    const auto found = std::ranges::find(all, part, &DeviceInfo::name);
    if (found == all.end()) return std::nullopt;
    if (!found->available) return *found;
    parts.push_back(*found);
  }
  if (parts.empty()) return std::nullopt;
  return parts.size() == 1 ? parts.front() : describe_group(parts);
}

Result<ModelDevices> ModelDevices::open(const BackendOptions& options) {
  auto choice = choose_devices(options);
  if (!choice) return choice.error();
  ModelDevices devices;
  devices.m_options = options;
  devices.m_names = std::move(choice->names);
  devices.m_gpu_reason = std::move(choice->gpu_reason);
  devices.m_may_join = options.device == "auto" || options.device == "cuda";
  if (const auto first = devices.at(0); !first) return first.error();
  return devices;
}

Result<ModelDevices> ModelDevices::open_with(std::vector<std::string> names, Create create,
                                             bool may_join) {
  ModelDevices devices;
  devices.m_may_join = may_join;
  devices.m_names = std::move(names);
  devices.m_create = std::move(create);
  if (const auto first = devices.at(0); !first) return first.error();
  return devices;
}

Result<Backend*> ModelDevices::at(size_t index) {
  CHECK(index < m_names.size() && index <= m_backends.size());
  while (m_backends.size() == index) {
    BackendOptions options = m_options;
    options.device = m_names[index];
    auto backend = m_create(options);
    if (backend) {
      m_backends.push_back(std::move(*backend));
      break;
    }
    if (!leave_out(index, backend.error())) return backend.error();
  }
  return m_backends[index].get();
}

/// Removes the device, so that the next one takes its place, if there is one and "auto" was asked
/// for.
bool ModelDevices::leave_out(size_t index, const Error& failure) {
  if (m_options.device != "auto" || index + 1 >= m_names.size()) return false;
  m_gpu_reason = failure.message;
  m_names.erase(m_names.begin() + static_cast<std::ptrdiff_t>(index));
  return true;
}

void ModelDevices::replace_first(size_t count, std::vector<std::string> names) {
  names.insert(names.end(), m_names.begin() + static_cast<std::ptrdiff_t>(count), m_names.end());
  m_names = std::move(names);
}

Result<Backend*> ModelDevices::join(size_t count) {
  CHECK(count > 1 && m_backends.size() == count);
  auto group = join_devices(m_backends);
  if (!group) return group.error();
  m_joined = {m_names.begin(), m_names.begin() + static_cast<std::ptrdiff_t>(count)};
  replace_first(count, {(*group)->info().name});
  m_backends.push_back(std::move(*group));
  return m_backends.front().get();
}

void ModelDevices::separate() {
  m_backends = separate_devices(std::move(m_backends.front()));
  replace_first(1, std::exchange(m_joined, {}));
}

bool ModelDevices::separate_for_good() {
  if (m_joined.empty()) return false;
  m_backends.clear();
  replace_first(1, std::exchange(m_joined, {}));
  m_may_join = false;
  return at(0).has_value();
}

bool ModelDevices::leave_out_first(const Error& failure) {
  if (!leave_out(0, failure)) return false;
  m_backends.clear();
  return at(0).has_value();
}

std::string ModelDevices::gpu_reason() const {
  for (const auto& backend : m_backends) {
    if (backend->info().has_own_memory) return {};
  }
  return m_gpu_reason;
}

}  // namespace quire
