#pragma once

#include "engine/template/runtime.h"

namespace quire::jinja {

/// The runtime's time (now, local, where it has none) as Python's strftime prints it with English
/// names, whatever the process's locale. Unknown directives are printed as they stand.
Value strftime(Runtime& runtime, const Text& format);

}  // namespace quire::jinja
