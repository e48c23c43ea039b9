#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>

#include "app/session/data_session.h"
#include "app/settings/api_server_control.h"
#include "app/settings/server_keys.h"

namespace quire {

/// The switch of the API's server, with what it needs and what it shows. It is off when the program
/// starts. Requests always need the key, which is made when it is first wanted.
///
/// Thread: the window's.
/// Invariants: an invalid port changes nothing and sets a problem; the key is never written to the
/// user's data.
class ServerModel : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isAvailable READ isAvailable NOTIFY changed)
  Q_PROPERTY(bool isOn READ isOn NOTIFY changed)
  Q_PROPERTY(bool isRunning READ isRunning NOTIFY changed)
  Q_PROPERTY(QString problem READ problem NOTIFY changed)
  Q_PROPERTY(QString address READ address NOTIFY changed)
  Q_PROPERTY(QString port READ port NOTIFY changed)
  Q_PROPERTY(bool portIsSet READ portIsSet NOTIFY changed)
  Q_PROPERTY(QString portProblem READ portProblem NOTIFY changed)
  Q_PROPERTY(QString portDefault READ portDefault NOTIFY changed)
  Q_PROPERTY(int reachIndex READ reachIndex NOTIFY changed)
  Q_PROPERTY(bool reachIsSet READ reachIsSet NOTIFY changed)
  Q_PROPERTY(QString reachWarning READ reachWarning NOTIFY changed)
  Q_PROPERTY(QString keyText READ keyText NOTIFY changed)
  Q_PROPERTY(bool keyIsShown READ keyIsShown NOTIFY changed)
  Q_PROPERTY(QString keyProblem READ keyProblem NOTIFY changed)
  Q_PROPERTY(QString modelsText READ modelsText NOTIFY changed)
  Q_PROPERTY(QString loadText READ loadText NOTIFY loadChanged)

 public:
  explicit ServerModel(DataSession& session, QObject* parent = nullptr);

  /// Until then there is no server to switch on. `keys` outlives `control`; null: the key is
  /// forgotten when the program ends.
  void setControl(ApiServerControl* control, ServerKeys* keys);

  bool isAvailable() const { return !m_control.isNull(); }
  bool isOn() const { return m_isStarting || isRunning(); }
  bool isRunning() const { return m_control && m_control->isRunning(); }
  /// Why it does not run although it was switched on; empty if it does.
  QString problem() const { return m_problem; }
  Q_INVOKABLE void start();
  Q_INVOKABLE void stop();
  Q_INVOKABLE void toggle() { isOn() ? stop() : start(); }

  /// The base URL of the OpenAI API, for clients.
  QString address() const;
  Q_INVOKABLE void copyAddress() const;

  QString port() const;
  bool portIsSet() const;
  QString portProblem() const;
  QString portDefault() const;
  /// Empty text resets. A server that runs starts anew.
  Q_INVOKABLE void setPort(const QString& text);

  int reachIndex() const { return isPublic() ? 1 : 0; }  ///< 1: other computers, too.
  bool reachIsSet() const { return isPublic(); }
  QString reachWarning() const;
  Q_INVOKABLE void chooseReach(int index);

  QString keyText() const;  ///< Dots unless it is shown; empty: none was made yet.
  bool keyIsShown() const { return m_keyIsShown; }
  QString keyProblem() const;  ///< Why it will not last; empty: it will.
  /// Makes the key if there is none.
  Q_INVOKABLE void toggleKey();
  Q_INVOKABLE void copyKey();
  /// Programs that use the old one are shut out at once.
  Q_INVOKABLE void renewKey();

  QString modelsText() const;
  QString loadText() const;

 signals:
  void changed();
  void loadChanged();

 private:
  bool isPublic() const;
  void startNow();
  void restart();
  void withKey(std::function<void()> then);
  void takeKey(const ServerKeys::Reading& reading);
  void makeKey();
  void onControlChanged();

  DataSession& m_session;
  QPointer<ApiServerControl> m_control;  ///< Null: there is none, or none any more.
  ServerKeys* m_keys = nullptr;
  QTimer m_watch;  ///< Of the load, while the server runs.
  bool m_isStarting = false;
  bool m_isReadingKey = false;
  bool m_keyIsShown = false;
  bool m_portIsWrong = false;
  QString m_key;
  QString m_keyProblem;  ///< Why the key is forgotten when the program ends; empty: it is not.
  QString m_problem;
  QList<std::function<void()>> m_wantKey;
};

}  // namespace quire
