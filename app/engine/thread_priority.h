#pragma once

namespace quire {

/// Lets the window's thread go first on a core that it shares with the calling thread and with
/// those that this one starts from now on: the engine's threads take all cores, and a letter that
/// waits for a turn among them is seen late. With nobody else on the core it costs nothing. See
/// platform::lower_priority().
void letTheWindowGoFirst();

/// The same for work on one request that may take long, such as reading megabytes of text: the
/// engine's threads go first, for which all other requests wait, but leave it a share.
void letTheEngineGoFirst();

/// The same for work that nobody waits for: all other threads of the computer go first, those of
/// the engine too.
void runInTheBackground();

}  // namespace quire
