#pragma once

#include "tests/bench/window/figures.h"
#include "tests/bench/window/options.h"

class QQuickItem;

namespace quire {
class WindowDriver;
}

namespace quire::bench {

// Each measures one part of "The window" in targets.md and adds its figures.

/// From the start of the program to the first picture, and until typing shows, with 10,000 chats in
/// the store and a model that is being loaded: the medians of some starts. What the window takes of
/// memory without a model.
void measureStartup(Figures& figures, const Options& options);
/// The children of measureStartup: "paint" does what main() does in `folder`, and prints when it
/// could; "memory" prints what the window takes. Anything else: -1.
int runStartup(const QStringList& words);

/// Typing, frames and updates while eight chats stream, two of them shown: a recorded stream at 100
/// tokens/s each, or the bundled model as fast as it goes.
void measureStreaming(Figures& figures, const Options& options);

/// The same while an answer of 200 formulas streams.
void measureFormulas(Figures& figures, const Options& options);

/// The same with the bundled model, while 64 programs use the window's API server besides: each
/// asks again whenever it was answered, and every tenth request is given up midway.
void measureServing(Figures& figures, const Options& options);
/// The child of measureServing, "--api-clients PORT KEY", until its input ends. Anything else: -1.
int runApiClients(const QStringList& words);

/// The same with the bundled model, while four models are downloaded at 100 MB/s, or what the disk
/// takes.
void measureDownloading(Figures& figures, const Options& options);
/// The child of measureDownloading, "--test-hub", until its input ends. Anything else: -1.
int runTestHub(const QStringList& words);

/// The same while one chat is answered, by a model that keeps all cores busy.
void measureDecoding(Figures& figures, const Options& options);

/// What chats that are not shown cost while they stream.
void measureHidden(Figures& figures, const Options& options);

/// A token late in a long answer beside one early in it.
void measureTokens(Figures& figures, const Options& options);

/// Opening a chat of 2,000 messages, and one with a message of 300,000 tokens.
void measureOpening(Figures& figures, const Options& options);

/// Searching 100,000 messages, by itself and while typing in the window; building the index.
void measureSearching(Figures& figures, const Options& options);

/// The page Models with models that nobody has read yet: read by quire-inspect, and in this
/// process.
void measureModelsPage(Figures& figures, const Options& options);

/// Stop, with the engine and the bundled model: while decoding, in a prefill, in a load.
void measureStopping(Figures& figures, const Options& options);

/// Nanoseconds of the system's monotonic clock, the same in every process.
qint64 monotonicNs();

/// Types for some seconds while `load` goes on, which the figures are named after: key to glyph,
/// pictures, and the window's thread. Returns the seconds.
double measureTyping(Figures& figures, WindowDriver& driver, const QString& load);

/// Milliseconds from a key event until the picture that has its letter in `field`.
double keyToGlyph(WindowDriver& driver, QQuickItem* field, const QString& letter);

}  // namespace quire::bench
