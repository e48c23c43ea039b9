#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <optional>

#include "app/models/endpoint_models.h"
#include "app/remote/remote_tools.h"

namespace quire {

/// The form for an endpoint: its address, key, prices and models, and a test of them.
///
/// Thread: the window's.
/// Invariants: an endpoint is saved untested only if its test failed and Save was pressed again.
class EndpointEditor : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(bool isNew READ isNew NOTIFY changed)
  Q_PROPERTY(bool isTesting READ isTesting NOTIFY changed)
  Q_PROPERTY(QString address READ address WRITE setAddress NOTIFY changed)
  Q_PROPERTY(QString name READ name WRITE setName NOTIFY changed)
  Q_PROPERTY(QString nameHint READ nameHint NOTIFY changed)
  Q_PROPERTY(QString key READ key WRITE setKey NOTIFY changed)
  Q_PROPERTY(QString keyHint READ keyHint NOTIFY changed)
  Q_PROPERTY(QString inputPrice READ inputPrice WRITE setInputPrice NOTIFY changed)
  Q_PROPERTY(QString outputPrice READ outputPrice WRITE setOutputPrice NOTIFY changed)
  Q_PROPERTY(QString addressProblem READ addressProblem NOTIFY changed)
  Q_PROPERTY(QString addressNote READ addressNote NOTIFY changed)
  Q_PROPERTY(QString priceProblem READ priceProblem NOTIFY changed)
  Q_PROPERTY(QString result READ result NOTIFY changed)
  Q_PROPERTY(bool hasFailed READ hasFailed NOTIFY changed)
  Q_PROPERTY(bool canTest READ canTest NOTIFY changed)
  Q_PROPERTY(QString saveText READ saveText NOTIFY changed)
  Q_PROPERTY(quire::EndpointModels* models READ models CONSTANT)

 public:
  using QObject::QObject;

  void setTest(decltype(RemoteTools::test) test) { m_test = std::move(test); }
  /// Shows an endpoint; nothing: a new one.
  void open(const std::optional<RemoteEndpoint>& endpoint);

  bool isOpen() const { return m_isOpen; }
  bool isNew() const { return m_before.id.isEmpty(); }
  bool isTesting() const { return m_isTesting; }
  QString address() const { return m_address; }
  void setAddress(const QString& address);
  QString name() const { return m_name; }
  void setName(const QString& name);
  QString nameHint() const;  ///< The name that it gets if none is typed.
  QString key() const { return m_key; }
  void setKey(const QString& key);
  QString keyHint() const;
  QString inputPrice() const { return m_inputPrice; }
  void setInputPrice(const QString& price);
  QString outputPrice() const { return m_outputPrice; }
  void setOutputPrice(const QString& price);
  QString addressProblem() const;
  QString addressNote() const;  ///< Where requests will go, and whether others can read them.
  QString priceProblem() const;
  QString result() const { return m_result; }
  bool hasFailed() const { return m_hasFailed; }
  bool canTest() const;
  QString saveText() const;
  EndpointModels* models() { return &m_models; }

  Q_INVOKABLE void test();
  /// Tests the endpoint if it was not, and saves it.
  Q_INVOKABLE void save();
  Q_INVOKABLE void close();

 signals:
  void changed();
  /// An empty key: the stored one stays.
  void saved(const quire::RemoteEndpoint& endpoint, const QString& key);

 private:
  void forgetResult();
  RemoteEndpoint entered() const;
  void onTested(const EndpointReport& report);
  void finish();

  decltype(RemoteTools::test) m_test;
  RemoteEndpoint m_before;  ///< As it was opened; without an id if it is new.
  QString m_address;
  QString m_name;
  QString m_key;
  QString m_inputPrice;
  QString m_outputPrice;
  EndpointModels m_models;
  ServerKind m_server = ServerKind::kUnknown;
  QString m_result;  ///< Of the last test, in a sentence.
  bool m_isOpen = false;
  bool m_isTesting = false;
  bool m_isTested = false;  ///< With what is entered now.
  bool m_hasFailed = false;
  bool m_savesAfterTest = false;
  int m_lastTest = 0;  ///< Replies to earlier tests are ignored.
};

}  // namespace quire
