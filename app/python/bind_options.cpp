#include "app/python/bindings.h"
#include "app/python/engine_loop.h"

namespace quire {
namespace {

namespace py = pybind11;

std::optional<DType> kv_dtype_of(const std::string& name) {
  if (name == "auto") return std::nullopt;
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kI8}) {
    if (dtype_name(dtype) == name) return dtype;
  }
  throw py::value_error("kv_cache_dtype: " + name);
}

SpeculationMode speculation_of(const std::string& name) {
  if (name == "off") return SpeculationMode::kOff;
  if (name == "always") return SpeculationMode::kAlways;
  return SpeculationMode::kAuto;
}

/// A field of an options' part; `part` returns a reference to it.
template <typename Part>
void add_field(py::class_<EngineLoopOptions>& options, const char* name, Part part) {
  using Value = std::remove_reference_t<std::invoke_result_t<Part, EngineLoopOptions&>>;
  options.def_property(
      name, [part](EngineLoopOptions& o) -> Value { return part(o); },
      [part](EngineLoopOptions& o, Value value) { part(o) = std::move(value); });
}

}  // namespace

void bind_options(py::module_& module) {
  using Options = EngineLoopOptions;
  py::class_<Options> options(module, "Options");
  options.def(py::init<>());
  add_field(
      options, "model_path", [](Options & o) -> auto& { return o.llm.model_path; });
  add_field(
      options, "device", [](Options & o) -> auto& { return o.llm.backend.device; });
  add_field(
      options, "num_threads", [](Options & o) -> auto& { return o.llm.backend.num_threads; });
  add_field(
      options, "max_context", [](Options & o) -> auto& { return o.llm.engine.max_context; });
  add_field(
      options, "kv_bytes", [](Options & o) -> auto& { return o.llm.engine.kv_bytes; });
  add_field(
      options, "host_kv_bytes", [](Options & o) -> auto& { return o.llm.engine.host_kv_bytes; });
  add_field(
      options, "max_batch_tokens",
      [](Options & o) -> auto& { return o.llm.engine.max_batch_tokens; });
  add_field(
      options, "max_sequences", [](Options & o) -> auto& { return o.llm.engine.max_sequences; });
  add_field(
      options, "prefix_cache", [](Options & o) -> auto& { return o.llm.engine.prefix_cache; });
  add_field(
      options, "gpu_memory_utilization",
      [](Options & o) -> auto& { return o.gpu_memory_utilization; });
  options.def("set_kv_dtype", [](Options& o, const std::string& name) {
    o.llm.engine.kv_dtype = kv_dtype_of(name);
  });
  options.def("set_speculation", [](Options& o, const std::string& name) {
    o.llm.engine.speculation = speculation_of(name);
  });
}

}  // namespace quire
