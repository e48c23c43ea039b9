#pragma once

#include <cmath>

#include "tests/support/fake_backend.h"

namespace quire {

/// An engine at work, made up: three chats on one persona, some blocks kept, for pictures and
/// tests.
inline BlockMapSnapshot sampleMap(const QList<qint64>& chats, int total = 360) {
  using Kind = BlockMapSnapshot::Kind;
  BlockMapSnapshot map;
  map.bytesPerBlock = 2 << 20;
  map.blocks.resize(total);
  const int used = total * 7 / 10;
  for (int i = 0; i < used; ++i) {
    BlockMapSnapshot::Block& block = map.blocks[i];
    block.tokens = 16;
    if (i < total * 17 / 100) {
      block.kind = Kind::Shared;
      block.references = block.chats = static_cast<quint16>(chats.size());
      block.onDisk = true;
      block.chatId = chats.value(0);
    } else if (i < total * 45 / 100) {
      const int part =
          (i - total * 17 / 100) * static_cast<int>(chats.size()) / (total * 28 / 100 + 1);
      block.kind = Kind::Used;
      block.references = block.chats = 1;
      block.chatId = chats.value(part);
    } else {
      block.kind = Kind::Kept;
      block.chatId = chats.value(i % 2);
      block.onDisk = i > total * 60 / 100;
    }
  }
  return map;
}

inline EngineReport sampleReport(int running, double seconds = 0.0) {
  const double rate = running * (37.0 + 4.0 * std::sin(seconds / 7.0) + 2.0 * std::sin(seconds));
  return {.tokensPerSecond = rate,
          .runningRequests = running,
          .batchSequences = running,
          .batchTokens = running,
          .totalBlocks = 360,
          .usedBlocks = 162,
          .sharedBlocks = 61,
          .keptBlocks = 90,
          .freeBlocks = 108,
          .bytesPerBlock = 2 << 20,
          .emptyPart = 0.011,
          .promptTokens = 3180 + static_cast<quint64>(seconds),
          .cachedTokens = 2096 + static_cast<quint64>(seconds),
          .diskTokens = 1024,
          .outputTokens = 4127,
          .draftedTokens = 1730,
          .acceptedTokens = 1212,
          .storedBytes = quint64{212} << 20,
          .firstToken = {.count = 12, .p50Ms = 41.2, .p95Ms = 58.0, .p99Ms = 63.4},
          .betweenTokens = {.count = 4115, .p50Ms = 26.1, .p95Ms = 29.9, .p99Ms = 31.3}};
}

/// The same of a model with recurrent layers.
inline EngineReport sampleStates(EngineReport report) {
  report.totalStates = 20;
  report.usedStates = 3;
  report.snapshotStates = 11;
  report.bytesPerState = 52'690'944;
  report.snapshotStride = 4096;
  report.cutTokens = 1312;
  return report;
}

/// The same of a model with windows.
inline EngineReport sampleWindows(EngineReport report) {
  report.totalWindows = 385;
  report.usedWindows = 201;
  report.keptWindows = 96;
  report.bytesPerWindow = 1'900'544;
  report.cutTokens = 640;
  return report;
}

}  // namespace quire
