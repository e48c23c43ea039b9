#pragma once

#include <QHash>
#include <QStringList>

#include <algorithm>

#include "app/get_models/hub_access.h"

namespace quire {

/// A hub for tests of the window, which answers what it was told and notes what it was asked.
/// Thread: the window's.
class FakeHub : public HubAccess {
 public:
  bool namesModel(const QString& text) const override {
    return text.contains(u'/') || text.contains(u':');
  }
  PendingReply search(const QString& text, Reply<HubSearchReport> reply) override {
    asked += "search " + text;
    if (answers) reply(found);
    return reply.pending();
  }
  PendingReply list(const QString& name, Reply<HubListing> reply) override {
    asked += "list " + name;
    if (answers) reply(listings.value(name, {.problem = {"There is no such model.", false}}));
    return reply.pending();
  }
  PendingReply suggest(Reply<QList<ModelSuggestion>> reply) override {
    reply(suggestions);
    return reply.pending();
  }
  void keepToken(const QString& token, Reply<QString> reply) override {
    tokens += token;
    reply(tokenProblem);
  }

  HubError get(const QString& listingId, int choice) override {
    if (!getProblem.isEmpty()) return {getProblem};
    for (const HubListing& listing : std::as_const(listings)) {
      if (listing.id != listingId) continue;
      const HubChoice& chosen = listing.choices[choice];
      add({.title = listing.name + " · " + chosen.label,
           .target = chosen.target,
           .path = chosen.target,
           .state = HubDownload::State::kRunning,
           .totalBytes = chosen.bytes});
    }
    return {};
  }
  QList<HubDownload> downloads() const override { return rows; }
  void pause(quint64 id) override { setState(id, HubDownload::State::kPaused); }
  void resume(quint64 id) override { setState(id, HubDownload::State::kRunning); }
  void cancel(quint64 id) override { forget(id); }
  void forget(quint64 id) override {
    rows.removeIf([id](const HubDownload& row) { return row.id == id; });
    emit downloadsChanged();
  }
  void moveUp(quint64 id) override {
    const auto row = std::ranges::find(rows, id, &HubDownload::id);
    if (row == rows.end() || row == rows.begin()) return;
    std::iter_swap(row, row - 1);
    emit downloadsChanged();
  }

  QString setMirror(const QString& address) override {
    if (address.contains(u' ')) return "This is not the address of a hub.";
    mirror = address;
    return {};
  }
  QString hubHost() const override { return "huggingface.co"; }
  void setBytesPerSecond(qint64 bytes) override { bytesPerSecond = bytes; }
  QString defaultFolder() const override { return "/models"; }
  void setFolder(const QString& path) override { folder = path; }
  void restore() override { ++numRestored; }

  quint64 add(HubDownload download) {
    download.id = ++m_lastId;
    rows.append(download);
    emit downloadsChanged();
    return download.id;
  }
  void change(quint64 id, const std::function<void(HubDownload&)>& edit) {
    const auto row = std::ranges::find(rows, id, &HubDownload::id);
    if (row == rows.end()) return;
    edit(*row);
    const HubDownload now = *row;
    emit downloadChanged(id);
    if (now.state == HubDownload::State::kDone) emit downloaded(now.path);
  }
  void setState(quint64 id, HubDownload::State state) {
    change(id, [state](HubDownload& row) { row.state = state; });
  }

  bool answers = true;
  HubSearchReport found;
  QHash<QString, HubListing> listings;  ///< By the name that is asked for.
  QList<ModelSuggestion> suggestions;
  QString tokenProblem;
  QString getProblem;
  QList<HubDownload> rows;

  QStringList asked;  ///< What would have been sent.
  QStringList tokens;
  QString mirror;
  QString folder;
  qint64 bytesPerSecond = 0;
  int numRestored = 0;

 private:
  quint64 m_lastId = 0;
};

}  // namespace quire
