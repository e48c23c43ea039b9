#pragma once

#include <QString>

#include "app/engine/model_state.h"
#include "app/models/scan/found_model.h"

namespace quire::model_labels {

QString parameters(qint64 count);  ///< "8.2 billion parameters"; empty for 0.
QString tokens(int count);         ///< "8,192 tokens".
/// Translates the name that the engine gives a device: "CPU · AVX-512 · 2 threads".
QString device(const QString& name);
QString timeLeft(double seconds);         ///< "12 seconds left"; empty if negative (unknown).
QString phase(const ModelState& state);   ///< "Reading weights, 1.2 of 4.9 GB".
QString architecture(const QString& id);  ///< "Qwen 3" for "qwen3"; unknown ids are unchanged.
/// "Qwen 3 · 8.2 billion parameters · Q4_K_M · 5.0 GB · 40,960-token context"; unknown facts are
/// left out.
QString facts(const ModelFacts& facts);
/// The choices for the minutes after which an idle model is unloaded; 0: never.
inline constexpr int kIdleMinutes[] = {0, 5, 15, 30, 60};
int idleIndex(int minutes);     ///< Index into kIdleMinutes, or -1.
QString idleTime(int minutes);  ///< "Never", "After 5 minutes".
/// The name of a file without .gguf, or of a folder, in visible characters.
QString nameOf(const QString& path);
/// "~/models" for a path below `home`, which ends with a slash, in visible characters.
QString shortPath(const QString& path, const QString& home);
/// An absolute path without redundant parts; does not access the disk.
QString normalPath(const QString& path);

}  // namespace quire::model_labels
