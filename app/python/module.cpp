#include "app/python/bindings.h"

namespace quire {
namespace {

/// The names of quire.errors.error_of().
const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kCorruptFile:
      return "corrupt_file";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kContextOverflow:
      return "context_overflow";
    case ErrorCode::kTemplate:
      return "template";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDevice:
      return "device";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

}  // namespace

void raise(const Error& error) {
  namespace py = pybind11;
  const py::object exception =
      py::module_::import("quire.errors").attr("error_of")(code_name(error.code), error.message);
  PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace quire

PYBIND11_MODULE(_quire, module) {
  module.doc() = "Quire's engine, as the package `quire` uses it.";
  module.attr("__version__") = QUIRE_VERSION;
  quire::bind_options(module);
  quire::bind_sampling(module);
  quire::bind_events(module);
  quire::bind_text(module);
  quire::bind_engine(module);
}
