#include "app/models/remote_models.h"

#include <algorithm>
#include <utility>

#include "app/models/remote_labels.h"
#include "app/store/setting_keys.h"

namespace quire {

RemoteModels::RemoteModels(DataSession& session, QObject* parent)
    : RoleListModel(parent), m_session(session) {
  setRoles({{kId, "endpointId", [this](int row) { return m_endpoints[row].id; }},
            {kName, "name", [this](int row) { return m_endpoints[row].name; }},
            {kPlace, "place", [this](int row) { return remote_labels::place(m_endpoints[row]); }},
            {kPrice, "price", [this](int row) { return remote_labels::price(m_endpoints[row]); }},
            {kModels, "models", [this](int row) { return m_endpoints[row].models; }}});
  connect(&m_editor, &EndpointEditor::saved, this, &RemoteModels::put);
}

void RemoteModels::setTools(const RemoteTools& tools) {
  m_tools = tools;
  m_editor.setTest(tools.test);
  if (m_tools.apply) m_tools.apply(m_endpoints);
}

void RemoteModels::load() {
  setEndpoints(endpointsFromJson(m_session.setting(setting_keys::kRemoteEndpoints)));
}

void RemoteModels::setEndpoints(const QList<RemoteEndpoint>& endpoints) {
  beginResetModel();
  m_endpoints = endpoints;
  endResetModel();
  m_choices.setEndpoints(m_endpoints);
  if (m_tools.apply) m_tools.apply(m_endpoints);
  emit changed();
}

const RemoteEndpoint* RemoteModels::find(const QString& id) const {
  const auto found = std::ranges::find(m_endpoints, id, &RemoteEndpoint::id);
  return found == m_endpoints.cend() ? nullptr : &*found;
}

const RemoteEndpoint* RemoteModels::endpointOf(const QString& modelPath) const {
  const std::optional<RemotePath> path = readRemotePath(modelPath);
  return path ? find(path->endpointId) : nullptr;
}

QString RemoteModels::nameOf(const QString& modelPath) const {
  const std::optional<RemotePath> path = readRemotePath(modelPath);
  if (!path) return {};
  const RemoteEndpoint* const endpoint = find(path->endpointId);
  return endpoint ? path->model + QStringLiteral(" · ") + endpoint->name : path->model;
}

void RemoteModels::edit(const QString& id) {
  if (const RemoteEndpoint* const endpoint = find(id)) m_editor.open(*endpoint);
}

void RemoteModels::remove(const QString& id) {
  const RemoteEndpoint* const found = find(id);
  if (!found) return;
  if (found->hasKey && m_tools.secrets) m_tools.secrets->remove(secretName(*found));
  QList<RemoteEndpoint> left = m_endpoints;
  left.removeIf([&](const RemoteEndpoint& one) { return one.id == id; });
  setEndpoints(left);
  save();
}

void RemoteModels::startChat(const QString& id, const QString& model) {
  emit chatWanted(remotePath(id, model));
}

/// Adds the endpoint, or replaces the one with its id. An empty key is the stored one.
void RemoteModels::put(const RemoteEndpoint& endpoint, const QString& key) {
  QList<RemoteEndpoint> all = m_endpoints;
  const auto old = std::ranges::find(all, endpoint.id, &RemoteEndpoint::id);
  const bool isMoved = old != all.end() && old->hasKey && secretName(*old) != secretName(endpoint);
  if (isMoved && m_tools.secrets) m_tools.secrets->remove(secretName(*old));
  if (old == all.end()) {
    all.append(endpoint);
  } else {
    *old = endpoint;
  }
  if (!key.isEmpty()) storeKey(endpoint, key);
  setEndpoints(all);
  save();
}

void RemoteModels::storeKey(const RemoteEndpoint& endpoint, const QString& key) {
  if (!m_tools.secrets) return;
  m_tools.secrets->write(
      secretName(endpoint), key,
      {this, [this, name = endpoint.name](const SecretStoring& storing) {
         if (storing.isStored) return;
         setNotice(tr("No keychain can be reached, so the key of %1 is remembered only until "
                      "Quire ends. Type it again after the next start. (%2)")
                       .arg(name, storing.error));
       }});
}

void RemoteModels::save() {
  m_session.putSetting(setting_keys::kRemoteEndpoints, endpointsToJson(m_endpoints));
}

void RemoteModels::setNotice(const QString& notice) {
  if (std::exchange(m_notice, notice) != notice) emit noticeChanged();
}

}  // namespace quire
