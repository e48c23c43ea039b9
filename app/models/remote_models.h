#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include <optional>

#include "app/models/endpoint_editor.h"
#include "app/models/remote_choices.h"
#include "app/remote/remote_tools.h"
#include "app/role_list_model.h"
#include "app/session/data_session.h"

namespace quire {

/// The machines with models that the user entered (RemoteEndpoint), as cards of the page Models.
/// They are stored in the settings, their keys in the SecretStore.
///
/// Thread: the window's.
/// Invariants: without tools (setTools) endpoints can be entered but not tested.
class RemoteModels : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(int count READ count NOTIFY changed)
  Q_PROPERTY(quire::RemoteChoices* choices READ choices CONSTANT)
  Q_PROPERTY(quire::EndpointEditor* editor READ editor CONSTANT)
  Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged)

 public:
  enum Role { kId = Qt::UserRole + 1, kName, kPlace, kPrice, kModels };

  explicit RemoteModels(DataSession& session, QObject* parent = nullptr);

  void setTools(const RemoteTools& tools);
  /// Reads the stored endpoints; the session is open.
  void load();

  int numRows() const override { return count(); }
  int count() const { return static_cast<int>(m_endpoints.size()); }
  RemoteChoices* choices() { return &m_choices; }
  EndpointEditor* editor() { return &m_editor; }
  QString notice() const { return m_notice; }

  /// The endpoint of a model by ChatRequest::modelPath; null: it is local, or not known any more.
  const RemoteEndpoint* endpointOf(const QString& modelPath) const;
  /// "qwen3-235b · Office"; empty: the model is local.
  QString nameOf(const QString& modelPath) const;

  Q_INVOKABLE void add() { m_editor.open(std::nullopt); }
  Q_INVOKABLE void edit(const QString& id);
  /// Forgets the endpoint and its key. Its chats stay, and need another model.
  Q_INVOKABLE void remove(const QString& id);
  /// Asks for a new chat that this model answers.
  Q_INVOKABLE void startChat(const QString& id, const QString& model);
  Q_INVOKABLE void dismissNotice() { setNotice({}); }

 signals:
  void changed();
  void noticeChanged();
  void chatWanted(const QString& modelPath);

 private:
  const RemoteEndpoint* find(const QString& id) const;
  void put(const RemoteEndpoint& endpoint, const QString& key);
  void storeKey(const RemoteEndpoint& endpoint, const QString& key);
  void setEndpoints(const QList<RemoteEndpoint>& endpoints);
  void save();
  void setNotice(const QString& notice);

  DataSession& m_session;
  RemoteTools m_tools;
  QList<RemoteEndpoint> m_endpoints;
  RemoteChoices m_choices;
  EndpointEditor m_editor;
  QString m_notice;
};

}  // namespace quire
