#pragma once

#include <QString>

#include "kernels/base/result.h"

namespace quire {

/// Makes the folder that holds the user's data, readable by its owner only, with its parents. One
/// that exists keeps its permissions. Errors: kIo with the path, the reason and what to do.
Result<void> ensureDataFolder(const QString& folder);

/// Makes the file if it is missing, readable by its owner only, and narrows the permissions of one
/// that exists. Errors: kIo as above.
Result<void> ensurePrivateFile(const QString& path);

/// Puts the file `from` in the place of `to`, which need not be there: in one step, so that one of
/// them is always there, and whole on the disk when this returns. False: `to` is as it was, or,
/// where the folder could not be written through, possibly not yet safe from a power failure.
bool replaceDurably(const QString& from, const QString& to);

// A store that was found damaged while it was in use has a note beside it, so that the next start
// looks it through and offers help, however sound it looks. For any thread.

void noteDamage(const QString& storePath);
bool isDamageNoted(const QString& storePath);
/// It was looked through, and nothing is wrong with it.
void forgetDamage(const QString& storePath);

}  // namespace quire
