#pragma once

#include <QString>

namespace quire {

// A store that was found damaged while it was in use has a note beside it, so that the next start
// looks it through and offers help, however sound it looks. For any thread.

void noteDamage(const QString& storePath);
bool isDamageNoted(const QString& storePath);
/// It was looked through, and nothing is wrong with it.
void forgetDamage(const QString& storePath);

}  // namespace quire
