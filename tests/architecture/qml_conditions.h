#pragma once

#include "tests/architecture/layering.h"

namespace quire {

/// Finds comparisons over domain state in a QML file; a view model is to compute them. What it
/// takes for domain state, since it does not know the types: an enumerator that is not one of Qt's,
/// and a member of a member ("chat.turns.continuable"). What it lets pass as presentation: whether
/// there is a text, an object or a row (`!== ""`, `=== null`, `count > 0`), which row is chosen
/// (`chat.personaId === personaId`, `=== index`), and lengths and mirroring (`list.parent.width`,
/// `!== Theme.mirrored`).
std::vector<Violation> check_qml_conditions(std::string_view path, std::string_view content);

}  // namespace quire
