#pragma once

#include "app/models/files/stored_model.h"

namespace quire {

/// Whether a path is a blob in Ollama's folder: ".../blobs/sha256-<64 digits>".
bool isOllamaBlob(const QString& path);
/// The SHA-256 in the name of a blob; empty: it is none.
QByteArray ollamaDigest(const QString& path);

/// Lists the manifest of a model and those of its blobs that no other manifest names. Several names
/// for one model are a problem, which names the commands that remove them.
void addOllamaParts(const StoredModel& model, ModelParts& parts);

}  // namespace quire
