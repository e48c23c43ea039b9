#pragma once

#include <memory>

#include "kernels/backend.h"

namespace quire::test {

/// Every operation said as plainly as it can be: in double precision, over host memory, one loop
/// after another, its results rounded to f32 at the end. What the scalar CPU backend, the oracle of
/// all others, is compared with. Pages are f32, f16 or bf16, as the scalar backend's.
std::unique_ptr<Backend> make_reference_backend();

}  // namespace quire::test
