#pragma once

#include "app/hub/hub_client.h"

namespace quire {

/// Ollama's registry: the manifest of a tag names layers by their SHA-256. It has no search.
class OllamaHub : public HubClient {
 public:
  explicit OllamaHub(const HubOptions& options, QObject* parent = nullptr)
      : HubClient(parent), m_options(options) {}

  void search(const QString& text, const SearchReply& reply) override;
  void model(const HubName& name, const ModelReply& reply) override;

 private:
  void addLicense(const HubModel& model, const ModelReply& reply);

  const HubOptions m_options;
};

}  // namespace quire
