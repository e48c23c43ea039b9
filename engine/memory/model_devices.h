#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.h"

namespace quire {

/// The devices that a model may be spread over, each started when it is needed. Owns the backends.
/// Thread: one at a time.
class ModelDevices {
 public:
  /// Starts the first device. Errors: as create_backend.
  static Result<ModelDevices> open(const BackendOptions& options);
  /// Devices of those names, started by `create`, at least one; for tests, which have devices that
  /// create_backend does not know. Errors: create's.
  using Create = std::function<Result<std::unique_ptr<Backend>>(const BackendOptions& options)>;
  static Result<ModelDevices> open_with(std::vector<std::string> names, Create create);

  size_t size() const { return m_names.size(); }
  /// Starts it if need be. Of "auto" a GPU that does not start is left out: the next one takes its
  /// place.
  Result<Backend*> at(size_t index);
  /// The first, which has a model's first layers.
  Backend& front() { return *m_backends.front(); }

  /// Whether another device may take the place of the first, which failed: then it is closed and
  /// left out for good, as "auto" allows.
  bool leave_out_first(const Error& failure);
  /// Closes all devices; the next at() starts them anew, a lost GPU among them.
  void close() { m_backends.clear(); }

  /// Why no GPU is used although one may be; empty if one is, or none was asked for.
  std::string gpu_reason() const;

 private:
  ModelDevices() = default;
  bool leave_out(size_t index, const Error& failure);

  BackendOptions m_options;
  Create m_create = create_backend;
  std::vector<std::string> m_names;
  std::vector<std::unique_ptr<Backend>> m_backends;  ///< Of the first names.
  std::string m_gpu_reason;
};

}  // namespace quire
