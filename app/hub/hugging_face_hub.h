#pragma once

#include "app/hub/hub_client.h"

namespace quire {

/// Hugging Face, or a mirror of it. A file is named by the commit and verified by the SHA-256 of
/// its LFS object, or by Git's hash of a small one.
class HuggingFaceHub : public HubClient {
 public:
  explicit HuggingFaceHub(const HubOptions& options, QObject* parent = nullptr)
      : HubClient(parent), m_options(options) {}

  void search(const QString& text, const SearchReply& reply) override;
  void model(const HubName& name, const ModelReply& reply) override;

 private:
  QUrl urlOf(const QString& path) const;
  void get(const QUrl& url, const AskedFor& asked, const TextReply& reply);
  /// How much of a model's list of files was read.
  struct TreeRead {
    int numPages = 0;
    qint64 bytes = 0;
  };
  void getTree(const HubModel& model, const QUrl& page, const TreeRead& before,
               const ModelReply& reply);
  void addTree(HubModel model, const QUrl& page, const TreeRead& read, const FetchedText& text,
               const ModelReply& reply);

  const HubOptions m_options;
};

}  // namespace quire
