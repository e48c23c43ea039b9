#pragma once

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace quire {

/// The format with its places %1 to %9 filled. In one pass, because an argument may look like a
/// place itself.
QString filledFormat(const QString& format, const std::vector<std::string>& arguments);

/// What stands in the places of the format if it was filled to this text; nothing if it was not.
std::optional<std::vector<std::string>> argumentsOf(const QString& format, const QString& text);

}  // namespace quire
