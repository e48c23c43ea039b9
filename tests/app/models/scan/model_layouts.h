#pragma once

#include <QByteArray>
#include <QString>

namespace quire {

/// Creates the model folders of other applications below a temporary folder.
class ModelLayouts {
 public:
  explicit ModelLayouts(const QString& root) : m_root(root) {}

  QString path(const QString& below) const { return m_root + u'/' + below; }
  void folder(const QString& below) const;
  void file(const QString& below, const QByteArray& content) const;
  /// Adds a list of so many numbers to the JSON object in a file.
  void addValues(const QString& below, int count) const;
  /// A copy of a file of tests/data.
  void copy(const QString& data, const QString& below) const;
  void copyFolder(const QString& data, const QString& below) const;
  void symbolicLink(const QString& target, const QString& below) const;
  void hardLink(const QString& target, const QString& below) const;

  /// An Ollama model below `root`: a manifest "library/NAME/TAG" and its blob. Returns the
  /// blob.
  QString ollama(const QString& root, const QString& name, const QByteArray& blob,
                 const QString& moreLayers = {}) const;
  /// A repository of a Hugging Face cache below `root`; `files`: names and data of its snapshot.
  void huggingFace(const QString& root, const QString& repository, const QString& name,
                   const QByteArray& content, bool named = true) const;

 private:
  const QString m_root;
};

/// The content of a file of tests/data.
QByteArray testData(const QString& path);

}  // namespace quire
