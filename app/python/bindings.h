#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernels/base/result.h"

namespace quire {

// Each adds some classes to the module `_quire`, which the package's Python files use. What they
// take was checked there: a wrong type is a defect of the package.
void bind_options(pybind11::module_& module);
void bind_sampling(pybind11::module_& module);
void bind_events(pybind11::module_& module);
void bind_text(pybind11::module_& module);
void bind_engine(pybind11::module_& module);

/// Raises the exception of quire.errors for the error's code, with its sentence.
[[noreturn]] void raise(const Error& error);

/// The value, or raise().
template <typename T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

/// The result of `work`, which may block, without the interpreter's lock. Not a scoped object:
/// where the interpreter is ending, taking the lock again ends the thread by unwinding its stack,
/// which must not happen in a destructor.
template <typename Work>
auto unlocked(const Work& work) {
  using Value = std::invoke_result_t<Work>;
  std::optional<std::conditional_t<std::is_void_v<Value>, bool, Value>> value;
  std::exception_ptr failure;
  PyThreadState* const state = PyEval_SaveThread();
  try {
    if constexpr (std::is_void_v<Value>) {
      work();
    } else {
      value.emplace(work());
    }
  } catch (const std::exception&) {
    failure = std::current_exception();
  }
  PyEval_RestoreThread(state);
  if (failure) std::rethrow_exception(failure);
  if constexpr (!std::is_void_v<Value>) return std::move(*value);
}

}  // namespace quire
