#pragma once

#include <QString>

#include "app/engine/model_state.h"
#include "app/models/scan/found_model.h"

namespace quire::model_labels {

QString size(quint64 bytes);       ///< "4.9 GB", "820 MB".
QString parameters(qint64 count);  ///< "8.2 billion parameters"; empty for 0.
QString tokens(int count);         ///< "8,192 tokens".
/// A device as the engine names it, "CPU · AVX-512 · 2 threads", in the window's language.
QString device(const QString& name);
QString timeLeft(double seconds);         ///< "12 seconds left"; empty while it is not known.
QString phase(const ModelState& state);   ///< "Reading weights, 1.2 of 4.9 GB".
QString architecture(const QString& id);  ///< "Qwen 3" for "qwen3"; as it is where not known.
/// "Qwen 3 · 8.2 billion parameters · Q4_K_M · 5.0 GB · 40,960 tokens", as far as it is known.
QString facts(const ModelFacts& facts);
/// After how many minutes an idle model can be unloaded; 0: never.
inline constexpr int kIdleMinutes[] = {0, 5, 15, 30, 60};
int idleIndex(int minutes);     ///< Into kIdleMinutes; -1: none of them.
QString idleTime(int minutes);  ///< "Never", "After 5 minutes".
/// What a path without any other name is called: its file's or folder's.
QString nameOf(const QString& path);
/// One spelling for one path, without looking at the disk.
QString normalPath(const QString& path);

}  // namespace quire::model_labels
