#pragma once

#include <QtGlobal>

#include <utility>

#include "kernels/base/result.h"

namespace quire::test {

/// The value, or an end to the test program with the error's sentence.
template <typename T>
T must(Result<T> result) {
  if (!result) qFatal("%s", result.error().message.c_str());
  return std::move(result).value();
}

}  // namespace quire::test
