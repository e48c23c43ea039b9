#pragma once

#include <QList>
#include <QString>

#include <functional>

namespace quire {

/// How an application lays its models out.
enum class PlaceLayout {
  kTree,         ///< Files and folders as they are, at any depth.
  kOllama,       ///< Manifests that name blobs.
  kHuggingFace,  ///< A folder a repository, with snapshots of links to blobs.
};

/// A folder in which to look for models.
struct ModelPlace {
  QString source;  ///< The application's name; empty for a folder that the user chose.
  QString path;
  PlaceLayout layout = PlaceLayout::kTree;

  bool operator==(const ModelPlace&) const = default;
};

/// Where to ask for folders; tests give one of their own.
struct PlaceEnvironment {
  QString home;
  std::function<QString(const char* name)> variable;  ///< Empty if it is not set.
  QString systemRoot = {};                            ///< Before "/usr/share"; empty: the real one.
};

/// That of this program.
PlaceEnvironment systemEnvironment();

/// Where LM Studio, Ollama, GPT4All, Jan, llama.cpp and the Hugging Face libraries keep models, by
/// their own settings and environment variables; only folders that exist, each once. Reads a few
/// small files: not for the window's thread.
QList<ModelPlace> knownPlaces(const PlaceEnvironment& environment);

}  // namespace quire
