#pragma once

#include "tests/bench/window/figures.h"

namespace quire::bench {

// Each measures one part of "The window" in targets.md and adds its figures.

/// From the start of the program to the first picture, and until typing shows, with 10,000 chats in
/// the store and a model that is being loaded. `runs` starts; the medians.
void measureStartup(Figures& figures, int runs);
/// The child of measureStartup: does what main() does in `folder`, and prints when it could.
int runStartup(const QString& folder, qint64 startedNs);

/// Typing, frames and updates while eight chats stream at 100 tokens/s each, two of them shown.
void measureStreaming(Figures& figures);

/// Opening a chat of 2,000 messages, and one with a message of 300,000 tokens.
void measureOpening(Figures& figures);

/// Stop, with the engine and the bundled model: while decoding, in a prefill, in a load.
void measureStopping(Figures& figures);

/// Nanoseconds of the system's monotonic clock, the same in every process.
qint64 monotonicNs();

}  // namespace quire::bench
