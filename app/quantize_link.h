#pragma once

#include <QByteArray>

#include <memory>
#include <string>

#include "app/models/quantize_tools.h"

namespace quire {

class ModelInspector;

/// The quantiser as the window uses it, in this process on the calling thread, with the lowest
/// priority. Models are compared on `comparisonText`. `inspector` tries each model in a process of
/// its own first; null: without.
QuantizeTools makeQuantizeTools(const std::string& comparisonText,
                                const std::shared_ptr<ModelInspector>& inspector = nullptr);

/// The system prompts of the persona presets in all languages: prose that every installation has.
std::string promptsOf(const QByteArray& presets);

}  // namespace quire
