#pragma once

#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// The engine's sentence in the window's language. The engine writes English; its common sentences
/// are known here by their form, with what they name (a file, a number) carried over. Of any other
/// the kind is said, and the engine's own sentence follows it as a detail.
///
/// Thread: any.
QString errorWords(const Error& error);
/// The same for a sentence whose kind is not known any more: one that is not known stays as it is.
QString errorWords(const QString& sentence);

}  // namespace quire
