#pragma once

#include <QList>
#include <QString>

#include <functional>

namespace quire {

/// How an application stores its models.
enum class PlaceLayout {
  kTree,         ///< Files and folders at any depth.
  kOllama,       ///< Manifests that name blobs.
  kHuggingFace,  ///< A folder for each repository, with snapshots of links to blobs.
};

/// A folder to search for models.
struct ModelPlace {
  QString source;  ///< The application's name; empty for a folder that the user chose.
  QString path;
  PlaceLayout layout = PlaceLayout::kTree;

  bool operator==(const ModelPlace&) const = default;
};

/// The file system and environment variables; tests use their own.
struct PlaceEnvironment {
  QString home;
  std::function<QString(const char* name)> variable;  ///< Empty if it is unset.
  QString systemRoot = {};                            ///< Prefix of "/usr/share"; for tests.
};

PlaceEnvironment systemEnvironment();

/// The folders where LM Studio, Ollama, GPT4All, Jan, llama.cpp and the Hugging Face libraries keep
/// models, according to their settings and environment variables. Only existing folders, without
/// duplicates. Reads a few small files, so it does not belong on the window's thread.
QList<ModelPlace> knownPlaces(const PlaceEnvironment& environment);

}  // namespace quire
